package httpapi

import (
	"context"
	"net/url"
	"strings"
	"time"

	"fillbook/internal/analytics"
	"fillbook/internal/db"
	"fillbook/internal/figures"
	"fillbook/internal/journal"
	"fillbook/internal/ledger"
	"fillbook/internal/matching"
)

// FigureQuery is what every figure is asked with: the trades, in the words of
// their list, and the zone that cuts days.
type FigureQuery struct {
	TradeFilter
	TZ string `query:"tz" doc:"The IANA time zone in which days, hours and weekdays are cut; UTC by default. Ignored where none are cut."`
}

// undated is the query of a figure that cuts no days: whatever zone came with
// it is not looked at.
func (in FigureQuery) undated() FigureQuery {
	in.TZ = ""
	return in
}

// filter is the query in the words of analytics.
func (in FigureQuery) filter() (analytics.Filter, error) {
	query, err := in.query("")
	if err != nil {
		return analytics.Filter{}, err
	}
	f := analytics.Filter{Period: query.Scope.Period, Symbols: query.Symbols, None: query.Status == ledger.StatusOpen}
	if query.Basis == ledger.ByOpening {
		f.Basis = analytics.ByOpening
	}
	switch query.Direction {
	case matching.Long:
		f.Sides = []analytics.Side{analytics.Long}
	case matching.Short:
		f.Sides = []analytics.Side{analytics.Short}
	}
	if query.InstrumentType != "" {
		f.InstrumentTypes = []string{query.InstrumentType}
	}
	if f.Setups, err = listed[journal.SetupID]("setup_id", in.SetupID); err != nil {
		return f, err
	}
	f.Tags, err = listed[journal.TagID]("tag_id", in.TagID)
	return f, err
}

func (in FigureQuery) zone() (*time.Location, error) {
	if in.TZ == "" {
		return time.UTC, nil
	}
	return journal.ParseZone("tz", in.TZ)
}

// question is a figure query that was read, on the book that answers it.
type question struct {
	api    *API
	text   string // the query, as a key
	book   *figures.Book
	filter analytics.Filter
	zone   *time.Location
}

// selection are the trades of the question.
func (q *question) selection() *analytics.Selection { return q.book.Select(q.filter) }

// figure computes an answer to the question, or gives the one that was computed
// for the same accounts at the same revisions. name says which figure with which
// parameters of its own it is.
func figure[T any](q *question, name string, compute func() T) T {
	return figures.Answer(q.api.Figures, q.book, name+"?"+q.text, compute)
}

// asked opens the book for a figure query and hands it to fn.
func (a *API) asked(ctx context.Context, in FigureQuery, fn func(*db.Tx, *question) error) error {
	q := &question{api: a, text: in.values().Encode() + "&" + in.TZ + "&" + in.Status}
	var err error
	if q.filter, err = in.filter(); err != nil {
		return err
	}
	if q.zone, err = in.zone(); err != nil {
		return err
	}
	scope, err := in.scope()
	if err != nil {
		return err
	}
	return a.Figures.View(ctx, caller(ctx).UserID, scope.Accounts, func(tx *db.Tx, book *figures.Book) error {
		q.book = book
		return fn(tx, q)
	})
}

// values are the parameters of the query that lists of trades take too.
func (in FigureQuery) values() url.Values {
	values := url.Values{}
	for name, list := range map[string][]string{
		"account_id": in.AccountID, "symbol": in.Symbol, "setup_id": in.SetupID, "tag_id": in.TagID,
		"from": {in.From}, "to": {in.To}, "date_basis": {in.DateBasis}, "side": {in.Side}, "instrument_type": {in.InstrumentType},
	} {
		if text := strings.Trim(strings.Join(list, ","), ","); text != "" {
			values.Set(name, text)
		}
	}
	return values
}

// link is the address of the list of the same trades.
func (in FigureQuery) link() string {
	values := in.values()
	values.Set("status", string(ledger.StatusClosed))
	return prefix + "/trades?" + values.Encode()
}
