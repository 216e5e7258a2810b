package assistants

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/people/identity"
)

// figureArgs are the arguments of a tool with a filter only.
type figureArgs struct {
	Filter filterArgs `json:"filter"`
}

// figure is the answer of a tool with figures, begun with the filter, the currency and the
// number of trades.
type figure struct {
	*answer
	query   url.Values
	figures object // the summary of all trades
}

// newFigure begins an answer about the trades of a filter. more are further parameters of
// the summary, as pairs.
func (c *call) newFigure(filter filterArgs, more ...string) (*figure, error) {
	query, err := c.query(filter)
	if err != nil {
		return nil, err
	}
	summary, err := c.getObject("/analytics/summary", c.zoned(query, more...))
	if err != nil {
		return nil, err
	}
	a := &answer{data: object{}, link: "/reports"}
	a.extra = object{
		"filter": encode(describeFilter(query)), "tz": encode(c.zone.String()), "currency": summary["currency"], "n": summary["total_trades"],
	}
	return &figure{a, query, summary}, c.loadFilterNames(query)
}

// loadFilterNames reads the names of the records in a query.
func (c *call) loadFilterNames(query url.Values) error {
	for parameter, kind := range map[string]recordKind{"account_id": accountRecords, "setup_id": setupRecords, "tag_id": tagRecords} {
		if query.Get(parameter) != "" {
			if err := c.loadNames(kind); err != nil {
				return err
			}
		}
	}
	return nil
}

type summaryArgs struct {
	Filter      filterArgs `json:"filter"`
	Compare     string     `json:"compare"`
	CompareView string     `json:"compare_view"`
	CompareFrom string     `json:"compare_from"`
	CompareTo   string     `json:"compare_to"`
}

var comparisons = []string{"previous", "rest", "view", "custom"}

var summaryTool = &tool{
	name: "get_summary", title: "Get summary", needs: identity.ScopeAnalytics,
	about: "Reads the key figures of closed trades: net P&L, win rate, expectancy, profit factor, R, drawdown, fees, with sample size and " +
		"95% intervals in evidence. compare adds the same figures of other trades and the difference with its interval and p-value.",
	args: []arg{
		filterArg,
		choiceOf("compare", "previous: the period of the same length before. rest: all other trades of the same accounts and dates. view: compare_view. custom: compare_from and compare_to.", comparisons...),
		text("compare_view", "With compare=view: the saved view."),
		text("compare_from", "With compare=custom or view: first day or instant of the other trades."),
		text("compare_to", "With compare=custom or view: last day or instant."),
	},
	run: typed((*call).summarize),
}

func (c *call) summarize(args summaryArgs) (*answer, error) {
	f, err := c.newFigure(args.Filter, "evidence", "true")
	if err != nil {
		return nil, err
	}
	f.extra["evidence"] = f.figures["evidence"]
	f.data.set("summary", f.figures.without("evidence"))
	f.data["compare"] = null
	f.summary = describeSummary(f.figures)
	if args.Compare == "" {
		return f.answer, nil
	}
	return f.answer, c.addComparison(f, args)
}

// describeSummary returns the figures as a sentence.
func describeSummary(s object) string {
	if s.count("total_trades") == 0 {
		return "There are no closed trades here."
	}
	return fmt.Sprintf("%s: net P&L %s %s, win rate %s, expectancy %s, profit factor %s. Evidence has the intervals.",
		plural(s.count("total_trades"), "closed trade"), s["net_pnl"], s.text("currency"), s["win_rate"], s["expectancy"], s["profit_factor"])
}

func (c *call) addComparison(f *figure, args summaryArgs) error {
	if err := oneOf("compare", args.Compare, comparisons); err != nil {
		return err
	}
	other := c.zoned(f.query, "against", args.Compare)
	if args.CompareView != "" {
		id, err := c.resolve(viewRecords, "compare_view", args.CompareView, false)
		if err != nil {
			return err
		}
		other.Set("view_id", id)
	}
	for _, end := range []struct {
		field, parameter, text string
		isEnd                  bool
	}{{"compare_from", "other_from", args.CompareFrom, false}, {"compare_to", "other_to", args.CompareTo, true}} {
		if end.text == "" {
			continue
		}
		at, err := c.parseMoment(end.field, end.text, end.isEnd)
		if err != nil {
			return err
		}
		other.Set(end.parameter, journal.FormatInstant(at.UTC()))
	}
	compared, err := c.getObject("/analytics/compare", other)
	if err != nil {
		return err
	}
	f.data.set("compare", compared.pick("b", "difference"))
	difference := compared.object("difference")
	f.summary += fmt.Sprintf(" Compared with %s: the expectancy differs by %s, p-value %s.",
		plural(compared.object("b").count("total_trades"), "other trade"), difference["expectancy"], difference["p_value"])
	return nil
}

