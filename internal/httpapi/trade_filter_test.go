package httpapi_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"pgregory.net/rapid"
)

// filteredJournal is a journal with a trade for nearly every filter condition, and the
// facts for a slow test of the conditions.
type filteredJournal struct {
	trader
	other        trader
	tags, setups []string // the last tag is a mistake
	tagNames     map[string]string
	batch        string
	ids          []string // some trades
	tolerance    *big.Rat
	roots        map[string]string // by symbol
	noted        map[string]string // the notes about each trade, by its id
	attached     map[string]bool
	batchTrades  map[string]bool
	// closings and openings are all trades, the last first.
	closings, openings []any
}

func newFilteredJournal(w *world) *filteredJournal {
	j := &filteredJournal{
		trader: w.trader(), tagNames: map[string]string{}, noted: map[string]string{}, attached: map[string]bool{}, batchTrades: map[string]bool{},
		roots: map[string]string{"NQZ6": "NQ", "MNQZ6": "MNQ", "AAPL": "AAPL", "AAPL260220C00200000": "AAPL", "./ESH6 E1AN6 260213P5500": "ES", "BTC/USD": "BTC/USD", "TSLA": "TSLA", "KO": "KO", "SPY": "SPY"},
	}
	j.other = j.trader.client.addAccount("Other")
	for _, tag := range []more{{"name": "Calm open"}, {"name": "news"}, {"name": "Chased it", "kind": "mistake"}} {
		id := j.made("/tags", tag).text("id")
		j.tags = append(j.tags, id)
		j.tagNames[id] = tag["name"].(string)
	}
	for _, name := range []string{"gap", "range"} {
		j.setups = append(j.setups, j.made("/setups", more{"name": name, "checklist": []string{"wait, then enter", "small size"}}).text("id"))
	}
	j.addTrades()
	j.addBusyDay()
	imported := j.imported(headLine + "TSLA,buy,10,10,2026-03-02T15:00:00Z,1\nTSLA,sell,10,12,2026-03-03T16:10:00Z,1\nKO,buy,1,5,2026-03-04T02:00:00Z,0\n")
	j.batch = imported.text("import_batch_id")
	for _, id := range j.get("/trades?symbol=TSLA,KO").column("id") {
		j.batchTrades[id] = true
	}
	return j
}

// addTrades adds trades in all instruments, at many hours and days, closed and open, with
// every kind of annotation.
func (j *filteredJournal) addTrades() {
	instruments := []struct {
		symbol string
		extra  more
	}{
		{"NQZ6", more{"instrument_type": "future", "multiplier": 20}},
		{"MNQZ6", more{"instrument_type": "future", "multiplier": 2}},
		{"AAPL", more{"instrument_type": "stock"}},
		{"AAPL260220C00200000", more{"instrument_type": "option", "details": more{"option_right": "call", "strike": "200", "expiry": "2026-02-20"}}},
		{"./ESH6 E1AN6 260213P5500", more{"instrument_type": "option", "details": more{"option_right": "put", "strike": "5500", "expiry": "2026-02-13"}}},
		{"BTC/USD", more{"instrument_type": "crypto"}},
	}
	texts := []string{"", "Waited for the retest.", "CHASED the open again", "  ", "überrascht"}
	for i := range 40 {
		d := j.trader
		if i%4 == 3 {
			d = j.other
		}
		of := instruments[i%len(instruments)]
		first := i * 60 * 19
		open, closing := "buy", "sell"
		if i%3 == 1 {
			open, closing = closing, open
		}
		id := d.fill(of.symbol, open+" 2@100", first, of.extra).text("trade_id")
		if i%7 != 6 { // others stay open, some after a part was closed
			held := []int{0, 1, 30, 600, 60 * 24 * 2}[i%5]
			d.fill(of.symbol, closing+" 1@"+itoa(97+i%7), first+held/2, of.extra, more{"external_id": "a" + itoa(i)})
			d.fill(of.symbol, closing+" 1@"+itoa(98+i%5), first+held, of.extra, more{"external_id": "b" + itoa(i)})
		} else if i%2 == 0 {
			d.fill(of.symbol, closing+" 1@101", first+5, of.extra)
		}
		fields := more{
			"tag_ids": j.tags[i%3 : min(3, i%3+i%4)], "setup_ids": j.setups[i%3/2 : i%3], "notes": texts[i%5],
			"emotional_state": []string{"", "Calm", "fomo"}[i%3], "reviewed": i%2 == 0,
		}
		if i%5 > 0 {
			rules := []more{}
			for _, setup := range j.setups[i%3/2 : i%3] {
				rules = append(rules, more{"setup_id": setup, "rule": "wait, then enter", "state": []string{"followed", "broken", "not_applicable"}[i%7%3]},
					more{"setup_id": setup, "rule": "small size", "state": []string{"broken", "followed"}[i%2]})
			}
			fields["rules"] = rules
		}
		if i%4 > 0 {
			fields["trade_quality"] = 1 + i%5
		}
		if i%3 > 0 {
			fields["initial_risk"] = 1 + i%4
		}
		d.annotate(id, fields)
		if i%3 == 0 {
			j.ids = append(j.ids, id)
		}
		if i%6 == 5 {
			j.made("/notes", more{"body": "A thought on Retests", "title": "späte Notiz", "trade_id": id})
			j.noted[id] = "A thought on Retests späte Notiz"
		}
		if i%8 == 1 {
			j.attach("/trades/"+id, "a.png", tinyPNG).want(http.StatusCreated)
			j.attached[id] = true
		}
	}
}

