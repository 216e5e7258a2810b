package files

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"fillbook/internal/prices/market"
)

// ratesLayout is the layout for the European Central Bank's reference rates:
// eurofxref-hist.csv with all days, the newest first, and eurofxref.csv with one. A
// column has the currency units for one EUR.
const ratesLayout = "European Central Bank"

// parseRatesHeader returns the currency in each column of a rates file; it is empty for
// the first column, the date, and after the last comma. It returns nil for another file.
func parseRatesHeader(header []string) []string {
	if len(header) < 2 || header[0] != "date" {
		return nil
	}
	currencies, count := make([]string, len(header)), 0
	for i, name := range header[1:] {
		if name == "" && i+2 == len(header) {
			continue
		}
		code := strings.ToUpper(name)
		if !market.IsCurrencyCode(code) || code == market.ReferenceBase || roleNames[name] != ignored {
			return nil // low and vol are bar columns
		}
		currencies[i+1] = code
		count++
	}
	if count == 0 {
		return nil
	}
	return currencies
}

// useRates makes the reader add rows with addRates.
func (r *textReader) useRates(currencies []string) error {
	r.file.Layout = ratesLayout
	r.rates = make([]*Series, len(currencies))
	for i, currency := range currencies {
		if currency == "" {
			continue
		}
		added, err := r.options.newSeries(Series{
			Symbol: market.ReferenceSymbol(currency), Secs: market.ReferenceSecs, PriceKind: market.ReferencePrice,
			Clock: Clock{Zone: time.UTC, StampKnown: true}, isUTC: true,
		})
		if err != nil {
			return err
		}
		r.rates[i] = added
		r.file.Series = append(r.file.Series, added)
	}
	return nil
}

// addRates adds the current row's rates to their series. An unreadable value is left out
// and listed in the file's errors. A returned error ends the file.
func (r *textReader) addRates() error {
	r.file.Rows++
	at, ok := parseRatesDay(string(r.row.cell(0)))
	if !ok {
		r.options.addError(r.file, r.line, "The date can't be read.")
		return nil
	}
	var problems []string
	for i, s := range r.rates {
		cell := r.row.cell(i)
		if s == nil || isNoRate(cell) {
			continue
		}
		if err := r.options.budget.countRow(); err != nil {
			return err
		}
		if problem := r.addRate(s, at, cell); problem != "" {
			problems = append(problems, problem)
			continue
		}
	}
	if len(problems) > 0 {
		r.options.addError(r.file, r.line, strings.Join(problems, " "))
	}
	return nil
}

// addRate adds a rate to a series as a bar whose four prices are equal, or returns why it cannot be
// one.
func (r *textReader) addRate(s *Series, at int64, cell []byte) (problem string) {
	currency, _ := market.ReferenceCurrency(s.Symbol)
	n, err := r.parseNumber(cell)
	switch {
	case err != nil:
		return fmt.Sprintf("The rate of %s isn't a number.", currency)
	case n.coef <= 0:
		return fmt.Sprintf("The rate of %s must be above zero.", currency)
	}
	if err := s.bars.add(values{time: at, open: n, high: n, low: n, close: n}); err != nil {
		return fmt.Sprintf("The rate of %s has too many digits.", currency)
	}
	return ""
}

// isNoRate reports whether no rate was published for a currency on a day.
func isNoRate(cell []byte) bool { return isNothing(cell) || bytes.EqualFold(cell, []byte("n/a")) }

// parseRatesDay parses a row's day, such as 2026-03-02, or 02 March 2026 in the
// single-day file.
func parseRatesDay(text string) (at int64, ok bool) {
	for _, layout := range []string{time.DateOnly, "2 January 2006"} {
		if day, err := time.Parse(layout, text); err == nil {
			return day.Unix(), true
		}
	}
	return 0, false
}
