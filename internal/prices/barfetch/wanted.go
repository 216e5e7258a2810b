package barfetch

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/prices/market"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/ledger"
)

// barSecs is the length of the fetched bars, except rates.
const barSecs = 60

// settleTime is how long after its end a session is fetched for the last time, so late
// corrections are in it.
const settleTime = time.Hour

// wanted is an instrument with the sessions for which its bars are wanted.
type wanted struct {
	of instruments.Priced
	// name is its price name, shared by all notations.
	name string
	// secs is the bar length.
	secs     int64
	calendar market.Calendar
	sessions map[int64]market.Range // by their start
}

// planner finds what is wanted.
type planner struct {
	source   Source
	provider barsource.Provider
	about    barsource.Description
	now      time.Time
	// again includes sessions fetched before they ended.
	again   bool
	byName  map[string]*wanted
	clocks  map[market.Calendar]*sessionClock
	fetched map[fetchedKey]time.Time
	// unknown are currencies for which the provider has no rates.
	unknown []string
}

type fetchedKey struct {
	name    string
	session int64
}

// sessionClock finds sessions and remembers on which of them the market is open.
type sessionClock struct {
	calendar market.Calendar
	sessions *market.Sessions
	open     map[int64]bool
}

func (c *sessionClock) isOpen(session market.Range) bool {
	open, known := c.open[session.From]
	if !known {
		open = len(c.calendar.OpenRanges(session)) > 0
		c.open[session.From] = open
	}
	return open
}

// maxClosed is how many sessions in a row can be closed.
const maxClosed = 7

// neighbor returns the next open session before or after one.
func (c *sessionClock) neighbor(session market.Range, back bool) market.Range {
	for range maxClosed {
		if back {
			session = c.sessions.Of(session.From - 1)
		} else {
			session = c.sessions.Of(session.To)
		}
		if c.isOpen(session) {
			break
		}
	}
	return session
}

// loadPlan reads what the owner held and what the source was asked for. It is a step.
func loadPlan(ctx context.Context, tx *db.Tx, owner journal.UserID, source Source, provider barsource.Provider, now time.Time, again bool) (*planner, error) {
	p := &planner{
		source: source, provider: provider, about: provider.Describe(), now: now, again: again,
		byName: map[string]*wanted{}, clocks: map[market.Calendar]*sessionClock{}, fetched: map[fetchedKey]time.Time{},
	}
	err := db.Each(ctx, tx, func(row db.Scanner) error {
		var key fetchedKey
		var at time.Time
		err := row.Scan(&key.name, &key.session, db.Instant(&at))
		p.fetched[key] = at
		return err
	}, `SELECT instrument, session_at, fetched_at FROM bar_source_sessions WHERE user_id = $1 AND source_id = $2`, owner, source.ID)
	if err != nil {
		return nil, err
	}
	if p.about.IsRates {
		return p, p.loadCurrencies(ctx, tx, owner)
	}
	return p, ledger.EachHeldTime(ctx, tx, owner, func(held ledger.HeldTime) error {
		p.add(held)
		return nil
	})
}

// add adds a position's sessions, with one before and one after.
func (p *planner) add(held ledger.HeldTime) {
	const micros = 1_000_000
	if !p.isChosen(held.Instrument) {
		return
	}
	of := instruments.Priced{
		Symbol: held.Symbol, Type: held.Type, Right: instruments.Right(held.OptionRight), Strike: held.Strike, Expiry: held.Expiry,
	}
	first, last := held.From/micros, held.To/micros
	if held.Open {
		last = p.now.Unix()
	}
	opened := time.Unix(first, 0).UTC()
	if _, ok := p.provider.Symbol(of, opened); !ok {
		return
	}
	name, _ := of.PriceKeys(opened)
	w := p.byName[name]
	if w == nil {
		w = &wanted{of: of, name: name, secs: barSecs, calendar: bars.CalendarOf(of.Type, of.Symbol), sessions: map[int64]market.Range{}}
		p.byName[name] = w
	}
	clock := p.clocks[w.calendar]
	if clock == nil {
		clock = &sessionClock{calendar: w.calendar, sessions: market.NewSessions(w.calendar), open: map[int64]bool{}}
		p.clocks[w.calendar] = clock
	}
	session := clock.sessions.Of(first)
	end := clock.neighbor(clock.sessions.Of(last), false)
	for session = clock.neighbor(session, true); session.From <= end.From; session = clock.sessions.Of(session.To) {
		if clock.isOpen(session) && p.isDue(w, session) {
			w.sessions[session.From] = session
		}
	}
}

