package deribit

import (
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
	pageTrades = 1000
	pageLogs   = 250
	// recent is how long trades are listed as recent ones, with a margin.
	recent = 48 * time.Hour
)

// currencies are those that accounts are kept in.
var currencies = []string{"BTC", "ETH", "USDC", "USDT", "EURR"}

// Fetch implements connector.Connector.
func (fillClient) Fetch(ctx context.Context, session *remote.Session, query connector.Query) (connector.Delivery, error) {
	f := &fetcher{session: session, query: query, rows: connector.NewRows(query, "Deribit")}
	var streams []connector.Stream
	for _, currency := range currencies {
		// Recent trades and older ones are in two lists, which have some in common.
		streams = append(streams, f.newTrades(currency, true))
		if query.To.After(session.Now().Add(-recent)) {
			streams = append(streams, f.newTrades(currency, false))
		}
		streams = append(streams, connector.Stream{Name: "log " + currency, Fetch: func(ctx context.Context, position string) (string, error) {
			return f.fetchLog(ctx, currency, position)
		}})
	}
	return f.rows.Walk(ctx, nil, streams)
}

type fetcher struct {
	session *remote.Session
	query   connector.Query
	rows    *connector.Rows
}

func formatMillis(at time.Time) string { return strconv.FormatInt(at.UnixMilli(), 10) }

// selectTime returns the parameters that select the query's time.
func (f *fetcher) selectTime(currency string) map[string]string {
	return map[string]string{
		"currency": currency, "start_timestamp": formatMillis(f.query.From), "end_timestamp": formatMillis(f.query.To),
	}
}

func (f *fetcher) newTrades(currency string, isHistorical bool) connector.Stream {
	historical := strconv.FormatBool(isHistorical)
	return connector.Stream{Name: "trades " + currency + " " + historical, Fetch: func(ctx context.Context, position string) (string, error) {
		return f.fetchTrades(ctx, currency, historical, position)
	}}
}

type trade struct {
	ID          string        `json:"trade_id"`
	Sequence    int64         `json:"trade_seq"`
	Timestamp   int64         `json:"timestamp"`
	Instrument  string        `json:"instrument_name"`
	Direction   string        `json:"direction"`
	Price       remote.Number `json:"price"`
	Amount      remote.Number `json:"amount"`
	Fee         remote.Number `json:"fee"`
	FeeCurrency string        `json:"fee_currency"`
	Result      remote.Number `json:"profit_loss"`
	OrderID     string        `json:"order_id"`
	Liquidity   string        `json:"liquidity"`
	Liquidation string        `json:"liquidation"`
	// Legs are the trades in a combination.
	Legs []trade `json:"legs"`
}

// fetchTrades fetches trades from a millisecond on, the oldest first.
func (f *fetcher) fetchTrades(ctx context.Context, currency, historical, position string) (string, error) {
	parameters := f.selectTime(currency)
	parameters["count"], parameters["sorting"], parameters["historical"] = strconv.Itoa(pageTrades), "asc", historical
	if position != "" {
		parameters["start_timestamp"] = position
	}
	var page struct {
		Trades  remote.Member[[]trade] `json:"trades"`
		HasMore bool                   `json:"has_more"`
	}
	if err := call(ctx, f.session, userTrades, parameters, &page); err != nil {
		return "", err
	}
	if !page.Trades.IsPresent {
		return "", remote.Malformed("it has no trades")
	}
	trades, next := page.Trades.Value, ""
	if page.HasMore && len(trades) > 0 {
		// More trades in the last millisecond may be on the next page, which begins with it.
		last := trades[len(trades)-1].Timestamp
		trades = slices.DeleteFunc(trades, func(t trade) bool { return t.Timestamp >= last })
		next = strconv.FormatInt(last, 10)
	}
	for _, t := range trades {
		f.addTrade(currency, t)
	}
	return next, nil
}

func (f *fetcher) addTrade(currency string, t trade) {
	if len(t.Legs) > 0 {
		for _, leg := range t.Legs {
			leg.Legs = nil
			f.addTrade(currency, leg)
		}
		return
	}
	id := nameTrade(currency, t.ID)
	record, isNew := f.rows.Start(id)
	if !isNew {
		return
	}
	record.Order = t.Sequence
	if t.ID == "" {
		record.Fail("The broker's record has no id.")
	}
	of, isInverse := nameInstrument(t.Instrument)
	fill := connector.NewFill(of)
	fill.ID, fill.Side, fill.At = id, parseSide(record, t.Direction), record.Millis(remote.Number(strconv.FormatInt(t.Timestamp, 10)))
	fill.Quantity, fill.Price = record.Decimal("amount", t.Amount), record.Decimal("price", t.Price)
	record.ChargeCoins(&fill, of, record.Optional("fee", t.Fee), t.FeeCurrency)
	if result := record.Optional("result", t.Result); isInverse && !result.IsZero() {
		fill.StatedPnL = decimal.Of(result)
	}
	connector.AddDetail(&fill, "order_id", t.OrderID)
	if t.Liquidity != "" {
		connector.AddLiquidity(&fill, t.Liquidity == "M")
	}
	if t.Liquidation != "" {
		connector.AddDetail(&fill, "kind", "liquidation")
	}
	record.AddFill(fill, of.Quote)
}

