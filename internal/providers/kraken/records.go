package kraken

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/matching"
)

// Fetch implements connector.Connector.
func (fillClient) Fetch(ctx context.Context, session *remote.Session, query connector.Query) (connector.Delivery, error) {
	f := &fetcher{session: session, query: query, rows: connector.NewRows(query, "Kraken")}
	return f.rows.Walk(ctx, nil, []connector.Stream{
		{Name: "trades", Fetch: f.fetchTrades},
		{Name: "ledgers", Fetch: f.fetchLedgers},
	})
}

type fetcher struct {
	session *remote.Session
	query   connector.Query
	rows    *connector.Rows
}

// selectPage returns a page's parameters. The start is exclusive and the end is
// inclusive; both are whole seconds. The end is the same for all pages, so later records
// do not move them.
func (f *fetcher) selectPage(offset int) map[string]string {
	return map[string]string{
		"type":  "all",
		"start": strconv.FormatInt(f.query.From.Unix()-1, 10),
		"end":   strconv.FormatInt(f.query.To.Unix()+1, 10),
		"ofs":   strconv.Itoa(offset),
	}
}

// parseOffset returns a position's offset; the first one is empty.
func parseOffset(position string) int {
	offset, _ := strconv.Atoi(position)
	return max(offset, 0)
}

// nextOffset returns the position of the page after some records, or an empty one if
// there are no more.
func nextOffset(offset, read int, count remote.Number) string {
	if read == 0 || strconv.Itoa(offset+read) == string(count) {
		return ""
	}
	return strconv.Itoa(offset + read)
}

type trade struct {
	Order    string        `json:"ordertxid"`
	Pair     string        `json:"pair"`
	Time     remote.Number `json:"time"`
	Side     string        `json:"type"`
	Price    remote.Number `json:"price"`
	Fee      remote.Number `json:"fee"`
	Quantity remote.Number `json:"vol"`
	Margin   remote.Number `json:"margin"`
	TradeID  remote.Number `json:"trade_id"`
	IsMaker  *bool         `json:"maker"` // missing in old trades
}

func (f *fetcher) fetchTrades(ctx context.Context, position string) (string, error) {
	offset := parseOffset(position)
	parameters := f.selectPage(offset)
	parameters["consolidate_taker"] = "false" // or an order's parts have another id than in files
	var page struct {
		Trades remote.Member[map[string]trade] `json:"trades"`
		Count  remote.Number                   `json:"count"`
	}
	if err := call(ctx, f.session, tradesHistory, parameters, &page); err != nil {
		return "", err
	}
	if !page.Trades.IsPresent {
		return "", remote.Malformed("it has no trades")
	}
	for _, id := range slices.Sorted(maps.Keys(page.Trades.Value)) {
		f.addTrade(id, page.Trades.Value[id])
	}
	return nextOffset(offset, len(page.Trades.Value), page.Count), nil
}

func (f *fetcher) addTrade(id string, t trade) {
	record, isNew := f.rows.Start(id)
	if !isNew {
		return
	}
	of := statement.NameKrakenPair(t.Pair, "")
	fill := statement.Fill{
		ID:       id,
		At:       record.Seconds(t.Time),
		Quantity: record.Decimal("volume", t.Quantity),
		Price:    record.Decimal("price", t.Price),
	}
	switch t.Side {
	case "buy":
		fill.Side = matching.Buy
	case "sell":
		fill.Side = matching.Sell
	default:
		record.Fail("The broker's record is neither a purchase nor a sale.")
	}
	if of.Symbol == "" {
		record.Fail("The broker's record has no pair.")
	}
	fill.SetInstrument(of)
	record.Order, _ = record.Optional("trade id", t.TradeID).ToScaled(0)
	record.ChargeCoins(&fill, of, record.Optional("fee", t.Fee), "")
	connector.AddDetail(&fill, "order_id", t.Order)
	if t.IsMaker != nil {
		connector.AddLiquidity(&fill, *t.IsMaker)
	}
	if !record.Optional("margin", t.Margin).IsZero() {
		connector.AddDetail(&fill, "margin", string(t.Margin)+" "+of.Quote)
	}
	record.AddFill(fill, of.Quote)
}

// entry is a row of the ledger.
type entry struct {
	Reference string        `json:"refid"`
	Time      remote.Number `json:"time"`
	Type      string        `json:"type"`
	Subtype   string        `json:"subtype"`
	Asset     string        `json:"asset"`
	Amount    remote.Number `json:"amount"`
	Fee       remote.Number `json:"fee"`

	id string
}

// isLeg reports whether an entry is one side of a purchase or sale without an order.
func (e entry) isLeg() bool { return e.Type == "spend" || e.Type == "receive" }

