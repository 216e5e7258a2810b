package kraken

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/matching"
)

const (
	pageEntries = 1000
	// maxApart is how many entries can be between a fill's two, and margin how much their
	// times may differ.
	maxApart = 50
	margin   = time.Second
)

// Fetch implements connector.Connector.
func (futuresClient) Fetch(ctx context.Context, session *remote.Session, query connector.Query) (connector.Delivery, error) {
	f := &futuresFetcher{session: session, query: query, rows: connector.NewRows(query, "Kraken Futures")}
	return f.rows.Walk(ctx, nil, []connector.Stream{{Name: "log", Fetch: f.fetchLog}})
}

type futuresFetcher struct {
	session *remote.Session
	query   connector.Query
	rows    *connector.Rows
}

// logEntry is an entry in the account log. A fill has two: one with the position's
// change, whose asset is the contract, and after it one with the money's change.
type logEntry struct {
	ID              int64         `json:"id"`
	Date            string        `json:"date"`
	Asset           string        `json:"asset"`
	Contract        string        `json:"contract"`
	Info            string        `json:"info"`
	Execution       string        `json:"execution"`
	Old             remote.Number `json:"old_balance"`
	New             remote.Number `json:"new_balance"`
	TradePrice      remote.Number `json:"trade_price"`
	MarkPrice       remote.Number `json:"mark_price"`
	Fee             remote.Number `json:"fee"`
	LiquidationFee  remote.Number `json:"liquidation_fee"`
	RealizedPnL     remote.Number `json:"realized_pnl"`
	RealizedFunding remote.Number `json:"realized_funding"`
}

// isPosition reports whether an entry has a position's change. Currencies have no
// underscore.
func (e logEntry) isPosition() bool { return strings.Contains(e.Asset, "_") }

// fillKey returns what a fill's two entries share, or an empty text if an entry is not
// part of a fill. Settlements have no execution, transfers have one too.
func (e logEntry) fillKey() string {
	switch {
	case e.Info == "settlement" && e.Execution == "":
		return e.Info + " " + e.Contract + " " + e.Date
	case e.isPosition() || !strings.Contains(e.Info, "transfer"):
		return e.Execution
	}
	return ""
}

// isMoneyOf reports whether an entry has the money for another entry's fill.
func (e logEntry) isMoneyOf(fill logEntry) bool {
	return !e.isPosition() && e.fillKey() != "" && e.fillKey() == fill.fillKey()
}

// fetchLog fetches the entries from an id on, the oldest first. The log ends with a page
// without entries, as Kraken may send fewer than it was asked for.
func (f *futuresFetcher) fetchLog(ctx context.Context, position string) (string, error) {
	parameters := map[string]string{
		"since":  strconv.FormatInt(f.query.From.Add(-margin).UnixMilli(), 10),
		"before": strconv.FormatInt(f.query.To.Add(margin).UnixMilli(), 10),
		"sort":   "asc",
		"count":  strconv.Itoa(pageEntries),
	}
	first := int64(0)
	if position != "" {
		first, _ = strconv.ParseInt(position, 10, 64)
		parameters["from"] = position
	}
	var page struct {
		Logs remote.Member[[]logEntry] `json:"logs"`
	}
	if err := callFutures(ctx, f.session, logPath, parameters, &page); err != nil {
		return "", err
	}
	if !page.Logs.IsPresent {
		return "", remote.Malformed("it has no logs")
	}
	entries := slices.DeleteFunc(page.Logs.Value, func(e logEntry) bool { return e.ID < first })
	if len(entries) == 0 {
		return "", nil
	}
	slices.SortFunc(entries, func(a, b logEntry) int { return cmp.Compare(a.ID, b.ID) })
	cut := findLogCut(entries)
	for _, e := range entries[:cut] {
		f.addEntry(e, entries)
	}
	if cut < len(entries) {
		return strconv.FormatInt(entries[cut].ID, 10), nil
	}
	return strconv.FormatInt(entries[cut-1].ID+1, 10), nil
}

// findLogCut returns where a page is cut, as a fill's money may be on the next page.
func findLogCut(entries []logEntry) int {
	cut := len(entries)
	for i := len(entries) - 1; i >= max(1, len(entries)-maxApart); i-- {
		fill := entries[i]
		if fill.isPosition() && fill.fillKey() != "" && !slices.ContainsFunc(entries[:cut], func(e logEntry) bool { return e.isMoneyOf(fill) }) {
			cut = i
		}
	}
	return cut
}

func (f *futuresFetcher) addEntry(e logEntry, page []logEntry) {
	switch {
	case e.isPosition():
		f.addFill(e, page)
	case slices.ContainsFunc(page, func(other logEntry) bool { return other.isPosition() && e.isMoneyOf(other) }):
		f.addFunding(e) // the rest is part of the fill
	default:
		f.addCash(e)
	}
}