// addBusyDay adds trades right after each other in both accounts: losses, wins and
// breakevens, some opened at the instant another closes.
func (j *filteredJournal) addBusyDay() {
	const first = 60 * 24 * 40
	for i, result := range []int{-1, -1, 0, -1, 2, 1, -2, -1, 3} {
		d, begin := j.trader, first+10*i
		if i%3 == 1 {
			d = j.other
		}
		d.fill("SPY", "buy 1@100", begin)
		d.fill("SPY", "sell 1@"+itoa(100+result), begin+5*(1+i%2))
	}
	j.fill("SPY", "buy 1@100", first+95)
}

// filterValues returns the values to draw for each parameter.
func (j *filteredJournal) filterValues() map[string][]string {
	return map[string][]string{
		"account_id": {j.account, j.other.account + "," + j.account}, "from": {at(60 * 19 * 9), "2026-01-20T00:00:00+01:00"}, "to": {at(60 * 19 * 30)},
		"date_basis": {"open", "close"}, "status": {"open", "closed", "closed"}, "symbol": {"aapl", "NQZ6,btc/usd"}, "root": {"NQ", "aapl,es", "MNQ"},
		"side": {"long", "short"}, "instrument_type": {"option", "future", "stock,crypto"}, "option_right": {"call", "put,call"}, "dte_min": {"0", "7"}, "dte_max": {"7", "40"},
		"outcome": {"win", "loss", "breakeven", "win,breakeven"}, "pnl_min": {"-2", "0", "-1e3"}, "pnl_max": {"0", "2", "4000"}, "r_min": {"-1", "0"}, "r_max": {"0.5", "1"},
		"mae_r_min": {"0", "0.5"}, "mae_r_max": {"0.5", "1"}, "mfe_r_min": {"0.5", "1"}, "mfe_r_max": {"1", "2"}, "has_excursion": {"true", "false"},
		"exit_efficiency_min": {"0"}, "exit_efficiency_max": {"1"}, "atr_pct_min": {"0"}, "atr_pct_max": {"9"}, "gap_pct_min": {"-9"}, "gap_pct_max": {"9"},
		"relative_volume_min": {"0"}, "relative_volume_max": {"9"}, "opening_range_min": {"-9"}, "opening_range_max": {"9"},
		"has_r": {"true", "false"}, "hold_min": {"60", "0.000001"}, "hold_max": {"1800", "777600"}, "weekday": {"1,2,3", "0", "5"}, "hour": {"0,1,2,3,4,5,6,7,8,9,10,11", "15"},
		"after_losses": {"1", "2"}, "after_wins": {"1"}, "nth_of_day_min": {"1", "2"}, "nth_of_day_max": {"2", "3"},
		"session": {"rth,premarket", "overnight"}, "filter_tz": {"Asia/Tokyo", "America/New_York"}, "setup_id": {j.setups[0], j.setups[0] + "," + j.setups[1]},
		"setup_mode": {"any", "all", "none"}, "tag_id": {j.tags[0], j.tags[1] + "," + j.tags[2]}, "tag_mode": {"any", "all", "none"}, "mistake": {"true", "false"},
		"trade_quality": {"1,2", "5"}, "emotional_state": {"CALM", "Fomo,calm"}, "reviewed": {"true", "false"}, "has_note": {"true", "false"},
		"has_attachment": {"true", "false"}, "import_batch_id": {j.batch, "unknown"}, "q": {"retest", "chas open", "aapl", "esh6", "ÜBER", "it"},
		"rule_state": {"broken", "followed,not_applicable"}, "rule": {"wait, then enter", "small size", "tiny"}, "trade_id": {strings.Join(j.ids, ","), j.ids[0] + ",unknown"},
	}
}