func (f *fetcher) fetchLedgers(ctx context.Context, position string) (string, error) {
	offset := parseOffset(position)
	var page struct {
		Ledger remote.Member[map[string]entry] `json:"ledger"`
		Count  remote.Number                   `json:"count"`
	}
	if err := call(ctx, f.session, ledgers, f.selectPage(offset), &page); err != nil {
		return "", err
	}
	if !page.Ledger.IsPresent {
		return "", remote.Malformed("it has no ledger")
	}
	entries := sortEntries(page.Ledger.Value)
	next := nextOffset(offset, len(entries), page.Count)
	if cut := findCut(entries); next != "" && cut > 0 {
		// The next page begins with these entries, and has the other side too.
		entries, next = entries[:cut], strconv.Itoa(offset+cut)
	}
	f.addEntries(entries)
	return next, nil
}

// sortEntries returns a page's entries, the newest first as Kraken lists them.
func sortEntries(byID map[string]entry) []entry {
	list := make([]entry, 0, len(byID))
	for id, e := range byID {
		e.id = id
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b entry) int {
		return cmp.Or(parseTime(b).Cmp(parseTime(a)), cmp.Compare(a.id, b.id))
	})
	return list
}

// parseTime returns the time of an entry for comparison; one without a time is the
// oldest.
func parseTime(e entry) decimal.Decimal {
	at, _ := decimal.Parse(string(e.Time))
	return at
}

// findCut returns where the oldest instant of a page begins, if one side of a trade at
// that instant is missing, or else the number of entries. Both sides have the same time.
func findCut(entries []entry) int {
	for i, e := range entries {
		if e.isLeg() && parseTime(e).Equal(parseTime(entries[len(entries)-1])) && len(findLegs(entries, e.Reference)) < 2 {
			return slices.IndexFunc(entries, func(other entry) bool { return parseTime(other).Equal(parseTime(entries[i])) })
		}
	}
	return len(entries)
}

// findLegs returns a trade's sides.
func findLegs(entries []entry, reference string) (legs []entry) {
	for _, e := range entries {
		if e.isLeg() && e.Reference == reference {
			legs = append(legs, e)
		}
	}
	return legs
}

func (f *fetcher) addEntries(entries []entry) {
	for _, e := range entries {
		switch {
		case e.Type == "trade":
			// The trade history has it.
		case e.isLeg():
			f.addConversion(e.Reference, findLegs(entries, e.Reference))
		default:
			f.addCash(e)
		}
	}
}

// amountOf returns what an entry added to the balance.
func amountOf(record *connector.Record, e entry) decimal.Decimal {
	return record.Decimal("amount", e.Amount).Sub(record.Optional("fee", e.Fee))
}

// addConversion adds a purchase or a sale without an order, as the ledger's file is read.
func (f *fetcher) addConversion(reference string, legs []entry) {
	record, isNew := f.rows.Start(reference)
	if !isNew {
		return
	}
	at := record.Seconds(legs[0].Time)
	var paid, got entry
	var out, in decimal.Decimal
	for _, leg := range legs {
		amount := record.Decimal("amount", leg.Amount)
		if amount.Sign() < 0 {
			paid, out = leg, amount.Neg()
		} else {
			got, in = leg, amount
		}
	}
	if out.Sign() <= 0 || in.Sign() <= 0 {
		if f.rows.Contains(at) {
			record.Fail("The other side of this trade in %s is missing.", statement.NameKrakenCoin(legs[0].Asset))
		}
		return
	}
	bought := statement.NameKrakenCoin(got.Asset)
	of := statement.NewKrakenTrade(bought, statement.NameKrakenCoin(paid.Asset))
	fill := statement.Fill{ID: reference, At: at, Side: matching.Buy, Quantity: in}
	worth := out
	if of.Base != bought {
		fill.Side, fill.Quantity, worth = matching.Sell, out, in
	}
	fill.Price = worth.DivRound(fill.Quantity, decimal.MaxDecimals)
	fill.SetInstrument(of)
	for _, leg := range legs {
		record.ChargeCoins(&fill, of, record.Optional("fee", leg.Fee), statement.NameKrakenCoin(leg.Asset))
	}
	record.AddFill(fill, of.Quote)
}

// addCash adds an entry that is not part of a trade, as the ledger's file is read.
func (f *fetcher) addCash(e entry) {
	record, isNew := f.rows.Start(e.id)
	if !isNew {
		return
	}
	cash := statement.Cash{
		At:       record.Seconds(e.Time),
		Amount:   amountOf(record, e),
		Currency: statement.NameKrakenCoin(e.Asset),
		Note:     e.Type,
	}
	switch e.Type {
	case "deposit", "withdrawal":
		cash.Type = statement.TransferType(cash.Amount)
	case "staking", "earn", "dividend", "reward":
		cash.Type = "interest"
	case "rollover":
		cash.Type = "fee"
	case "transfer":
		cash.Type = "adjustment"
	case "margin", "settled":
		record.Skip(cash.At, statement.ReasonResult)
		return
	default:
		record.Skip(cash.At, statement.ReasonCoins)
		return
	}
	if isInternal(e) {
		record.Skip(cash.At, statement.ReasonInternal)
		return
	}
	record.AddCash(cash)
}

// isInternal reports whether an entry moves coins between the owner's own wallets.
func isInternal(e entry) bool {
	return e.Type == "transfer" && e.Subtype != "" || strings.Contains(e.Subtype, "allocation")
}
