package httpapi_test

import (
	"encoding/json"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"fillbook/internal/figures/analytics/oracle"
	matched "fillbook/internal/trading/matching/oracle"
)

// The random journals that figures are tested on. They are written through the
// API, and kept beside it as the oracles want them: as fills, cash and annotations.

// listing is what a made-up stock exchange lists.
type listing struct {
	symbol, instrument, multiplier string
	prices                         []string
	details                        more
	stated                         bool
}

// listings differ in what figures could trip over: sizes that are exact multiples
// of each other, multipliers, prices below zero, results that the broker states.
var listings = []listing{
	{symbol: "PAR", instrument: "stock", multiplier: "1", prices: []string{"100"}},
	{symbol: "AAA", instrument: "stock", multiplier: "1", prices: []string{"10", "10.1", "9.5", "12", "11.333333"}},
	{symbol: "BBB", instrument: "stock", multiplier: "1", prices: []string{"0.01", "100", "99.99", "250"}},
	{symbol: "MES", instrument: "future", multiplier: "5", prices: []string{"5000", "5000.25", "4990.5", "5010"}},
	{symbol: "CLX", instrument: "future", multiplier: "1000", prices: []string{"-37.63", "-1", "-0.5"}},
	{
		symbol: "QQQ", instrument: "option", multiplier: "100", prices: []string{"0.05", "1.2", "3"},
		details: more{"option_right": "call", "strike": "400", "expiry": "2026-12-18"},
	},
	{symbol: "EURJPY", instrument: "forex", multiplier: "1", prices: []string{"161.2", "161.35", "160"}, stated: true},
}

// best is the lowest price to buy at, or the highest to sell at.
func (l *listing) best(buy bool) string {
	return slices.MaxFunc(l.prices, func(a, b string) int {
		if buy {
			a, b = b, a
		}
		return fraction(a).Cmp(fraction(b))
	})
}

// anchors are instants at which calendars are hard: changes of clocks in the
// zones of the test, and the turn of a year.
var anchors = []string{
	"2025-12-31T23:30:00Z", "2026-01-05T14:29:00Z", "2026-03-08T06:30:00Z", "2026-03-28T21:45:00Z", "2026-03-29T00:45:00Z",
	"2026-04-04T14:30:00Z", "2026-06-30T18:15:00Z", "2026-10-03T15:00:00Z", "2026-04-05T02:45:00Z", "2026-11-01T05:30:00Z",
}

// steps are the pauses between fills: the limits of detectors and buckets, and a
// hair beside them.
var steps = []time.Duration{
	5 * time.Minute, 15 * time.Minute, time.Minute, 0, 15*time.Minute - time.Microsecond, time.Microsecond, 30 * time.Second,
	30 * time.Minute, time.Hour, time.Hour + time.Microsecond, 4 * time.Hour, 24 * time.Hour, 50 * time.Hour, 7 * 24 * time.Hour,
}

// sent is a fill that was recorded.
type sent struct {
	listing *listing
	account string
	fill    matched.Fill
	at      time.Time
}

// trial is one random journal.
type trial struct {
	*rapid.T
	c           *client
	journal     oracle.Journal
	fills       []sent
	annotations map[string]more
	setups      []string
	tags        []string
	lucky       bool // most trades are won
}

func fraction(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic("no number: " + text)
	}
	return r
}

func pick[T any](t *rapid.T, label string, from ...T) T {
	return rapid.SampledFrom(from).Draw(t, label)
}

// oneIn is true about once in n times. Small numbers and ends come up too often
// to be the ones that are waited for.
func oneIn(t *rapid.T, n int, label string) bool {
	return rapid.IntRange(0, 16*n).Draw(t, label)%n == n-1
}

// newTrial empties the owner's journal and writes a random one.
func newTrial(t *rapid.T, c *client) *trial {
	for _, kind := range []string{"/accounts", "/tags", "/setups"} {
		for _, id := range c.get(kind).want(http.StatusOK).column("id") {
			c.delete(kind + "/" + id).want(http.StatusNoContent)
		}
	}
	tr := &trial{T: t, c: c, annotations: map[string]more{}}
	tr.journal.Names, tr.journal.Mistakes, tr.journal.Checklists = map[string]string{}, map[string]bool{}, map[string][]string{}
	tr.open()
	tr.tolerate()
	tr.trade()
	tr.move()
	tr.annotate()
	tr.regroup()
	return tr
}