// TestFiltersAreThoseOfASlowTest draws combinations of all parameters. The list, its
// sorted form, its pages, the export and the summary have the trades selected by a slow
// test. Then annotations, links and names change, and all is compared again.
func TestFiltersAreThoseOfASlowTest(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		j := newFilteredJournal(w)
		for i, tolerance := range []string{"0", "1"} {
			j.put("/settings/journal", `{"breakeven_tolerance":`+tolerance+`}`).want(http.StatusOK)
			j.tolerance = fraction(tolerance)
			if i > 0 {
				j.changeWhatIsFiltered()
			}
			j.checkFilters(t)
		}
	})
}

// changeWhatIsFiltered writes what columns do not contain themselves.
func (j *filteredJournal) changeWhatIsFiltered() {
	for _, note := range j.get("/notes").column("id")[:3] {
		id := j.get("/notes/" + note).text("trade_id")
		j.delete("/notes/" + note).wantNone()
		delete(j.noted, id)
	}
	note := j.get("/notes").column("id")[0]
	j.noted[j.get("/notes/"+note).text("trade_id")] = "Another retesting"
	j.patch("/notes/"+note, more{"title": "", "body": "Another retesting"}).want(http.StatusOK)
	for id := range j.attached {
		files := j.get("/trades/" + id + "/attachments").column("id")
		j.delete("/attachments/" + files[0]).wantNone()
		delete(j.attached, id)
		break
	}
	j.patch("/tags/"+j.tags[1], more{"name": "openings", "kind": "mistake"}).want(http.StatusOK)
	j.tagNames[j.tags[1]] = "openings"
	trades := j.get("/trades").column("id")
	j.annotate(trades[3], more{"notes": "It was a retest", "reviewed": true, "emotional_state": "fomo"})
	j.annotate(trades[4], more{"setup_ids": j.setups, "rules": []more{{"setup_id": j.setups[1], "rule": "small size", "state": "broken"}}})
	j.patch("/setups/"+j.setups[0], more{"checklist": []string{"wait, then enter", "tiny"}, "renamed_rules": []more{{"from": "small size", "to": "tiny"}}}).want(http.StatusOK)
	j.annotate(j.get("/trades?rule_state=broken").text("0.id"), more{"setup_ids": []string{}}) // keeps the states for later
	j.delete("/trades/" + trades[5]).wantNone()
}

func (j *filteredJournal) checkFilters(t *testing.T) {
	t.Helper()
	all := j.get("/trades").want(http.StatusOK).value("").([]any)
	opened := j.get("/trades?date_basis=open").want(http.StatusOK).value("").([]any)
	j.closings, j.openings = all, opened
	known := j.filterValues()
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range known {
			if !yield(name) {
				return
			}
		}
	})
	narrowed, drawn := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		drawn++
		values := url.Values{}
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 6, rapid.ID).Draw(rt, "parameters") {
			values.Set(name, rapid.SampledFrom(known[name]).Draw(rt, name))
		}
		list := all
		if values.Get("date_basis") == "open" {
			list = opened
		}
		if selected := j.in(t).checkFilter(rt, values, list); selected > 0 && selected < len(list) {
			narrowed++
		}
	})
	if narrowed*20 < drawn {
		t.Fatalf("only %d of %d filters selected some trades and not all", narrowed, drawn)
	}
}

func (j *filteredJournal) in(t *testing.T) *filteredJournal {
	t.Helper()
	clone := *j
	clone.trader = j.trader.in(t)
	return &clone
}

