package excursions

import (
	"time"

	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/market"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/ledger"
)

// toPriced returns an instrument as one whose prices are looked up.
func toPriced(i ledger.Instrument) instruments.Priced {
	return instruments.Priced{Symbol: i.Symbol, Type: i.Type, Right: instruments.Right(i.OptionRight), Strike: i.Strike, Expiry: i.Expiry}
}

// isConcerned reports whether a bar change may concern an instrument.
func (m *meter) isConcerned(i ledger.Instrument, c bars.Change) bool {
	if c.Symbol == "" {
		return true
	}
	return m.lookup.Uses(toPriced(i), time.Unix(c.To, 0).UTC(), c.Symbol, c.To)
}

// month is a month in a year, as a number.
type month int64

func monthOf(at int64) month {
	t := time.UnixMicro(at).UTC()
	return month(t.Year()*12 + int(t.Month()))
}

// readersAt returns the readers for the series an instrument may use at a time.
func (g *group) readersAt(at int64) (own, similar []*seriesReader, err error) {
	key := monthOf(at)
	found, known := g.matches[key]
	if !known {
		for _, match := range g.lookup.Find(g.priced, time.UnixMicro(at).UTC()) {
			r, err := g.readerOf(match.Series)
			if err != nil {
				return nil, nil, err
			}
			if match.Similar {
				found.similar = append(found.similar, r)
			} else {
				found.own = append(found.own, r)
			}
		}
		g.matches[key] = found
	}
	return found.own, found.similar, nil
}

// readers read the series an instrument may use: its own, and similar series whose bars
// must contain the fills.
type readers struct{ own, similar []*seriesReader }

func (g *group) readerOf(s bars.Series) (*seriesReader, error) {
	if r, known := g.readers[s.ID]; known {
		return r, nil
	}
	coverage, err := bars.ReadCoverage(g.ctx, g.tx, g.owner, s)
	sessions := g.sessionsOf(bars.SeriesCalendar(g.priced.Type, g.priced.Symbol, s.Symbol))
	r := &seriesReader{group: g, series: s, coverage: coverage, hours: market.NewHours(sessions, coverage.Declared)}
	g.readers[s.ID] = r
	return r, err
}

const secondsOfDay = 24 * 60 * 60