// tolerate sets the breakeven tolerance, in one of its forms.
func (tr *trial) tolerate() {
	amount := func(text string) { tr.journal.ToleranceAmount = fraction(text) }
	form := pick(tr.T, "tolerance", "null", "5", "null", `{"amount":12.34}`, `{"r":0.5}`, "0")
	switch form {
	case "5", "0":
		amount(form)
		tr.journal.Tolerance = fraction(form)
	case `{"amount":12.34}`:
		amount("12.34")
		tr.journal.Tolerance = oracle.Object{"amount": fraction("12.34")}
	case `{"r":0.5}`:
		tr.journal.ToleranceR = fraction("0.5")
		tr.journal.Tolerance = oracle.Object{"r": fraction("0.5")}
	}
	tr.c.put("/settings/journal", more{"breakeven_tolerance": json.RawMessage(form)}).want(http.StatusOK)
}

// open makes accounts, tags and setups.
func (tr *trial) open() {
	for i := range rapid.IntRange(1, 3).Draw(tr.T, "accounts") {
		a := oracle.Account{Name: "Account " + itoa(i), Currency: "USD"}
		balance := pick(tr.T, "balance", "0", "1000", "250.5", "-100")
		a.Starting = fraction(balance)
		a.ID = tr.c.made("/accounts", more{"name": a.Name, "starting_balance": json.Number(balance)}).text("id")
		tr.journal.Accounts = append(tr.journal.Accounts, a)
	}
	for name, kind := range map[string]string{"calm": "custom", "news": "custom", "chased": "mistake"} {
		id := tr.c.made("/tags", more{"name": name, "kind": kind}).text("id")
		tr.journal.Names[id], tr.journal.Mistakes[id] = name, kind == "mistake"
		tr.tags = append(tr.tags, id)
	}
	for _, name := range []string{"breakout", "reversal"} {
		id := tr.c.made("/setups", more{"name": name}).text("id")
		tr.journal.Names[id] = name
		tr.setups = append(tr.setups, id)
	}
	slices.Sort(tr.tags)
}

// trade records fills, in such a way that positions are closed, turned round and
// left open.
func (tr *trial) trade() {
	tr.lucky = oneIn(tr.T, 3, "lucky")
	positions := map[string]*big.Rat{}
	listed := rapid.SliceOfNDistinct(rapid.IntRange(0, len(listings)-1), 2, 4, rapid.ID).Draw(tr.T, "listings")
	at := tr.instant()
	for range pick(tr.T, "fills", 40, 60, 50, 25, 12, 5) {
		at = at.Add(pick(tr.T, "pause", steps...))
		if oneIn(tr.T, 25, "jump") {
			at = tr.instant()
		}
		l := &listings[pick(tr.T, "listing", listed...)]
		account := pick(tr.T, "account", tr.journal.Accounts...).ID
		position := positions[account+l.symbol]
		if position == nil {
			position = new(big.Rat)
		}
		buy, quantity := tr.decide(position)
		moved := quantity
		if !buy {
			moved = new(big.Rat).Neg(quantity)
		}
		positions[account+l.symbol] = new(big.Rat).Add(position, moved)
		tr.send(l, account, at, buy, quantity, position.Sign() != 0)
	}
}

func (tr *trial) instant() time.Time {
	at, err := time.Parse(time.RFC3339, pick(tr.T, "anchor", anchors...))
	if err != nil {
		tr.Fatal(err)
	}
	return at
}

// decide decides what to do with a position.
func (tr *trial) decide(position *big.Rat) (buy bool, quantity *big.Rat) {
	quantity = fraction(pick(tr.T, "quantity", "1", "2", "3", "0.5", "10"))
	held := new(big.Rat).Abs(position)
	if held.Sign() == 0 {
		return rapid.Bool().Draw(tr.T, "buy"), quantity
	}
	against := position.Sign() < 0
	switch pick(tr.T, "move", "close", "turn", "close", "part", "close", "add") {
	case "close":
		return against, held
	case "turn":
		return against, quantity.Add(quantity, held)
	case "part":
		return against, quantity
	}
	return !against, quantity
}

