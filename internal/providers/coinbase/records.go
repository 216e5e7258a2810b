package coinbase

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/matching"
)

const (
	pageFills = "100"
	// margin is how much later than its trade a fill may be posted.
	margin = time.Minute
	// canceledKey is the key for canceled fill ids, kept between deliveries, and
	// maxCanceled how many are kept.
	canceledKey = "canceled"
	maxCanceled = 500
	// maxTradePages is on how many pages one trade's fills can be.
	maxTradePages = 5
)

// Fetch implements connector.Connector.
func (fillClient) Fetch(ctx context.Context, session *remote.Session, query connector.Query) (connector.Delivery, error) {
	f := &fetcher{
		session:   session,
		query:     query,
		rows:      connector.NewRows(query, "Coinbase"),
		kept:      connector.Kept(query),
		contracts: map[string]statement.Instrument{},
	}
	return f.rows.Walk(ctx, f.kept, []connector.Stream{{Name: "fills", Fetch: f.fetchPage}})
}

type fetcher struct {
	session *remote.Session
	query   connector.Query
	rows    *connector.Rows
	kept    map[string]string
	// contracts are those whose size was asked for.
	contracts map[string]statement.Instrument
}

type fill struct {
	EntryID     string        `json:"entry_id"`
	TradeID     string        `json:"trade_id"`
	OrderID     string        `json:"order_id"`
	Time        string        `json:"trade_time"`
	Type        string        `json:"trade_type"`
	Price       remote.Number `json:"price"`
	Size        remote.Number `json:"size"`
	Commission  remote.Number `json:"commission"`
	Product     string        `json:"product_id"`
	Liquidity   string        `json:"liquidity_indicator"`
	SizeInQuote bool          `json:"size_in_quote"`
	Side        string        `json:"side"`
}

// The fill types other than ordinary ones.
const (
	ordinary = "FILL"
	reversal = "REVERSAL"
)

// list fetches a page of fills, the newest first, and returns where the next one begins.
func (f *fetcher) list(ctx context.Context, parameters map[string]string) (fills []fill, next string, err error) {
	parameters["limit"] = pageFills
	var page struct {
		Fills  remote.Member[[]fill] `json:"fills"`
		Cursor string                `json:"cursor"`
	}
	if err := call(ctx, f.session, fillsPath, parameters, &page); err != nil {
		return nil, "", err
	}
	if !page.Fills.IsPresent {
		return nil, "", remote.Malformed("it has no fills")
	}
	return page.Fills.Value, page.Cursor, nil
}

func (f *fetcher) fetchPage(ctx context.Context, position string) (string, error) {
	parameters := map[string]string{
		"start_sequence_timestamp": formatTime(f.query.From.Add(-margin)),
		"end_sequence_timestamp":   formatTime(f.query.To.Add(margin)),
	}
	if position != "" {
		parameters["cursor"] = position
	}
	fills, next, err := f.list(ctx, parameters)
	if err != nil || len(fills) == 0 {
		return "", err
	}
	for _, one := range fills {
		if err := f.add(ctx, one); err != nil {
			return "", err
		}
	}
	return next, nil
}

func formatTime(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) }

const reasonCanceled = "canceled by the broker"

func (f *fetcher) add(ctx context.Context, one fill) error {
	record, isNew := f.rows.Start(one.EntryID)
	if !isNew {
		return nil
	}
	at := record.Time(one.Time)
	if one.EntryID == "" {
		record.Fail("The broker's record has no id.")
	}
	switch {
	case record.Failed() || !f.rows.Contains(at):
		return nil
	case one.Type == reversal:
		record.Skip(at, reasonCanceled)
		return f.cancel(ctx, one.TradeID)
	case slices.Contains(strings.Fields(f.kept[canceledKey]), one.EntryID):
		f.rows.Withdraw(one.EntryID)
		record.Skip(at, reasonCanceled)
		return nil
	}
	of, err := f.findInstrument(ctx, one.Product)
	if err != nil {
		return err
	}
	addFill(record, one, of, at)
	return nil
}

// cancel withdraws a canceled trade's fill, whenever it was. It may come after its
// reversal, in this delivery or a later one, and is recognized then.
func (f *fetcher) cancel(ctx context.Context, trade string) error {
	canceled := strings.Fields(f.kept[canceledKey])
	parameters := map[string]string{"trade_ids": trade}
	for range maxTradePages {
		fills, next, err := f.list(ctx, parameters)
		if err != nil {
			return err
		}
		for _, one := range fills {
			if one.Type == ordinary && one.TradeID == trade && !slices.Contains(canceled, one.EntryID) {
				f.rows.Withdraw(one.EntryID)
				canceled = append(canceled, one.EntryID)
			}
		}
		if next == "" {
			break
		}
		parameters["cursor"] = next
	}
	f.kept[canceledKey] = strings.Join(canceled[max(0, len(canceled)-maxCanceled):], " ")
	return nil
}

func addFill(record *connector.Record, one fill, of statement.Instrument, at time.Time) {
	row := connector.NewFill(of)
	row.ID, row.At = one.EntryID, at
	row.Price, row.Quantity = record.Decimal("price", one.Price), record.Decimal("size", one.Size)
	if one.SizeInQuote && row.Price.Sign() > 0 {
		row.Quantity = row.Quantity.DivRound(row.Price, decimal.MaxDecimals)
	}
	switch one.Side {
	case "BUY":
		row.Side = matching.Buy
	case "SELL":
		row.Side = matching.Sell
	default:
		record.Fail("The broker's record is neither a purchase nor a sale.")
	}
	if row.Symbol == "" {
		record.Fail("The broker's record has no product.")
	}
	record.ChargeCoins(&row, of, record.Optional("commission", one.Commission), "")
	connector.AddDetail(&row, "order_id", one.OrderID)
	connector.AddDetail(&row, "trade_id", one.TradeID)
	if one.Liquidity == "MAKER" || one.Liquidity == "TAKER" {
		connector.AddLiquidity(&row, one.Liquidity == "MAKER")
	}
	if one.Type != ordinary {
		connector.AddDetail(&row, "kind", strings.ToLower(one.Type))
	}
	record.AddFill(row, of.Quote)
}

// contract is a product on the derivatives exchange or the international one, such as
// BIT-28MAR25-CDE and BTC-PERP-INTX. Others are pairs.
var contract = lazyregexp.New(`^[A-Z0-9-]+-(?:CDE|INTX)$`)

// findInstrument returns a product's instrument. A contract's size is asked for once.
func (f *fetcher) findInstrument(ctx context.Context, product string) (statement.Instrument, error) {
	if !contract().MatchString(product) {
		return statement.NamePair(product, ""), nil
	}
	if of, ok := f.contracts[product]; ok {
		return of, nil
	}
	var answer struct {
		Quote  string `json:"quote_currency_id"`
		Future struct {
			Size remote.Number `json:"contract_size"`
			Root string        `json:"contract_root_unit"`
		} `json:"future_product_details"`
	}
	err := call(ctx, f.session, productsPath+product, nil, &answer)
	if err != nil && !errors.Is(err, remote.ErrNotFound) {
		return statement.Instrument{}, err
	}
	of := statement.NewCoinContract(product, answer.Future.Root, answer.Quote)
	if size, err := decimal.Parse(string(answer.Future.Size)); err == nil && size.Sign() > 0 {
		of.Multiplier = decimal.Of(size)
	} else {
		f.rows.AddMessage("Coinbase does not say how large a contract of %s is: it was taken as one coin. Enter the multiplier by hand.", product)
	}
	f.contracts[product] = of
	return of, nil
}
