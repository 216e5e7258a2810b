package questrade

import (
	"context"
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/matching"
)

// execution is a fill. Its costs are positive.
type execution struct {
	ID             remote.Number `json:"id"`
	OrderID        remote.Number `json:"orderId"`
	Symbol         string        `json:"symbol"`
	SymbolID       remote.Number `json:"symbolId"`
	Quantity       remote.Number `json:"quantity"`
	Side           string        `json:"side"`
	Price          remote.Number `json:"price"`
	Time           string        `json:"timestamp"`
	Venue          string        `json:"venue"`
	Commission     remote.Number `json:"commission"`
	PlacementCost  remote.Number `json:"orderPlacementCommission"`
	ExecutionFee   remote.Number `json:"executionFee"`
	SECFee         remote.Number `json:"secFee"`
	CanadianExtras remote.Number `json:"canadianExecutionFee"`
}

// sides are the sides of executions in lower case.
var sides = map[string]matching.Side{
	"buy": matching.Buy, "bto": matching.Buy, "btc": matching.Buy, "cov": matching.Buy,
	"sell": matching.Sell, "short": matching.Sell, "stc": matching.Sell, "sto": matching.Sell,
}

// fetchExecutions adds the query's fills.
func (r reader) fetchExecutions(ctx context.Context) error {
	var answer struct {
		Executions remote.Member[[]execution] `json:"executions"`
	}
	if err := get(ctx, r.session, r.path+"/executions", r.window(time.Second), &answer); err != nil {
		return err
	}
	if !answer.Executions.IsPresent {
		return remote.Malformed("it has no executions")
	}
	symbols, err := r.fetchSymbols(ctx, answer.Executions.Value)
	if err != nil {
		return err
	}
	for _, e := range answer.Executions.Value {
		if e.ID == "" {
			return remote.Malformed("an execution has no id")
		}
		if record, isNew := r.rows.Start(string(e.ID)); isNew {
			e.add(r.rows, record, symbols[e.SymbolID])
		}
	}
	return nil
}

// symbol is what executions don't state of their symbol.
type symbol struct {
	ID           remote.Number `json:"symbolId"`
	Currency     string        `json:"currency"`
	Deliverables struct {
		Underlyings []struct {
			Multiplier remote.Number `json:"multiplier"`
		} `json:"underlyings"`
	} `json:"optionContractDeliverables"`
}

// maxSymbols is how many symbols one request asks for.
const maxSymbols = 50

// fetchSymbols returns the execution symbols.
func (r reader) fetchSymbols(ctx context.Context, list []execution) (map[remote.Number]symbol, error) {
	var ids []string
	for _, e := range list {
		if e.SymbolID != "" && !slices.Contains(ids, string(e.SymbolID)) {
			ids = append(ids, string(e.SymbolID))
		}
	}
	found := map[remote.Number]symbol{}
	for some := range slices.Chunk(ids, maxSymbols) {
		var answer struct {
			Symbols remote.Member[[]symbol] `json:"symbols"`
		}
		if err := get(ctx, r.session, symbolsPath, map[string]string{"ids": strings.Join(some, ",")}, &answer); err != nil {
			return nil, err
		}
		if !answer.Symbols.IsPresent {
			return nil, remote.Malformed("it has no symbols")
		}
		for _, s := range answer.Symbols.Value {
			found[s.ID] = s
		}
	}
	return found, nil
}

// add adds the execution to the rows.
func (e execution) add(rows *connector.Rows, record *connector.Record, of symbol) {
	fill := newFill(record, e.Symbol)
	fill.ID, fill.At = string(e.ID), record.Time(e.Time)
	fill.Quantity, fill.Price = record.Decimal("quantity", e.Quantity), record.Decimal("price", e.Price)
	fill.Commission = record.Optional("commission", e.Commission).Add(record.Optional("commission", e.PlacementCost))
	fill.Fees = decimal.Sum(record.Optional("fee", e.ExecutionFee), record.Optional("fee", e.SECFee), record.Optional("fee", e.CanadianExtras))
	fill.CommissionKnown, fill.FeesKnown = e.Commission != "", e.ExecutionFee != ""
	fill.Side = sides[strings.ToLower(e.Side)]
	if fill.Side == "" {
		record.Fail("The broker's record has a side that is not known.")
	}
	if parts := of.Deliverables.Underlyings; fill.Type == instruments.TypeOption && len(parts) == 1 && parts[0].Multiplier != "" {
		if multiplier := record.Decimal("multiplier", parts[0].Multiplier); multiplier.Sign() > 0 {
			fill.Multiplier = decimal.Of(multiplier)
		}
	}
	if of.Currency == "" && !record.Failed() && rows.Contains(fill.At) {
		rows.AddMessage("Questrade states no currency for %s: its amounts were taken as they are.", fill.Symbol)
	}
	connector.AddDetail(&fill, "order_id", string(e.OrderID))
	connector.AddDetail(&fill, "venue", e.Venue)
	record.AddFill(fill, strings.ToUpper(of.Currency))
}

// newFill returns a fill in a symbol.
func newFill(record *connector.Record, symbol string) statement.Fill {
	i := statement.NamePlain(symbol, instruments.TypeStock)
	if option, ok := parseOption(i.Symbol); ok {
		i = statement.NewOption(option)
	}
	if i.Symbol == "" {
		record.Fail("The broker's record has no symbol.")
	}
	return connector.NewFill(i)
}

// optionSymbol is Questrade's symbol of an option, in capitals: X4OCT19P11.00, with the
// exchange after it if that is Montreal.
var optionSymbol = lazyregexp.New(`^([A-Z][A-Z.]*)(\d{1,2}[A-Z]{3}\d{2})([CP])(\d+(?:\.\d+)?)(?:\.MX)?$`)

// parseOption parses an option's symbol, in Questrade's notation or another one.
func parseOption(symbol string) (instruments.Option, bool) {
	found := optionSymbol().FindStringSubmatch(symbol)
	if found == nil {
		return instruments.ParseOption(symbol)
	}
	expiry, err := time.Parse("2Jan06", found[2])
	strike, err2 := decimal.Parse(found[4])
	if err != nil || err2 != nil || strike.Sign() <= 0 {
		return instruments.Option{}, false
	}
	right := instruments.Call
	if found[3] == "P" {
		right = instruments.Put
	}
	return instruments.Option{
		Root: found[1], Underlying: found[1], Right: right, Strike: strike, Expiry: journal.Day(expiry.Format(time.DateOnly)),
	}, true
}
