package httpapi

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/tradeview"
	"fillbook/internal/prices/rates"
	"fillbook/internal/trading/tradefilter"
)

// positionTotals are sums over open positions.
type positionTotals struct {
	Totals    []currencyTotals        `json:"totals" doc:"A member for each currency, by its name."`
	Roots     []rootTotals            `json:"roots" doc:"A member for each underlying and currency, by their names."`
	Converted orNull[convertedTotals] `json:"converted" doc:"All totals in one currency; null unless currency was sent."`
}

// PositionAmounts are sums of known amounts. Each is absent if no position has the
// amount.
type PositionAmounts struct {
	UnrealizedPnL decimal.Null `json:"unrealized_pnl" doc:"Sum over the positions that have it; null if none has."`
	DayChange     decimal.Null `json:"day_change" doc:"Sum over the positions that have it; null if none has."`
	OpenRisk      decimal.Null `json:"open_risk" doc:"Sum over the positions with a stop and a mark; null without such positions."`
}

type currencyTotals struct {
	Currency string `json:"currency"`
	PositionSums
}

type rootTotals struct {
	Root     string `json:"root" doc:"As root in a position."`
	Currency string `json:"currency"`
	PositionSums
}

// PositionSums counts positions and adds up their known amounts.
type PositionSums struct {
	Positions int `json:"positions" doc:"How many positions are open."`
	Marked    int `json:"marked" doc:"How many of them have a mark. The others are in no sum."`
	PositionAmounts
}

type convertedTotals struct {
	Currency string `json:"currency"`
	PositionAmounts
	Rates []usedRate `json:"rates" doc:"The rates of all other currencies."`
}

// usedRate is the rate used for converting a currency.
type usedRate struct {
	Currency string          `json:"currency"`
	Rate     decimal.Decimal `json:"rate" doc:"What amounts are multiplied by."`
	RateDate journal.Day     `json:"rate_date" doc:"The day of the rate: today or the last one before, at most seven days ago; a typed rate without a published series may be older."`
	Source   string          `json:"source" doc:"What delivered the rate."`
}

type totalsQuery struct {
	TradeFilter
}

func (a positionAPI) registerPositionTotalRoutes(api *API) {
	read := positionRoute(readJournal, http.MethodGet, "/totals", "getPositionTotals", "Add up open positions by currency, and in one currency")
	read.refusals = append(read.refusals, http.StatusConflict)
	read.about = "The filter selects trades as in the list of trades; status is always open."
	register(api, read, func(ctx context.Context, in *totalsQuery) (*body[positionTotals], error) {
		in.filter.Status = tradefilter.Open
		list, err := a.readPositions(ctx, tradeview.Query{Filter: in.filter})
		if err != nil {
			return nil, err
		}
		out := sumPositions(list)
		if in.filter.Currency == "" {
			return answer(out, nil)
		}
		converted, err := a.convertTotals(ctx, out.Totals, in.filter.Currency)
		out.Converted.value = &converted
		return answer(out, err)
	})
}

// sumPositions returns position totals by currency, and by underlying and currency.
func sumPositions(list []position) positionTotals {
	type root struct{ name, currency string }
	currencies, roots := map[string]*PositionSums{}, map[root]*PositionSums{}
	for i := range list {
		addPosition(currencies, list[i].PnLCurrency, &list[i])
		addPosition(roots, root{list[i].Root, list[i].PnLCurrency}, &list[i])
	}
	out := positionTotals{Totals: []currencyTotals{}, Roots: []rootTotals{}}
	for _, currency := range slices.Sorted(maps.Keys(currencies)) {
		out.Totals = append(out.Totals, currencyTotals{Currency: currency, PositionSums: *currencies[currency]})
	}
	for key, sums := range roots {
		out.Roots = append(out.Roots, rootTotals{Root: key.name, Currency: key.currency, PositionSums: *sums})
	}
	slices.SortFunc(out.Roots, func(a, b rootTotals) int {
		return cmp.Or(strings.Compare(a.Root, b.Root), strings.Compare(a.Currency, b.Currency))
	})
	return out
}

// addPosition adds a position to the sums of its group.
func addPosition[K comparable](groups map[K]*PositionSums, key K, p *position) {
	sums := groups[key]
	if sums == nil {
		sums = &PositionSums{}
		groups[key] = sums
	}
	sums.Positions++
	if p.Mark.value != nil {
		sums.Marked++
	}
	sums.add(PositionAmounts{UnrealizedPnL: p.UnrealizedPnL, DayChange: p.DayChange, OpenRisk: p.OpenRisk})
}

// add adds the known amounts.
func (a *PositionAmounts) add(b PositionAmounts) {
	for _, pair := range [...]struct {
		sum *decimal.Null
		of  decimal.Null
	}{{&a.UnrealizedPnL, b.UnrealizedPnL}, {&a.DayChange, b.DayChange}, {&a.OpenRisk, b.OpenRisk}} {
		if pair.of.Valid {
			*pair.sum = decimal.Of(pair.sum.Decimal.Add(pair.of.Decimal))
		}
	}
}

// convert returns the amounts in another currency.
func (a PositionAmounts) convert(rate rates.Rate) PositionAmounts {
	for _, amount := range [...]*decimal.Null{&a.UnrealizedPnL, &a.DayChange, &a.OpenRisk} {
		if amount.Valid {
			*amount = decimal.Of(rate.Convert(amount.Decimal))
		}
	}
	return a
}

// convertTotals adds up totals in one currency with the newest rates.
func (a positionAPI) convertTotals(ctx context.Context, totals []currencyTotals, currency string) (convertedTotals, error) {
	out := convertedTotals{Currency: currency, Rates: []usedRate{}}
	currencies := make([]string, len(totals))
	for i, t := range totals {
		currencies[i] = t.Currency
	}
	today := journal.DayOf(a.clock().UTC())
	converter, err := a.rates.NewConverter(ctx, caller(ctx).UserID, currencies, currency, rates.DayRange{From: today, To: today})
	if err != nil {
		return out, err
	}
	for _, t := range totals {
		rate, found := converter.Find(t.Currency, today)
		if !found {
			continue
		}
		out.add(t.convert(rate))
		if t.Currency != currency {
			out.Rates = append(out.Rates, usedRate{Currency: t.Currency, Rate: rate.Rate, RateDate: rate.Day, Source: rate.Source})
		}
	}
	return out, converter.Err()
}
