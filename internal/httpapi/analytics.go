package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/analytics"
	"fillbook/internal/db"
	"fillbook/internal/decimal"
	"fillbook/internal/figures"
	"fillbook/internal/journal"
	"fillbook/internal/ledger"
	"fillbook/internal/matching"
	"fillbook/internal/playbook"
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
	f := analytics.Filter{Period: query.Scope.Period, Symbols: query.Symbols}
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
	// none tells that only open trades are asked for, which have no figures.
	none bool
}

// selection are the trades of the question.
func (q *question) selection() *analytics.Selection { return q.of(q.book, q.filter) }

// of are the trades that another book and filter have for the question.
func (q *question) of(book *figures.Book, filter analytics.Filter) *analytics.Selection {
	if q.none {
		return analytics.Select(nil, filter)
	}
	return book.Select(filter)
}

// figure computes an answer to the question, or gives the one that was computed
// for the same accounts at the same revisions. name says which figure with which
// parameters of its own it is.
func figure[T any](q *question, name string, compute func() T) T {
	return figures.Answer(q.api.Figures, q.book, name+"?"+q.text, compute)
}

// asked opens the book for a figure query and hands it to fn.
func (a *API) asked(ctx context.Context, in FigureQuery, fn func(*db.Tx, *question) error) error {
	q := &question{api: a, none: in.Status == string(ledger.StatusOpen), text: in.values().Encode() + "&" + in.TZ + "&" + in.Status}
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

func figureRoute(path, id, summary string) route {
	r := journalRoute(http.MethodGet, "/analytics/"+path, id, "Analytics", summary)
	r.repeated = repeatable
	return r
}

func (a *API) analyticsOperations() {
	register(a, figureRoute("summary", "summary", "Read the figures of closed trades at a glance"), a.summary)
	register(a, figureRoute("daily", "daily", "Read the results day by day"), a.daily)
	register(a, figureRoute("equity-curve", "equityCurve", "Read equity and drawdown over time"), a.equityCurve)
	register(a, figureRoute("behavior", "behavior", "Read what order, size and timing of trades tell"), a.behavior)
	register(a, figureRoute("breakdown", "breakdown", "Read the results by symbol, setup, tag, hour and the like"), a.breakdown)
	register(a, figureRoute("r", "rMultiples", "Read the results in units of the risk taken"), a.rMultiples)
	register(a, figureRoute("drawdowns", "drawdowns", "List the drawdowns, the deepest first"), a.drawdowns)
	register(a, figureRoute("calendar", "calendar", "Read a year day by day, with notes and routines"), a.calendar)
	compare := figureRoute("compare", "compare", "Set two periods or accounts side by side")
	compare.repeated = append([]string{"other_account_id"}, repeatable...)
	register(a, compare, a.compare)
	register(a, figureRoute("montecarlo", "monteCarlo", "Simulate futures from past results"), a.monteCarlo)
}

type summaryQuery struct {
	FigureQuery
	Explain  string `query:"explain" enum:"true,false" doc:"Tell of each figure its formula, its inputs and the trades behind it."`
	Evidence string `query:"evidence" enum:"true,false" doc:"Tell how far the figures can be trusted."`
}

// summaryAnswer is the summary with what was asked for beside it.
type summaryAnswer struct {
	analytics.Summary
	Evidence    *analytics.Evidence `json:"evidence,omitempty"`
	Explanation []explained         `json:"explanation,omitempty"`
}

// explained is how a figure came about.
type explained struct {
	analytics.Explanation
	TradeCount int               `json:"trade_count"`
	TradeIDs   []journal.TradeID `json:"trade_ids" doc:"The first 100 of the trades behind the figure."`
	TradesLink string            `json:"trades_link" doc:"The list of all trades of the scope."`
}

// explainedIDs is how many trades an explanation names.
const explainedIDs = 100

func (a *API) summary(ctx context.Context, in *summaryQuery) (*body[summaryAnswer], error) {
	explain, err := flag("explain", in.Explain)
	if err != nil {
		return nil, err
	}
	evidence, err := flag("evidence", in.Evidence)
	if err != nil {
		return nil, err
	}
	query := in.FigureQuery
	if !evidence { // the only part that goes by days of a zone; the summary's own are those of UTC
		query = query.undated()
	}
	var out summaryAnswer
	err = a.asked(ctx, query, func(_ *db.Tx, q *question) error {
		out.Summary = figure(q, "summary", func() analytics.Summary { return analytics.Summarize(q.selection(), q.book.Capital) })
		if evidence {
			weighed := figure(q, "evidence", func() analytics.Evidence { return analytics.Weigh(q.selection(), q.zone, q.book.Seed()) })
			out.Evidence = &weighed
		}
		if explain {
			out.Explanation, err = explainAll(q.selection(), q.book.Capital, in.link())
		}
		return err
	})
	return answer(out, err)
}

// explainAll explains every figure of a summary.
func explainAll(s *analytics.Selection, capital analytics.Capital, link string) ([]explained, error) {
	list := []explained{}
	for _, name := range analytics.Explainable() {
		e, err := analytics.Explain(s, capital, name)
		if err != nil {
			return nil, err
		}
		item := explained{Explanation: e, TradeCount: len(e.Trades), TradeIDs: []journal.TradeID{}, TradesLink: link}
		for _, i := range e.Trades[:min(len(e.Trades), explainedIDs)] {
			item.TradeIDs = append(item.TradeIDs, s.ID(i))
		}
		list = append(list, item)
	}
	return list, nil
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

func (a *API) daily(ctx context.Context, in *FigureQuery) (*body[[]analytics.Day], error) {
	var out []analytics.Day
	err := a.asked(ctx, *in, func(_ *db.Tx, q *question) error {
		out = figure(q, "daily", func() []analytics.Day { return analytics.Daily(q.selection(), q.zone) })
		return nil
	})
	return answer(out, err)
}

type curveQuery struct {
	FigureQuery
	MaxPoints string `query:"max_points" doc:"How many points at most, 8 to 20000; 2000 by default."`
}

func (a *API) equityCurve(ctx context.Context, in *curveQuery) (*body[analytics.Curve], error) {
	points, err := wholeNumber("max_points", in.MaxPoints, analytics.DefaultPoints, analytics.MinPoints, 20_000)
	if err != nil {
		return nil, err
	}
	var out analytics.Curve
	err = a.asked(ctx, in.undated(), func(_ *db.Tx, q *question) error {
		draw := func() analytics.Curve {
			columns := q.book.Columns
			if q.none {
				columns = nil
			}
			return analytics.Equity(columns, analytics.CurveQuery{
				Filter: q.filter, Capital: q.book.Capital, Cash: q.book.Cash(), MaxPoints: points,
			})
		}
		if points > analytics.DefaultPoints { // too large to be kept
			out = draw()
			return nil
		}
		out = figure(q, "curve "+in.MaxPoints, draw)
		return nil
	})
	return answer(out, err)
}

func (a *API) behavior(ctx context.Context, in *FigureQuery) (*body[analytics.Behavior], error) {
	var out analytics.Behavior
	err := a.asked(ctx, *in, func(_ *db.Tx, q *question) error {
		out = figure(q, "behavior", func() analytics.Behavior {
			return analytics.Behave(q.selection(), analytics.BehaviorQuery{Zone: q.zone, Seed: q.book.Seed()})
		})
		return nil
	})
	return answer(out, err)
}

type breakdownQuery struct {
	FigureQuery
	By       string `query:"by" enum:"symbol,setup,tag,mistake,side,instrument,weekday,hour,month,session,hold_time,size,grade,account"`
	Evidence string `query:"evidence" enum:"true,false" doc:"Tell of each row how far it can be trusted; true by default."`
	Explain  string `query:"explain" enum:"true,false" doc:"Add to each row the formula and the link to its trades."`
}

// breakdownRow is a row with the name of what its key is the id of.
type breakdownRow struct {
	analytics.Row
	Evidence    orNull[analytics.Evidence] `json:"evidence" doc:"null when it was not asked for"`
	Name        string                     `json:"name" doc:"What the key is called: the name of the setup, tag or account."`
	Explanation *explainedRow              `json:"explanation,omitempty"`
}

type explainedRow struct {
	Formula    string `json:"formula"`
	TradesLink string `json:"trades_link" doc:"The list of the trades of the row; empty where no list can be asked for so."`
}

func (a *API) breakdown(ctx context.Context, in *breakdownQuery) (*body[[]breakdownRow], error) {
	by, err := analytics.ParseDimension("by", in.By)
	if err != nil {
		return nil, err
	}
	evidence, err := flagOr("evidence", in.Evidence, true)
	if err != nil {
		return nil, err
	}
	explain, err := flag("explain", in.Explain)
	if err != nil {
		return nil, err
	}
	out := []breakdownRow{}
	err = a.asked(ctx, in.FigureQuery, func(tx *db.Tx, q *question) error {
		names, mistakes, err := a.namesFor(ctx, tx, by, q.book)
		if err != nil {
			return err
		}
		rows := figure(q, fmt.Sprint("breakdown ", by, evidence, mistakes), func() []analytics.Row {
			return analytics.Breakdown(q.selection(), analytics.BreakdownQuery{
				By: by, Zone: q.zone, Mistakes: mistakes, Evidence: evidence, Seed: q.book.Seed(),
			})
		})
		for _, row := range rows {
			named := breakdownRow{Row: row, Evidence: orNull[analytics.Evidence]{row.Evidence}, Name: row.Key}
			if name, known := names[row.Key]; known {
				named.Name = name
			}
			if explain {
				named.Explanation = in.explainRow(by, row.Key)
			}
			out = append(out, named)
		}
		return nil
	})
	return answer(out, err)
}

// namesFor gives the names behind the keys of a breakdown, and the tags that
// are mistakes.
func (a *API) namesFor(
	ctx context.Context, tx *db.Tx, by analytics.Dimension, book *figures.Book,
) (names map[string]string, mistakes []journal.TagID, err error) {
	names = map[string]string{}
	switch by { //nolint:exhaustive // the other keys are names already
	case analytics.ByTag, analytics.ByMistake:
		tags, err := playbook.ListTags(ctx, tx, caller(ctx).UserID)
		for _, tag := range tags { // in an order, because an answer is kept under its mistakes
			names[string(tag.ID)] = tag.Name
			if tag.Kind == playbook.MistakeTag {
				mistakes = append(mistakes, tag.ID)
			}
		}
		return names, mistakes, err
	case analytics.BySetup:
		setups, err := playbook.ListSetups(ctx, tx, caller(ctx).UserID)
		for _, s := range setups {
			names[string(s.ID)] = s.Name
		}
		return names, nil, err
	case analytics.ByAccount:
		for _, account := range book.Accounts {
			names[string(account.ID)] = account.Name
		}
	}
	return names, nil, nil
}

// explainRow tells where the trades of a row are listed, where the list has a
// parameter for it.
func (in *breakdownQuery) explainRow(by analytics.Dimension, key string) *explainedRow {
	e := &explainedRow{Formula: "net_pnl = sum of the net results of the row's trades; win_rate = wins / trades; profit_factor = gross profit / gross loss"}
	parameter := map[analytics.Dimension]string{
		analytics.BySymbol: "symbol", analytics.BySetup: "setup_id", analytics.ByTag: "tag_id", analytics.ByMistake: "tag_id",
		analytics.BySide: "side", analytics.ByInstrument: "instrument_type", analytics.ByAccount: "account_id",
	}[by]
	if parameter == "" || key == "" {
		return e
	}
	values := in.values()
	values.Set(parameter, key)
	values.Set("status", string(ledger.StatusClosed))
	e.TradesLink = prefix + "/trades?" + values.Encode()
	return e
}

func (a *API) rMultiples(ctx context.Context, in *FigureQuery) (*body[analytics.RStats], error) {
	var out analytics.RStats
	err := a.asked(ctx, in.undated(), func(_ *db.Tx, q *question) error {
		out = figure(q, "r", func() analytics.RStats { return analytics.RMultiples(q.selection()) })
		return nil
	})
	return answer(out, err)
}

type drawdownQuery struct {
	FigureQuery
	Limit string `query:"limit" doc:"How many at most, 1 to 1000; 50 by default."`
}

func (a *API) drawdowns(ctx context.Context, in *drawdownQuery) (*body[[]analytics.Drawdown], error) {
	limit, err := wholeNumber("limit", in.Limit, 50, 1, 1000)
	if err != nil {
		return nil, err
	}
	var out []analytics.Drawdown
	err = a.asked(ctx, in.undated(), func(_ *db.Tx, q *question) error {
		out = analytics.Drawdowns(q.selection(), q.book.Capital, limit)
		return nil
	})
	return answer(out, err)
}

type compareQuery struct {
	FigureQuery
	OtherAccountID []string `query:"other_account_id,explode" doc:"The accounts of the other side; those of this side by default."`
	OtherFrom      string   `query:"other_from" format:"date-time"`
	OtherTo        string   `query:"other_to" format:"date-time"`
}

func (a *API) compare(ctx context.Context, in *compareQuery) (*body[analytics.Comparison], error) {
	filterB, accountsB, err := in.other()
	if err != nil {
		return nil, err
	}
	var out analytics.Comparison
	err = a.asked(ctx, in.FigureQuery, func(tx *db.Tx, q *question) error {
		book, err := a.Figures.Read(ctx, tx, caller(ctx).UserID, accountsB)
		if err != nil {
			return err
		}
		if book.Capital.Currency != q.book.Capital.Currency && len(book.Accounts) > 0 && len(q.book.Accounts) > 0 {
			return mixedCurrencies()
		}
		out = analytics.Compare(q.selection(), q.of(book, filterB), q.zone, q.book.Capital, book.Capital)
		return nil
	})
	return answer(out, err)
}

// other is the other side: the same filters with its own period and accounts.
func (in *compareQuery) other() (f analytics.Filter, accounts []journal.AccountID, err error) {
	same := in.FigureQuery
	same.PeriodInput = PeriodInput{}
	if f, err = same.filter(); err != nil {
		return f, nil, err
	}
	if f.Period.From, err = optionalInstant("other_from", in.OtherFrom); err != nil {
		return f, nil, err
	}
	if f.Period.To, err = optionalInstant("other_to", in.OtherTo); err != nil {
		return f, nil, err
	}
	if f.Period.Check() != nil {
		return f, nil, journal.InvalidField("other_from", "other_from must not be after other_to.")
	}
	if accounts, err = listed[journal.AccountID]("other_account_id", in.OtherAccountID); err != nil || len(accounts) > 0 {
		return f, accounts, err
	}
	accounts, err = listed[journal.AccountID]("account_id", in.AccountID)
	return f, accounts, err
}

func mixedCurrencies() error {
	return &journal.Error{
		Kind: journal.KindInvalid, Code: "mixed_currencies", Message: "Accounts of different currencies cannot be compared in money.",
	}
}

type simulationQuery struct {
	FigureQuery
	Paths   string `query:"paths" doc:"How many futures, 100 to 5000; 1000 by default."`
	Trades  string `query:"trades" doc:"How many trades each future has, 1 to 2000; by default as many as were counted."`
	RuinPct string `query:"ruin_pct" doc:"The loss in percent of the starting capital that counts as ruin; 50 by default."`
}

func (a *API) monteCarlo(ctx context.Context, in *simulationQuery) (*body[analytics.Futures], error) {
	sim := analytics.Simulation{RuinPct: decimal.New(50)}
	var err error
	if sim.Paths, err = wholeNumber("paths", in.Paths, analytics.DefaultPaths, 100, analytics.MaxPaths); err != nil {
		return nil, err
	}
	if sim.Trades, err = wholeNumber("trades", in.Trades, 0, 1, analytics.MaxFuture); err != nil {
		return nil, err
	}
	if in.RuinPct != "" {
		sim.RuinPct, err = decimal.Parse(in.RuinPct)
		if err != nil || sim.RuinPct.Sign() <= 0 || sim.RuinPct.Cmp(decimal.New(100)) > 0 {
			return nil, journal.InvalidField("ruin_pct", "ruin_pct must be a number above 0 and up to 100.")
		}
	}
	var out analytics.Futures
	err = a.asked(ctx, in.undated(), func(_ *db.Tx, q *question) error {
		sim.Capital, sim.Seed = q.book.Capital, q.book.Seed()
		name := "montecarlo " + in.Paths + " " + in.Trades + " " + in.RuinPct
		out = figure(q, name, func() analytics.Futures { return analytics.MonteCarlo(q.selection(), sim) })
		return nil
	})
	return answer(out, err)
}

// flag reads a parameter that is true or false; absent is false.
func flag(field, text string) (bool, error) { return flagOr(field, text, false) }

func flagOr(field, text string, absent bool) (bool, error) {
	switch strings.ToLower(text) {
	case "":
		return absent, nil
	case "true", "1":
		return true, nil
	case "false", "0":
		return false, nil
	}
	return false, journal.InvalidField(field, "%s must be true or false.", field)
}

// wholeNumber reads a whole number within bounds.
func wholeNumber(field, text string, absent, least, most int) (int, error) {
	if text == "" {
		return absent, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, journal.InvalidField(field, "%s must be a whole number from %d to %d.", field, least, most)
	}
	return n, nil
}