// checkFilter compares every answer to a filter with the slow test, and returns how many
// trades were selected.
func (j *filteredJournal) checkFilter(t *rapid.T, values url.Values, all []any) int {
	t.Helper()
	query := values.Encode()
	var want, closed []string
	net := new(big.Rat)
	wins := 0
	for _, item := range all {
		trade := item.(map[string]any)
		if !j.passes(trade, values) {
			continue
		}
		id := trade["id"].(string)
		want = append(want, id)
		if trade["status"] == "closed" {
			closed = append(closed, id)
			net.Add(net, number(trade["net_pnl"]))
			if j.outcomeOf(trade) == "win" {
				wins++
			}
		}
	}
	equal := func(what string, got, want any) {
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%s: %s is %v, want %v", query, what, got, want)
		}
	}
	equal("the list", j.get("/trades?"+query).want(http.StatusOK).column("id"), want)
	page := j.get("/trades?limit=3&" + query).want(http.StatusOK)
	equal("the total", page.header.Get("X-Total-Count"), len(want))
	equal("the first page", page.column("id"), want[:min(3, len(want))])
	sorted := j.get("/trades?sort=net_pnl&" + query).want(http.StatusOK).column("id")
	equal("the sorted list", slices.Sorted(slices.Values(sorted)), slices.Sorted(slices.Values(want)))
	pages, _ := j.pages("/trades?limit=7&"+query, "id")
	equal("all pages", pages, want)
	csv := string(j.get("/exports?format=csv&" + query).want(http.StatusOK).body)
	equal("the rows of the export", strings.Count(csv, "\n")-strings.Count(csv, "\n\""), len(want)+1)
	summary := j.get("/analytics/summary?" + query).want(http.StatusOK)
	equal("total_trades", summary.text("total_trades"), len(closed))
	equal("wins", summary.text("wins"), wins)
	equal("net_pnl", fraction(summary.text("net_pnl")).RatString(), net.RatString())
	allRealized := j.get("/analytics/summary?pnl_basis=realized&" + query).want(http.StatusOK)
	equal("the sum of realized gains", sumGains(t, j.client, query).RatString(), fraction(allRealized.text("net_pnl")).RatString())
	if !values.Has("from") && !values.Has("to") {
		values.Set("status", "closed")
		realized := j.get("/analytics/summary?pnl_basis=realized&" + values.Encode()).want(http.StatusOK)
		if list := j.get("/trades?" + values.Encode()).column("id"); len(list) == len(closed) {
			equal("realized total_trades", realized.text("total_trades"), len(closed))
			equal("realized net_pnl", fraction(realized.text("net_pnl")).RatString(), net.RatString())
		}
	}
	return len(want)
}

func number(value any) *big.Rat {
	if value == nil {
		return nil
	}
	return fraction(value.(json.Number).String())
}

// passes is a slow and direct test of a listed trade.
func (j *filteredJournal) passes(trade map[string]any, values url.Values) bool {
	for name := range values {
		if !j.passesOne(trade, name, values) {
			return false
		}
	}
	return true
}

func (j *filteredJournal) passesOne(trade map[string]any, name string, values url.Values) bool {
	value := values.Get(name)
	isIn := func(have string) bool { return slices.Contains(strings.Split(value, ","), have) }
	text := func(field string) string {
		s, _ := trade[field].(string)
		return s
	}
	opened, err := time.Parse(time.RFC3339, text("opened_at"))
	if err != nil {
		panic(err)
	}
	zone, _ := time.LoadLocation(values.Get("filter_tz")) // UTC if it is absent
	local := opened.In(zone)
	switch name {
	case "account_id", "status", "side", "instrument_type":
		field := map[string]string{"side": "direction"}[name]
		if field == "" {
			field = name
		}
		return isIn(text(field))
	case "symbol":
		return slices.Contains(strings.Split(strings.ToUpper(value), ","), text("symbol"))
	case "root":
		return slices.Contains(strings.Split(strings.ToUpper(value), ","), j.roots[text("symbol")])
	case "from", "to":
		tested := opened
		if closed := text("closed_at"); closed != "" && values.Get("date_basis") != "open" {
			tested, _ = time.Parse(time.RFC3339, closed)
		}
		limit, _ := time.Parse(time.RFC3339, value)
		return name == "from" && !tested.Before(limit) || name == "to" && !tested.After(limit)
	case "option_right":
		return isIn(text("option_right"))
	case "dte_min", "dte_max":
		expiry, err := time.Parse(time.DateOnly, text("expiry"))
		if err != nil {
			return false
		}
		y, m, d := local.Date()
		days := int64(expiry.Sub(time.Date(y, m, d, 0, 0, 0, 0, time.UTC)) / (24 * time.Hour))
		return inBound(name, value, big.NewRat(days, 1))
	case "pnl_min", "pnl_max":
		return inBound(name, value, number(trade["net_pnl"]))
	case "r_min", "r_max":
		return inBound(name, value, number(trade["r_multiple"]))
	case "mae_r_min", "mae_r_max", "mfe_r_min", "mfe_r_max":
		// There are no bars, so only what the trader typed is known.
		typed, risk := number(trade[name[:3]]), number(trade["initial_risk"])
		return typed != nil && risk != nil && risk.Sign() > 0 && inBound(name, value, typed.Abs(typed).Quo(typed, risk))
	case "has_excursion":
		return (trade["mae"] != nil && trade["mfe"] != nil) == (value == "true")
	case "exit_efficiency_min", "exit_efficiency_max", "atr_pct_min", "atr_pct_max", "gap_pct_min", "gap_pct_max",
		"relative_volume_min", "relative_volume_max", "opening_range_min", "opening_range_max":
		return false
	case "has_r":
		return (trade["r_multiple"] != nil) == (value == "true")
	case "hold_min", "hold_max":
		closed, err := time.Parse(time.RFC3339, text("closed_at"))
		return err == nil && inBound(name, value, big.NewRat(closed.Sub(opened).Microseconds(), 1e6))
	case "outcome":
		return isIn(j.outcomeOf(trade))
	case "weekday":
		return isIn(itoa(int(local.Weekday())))
	case "hour":
		return isIn(itoa(local.Hour()))
	case "session":
		return isIn(sessionOf(opened))
	case "after_losses", "after_wins":
		return j.closesBefore(opened, values)(value, map[string]string{"after_losses": "loss", "after_wins": "win"}[name])
	case "nth_of_day_min", "nth_of_day_max":
		return inBound(name, value, j.nthOfDay(trade, values))
	case "rule", "rule_state":
		return passesRules(trade["rules"].([]any), values)
	case "trade_id":
		return isIn(text("id"))
	case "tag_id", "tag_mode":
		return passesMode(trade["tag_ids"].([]any), values, "tag")
	case "setup_id", "setup_mode":
		return passesMode(trade["setup_ids"].([]any), values, "setup")
	}
	return j.passesAnnotation(trade, name, value)
}