type breakdownArgs struct {
	Filter    filterArgs `json:"filter"`
	By        string     `json:"by"`
	Sort      string     `json:"sort"`
	Order     string     `json:"order"`
	MinTrades *int       `json:"min_trades"`
	Limit     *int       `json:"limit"`
}

var breakdownSorts = []string{"net_pnl", "trades", "win_rate", "avg_trade", "profit_factor"}

const (
	usualMinTrades    = 5
	usualRows         = 20
	maxBreakdownRows  = 50
	maxSeriesRows     = 100
	maxDrawdowns      = 20
	maxBehaviorEvents = 5
	maxExplainedIDs   = 50
)

var breakdownTool = &tool{
	name: "get_breakdown", title: "Get breakdown", needs: identity.ScopeAnalytics,
	about: "Groups closed trades by one dimension, with results, intervals and a comparison with the rest for each row. " +
		"Rows below min_trades, and those after limit, are summed in other. Many rows mean many comparisons: small p-values then occur by chance.",
	args: []arg{
		filterArg,
		needed(choiceOf("by", "Dimension. Keys of setup, tag, mistake and account are ids.", dimensionNames()...)),
		choiceOf("sort", "Default net_pnl.", breakdownSorts...),
		choiceOf("order", "Default desc.", "desc", "asc"),
		whole("min_trades", "Fewest trades of a row. Default 5.", 1, 1_000_000),
		whole("limit", "Rows, 1 to 50. Default 20.", 1, maxBreakdownRows),
	},
	run: typed((*call).breakDown),
}

func dimensionNames() (names []string) {
	for _, d := range analytics.Dimensions() {
		names = append(names, string(d))
	}
	return names
}

func (c *call) breakDown(args breakdownArgs) (*answer, error) {
	least, limit := orDefault(args.MinTrades, usualMinTrades), orDefault(args.Limit, usualRows)
	switch {
	case args.By == "":
		return nil, invalid("by", "by is required: %s.", strings.Join(dimensionNames(), ", "))
	case least < 1:
		return nil, invalid("min_trades", "min_trades must be at least 1.")
	case limit < 1 || limit > maxBreakdownRows:
		return nil, invalid("limit", "limit must be from 1 to %d.", maxBreakdownRows)
	}
	if err := cmp.Or(oneOf("by", args.By, dimensionNames()), oneOf("sort", args.Sort, breakdownSorts), oneOf("order", args.Order, []string{"asc", "desc"})); err != nil {
		return nil, err
	}
	f, err := c.newFigure(args.Filter)
	if err != nil {
		return nil, err
	}
	rows, err := c.getObjects("/analytics/breakdown", c.zoned(f.query, "by", args.By))
	if err != nil {
		return nil, err
	}
	if err := c.nameKeys(args.By); err != nil {
		return nil, err
	}
	shown := slices.DeleteFunc(slices.Clone(rows), func(row object) bool { return row.count("trades") < least })
	sortRows(shown, cmp.Or(args.Sort, "net_pnl"), args.Order != "asc")
	shown = shown[:min(len(shown), limit)]
	for i, row := range shown {
		shown[i] = shapeKey(row, args.By)
	}
	f.data.set("by", args.By)
	f.lists = []*list{{field: "rows", rows: shown, total: len(rows), hint: "other has the sums of the rows not shown. Raise limit, lower min_trades, or narrow the filter."}}
	f.after = func(a *answer) { a.data.set("other", sumOther(rows, a.lists[0].rows)) }
	f.table = table{"rows", []string{"key", "trades", "net_pnl", "win_rate", "avg_trade", "profit_factor", "p_value"}}
	f.summary = fmt.Sprintf("%s by %s: %s with at least %s.", plural(f.extra.count("n"), "closed trade"), args.By,
		plural(len(shown), "row"), plural(least, "trade"))
	return f.answer, nil
}

func orDefault(given *int, usual int) int {
	if given == nil {
		return usual
	}
	return *given
}

// nameKeys reads the names behind the keys of a dimension.
func (c *call) nameKeys(by string) error {
	kinds := map[string]recordKind{"setup": setupRecords, "tag": tagRecords, "mistake": tagRecords, "account": accountRecords}
	if kind, named := kinds[by]; named {
		return c.loadNames(kind)
	}
	return nil
}