func (tr *trial) send(l *listing, account string, at time.Time, buy bool, quantity *big.Rat, closes bool) {
	side := map[bool]string{true: "buy", false: "sell"}[buy]
	price := pick(tr.T, "price", l.prices...)
	if tr.lucky && closes {
		price = l.best(buy)
	}
	fees, commission := pick(tr.T, "fees", "0", "0", "1", "0.35", "-0.2"), pick(tr.T, "commission", "0", "1.1")
	amount, _ := quantity.FloatPrec()
	body := more{
		"account_id": account, "symbol": l.symbol, "instrument_type": l.instrument, "multiplier": json.Number(l.multiplier), "side": side,
		"quantity": json.Number(quantity.FloatString(amount)), "price": json.Number(price), "fees": json.Number(fees),
		"commission": json.Number(commission), "executed_at": at.Format(time.RFC3339Nano), "allow_duplicate": true,
	}
	if l.details != nil {
		body["details"] = l.details
	}
	f := matched.Fill{
		At: at.UnixMicro(), Seq: int64(len(tr.fills)), Buy: buy, Quantity: quantity, Price: fraction(price), Multiplier: fraction(l.multiplier),
		Fees: fraction(fees), Commission: fraction(commission),
	}
	if l.stated && closes && rapid.Bool().Draw(tr.T, "stated") {
		stated := pick(tr.T, "stated result", "0", "12.34", "-7.5")
		body["stated_pnl"], f.Stated = json.Number(stated), fraction(stated)
	}
	f.ID = tr.c.made("/executions", body).text("id")
	tr.fills = append(tr.fills, sent{l, account, f, at})
}

// move records cash of every kind.
func (tr *trial) move() {
	for range rapid.IntRange(0, 6).Draw(tr.T, "cash") {
		kind := pick(tr.T, "kind", "deposit", "withdrawal", "fee", "dividend", "interest", "adjustment")
		text := pick(tr.T, "amount", "100", "-100", "0.25", "-3", "1000")
		account := pick(tr.T, "account", tr.journal.Accounts...).ID
		at := tr.instant().Add(pick(tr.T, "pause", steps...))
		if len(tr.fills) > 0 && rapid.Bool().Draw(tr.T, "with a fill") {
			at = pick(tr.T, "fill", tr.fills...).at
		}
		amount := fraction(text)
		switch kind {
		case "deposit":
			amount.Abs(amount)
		case "withdrawal", "fee":
			amount.Neg(amount.Abs(amount))
		}
		id := tr.c.made("/cash-transactions", more{
			"account_id": account, "type": kind, "amount": json.Number(text), "occurred_at": at.Format(time.RFC3339Nano),
		}).text("id")
		flow := kind == "deposit" || kind == "withdrawal"
		tr.journal.Cash = append(tr.journal.Cash, oracle.Cash{ID: id, Account: account, At: at, Amount: amount, Flow: flow})
	}
}

// markValues are what is written on trades.
var annotationValues = []struct {
	field  string
	values []string
}{
	{"initial_risk", []string{"100", "0.3", "7"}},
	{"stop_price", []string{"9", "11.333333", "5005"}},
	{"trade_quality", []string{"1", "3", "5"}},
	{"mae", []string{"5", "40"}},
	{"mfe", []string{"0", "1", "40", "2000"}},
}