// isSameDay reports whether a trade in the filter's accounts opened or closed on an
// instant's day.
func (j *filteredJournal) isSameDay(item any, field string, at time.Time, values url.Values) bool {
	trade := item.(map[string]any)
	text, _ := trade[field].(string)
	its, err := time.Parse(time.RFC3339, text)
	if err != nil || values.Has("account_id") && !slices.Contains(strings.Split(values.Get("account_id"), ","), trade["account_id"].(string)) {
		return false
	}
	zone, _ := time.LoadLocation(values.Get("filter_tz"))
	return its.In(zone).Format(time.DateOnly) == at.In(zone).Format(time.DateOnly)
}

// closesBefore returns a function that reports whether the last closes on an instant's
// day before it had an outcome.
func (j *filteredJournal) closesBefore(at time.Time, values url.Values) func(count, outcome string) bool {
	var outcomes []string // the last first
	for _, item := range j.closings {
		trade := item.(map[string]any)
		if !j.isSameDay(item, "closed_at", at, values) {
			continue
		}
		if closed, _ := time.Parse(time.RFC3339, trade["closed_at"].(string)); closed.Before(at) && j.outcomeOf(trade) != "breakeven" {
			outcomes = append(outcomes, j.outcomeOf(trade))
		}
	}
	return func(count, outcome string) bool {
		n := int(fraction(count).Num().Int64())
		return len(outcomes) >= n && !slices.ContainsFunc(outcomes[:n], func(o string) bool { return o != outcome })
	}
}

// nthOfDay returns a trade's number among the openings on its day.
func (j *filteredJournal) nthOfDay(trade map[string]any, values url.Values) *big.Rat {
	opened, _ := time.Parse(time.RFC3339, trade["opened_at"].(string))
	n, counts := int64(0), false
	for _, item := range j.openings {
		counts = counts || item.(map[string]any)["id"] == trade["id"]
		if counts && j.isSameDay(item, "opened_at", opened, values) {
			n++
		}
	}
	return big.NewRat(n, 1)
}

// passesRules tests rule states.
func passesRules(rules []any, values url.Values) bool {
	return slices.ContainsFunc(rules, func(item any) bool {
		tick := item.(map[string]any)
		return (!values.Has("rule") || tick["rule"] == values.Get("rule")) &&
			(!values.Has("rule_state") || slices.Contains(strings.Split(values.Get("rule_state"), ","), tick["state"].(string)))
	})
}