// isChosen reports whether the source fetches an instrument: by symbol or by root.
func (p *planner) isChosen(of ledger.Instrument) bool {
	if len(p.source.Symbols) == 0 {
		return true
	}
	root := instruments.RootOf(of.Symbol, of.Type)
	return slices.ContainsFunc(p.source.Symbols, func(symbol string) bool {
		return strings.EqualFold(symbol, of.Symbol) || strings.EqualFold(symbol, root)
	})
}

// isDue reports whether the source must be asked for a session.
func (p *planner) isDue(w *wanted, session market.Range) bool {
	now := p.now.Unix()
	switch {
	case session.From+w.secs+int64(p.about.Delay/time.Second) > now:
		return false // there is nothing yet
	case p.source.Since != "" && session.To <= p.source.Since.Time().Unix():
		return false
	case p.about.HistoryBars > 0 && session.From < now-int64(p.about.HistoryBars)*w.secs:
		return false // the provider has it no longer
	}
	at, asked := p.fetched[fetchedKey{w.name, session.From}]
	settled := time.Unix(session.To, 0).Add(max(p.about.Delay, 0) + settleTime)
	if isPricer(p.provider) {
		return !asked && !p.now.Before(settled) // no session is paid twice
	}
	return !asked || at.Before(settled) && (p.again || !p.now.Before(settled))
}

// query is a request for consecutive sessions in an instrument.
type query struct {
	*wanted
	sessions []market.Range
}

// title names what is asked for, as the user knows it: the symbol, or the rate currency.
func (q query) title() string {
	if q.secs == market.ReferenceSecs {
		return q.name
	}
	return q.of.Symbol
}

func (q query) from() int64 { return q.sessions[0].From }
func (q query) to() int64   { return q.sessions[len(q.sessions)-1].To }

// toQuery returns the query for the provider.
func (q query) toQuery(now time.Time) barsource.Query {
	to := time.Unix(q.to(), 0).UTC()
	if to.After(now) {
		to = now
	}
	return barsource.Query{Instrument: q.of, BarSecs: q.secs, From: time.Unix(q.from(), 0).UTC(), To: to, Now: now}
}

// maxPause is the longest time between two sessions fetched with one query: a weekend
// with a holiday.
const maxPause = 4 * 24 * 60 * 60

// queries returns the queries for all wanted sessions, the latest first.
func (p *planner) queries() (list []query) {
	for _, w := range p.byName {
		longest := int64(min(max(p.about.PageBars, 24*60), 10_000)) * w.secs
		sessions := make([]market.Range, 0, len(w.sessions))
		for _, session := range w.sessions {
			sessions = append(sessions, session)
		}
		slices.SortFunc(sessions, func(a, b market.Range) int { return cmp.Compare(a.From, b.From) })
		for i, start := 0, 0; i < len(sessions); i++ {
			if i+1 < len(sessions) && sessions[i+1].From-sessions[i].To <= maxPause && sessions[i+1].To-sessions[start].From <= longest {
				continue
			}
			list = append(list, query{wanted: w, sessions: sessions[start : i+1]})
			start = i + 1
		}
	}
	slices.SortFunc(list, func(a, b query) int { return cmp.Or(cmp.Compare(b.to(), a.to()), cmp.Compare(a.name, b.name)) })
	return list
}