// annotate replaces the annotations of all trades, possibly by none.
func (tr *trial) annotate() {
	tr.annotations = map[string]more{}
	list := tr.c.get("/trades").want(http.StatusOK)
	gross, nets := list.column("gross_pnl"), list.column("net_pnl")
	tr.setChecklists(func() []string { return slices.Clone(allRules) })
	for i, id := range list.column("id") {
		annotations := more{"tag_ids": []string{}, "setup_ids": []string{}, "rules": nil}
		for _, m := range annotationValues {
			annotations[m.field] = nil
			if oneIn(tr.T, 4, m.field) {
				annotations[m.field] = json.Number(pick(tr.T, m.field, m.values...))
			}
		}
		// Right on the edge: half of the best was given back, and exactly 1 R made.
		if gross[i] != "" && !strings.HasPrefix(gross[i], "-") && oneIn(tr.T, 4, "half") {
			annotations["mfe"] = multiple(gross[i], 2)
		}
		if nets[i] != "" && nets[i] != "0" && oneIn(tr.T, 4, "whole R") {
			annotations["initial_risk"] = multiple(strings.TrimPrefix(nets[i], "-"), 1)
		}
		if oneIn(tr.T, 3, "words") {
			annotations["tag_ids"] = rapid.SliceOfNDistinct(rapid.SampledFrom(tr.tags), 0, 3, rapid.ID).Draw(tr.T, "tags")
			setups := rapid.SliceOfNDistinct(rapid.SampledFrom(tr.setups), 0, 2, rapid.ID).Draw(tr.T, "setups")
			annotations["setup_ids"], annotations["rules"] = setups, tr.answerRules(setups)
			tr.c.patch("/trades/"+id, more{"rules": nil}).want(http.StatusOK)
		}
		if annotations["initial_risk"] != nil && annotations["stop_price"] != nil {
			// A risk that is sent back as it was derived from the last stop would not be stated.
			tr.c.patch("/trades/"+id, more{"stop_price": nil}).want(http.StatusOK)
		}
		tr.c.patch("/trades/"+id, annotations).want(http.StatusOK)
		tr.annotations[id] = annotations
	}
	tr.setChecklists(func() []string { return allRules[:rapid.IntRange(0, len(allRules)).Draw(tr.T, "rules")] })
}

// allRules are the rules that trades are annotated with. Some of them leave the
// checklists afterwards.
var allRules = []string{"Volume", "Trend", "News"}

func (tr *trial) setChecklists(rules func() []string) {
	for _, id := range tr.setups {
		tr.journal.Checklists[id] = rules()
		tr.c.patch("/setups/"+id, more{"checklist": tr.journal.Checklists[id]}).want(http.StatusOK)
	}
}

// answerRules draws the states of some rules.
func (tr *trial) answerRules(setups []string) []more {
	states := []more{}
	for _, setup := range setups {
		for _, rule := range allRules {
			if state := pick(tr.T, "state", "followed", "broken", "", "followed", "not_applicable"); state != "" {
				states = append(states, more{"setup_id": setup, "rule": rule, "state": state})
			}
		}
	}
	return states
}

func multiple(amount string, times int64) json.Number {
	r := fraction(amount)
	r.Mul(r, big.NewRat(times, 1))
	places, _ := r.FloatPrec()
	return json.Number(r.FloatString(places))
}

// disturb changes and deletes fills and cash of a journal that figures were
// computed for before, and then annotates it again: other tests check what
// happens to annotations when trades fall apart.
func (tr *trial) disturb() {
	for range pick(tr.T, "changes", 3, 1, 8) {
		if len(tr.fills) < 3 {
			break
		}
		i := rapid.IntRange(0, len(tr.fills)-1).Draw(tr.T, "fill")
		s := &tr.fills[i]
		if oneIn(tr.T, 3, "delete") {
			tr.c.delete("/executions/" + s.fill.ID).want(http.StatusNoContent)
			tr.fills = slices.Delete(tr.fills, i, i+1)
			continue
		}
		price := pick(tr.T, "price", s.listing.prices...)
		changed := tr.c.patch("/executions/"+s.fill.ID, more{"price": json.Number(price)}).want(http.StatusOK)
		if s.fill.Price.Cmp(fraction(price)) != 0 {
			s.fill.Stated = nil // it spoke of the price that was
		}
		if stated := changed.value("stated_pnl"); (stated == nil) != (s.fill.Stated == nil) {
			tr.Fatalf("the stated result of a changed fill is %v", stated)
		}
		s.fill.Price = fraction(price)
	}
	if n := len(tr.journal.Cash); n > 0 {
		tr.c.delete("/cash-transactions/" + tr.journal.Cash[n-1].ID).want(http.StatusNoContent)
		tr.journal.Cash = tr.journal.Cash[:n-1]
	}
	tr.journal.Trades, tr.journal.Open = nil, nil
	tr.annotate()
	tr.regroup()
}

