package httpapi

import (
	"context"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/columns"
	"fillbook/internal/figures/tradeview"
	"fillbook/internal/prices/rates"
	"fillbook/internal/trading/ledger"
)

// Conversion names the rates and accounts behind an answer in one currency. It is empty
// unless currency was sent. omitzero leaves out nil only: null rates and no accounts are
// written, which omitempty would leave out.
type Conversion struct {
	Rates    *orNull[rates.Used] `json:"rates,omitzero" doc:"The rates that amounts were converted with; null if none was needed. Only with currency."`
	Accounts []accountCurrency   `json:"accounts,omitzero" doc:"The accounts and their own currencies. Only with currency."`
}

type accountCurrency struct {
	AccountID journal.AccountID `json:"account_id"`
	Name      string            `json:"name"`
	Currency  string            `json:"currency"`
}

// CurrencyConversion is a Conversion for answers that do not name their currency otherwise.
type CurrencyConversion struct {
	Currency string `json:"currency,omitempty" doc:"The currency of all amounts. Only with currency."`
	Conversion
}

// shapeConversion names the rates behind an answer about some accounts. A nil converter
// means that nothing was converted.
func shapeConversion(converter *rates.Converter, accounts []ledger.Account) (c CurrencyConversion) {
	if converter == nil {
		return c
	}
	c.Currency, c.Rates, c.Accounts = converter.Currency(), &orNull[rates.Used]{converter.Used()}, []accountCurrency{}
	for _, a := range accounts {
		c.Accounts = append(c.Accounts, accountCurrency{AccountID: a.ID, Name: a.Name, Currency: a.BaseCurrency})
	}
	return c
}

// conversion names the rates behind a figure.
func (q *figureRequest) conversion() CurrencyConversion {
	return shapeConversion(q.converter, q.book.Accounts)
}

// missingRates returns the refusal for missing rates.
func (q *figureRequest) missingRates() error {
	if q.converter == nil {
		return nil
	}
	return q.converter.Err()
}

// viewConverted is withFiguresOnBasis for a query with a currency.
func (a figureAPI) viewConverted(ctx context.Context, in FigureQuery, q *figureRequest, fn func(*db.Tx, *figureRequest) error) error {
	return a.figures.ViewConverted(ctx, caller(ctx).UserID, a.convertQuery(in), func(tx *db.Tx, book *columns.Snapshot, converter *rates.Converter) error {
		q.converter = converter
		if err := q.setBook(ctx, tx, in, book); err != nil {
			return err
		}
		filter, trades := q.filter, q.trades
		if in.ratesPeriod != nil {
			filter.Period, trades.Period = *in.ratesPeriod, *in.ratesPeriod
		}
		q.book.RequireRates(filter, in.countsCash)
		if q.book.HasUnits {
			book.RequireRates(trades, false) // what open units realized
		}
		if err := converter.Err(); err != nil {
			return err
		}
		return fn(tx, q)
	})
}

func (a figureAPI) convertQuery(in FigureQuery) columns.ConvertQuery {
	return columns.ConvertQuery{Accounts: in.filter.Scope.Accounts, Realized: in.isRealized(), Currency: in.filter.Currency, Now: a.clock()}
}

// convertedTrade is a trade's result in the requested currency.
type convertedTrade struct {
	Currency    string          `json:"currency"`
	Rate        decimal.Decimal `json:"rate" doc:"What amounts were multiplied by."`
	RateDate    journal.Day     `json:"rate_date" doc:"The day of the rate: the closing day of the trade, today if it is open, or the last day before with a rate."`
	ConvertedAt string          `json:"converted_at" enum:"close,latest" doc:"close: with the rate of the closing day. latest: the trade is open."`
	GrossPnL    decimal.Null    `json:"gross_pnl"`
	NetPnL      decimal.Null    `json:"net_pnl"`
	RealizedPnL decimal.Decimal `json:"realized_pnl"`
}

// tradeConverter converts the results of listed trades. Without a currency it converts
// nothing.
type tradeConverter struct {
	*rates.Converter
	today journal.Day
}

// newTradeConverter reads the rates for the caller's accounts.
func newTradeConverter(ctx context.Context, d *db.DB, clock journal.Clock, currency string) (c tradeConverter, err error) {
	if currency == "" {
		return c, nil
	}
	owner := caller(ctx).UserID
	c.today = journal.DayOf(clock().UTC())
	err = d.View(ctx, func(tx *db.Tx) error {
		accounts, err := ledger.Accounts(ctx, tx, owner)
		if err != nil {
			return err
		}
		currencies := make([]string, len(accounts))
		for i, a := range accounts {
			currencies[i] = a.BaseCurrency
		}
		c.Converter, err = rates.LoadConverter(ctx, tx, owner, currencies, currency, rates.AllDays)
		return err
	})
	return c, err
}

// convert returns a trade's converted result; nil without a currency or a rate, which the
// converter then reports as missing.
func (c tradeConverter) convert(v *tradeview.View) *convertedTrade {
	if c.Converter == nil {
		return nil
	}
	out := convertedTrade{Currency: c.Currency(), ConvertedAt: "latest"}
	day := c.today
	if v.ClosedAt != nil {
		day, out.ConvertedAt = journal.DayOf(v.ClosedAt.UTC()), "close"
	}
	rate, ok := c.Find(v.Currency, day)
	if !ok {
		return nil
	}
	out.Rate, out.RateDate, out.RealizedPnL = rate.Rate, rate.Day, rate.Convert(v.RealizedPnL)
	out.GrossPnL, out.NetPnL = convertNull(rate, v.GrossPnL), convertNull(rate, v.NetPnL)
	return &out
}

// err returns the refusal for missing rates.
func (c tradeConverter) err() error {
	if c.Converter == nil {
		return nil
	}
	return c.Err()
}

func convertNull(rate rates.Rate, amount decimal.Null) decimal.Null {
	if amount.Valid {
		amount.Decimal = rate.Convert(amount.Decimal)
	}
	return amount
}