// addFill adds a fill with its money. One whose fee was paid with fee credits has none.
func (f *futuresFetcher) addFill(e logEntry, page []logEntry) {
	record, isNew := f.rows.Start(cmp.Or(e.Execution, logID(e)))
	if !isNew {
		return
	}
	record.Order = e.ID
	change := record.Decimal("balance", e.New).Sub(record.Decimal("balance", e.Old))
	of, isInverse := nameContract(e.Asset)
	fill := connector.NewFill(of)
	fill.ID, fill.At = cmp.Or(e.Execution, logID(e)), record.Time(e.Date)
	fill.Side, fill.Quantity = matching.Buy, change.Abs()
	fill.Price = record.Decimal("price", cmp.Or(e.TradePrice, e.MarkPrice))
	switch change.Sign() {
	case -1:
		fill.Side = matching.Sell
	case 0:
		record.Skip(fill.At, statement.ReasonNoAmount)
		return
	}
	for _, money := range page {
		if money.isMoneyOf(e) {
			f.addMoney(record, &fill, money, of, isInverse)
		}
	}
	if e.Info != "futures trade" {
		connector.AddDetail(&fill, "kind", e.Info)
	}
	record.AddFill(fill, of.Quote)
}

// addMoney adds a fill's costs, and its result if prices cannot give it.
func (f *futuresFetcher) addMoney(record *connector.Record, fill *statement.Fill, money logEntry, of statement.Instrument, isInverse bool) {
	coin := statement.NameKrakenCoin(money.Asset)
	fee := record.Optional("fee", money.Fee).Add(record.Optional("fee", money.LiquidationFee))
	record.ChargeCoins(fill, of, fee, coin)
	if result := record.Optional("result", money.RealizedPnL); isInverse && !result.IsZero() {
		fill.StatedPnL = decimal.Of(result)
	}
}

// nameContract returns the contract with a symbol such as pf_xbtusd or fi_xbtusd_260327.
// PI and FI are inverse: their size is in dollars, and they are settled in their coin.
func nameContract(symbol string) (of statement.Instrument, isInverse bool) {
	parts := strings.Split(strings.ToUpper(symbol), "_")
	base, quote := statement.SplitPairBy(parts[1], []string{"USD", "EUR", "GBP", "USDT", "USDC", "XBT"})
	isInverse = parts[0] == "PI" || parts[0] == "FI"
	of = statement.NewCoinContract(symbol, statement.NameKrakenCoin(base), statement.NameKrakenCoin(quote))
	if isInverse {
		of.Quote = of.Base
	}
	return of, isInverse
}

// addFunding adds the funding that was paid together with a fill.
func (f *futuresFetcher) addFunding(e logEntry) {
	record, isNew := f.rows.Start(logID(e))
	if amount := record.Optional("funding", e.RealizedFunding); isNew && !amount.IsZero() {
		record.AddCash(newCash(record, e, "interest", amount))
	}
}

// The reasons why entries are left out.
const (
	reasonConversion = "it changes one currency of the collateral into another"
	reasonCredits    = "it uses fee credits"
)

// addCash adds an entry that is not part of a fill.
func (f *futuresFetcher) addCash(e logEntry) {
	record, isNew := f.rows.Start(logID(e))
	if !isNew {
		return
	}
	amount := record.Decimal("balance", e.New).Sub(record.Decimal("balance", e.Old))
	hasWord := func(words ...string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(e.Info, word) })
	}
	at := record.Time(e.Date)
	switch {
	case hasWord("kfee") || strings.EqualFold(e.Asset, "fee"):
		record.Skip(at, reasonCredits)
	case hasWord("conversion"):
		record.Skip(at, reasonConversion)
	case hasWord("funding"):
		record.AddCash(newCash(record, e, "interest", record.Optional("funding", cmp.Or(e.RealizedFunding, remote.Number(amount.String())))))
	case hasWord("interest"):
		record.AddCash(newCash(record, e, "interest", amount))
	case hasWord("transfer", "deposit", "withdrawal"):
		record.AddCash(newCash(record, e, statement.TransferType(amount), amount))
	case e.fillKey() != "" && !f.rows.Contains(at):
		// The fill is outside the query too.
	case e.fillKey() != "":
		record.Fail("The account log has the money of a fill without its position. Enter the fill by hand.")
	default:
		record.AddCash(newCash(record, e, "adjustment", amount))
	}
}

func newCash(record *connector.Record, e logEntry, kind string, amount decimal.Decimal) statement.Cash {
	return statement.Cash{
		Type:     kind,
		Amount:   amount,
		Currency: statement.NameKrakenCoin(e.Asset),
		At:       record.Time(e.Date),
		Note:     strings.TrimSpace(e.Info + " " + strings.ToUpper(e.Contract)),
	}
}

// logID returns an entry's id, which is not one of an execution.
func logID(e logEntry) string { return "log-" + strconv.FormatInt(e.ID, 10) }
