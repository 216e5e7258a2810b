package columns

import (
	"context"
	"slices"
	"strconv"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/prices/rates"
	"fillbook/internal/trading/ledger"
)

// convertedMemory bounds the cached converted columns, in bytes.
const convertedMemory = 64 << 20

// convertedKey identifies an account's columns in another currency.
type convertedKey struct {
	account  journal.AccountID
	currency string
	realized bool
	units    bool
}

// convertedColumns are the converted columns at one revision and with one set of rates.
type convertedColumns struct {
	of      *analytics.Columns
	version string
}

// ViewConverted calls fn with the snapshot for some accounts with all amounts in one
// currency, and the converter with the rates behind it, in its own transaction. now decides
// which rates are the latest.
func (s *Service) ViewConverted(
	ctx context.Context, owner journal.UserID, q ConvertQuery, fn func(*db.Tx, *Snapshot, *rates.Converter) error,
) error {
	return s.db.View(ctx, func(tx *db.Tx) error {
		b, converter, err := s.ReadConverted(ctx, tx, owner, q)
		if err != nil {
			return err
		}
		return fn(tx, b, converter)
	})
}

// ConvertQuery selects accounts and a currency.
type ConvertQuery struct {
	Accounts []journal.AccountID // empty means all
	Realized bool
	Currency string
	Now      time.Time
}

// ReadConverted is [Service.ViewConverted] as a step. Missing rates are not refused here:
// see [Snapshot.RequireRates].
func (s *Service) ReadConverted(ctx context.Context, tx *db.Tx, owner journal.UserID, q ConvertQuery) (*Snapshot, *rates.Converter, error) {
	b, err := s.read(ctx, tx, owner, q.Accounts, q.Realized, ledger.ToConvert)
	if err != nil {
		return nil, nil, err
	}
	currencies := make([]string, len(b.Accounts))
	for i, a := range b.Accounts {
		currencies[i] = a.BaseCurrency
	}
	today := journal.DayOf(q.Now.UTC())
	converter, err := rates.LoadConverter(ctx, tx, owner, currencies, q.Currency, b.findDays(today))
	if err != nil {
		return nil, nil, err
	}
	return s.convert(b, converter, today), converter, nil
}

// convert returns a snapshot with converted amounts.
func (s *Service) convert(b *Snapshot, converter *rates.Converter, today journal.Day) *Snapshot {
	out := *b
	out.own = b
	out.ratesVersion = "|" + converter.Currency() + strconv.FormatUint(converter.Version(), 36)
	out.Columns, out.closed = nil, nil
	exchange := &analytics.Exchange{Today: toDayNumber(today)}
	out.Capital = analytics.Capital{Currency: converter.Currency(), Exchange: exchange}
	for i, a := range b.Accounts {
		closed := s.convertColumns(&out, a, b.closed[i], false, converter)
		out.closed = append(out.closed, closed)
		if b.Realized {
			closed = s.convertColumns(&out, a, b.Columns[i], true, converter)
		}
		out.Columns = append(out.Columns, closed)
		out.Capital.Cash = append(out.Capital.Cash, convertCash(i, a.BaseCurrency, b.Capital.Cash[i], converter))
		exchange.Balances = append(exchange.Balances, a.StartingBalance)
		if rate, ok := converter.Lookup(a.BaseCurrency, today); ok && !a.StartingBalance.IsZero() {
			out.Capital.Starting = out.Capital.Starting.Add(rate.Convert(a.StartingBalance))
		}
	}
	exchange.RateAt = func(account int, day int64) (decimal.Decimal, bool) {
		rate, ok := converter.Lookup(b.Accounts[account].BaseCurrency, toDay(day))
		return rate.Rate, ok
	}
	exchange.Need = func(account int, day int64) { converter.Find(b.Accounts[account].BaseCurrency, toDay(day)) }
	return &out
}

// convertColumns returns an account's converted columns, cached or computed.
func (s *Service) convertColumns(b *Snapshot, a ledger.Account, columns *analytics.Columns, realized bool, converter *rates.Converter) *analytics.Columns {
	if a.BaseCurrency == converter.Currency() {
		return columns
	}
	key := convertedKey{account: a.ID, currency: converter.Currency(), realized: realized}
	version := b.ratesVersion + "|" + strconv.FormatInt(a.Revision, 10)
	if cached, ok := s.converted.Get(key); ok && cached.version == version {
		return cached.of.WithName(a.Name, a.Number())
	}
	fresh := columns.Convert(func(day int64) (decimal.Decimal, bool) {
		rate, ok := converter.Lookup(a.BaseCurrency, toDay(day))
		return rate.Rate, ok
	})
	s.converted.Put(key, &convertedColumns{fresh, version}, entryBytes+fresh.Bytes())
	return fresh
}

// convertCash returns an account's cash in the converter's currency.
func convertCash(account int, currency string, list []analytics.CashEvent, converter *rates.Converter) []analytics.CashEvent {
	out := make([]analytics.CashEvent, len(list))
	for i, e := range list {
		rate, ok := converter.Lookup(currency, journal.DayOf(e.At.UTC()))
		e.Account, e.Own = account, e.Amount
		if e.Amount = decimal.Zero; ok {
			e.Amount = rate.Convert(e.Own)
		}
		out[i] = e
	}
	slices.SortStableFunc(out, analytics.CompareCash)
	return out
}

// RequireRates makes the converter find the rates that the selected trades need, and with
// cash those that cash results need. With units, each trade of a selected one needs its own.
func (b *Snapshot) RequireRates(f analytics.Filter, withCash bool) {
	selected := b.Select(f)
	if b.HasUnits {
		b.selectMembers(selected).EachRate(b.Capital.Exchange.Need)
	} else {
		selected.EachRate(b.Capital.Exchange.Need)
	}
	if withCash {
		selected.EachCashRate(b.Capital, b.Capital.Exchange.Need)
	}
}

// findDays returns the range of days on which something happened, up to today or later.
func (b *Snapshot) findDays(today journal.Day) rates.DayRange {
	days := rates.DayRange{From: today, To: today}
	add := func(at time.Time) {
		day := journal.DayOf(at.UTC())
		days = rates.DayRange{From: min(days.From, day), To: max(days.To, day)}
	}
	for i, columns := range b.Columns {
		for _, c := range []*analytics.Columns{columns, b.closed[i]} {
			if first, last, ok := c.Closings(); ok {
				add(first)
				add(last)
			}
		}
		if cash := b.Capital.Cash[i]; len(cash) > 0 {
			add(cash[0].At)
			add(cash[len(cash)-1].At)
		}
	}
	return days
}

const daySeconds = 24 * 60 * 60

func toDay(number int64) journal.Day {
	return journal.DayOf(time.Unix(number*daySeconds, 0).UTC())
}

func toDayNumber(day journal.Day) int64 { return day.Time().Unix() / daySeconds }