// regroup makes the trades out of the fills, by the oracle of matching.
func (tr *trial) regroup() {
	ids := tr.tradesOfFills()
	streams := map[string][]sent{}
	for _, s := range tr.fills {
		key := s.account + " " + s.listing.symbol
		streams[key] = append(streams[key], s)
	}
	for _, stream := range streams {
		var fills []matched.Fill
		instants, arrivals := map[string]time.Time{}, map[string]int{}
		for _, s := range stream {
			fills = append(fills, s.fill)
			instants[s.fill.ID], arrivals[s.fill.ID] = s.at, int(s.fill.Seq)
		}
		parts := matched.RealizedParts(fills)
		for i, m := range matched.Recompute(fills) {
			if len(parts[i]) == 0 {
				continue
			}
			first, last := m.FillIDs[0], m.FillIDs[len(m.FillIDs)-1]
			t := oracle.Trade{
				ID: tr.common(ids, m.FillIDs), Account: stream[0].account, Symbol: stream[0].listing.symbol,
				Instrument: stream[0].listing.instrument, Long: m.Long, OpenedAt: instants[first], ClosedAt: instants[last],
				Net: m.Net, Gross: m.Gross, Fees: new(big.Rat).Add(m.Fees, m.Commission), Entry: m.Entry,
				Volume: m.Volume, AccountName: tr.accountName(stream[0].account), Arrival: arrivals[first],
			}
			tr.describe(&t, m)
			volumes := m.ShareVolume(parts[i])
			for n, p := range parts[i] {
				t.Parts = append(t.Parts, oracle.Part{
					At: time.UnixMicro(p.At).UTC(), Net: new(big.Rat).Sub(p.Gross, p.Costs), Gross: p.Gross, Fees: p.Costs, Volume: volumes[n],
				})
			}
			if m.Net != nil {
				tr.journal.Trades = append(tr.journal.Trades, t)
			} else {
				tr.journal.Open = append(tr.journal.Open, t)
			}
		}
	}
}

// tradesOfFills returns the trades that each fill belongs to.
func (tr *trial) tradesOfFills() map[string][]string {
	out := map[string][]string{}
	list, _ := tr.c.get("/executions").want(http.StatusOK).value("").([]any)
	for _, element := range list {
		row, _ := element.(map[string]any)
		id, _ := row["id"].(string)
		trades, _ := row["trade_ids"].([]any)
		for _, trade := range trades {
			name, _ := trade.(string)
			out[id] = append(out[id], name)
		}
	}
	return out
}

// common is the one trade that some fills have in common.
func (tr *trial) common(ids map[string][]string, fills []string) string {
	var found []string
	for _, id := range ids[fills[0]] {
		if !slices.ContainsFunc(fills, func(fill string) bool { return !slices.Contains(ids[fill], id) }) {
			found = append(found, id)
		}
	}
	if len(found) != 1 {
		tr.Fatalf("the fills %q have the trades %q in common", fills, found)
	}
	return found[0]
}

// describe adds what was written on a trade.
func (tr *trial) describe(t *oracle.Trade, m matched.Trade) {
	annotations := tr.annotations[t.ID]
	number := func(field string) *big.Rat {
		if text, ok := annotations[field].(json.Number); ok {
			return fraction(text.String())
		}
		return nil
	}
	t.Risk, t.MFE = number("initial_risk"), number("mfe")
	if grade := number("trade_quality"); grade != nil {
		t.Grade = int(grade.Num().Int64())
	}
	t.Tags, _ = annotations["tag_ids"].([]string)
	t.Setups, _ = annotations["setup_ids"].([]string)
	rules, _ := annotations["rules"].([]more)
	for _, r := range rules {
		t.Rules = append(t.Rules, oracle.Rule{Setup: r["setup_id"].(string), Rule: r["rule"].(string), State: r["state"].(string)})
	}
	if stop := number("stop_price"); stop != nil && t.Risk == nil && m.Rate != nil {
		loss := new(big.Rat).Sub(m.Entry, stop.Mul(stop, m.Size))
		if !m.Long {
			loss.Neg(loss)
		}
		if loss.Sign() > 0 {
			t.Risk = loss.Mul(loss, m.Rate)
		}
	}
}

// accountName is the name of an account, by which trades of one instant are
// ordered.
func (tr *trial) accountName(id string) string {
	for _, a := range tr.journal.Accounts {
		if a.ID == id {
			return a.Name
		}
	}
	return ""
}
