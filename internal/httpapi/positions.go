package httpapi

import (
	"context"
	"net/http"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/excursions"
	"fillbook/internal/figures/tradeview"
	"fillbook/internal/prices/rates"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/tradefilter"
)

// position is an open trade with what it is worth.
type position struct {
	TradeID        journal.TradeID      `json:"trade_id"`
	AccountID      journal.AccountID    `json:"account_id"`
	Symbol         string               `json:"symbol"`
	Root           string               `json:"root" doc:"As in the filter: the root of a future, the underlying of an option, else the symbol."`
	InstrumentType string               `json:"instrument_type"`
	OptionRight    *string              `json:"option_right"`
	Strike         decimal.Null         `json:"strike"`
	Expiry         *journal.Day         `json:"expiry"`
	Direction      matching.Direction   `json:"direction" enum:"long,short"`
	OpenedAt       time.Time            `json:"opened_at"`
	PnLCurrency    string               `json:"pnl_currency"`
	Quantity       decimal.Decimal      `json:"quantity" doc:"Negative if short."`
	AvgEntryPrice  decimal.Decimal      `json:"avg_entry_price"`
	Mark           orNull[positionMark] `json:"mark" doc:"The close of the last bar that ended, or a price typed later; null without one."`
	UnrealizedPnL  decimal.Null         `json:"unrealized_pnl" doc:"Result at the mark before costs, without what was realized at running average cost."`
	RealizedPnL    decimal.Decimal      `json:"realized_pnl" doc:"Net result of the closed part."`
	DayChange      decimal.Null         `json:"day_change" doc:"How much the result changed since the last price of the session before; all of it for a position opened in this session."`
	StopPrice      decimal.Null         `json:"stop_price"`
	StopDistance   decimal.Null         `json:"stop_distance" doc:"How far the mark is from the stop, as a price; negative beyond it, null without a stop or a mark."`
	StopPct        decimal.Null         `json:"stop_distance_pct" doc:"The same in percent of the mark; null at a mark of 0."`
	OpenRisk       decimal.Null         `json:"open_risk" doc:"What is lost from the mark to the stop, at least 0; null without a stop or a mark."`
	Converted      *convertedPosition   `json:"converted,omitempty" doc:"The amounts in the requested currency. Only with currency."`
}

// convertedPosition are a position's amounts in another currency.
type convertedPosition struct {
	Currency    string          `json:"currency"`
	Rate        decimal.Decimal `json:"rate" doc:"What amounts were multiplied by."`
	RateDate    journal.Day     `json:"rate_date" doc:"The day of the rate: today or the last one before."`
	RealizedPnL decimal.Decimal `json:"realized_pnl"`
	PositionAmounts
}

// convertPositions adds the amounts in one currency, with the latest rates.
func (a positionAPI) convertPositions(ctx context.Context, list []position, currency string) error {
	if currency == "" {
		return nil
	}
	var currencies []string
	for i := range list {
		currencies = append(currencies, list[i].PnLCurrency)
	}
	today := journal.DayOf(a.clock().UTC())
	converter, err := a.rates.NewConverter(ctx, caller(ctx).UserID, currencies, currency, rates.DayRange{From: today, To: today})
	if err != nil {
		return err
	}
	for i := range list {
		p := &list[i]
		if rate, ok := converter.Find(p.PnLCurrency, today); ok {
			amounts := PositionAmounts{UnrealizedPnL: p.UnrealizedPnL, DayChange: p.DayChange, OpenRisk: p.OpenRisk}
			p.Converted = &convertedPosition{
				Currency: currency, Rate: rate.Rate, RateDate: rate.Day, RealizedPnL: rate.Convert(p.RealizedPnL), PositionAmounts: amounts.convert(rate),
			}
		}
	}
	return converter.Err()
}

type positionMark struct {
	Price  decimal.Decimal `json:"price"`
	At     time.Time       `json:"at" doc:"The end of the bar, or when the price was typed."`
	Source string          `json:"source" doc:"typed, or what wrote the file of the bar."`
	Stale  bool            `json:"stale" doc:"Whether the price is older than a session."`
}

type markFields struct {
	Price opt[decimal.Decimal] `json:"price" required:"false" doc:"Required. Null deletes a typed price."`
}