// nameTrade returns a trade's id, unique in all currencies. Deribit writes the currency
// into all ids but BTC ids, as in ETH-34066, and files have them so.
func nameTrade(currency, id string) string {
	if id == "" || currency == "BTC" || strings.Trim(id, "0123456789") != "" {
		return id
	}
	return currency + ":" + id
}

// nameInstrument returns an instrument. An inverse contract is priced in dollars and
// settled in its coin, and its amounts are in that.
func nameInstrument(name string) (of statement.Instrument, isInverse bool) {
	of = statement.NameDeribitContract(name, "")
	isInverse = of.IsContract && of.Quote == "USD"
	if isInverse {
		of.Quote = of.Base
	}
	return of, isInverse
}

// parseSide returns a record's side, which may say whether it opens or closes.
func parseSide(record *connector.Record, text string) matching.Side {
	switch {
	case strings.HasSuffix(text, "buy"):
		return matching.Buy
	case strings.HasSuffix(text, "sell"):
		return matching.Sell
	}
	record.Fail("The broker's record is neither a purchase nor a sale.")
	return ""
}

// entry is a transaction log entry.
type entry struct {
	ID         remote.Number `json:"id"`
	Type       string        `json:"type"`
	Timestamp  remote.Number `json:"timestamp"`
	Currency   string        `json:"currency"`
	Instrument string        `json:"instrument_name"`
	Side       string        `json:"side"`
	Price      remote.Number `json:"price"`
	Amount     remote.Number `json:"amount"`
	Commission remote.Number `json:"commission"`
	CashFlow   remote.Number `json:"cashflow"`
	Change     remote.Number `json:"change"`
	Funding    remote.Number `json:"interest_pl"`
}

// fetchLog fetches log entries, the newest first. The position is where the page before
// ended.
func (f *fetcher) fetchLog(ctx context.Context, currency, position string) (string, error) {
	parameters := f.selectTime(currency)
	parameters["count"] = strconv.Itoa(pageLogs)
	if position != "" {
		parameters["continuation"] = position
	}
	var page struct {
		Logs         remote.Member[[]entry] `json:"logs"`
		Continuation remote.Number          `json:"continuation"`
	}
	if err := call(ctx, f.session, transaction, parameters, &page); err != nil {
		return "", err
	}
	if !page.Logs.IsPresent {
		return "", remote.Malformed("it has no logs")
	}
	for _, e := range page.Logs.Value {
		f.addEntry(currency, e)
	}
	return string(page.Continuation), nil
}

// addEntry adds a log entry, as the file of it is read. Trades are in their own list.
func (f *fetcher) addEntry(currency string, e entry) {
	if e.Type == "trade" || e.Type == "liquidation" {
		return
	}
	record, isNew := f.rows.Start("log " + currency + " " + string(e.ID))
	if !isNew {
		return
	}
	if e.Type == "delivery" {
		f.addDelivery(record, currency, e)
		return
	}
	cash := statement.Cash{
		At:       record.Millis(e.Timestamp),
		Amount:   record.Optional("change", e.Change),
		Currency: currency,
		Note:     strings.TrimSpace(e.Type + " " + e.Instrument),
	}
	switch e.Type {
	case "deposit", "withdrawal", "transfer":
		cash.Type = statement.TransferType(cash.Amount)
	case "settlement":
		// A session's results are those of the trades.
		cash.Type, cash.Amount = "interest", record.Optional("funding", e.Funding)
	default:
		cash.Type = "adjustment"
	}
	record.AddCash(cash)
}

// addDelivery adds a contract's end, which closes the position.
func (f *fetcher) addDelivery(record *connector.Record, currency string, e entry) {
	of, isInverse := nameInstrument(e.Instrument)
	fill := connector.NewFill(of)
	fill.ID, fill.At = "delivery-"+currency+"-"+string(e.ID), record.Millis(e.Timestamp)
	fill.Side, fill.Quantity = parseSide(record, e.Side), record.Decimal("amount", e.Amount).Abs()
	result := record.Optional("cash flow", e.CashFlow)
	switch {
	case of.Right == "":
		fill.Price = record.Decimal("price", e.Price)
	case fill.Quantity.Sign() > 0:
		// The entry's price may be that of the coin, and not that of the option.
		fill.Price = record.Decimal("cash flow", e.CashFlow).Abs().DivRound(fill.Quantity, decimal.MaxDecimals)
	}
	if isInverse && !result.IsZero() {
		fill.StatedPnL = decimal.Of(result)
	}
	record.ChargeCoins(&fill, of, record.Optional("commission", e.Commission), currency)
	connector.AddDetail(&fill, "kind", e.Type)
	record.AddFill(fill, of.Quote)
}
