package barfetch

import (
	"context"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/market"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/ledger"
)

// firstRates is the first day with reference rates.
const firstRates = journal.Day("1999-01-04")

// loadCurrencies finds the days for which currency rates are wanted: those of the owner's
// accounts, and those the source lists, from the first trade on. A source of rates lists
// further currencies, because a user may want totals in any of them.
func (p *planner) loadCurrencies(ctx context.Context, tx *db.Tx, owner journal.UserID) error {
	currencies, err := ledger.BaseCurrencies(ctx, tx, owner)
	if err != nil {
		return err
	}
	first, found, err := ledger.FirstTradeAt(ctx, tx, owner)
	if err != nil || !found {
		return err
	}
	// A day's rate may be one of some days before.
	day := max(journal.DayOf(first.UTC()).AddDays(-market.ReferenceLookBack), firstRates)
	for _, symbol := range p.source.Symbols {
		if currency, ok := market.ReferenceCurrency(symbol); ok {
			symbol = currency
		}
		currencies = append(currencies, symbol)
	}
	slices.Sort(currencies)
	for _, currency := range slices.Compact(currencies) {
		if currency != market.ReferenceBase {
			p.addCurrency(currency, day)
		}
	}
	return nil
}

// addCurrency adds the working days from a day on. Holidays are not known: they are asked
// for, and have no rate.
func (p *planner) addCurrency(currency string, first journal.Day) {
	of := instruments.Priced{Symbol: market.ReferenceSymbol(currency), Type: instruments.TypeForex}
	if _, ok := p.provider.Symbol(of, p.now); !ok {
		p.unknown = append(p.unknown, currency)
		return
	}
	w := &wanted{
		of: of, name: currency, secs: market.ReferenceSecs, calendar: market.AroundTheClock, sessions: map[int64]market.Range{},
	}
	p.byName[currency] = w
	for day := first.Time(); !day.After(p.now); day = day.AddDate(0, 0, 1) {
		if day.Weekday() == time.Saturday || day.Weekday() == time.Sunday {
			continue
		}
		session := w.calendar.SessionOf(day.Unix())
		if p.isDue(w, session) {
			w.sessions[session.From] = session
		}
	}
}