type positionQuery struct {
	TradeFilter
}

func positionRoute(needs permission, method, path, id, summary string) route {
	return journalRoute(needs, method, "/positions"+path, id, "Positions", summary)
}

// positionAPI has the operations on open positions.
type positionAPI struct {
	clock      journal.Clock
	trades     *tradeview.Service
	excursions *excursions.Service
	rates      *rates.Service
}

func (a positionAPI) register(api *API) {
	read := positionRoute(readJournal, http.MethodGet, "", "listPositions", "List open positions with what they are worth")
	read.refusals = append(read.refusals, http.StatusConflict)
	read.about = "The filter selects trades as in the list of trades; status is always open."
	registerList(api, read, func(ctx context.Context, in *positionQuery) (*listing[position], error) {
		in.filter.Status = tradefilter.Open
		list, err := a.readPositions(ctx, tradeview.Query{Filter: in.filter})
		if err == nil {
			err = a.convertPositions(ctx, list, in.filter.Currency)
		}
		if err != nil {
			return nil, err
		}
		return &listing[position]{each: func(emit func(position) error) error {
			for _, p := range list {
				if err := emit(p); err != nil {
					return err
				}
			}
			return nil
		}}, nil
	})
	register(api, positionRoute(writeJournal, http.MethodPut, "/{id}/mark", "setPositionMark", "Type the price of an open position, or delete it"),
		func(ctx context.Context, in *struct {
			ByID[journal.TradeID]
			Body markFields
		},
		) (*body[position], error) {
			if !in.Body.Price.Set {
				return nil, journal.InvalidField("price", "price is missing. Send a number, or null to delete a typed price.")
			}
			owner := caller(ctx).UserID
			price := decimal.Null{Decimal: in.Body.Price.Value, Valid: !in.Body.Price.Null}
			if err := a.excursions.SetMark(ctx, owner, a.clock(), in.ID, price); err != nil {
				return nil, err
			}
			detail, err := a.trades.Detail(ctx, owner, in.ID)
			if err != nil {
				return nil, err
			}
			values, err := a.excursions.Value(ctx, owner, a.clock(), []journal.TradeID{in.ID})
			return answer(shapePosition(&detail.View, values[in.ID]), err)
		})
	a.registerPositionTotalRoutes(api)
}

// readPositions returns the open trades in a query with their values, newest first.
func (a positionAPI) readPositions(ctx context.Context, query tradeview.Query) ([]position, error) {
	owner := caller(ctx).UserID
	var views []tradeview.View
	var ids []journal.TradeID
	err := a.trades.Each(ctx, owner, query, func(v *tradeview.View) error {
		views, ids = append(views, *v), append(ids, v.ID)
		return nil
	})
	if err != nil {
		return nil, err
	}
	values, err := a.excursions.Value(ctx, owner, a.clock(), ids)
	list := make([]position, len(views))
	for i := range views {
		list[i] = shapePosition(&views[i], values[views[i].ID])
	}
	return list, err
}

func shapePosition(v *tradeview.View, value excursions.Valuation) position {
	out := position{
		TradeID: v.ID, AccountID: v.Account, Symbol: v.Instrument.Symbol, Root: instruments.RootOf(v.Instrument.Symbol, v.Instrument.Type),
		InstrumentType: v.Instrument.Type, OptionRight: nilIfZero(v.Instrument.OptionRight), Strike: v.Instrument.Strike,
		Expiry: nilIfZero(v.Instrument.Expiry), Direction: v.Direction,
		OpenedAt: v.OpenedAt, PnLCurrency: v.Currency, Quantity: value.Quantity, AvgEntryPrice: v.AvgEntry,
		UnrealizedPnL: value.Unrealized, RealizedPnL: v.RealizedPnL, DayChange: value.DayChange, StopPrice: v.Annotations.StopPrice,
	}
	if m := value.Mark; m != nil {
		out.Mark = orNull[positionMark]{&positionMark{Price: m.Price, At: m.At, Source: m.Source, Stale: m.IsStale}}
	}
	if stop := v.Annotations.StopPrice; stop.Valid {
		out.OpenRisk = value.RiskAt(stop.Decimal, &v.Trade)
		out.StopDistance, out.StopPct = value.DistanceTo(stop.Decimal)
	}
	return out
}