// passesAnnotation tests the conditions on what the trader wrote.
func (j *filteredJournal) passesAnnotation(trade map[string]any, name, value string) bool {
	id := trade["id"].(string)
	notes := trade["notes"].(string)
	_, noted := j.noted[id]
	var tags []string
	mistake := false
	for _, item := range trade["tags"].([]any) {
		tag := item.(map[string]any)
		mistake = mistake || tag["kind"] == "mistake"
		tags = append(tags, tag["name"].(string))
	}
	flags := map[string]bool{
		"mistake": mistake, "reviewed": trade["reviewed_at"] != nil, "has_note": noted || strings.TrimSpace(notes) != "", "has_attachment": j.attached[id],
	}
	if is, known := flags[name]; known {
		return is == (value == "true")
	}
	switch name {
	case "trade_quality":
		return trade["trade_quality"] != nil && slices.Contains(strings.Split(value, ","), trade["trade_quality"].(json.Number).String())
	case "emotional_state":
		state := trade["emotional_state"].(string)
		return state != "" && slices.ContainsFunc(strings.Split(value, ","), func(s string) bool { return strings.EqualFold(s, state) })
	case "import_batch_id":
		return value == j.batch && j.batchTrades[id]
	case "q":
		found := strings.FieldsFunc(strings.ToLower(strings.Join(append(tags, notes, j.noted[id], trade["symbol"].(string)), " ")), func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r)
		})
		for word := range strings.FieldsSeq(strings.ToLower(value)) {
			if !slices.ContainsFunc(found, func(f string) bool { return strings.HasPrefix(f, word) }) {
				return false
			}
		}
	}
	return true // date_basis and filter_tz
}

func inBound(name, limit string, value *big.Rat) bool {
	if value == nil {
		return false
	}
	order := value.Cmp(fraction(limit))
	return strings.HasSuffix(name, "_min") && order >= 0 || strings.HasSuffix(name, "_max") && order <= 0
}

func (j *filteredJournal) outcomeOf(trade map[string]any) string {
	net := number(trade["net_pnl"])
	switch {
	case net == nil:
		return "open"
	case new(big.Rat).Abs(net).Cmp(j.tolerance) <= 0:
		return "breakeven"
	case net.Sign() > 0:
		return "win"
	}
	return "loss"
}

func sessionOf(at time.Time) string {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		panic(err)
	}
	switch clock := at.In(zone).Format("15:04"); {
	case clock < "04:00" || clock >= "20:00":
		return "overnight"
	case clock < "09:30":
		return "premarket"
	case clock < "16:00":
		return "rth"
	}
	return "afterhours"
}

func passesMode(have []any, values url.Values, name string) bool {
	var want []string
	if text := values.Get(name + "_id"); text != "" {
		want = strings.Split(text, ",")
	}
	found := 0
	for _, id := range want {
		if slices.Contains(have, any(id)) {
			found++
		}
	}
	switch values.Get(name + "_mode") {
	case "none":
		return found == 0 && (len(want) > 0 || len(have) == 0)
	case "all":
		return found == len(want)
	}
	return found > 0 || len(want) == 0
}

// TestBreakdownByRoot: contracts with one root are one row, and its link finds them.
func TestBreakdownByRoot(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		for i, symbol := range []string{"NQZ6", "NQH7", "MNQZ6"} {
			future := more{"instrument_type": "future", "multiplier": 1}
			d.fill(symbol, "buy 1@10", 10*i, future)
			d.fill(symbol, "sell 1@"+itoa(12+i), 10*i+5, future)
		}
		rows := d.get("/analytics/breakdown?by=root&explain=true&evidence=false").want(http.StatusOK)
		rows.wantColumn("key", "NQ", "MNQ").wantColumn("net_pnl", "5", "4").is("0.trades", "2")
		link := strings.TrimPrefix(rows.text("0.explanation.trades_link"), "/api/v1")
		d.get(link).want(http.StatusOK).wantColumn("symbol", "NQH7", "NQZ6")
	})
}

// TestFilteredExports: trade tables take the filter, backups and fills do not.
func TestFilteredExports(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		d.nets("AAA", "10", "-4")
		for _, format := range []string{"csv&rows=trades", "xlsx"} {
			d.get("/exports?outcome=win&format=" + format).want(http.StatusOK)
		}
		if csv := string(d.get("/exports?format=csv&outcome=loss").want(http.StatusOK).body); strings.Count(csv, "\n") != 2 || !strings.Contains(csv, ",-4,") {
			t.Errorf("the export is %s", csv)
		}
		for _, format := range []string{"json", "zip", "csv&rows=executions", ""} {
			d.get("/exports?account_id=" + d.account + "&format=" + format).want(http.StatusOK)
			d.get("/exports?weekday=1&format="+format).wantError(http.StatusBadRequest, "bad_request").wantField("weekday")
		}
	})
}