// sortRows sorts by a number; rows without it come last.
func sortRows(rows []object, field string, down bool) {
	slices.SortStableFunc(rows, func(a, b object) int {
		if a.isNull(field) || b.isNull(field) {
			return boolToInt(a.isNull(field)) - boolToInt(b.isNull(field))
		}
		order := a.number(field).Cmp(b.number(field))
		if down {
			order = -order
		}
		return order
	})
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// shapeKey returns a row without its name, whose key is no text of a user. id stays to find
// the row again.
func shapeKey(row object, by string) object {
	shaped := row.without("name")
	switch by {
	case "symbol", "root":
		setSymbol(shaped, "key")
	case "instrument":
		setInstrumentType(shaped, "key")
	}
	return shaped
}

// sumOther returns the sums of the rows that are not shown; nil if all are.
func sumOther(all, shown []object) any {
	hidden := len(all) - len(shown)
	if hidden == 0 {
		return nil
	}
	sums := object{}
	sums.set("rows", hidden)
	for _, field := range []string{"trades", "wins", "losses", "breakeven", "net_pnl", "gross_pnl", "fees"} {
		sum := decimal.Decimal{}
		for _, row := range all {
			sum = sum.Add(row.number(field))
		}
		for _, row := range shown {
			sum = sum.Sub(row.number(field))
		}
		sums.set(field, sum)
	}
	return sums
}

type seriesArgs struct {
	Filter filterArgs `json:"filter"`
	Kind   string     `json:"kind"`
	Bucket string     `json:"bucket"`
}

var (
	seriesKinds = []string{"daily", "equity", "drawdowns", "r", "excursions"}
	buckets     = []string{"day", "week", "month"}
)

var seriesTool = &tool{
	name: "get_series", title: "Get series", needs: identity.ScopeAnalytics,
	about: "Reads results over time or their distribution. daily: results by day, week or month. equity: at most 100 points of equity and drawdown. " +
		"drawdowns: the 20 deepest. r: distribution of R multiples. excursions: MAE and MFE, and what other stops and targets would have made.",
	args: []arg{
		filterArg,
		needed(choiceOf("kind", "What to read.", seriesKinds...)),
		choiceOf("bucket", "With kind=daily. Default: the finest with at most 100 rows.", buckets...),
	},
	run: typed((*call).readSeries),
}

func (c *call) readSeries(args seriesArgs) (*answer, error) {
	if args.Kind == "" {
		return nil, invalid("kind", "kind is required: %s.", strings.Join(seriesKinds, ", "))
	}
	if err := cmp.Or(oneOf("kind", args.Kind, seriesKinds), oneOf("bucket", args.Bucket, buckets)); err != nil {
		return nil, err
	}
	f, err := c.newFigure(args.Filter)
	if err != nil {
		return nil, err
	}
	a, query, summary := f.answer, f.query, f.figures
	switch args.Kind {
	case "daily":
		err = c.addDays(a, query, args.Bucket)
	case "drawdowns":
		var rows []object
		rows, err = c.getObjects("/analytics/drawdowns", c.zoned(query, "limit", strconv.Itoa(maxDrawdowns)))
		a.lists = []*list{{field: "rows", rows: rows, total: len(rows), hint: "The deepest are shown. Narrow the filter."}}
		a.table = table{"rows", []string{"depth", "depth_pct", "peak_at", "trough_at", "recovered_at", "trades"}}
		a.summary = fmt.Sprintf("%s, the deepest first; the maximum is %s %s.", plural(len(rows), "drawdown"), summary["max_drawdown"], summary.text("currency"))
	case "equity":
		a.data, err = c.getObject("/analytics/equity-curve", c.zoned(query, "max_points", strconv.Itoa(maxSeriesRows)))
		a.table = table{"points", []string{"at", "equity", "drawdown"}}
		a.summary = fmt.Sprintf("Equity from %s to %s %s, maximum drawdown %s.", a.data["starting_equity"], a.data["ending_equity"], summary.text("currency"), a.data["max_drawdown"])
	case "r":
		a.data, err = c.getObject("/analytics/r", c.zoned(query))
		a.table = table{"buckets", []string{"from", "to", "trades"}}
		a.summary = fmt.Sprintf("%s with a known risk: average %s R, median %s R.", plural(a.data.count("trades_with_r"), "trade"), a.data["avg_r"], a.data["median_r"])
	case "excursions":
		a.data, err = c.getObject("/analytics/excursions", c.zoned(query))
		a.data = a.data.without("points")
		a.summary = fmt.Sprintf("MAE and MFE are known of %d of %s.", a.data.count("with_excursion"), plural(a.data.count("trades"), "trade"))
	}
	return a, err
}

// addDays adds results by day, week or month: in the given bucket, or in the finest with few
// enough rows.
func (c *call) addDays(a *answer, query url.Values, bucket string) error {
	days, err := c.getObjects("/analytics/daily", c.zoned(query))
	if err != nil {
		return err
	}
	rows := days
	for _, b := range buckets {
		if bucket != "" && b != bucket {
			continue
		}
		a.data.set("bucket", b)
		if rows = days; b != "day" {
			rows = sumDays(days, func(day time.Time) (from, to time.Time) { return c.bucketOf(b, day) })
		}
		if len(rows) <= maxSeriesRows {
			break
		}
	}
	total := len(rows)
	rows = rows[max(0, total-maxSeriesRows):]
	a.lists = []*list{{field: "rows", rows: rows, total: total, first: true, hint: "The last are shown. Choose an earlier period or a larger bucket."}}
	columns := []string{"from", "to", "net_pnl", "trades", "wins", "losses", "cumulative_pnl"}
	if a.data.text("bucket") == "day" {
		columns = append([]string{"date"}, columns[2:]...)
	}
	a.table = table{"rows", columns}
	a.summary = fmt.Sprintf("Results of %s by %s: %s.", plural(a.extra.count("n"), "closed trade"), a.data.text("bucket"), plural(total, "row"))
	return nil
}

// bucketOf returns the first and the last day of a day's week or month.
func (c *call) bucketOf(bucket string, day time.Time) (from, to time.Time) {
	if bucket == "month" {
		from = addDays(day, 1-day.Day())
		return from, addDays(from.AddDate(0, 1, 0), -1)
	}
	from = addDays(day, -(int(day.Weekday()-c.weekStart()+7) % 7))
	return from, addDays(from, 6)
}

// sumDays adds up days in buckets, exactly.
func sumDays(days []object, bucketOf func(time.Time) (from, to time.Time)) (rows []object) {
	for _, day := range days {
		at, err := time.Parse(time.DateOnly, day.text("date"))
		if err != nil {
			continue // the API writes days only
		}
		begin, end := bucketOf(at)
		from, to := begin.Format(time.DateOnly), end.Format(time.DateOnly)
		if len(rows) == 0 || rows[len(rows)-1].text("from") != from {
			rows = append(rows, object{"from": encode(from), "to": encode(to)})
		}
		row := rows[len(rows)-1]
		for _, field := range []string{"net_pnl", "gross_pnl", "fees", "trades", "wins", "losses"} {
			row.set(field, row.number(field).Add(day.number(field)))
		}
		row["cumulative_pnl"] = day["cumulative_pnl"]
	}
	return rows
}

var behaviorTool = &tool{
	name: "get_behavior", title: "Get behavior", needs: identity.ScopeAnalytics,
	about: "Reads how results depend on order, size and timing: trades soon after losses, size after wins, streaks, days with many trades. " +
		"Each finding has its numbers of trades; insufficient_data means that nothing can be said. Lists of events have at most 5.",
	args: []arg{filterArg},
	run:  typed((*call).readBehavior),
}

func (c *call) readBehavior(args figureArgs) (*answer, error) {
	f, err := c.newFigure(args.Filter)
	if err != nil {
		return nil, err
	}
	behavior, err := c.getObject("/analytics/behavior", c.zoned(f.query))
	if err != nil {
		return nil, err
	}
	f.data = behavior.without("by_hour", "by_weekday", "by_hold_time")
	for field := range f.data {
		part := f.data.object(field)
		if part == nil || part["events"] == nil {
			continue
		}
		events := part.objects("events")
		events = events[:min(len(events), maxBehaviorEvents)]
		for _, event := range events {
			setSymbol(event, "symbol")
		}
		part.set("events", nonNil(events))
		f.data.set(field, part)
	}
	f.summary = fmt.Sprintf("Behavior of %s. The findings are associations, not causes.", plural(f.extra.count("n"), "closed trade"))
	return f.answer, nil
}

type explainArgs struct {
	Filter filterArgs `json:"filter"`
	Figure string     `json:"figure"`
}

var explainTool = &tool{
	name: "explain_figure", title: "Explain figure", needs: identity.ScopeAnalytics,
	about: "Explains a figure of get_summary: its formula, the inputs with their values, and the trades behind it (the first 50 ids and their number).",
	args:  []arg{filterArg, needed(text("figure", "Name of the figure, such as profit_factor."))},
	run:   typed((*call).explainFigure),
}

func (c *call) explainFigure(args explainArgs) (*answer, error) {
	f, err := c.newFigure(args.Filter, "explain", "true")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, explained := range f.figures.objects("explanation") {
		if names = append(names, explained.text("figure")); explained.text("figure") != args.Figure {
			continue
		}
		f.data = explained.pick("figure", "formula", "value", "inputs", "which", "trade_count")
		ids := explained.texts("trade_ids")
		f.data.set("trade_ids", nonNil(ids[:min(len(ids), maxExplainedIDs)]))
		f.table = table{"inputs", []string{"name", "value"}}
		f.summary = fmt.Sprintf("%s = %s: %s. It is made of %s.", explained.text("figure"), explained["value"], explained.text("formula"),
			plural(explained.count("trade_count"), "trade"))
		return f.answer, nil
	}
	return nil, invalid("figure", "There is no figure with this name. Figures: %s.", strings.Join(names, ", "))
}
