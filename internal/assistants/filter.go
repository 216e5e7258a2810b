package assistants

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/journal"
)

// filterArgs select trades, in the words of a model. They become a query of the API.
type filterArgs struct {
	Account        string `json:"account"`
	View           string `json:"view"`
	Period         string `json:"period"`
	From           string `json:"from"`
	To             string `json:"to"`
	TZ             string `json:"tz"`
	Symbol         string `json:"symbol"`
	Setup          string `json:"setup"`
	Tag            string `json:"tag"`
	Side           string `json:"side"`
	Outcome        string `json:"outcome"`
	InstrumentType string `json:"instrument_type"`
	Weekday        string `json:"weekday"`
	Hour           string `json:"hour"`
	Session        string `json:"session"`
	Reviewed       string `json:"reviewed"`
}

// query returns the API's query for the filter, and sets the call's zone.
func (c *call) query(f filterArgs) (url.Values, error) {
	query := url.Values{}
	if f.View != "" {
		if err := c.applyView(query, f.View); err != nil {
			return nil, err
		}
	}
	tz := f.TZ
	if tz == "" {
		tz = query.Get("filter_tz")
	}
	query.Del("filter_tz")
	if err := c.setZone(tz); err != nil {
		return nil, err
	}
	if err := c.setPeriod(query, f); err != nil {
		return nil, err
	}
	for _, named := range []struct {
		kind                   recordKind
		field, parameter, text string
	}{
		{accountRecords, "filter.account", "account_id", f.Account},
		{setupRecords, "filter.setup", "setup_id", f.Setup},
		{tagRecords, "filter.tag", "tag_id", f.Tag},
	} {
		if named.text == "" {
			continue
		}
		ids, err := c.resolveList(named.kind, named.field, named.text, false)
		if err != nil {
			return nil, err
		}
		query.Set(named.parameter, strings.Join(ids, ","))
	}
	for parameter, value := range map[string]string{
		"symbol": f.Symbol, "side": f.Side, "outcome": f.Outcome, "instrument_type": f.InstrumentType, "weekday": f.Weekday,
		"hour": f.Hour, "session": f.Session, "reviewed": f.Reviewed,
	} {
		if value != "" {
			query.Set(parameter, value)
		}
	}
	return query, nil
}

// viewRanges are the ranges of views, which move with the calendar, as periods.
var viewRanges = map[string]string{
	"today": "today", "yesterday": "yesterday", "week": "this_week", "last_week": "last_week", "month": "this_month", "last_month": "last_month",
	"quarter": "this_quarter", "last_quarter": "last_quarter", "ytd": "this_year", "last_year": "last_year",
	"30d": "last_30_days", "90d": "last_90_days", "1y": "last_365_days",
}

// applyView sets a saved view's filter.
func (c *call) applyView(query url.Values, text string) error {
	id, err := c.resolve(viewRecords, "filter.view", text, false)
	if err != nil {
		return err
	}
	view, err := c.getObject("/views/"+id, nil)
	if err != nil {
		return err
	}
	saved, err := decode[map[string]string](view["filter"])
	if err != nil {
		return err
	}
	for name, value := range saved {
		query.Set(name, value)
	}
	return nil
}

// setZone sets the zone of the call: the argument, else the user's preference, else UTC.
func (c *call) setZone(name string) (err error) {
	if name != "" {
		c.zone, err = journal.ParseZone("tz", name)
		return err
	}
	c.zone = time.UTC
	var preferred string
	if json.Unmarshal(c.preference("time_zone"), &preferred) == nil {
		if zone, err := journal.ParseZone("tz", preferred); err == nil {
			c.zone = zone
		}
	}
	return nil
}

// preference returns a preference of the user, nil if it is not set.
func (c *call) preference(name string) json.RawMessage {
	preferences, err := c.Preferences(c.ctx, c.caller.UserID)
	if err != nil {
		return nil
	}
	return preferences.Values[name]
}

// setPeriod sets from and to.
func (c *call) setPeriod(query url.Values, f filterArgs) error {
	period := f.Period
	switch {
	case period != "" && (f.From != "" || f.To != ""):
		return invalid("filter.period", "Send either period, or from and to.")
	case period == "" && f.From == "" && f.To == "":
		period = viewRanges[query.Get("range")]
	}
	query.Del("range")
	if period != "" {
		from, to, err := c.resolvePeriod(period)
		if err != nil {
			return err
		}
		query.Del("from")
		query.Del("to")
		if period != "all" {
			query.Set("from", journal.FormatInstant(from.UTC()))
			query.Set("to", journal.FormatInstant(to.UTC()))
		}
		return nil
	}
	for _, end := range []struct {
		name, text string
		isEnd      bool
	}{{"from", f.From, false}, {"to", f.To, true}} {
		if end.text == "" {
			continue
		}
		at, err := c.parseMoment("filter."+end.name, end.text, end.isEnd)
		if err != nil {
			return err
		}
		query.Set(end.name, journal.FormatInstant(at.UTC()))
	}
	return nil
}

// parseMoment parses a day in the call's zone or an instant. The end of a day is its last
// microsecond.
func (c *call) parseMoment(field, text string, isEnd bool) (time.Time, error) {
	if len(text) != len(time.DateOnly) {
		return journal.ParseInstant(field, text)
	}
	day, err := c.parseDay(field, text)
	if err != nil {
		return time.Time{}, err
	}
	if isEnd {
		return endOfDay(day), nil
	}
	return day, nil
}

// parseDay returns a day's beginning in the call's zone.
func (c *call) parseDay(field, text string) (time.Time, error) {
	day, err := journal.ParseDay(field, text)
	if err != nil {
		return time.Time{}, err
	}
	at := day.Time()
	return time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, c.zone), nil
}

func addDays(day time.Time, n int) time.Time {
	return time.Date(day.Year(), day.Month(), day.Day()+n, 0, 0, 0, 0, day.Location())
}

func endOfDay(day time.Time) time.Time { return addDays(day, 1).Add(-time.Microsecond) }

// today returns the beginning of the day in the call's zone.
func (c *call) today() time.Time { return addDays(c.now.In(c.zone), 0) }

// periods are the named periods.
var periods = []string{
	"today", "yesterday", "this_week", "last_week", "this_month", "last_month", "this_quarter", "this_year", "last_year",
	"last_7_days", "last_30_days", "last_90_days", "last_365_days", "all",
}

// resolvePeriod returns a period's first and last instant. A current week, month, quarter or
// year ends today, and the last days include today.
func (c *call) resolvePeriod(name string) (from, to time.Time, err error) {
	today := c.today()
	week := addDays(today, -int(today.Weekday()-c.weekStart()+7)%7)
	month := addDays(today, 1-today.Day())
	quarter := time.Date(today.Year(), (today.Month()-1)/3*3+1, 1, 0, 0, 0, 0, c.zone)
	year := time.Date(today.Year(), 1, 1, 0, 0, 0, 0, c.zone)
	last := today
	switch name {
	case "today", "all":
		from = today
	case "yesterday":
		from, last = addDays(today, -1), addDays(today, -1)
	case "this_week":
		from = week
	case "last_week":
		from, last = addDays(week, -7), addDays(week, -1)
	case "this_month":
		from = month
	case "last_month":
		from, last = month.AddDate(0, -1, 0), addDays(month, -1)
	case "this_quarter":
		from = quarter
	case "last_quarter": // of views
		from, last = quarter.AddDate(0, -3, 0), addDays(quarter, -1)
	case "this_year":
		from = year
	case "last_year":
		from, last = year.AddDate(-1, 0, 0), addDays(year, -1)
	case "last_7_days":
		from = addDays(today, -6)
	case "last_30_days":
		from = addDays(today, -29)
	case "last_90_days":
		from = addDays(today, -89)
	case "last_365_days":
		from = addDays(today, -364)
	default:
		return from, to, invalid("filter.period", "period must be one of %s.", strings.Join(periods, ", "))
	}
	return from, endOfDay(last), nil
}

// weekStart returns the first day of a week: the user's preference, else Monday.
func (c *call) weekStart() time.Weekday {
	var day int
	if json.Unmarshal(c.preference("week_start"), &day) == nil && slices.Contains([]int{0, 1, 2, 3, 4, 5, 6}, day) {
		return time.Weekday(day)
	}
	return time.Monday
}

// zoned returns the query with the call's zone.
func (c *call) zoned(query url.Values, more ...string) url.Values {
	zoned := maps.Clone(query)
	zoned.Set("tz", c.zone.String())
	zoned.Set("filter_tz", c.zone.String())
	for i := 0; i+1 < len(more); i += 2 {
		zoned.Set(more[i], more[i+1])
	}
	return zoned
}

// describeFilter returns the query as an answer has it. A saved view's filter may contain
// texts of the user.
func describeFilter(query url.Values) object {
	filter := object{}
	for name := range query {
		value := query.Get(name)
		if slices.Contains(textParameters, name) || slices.Contains(symbolParameters, name) && !plainList(value) {
			filter.set(name, newUntrusted("view_filter", value, maxName))
			continue
		}
		filter.set(name, value)
	}
	return filter
}

// textParameters are the parameters whose values are texts of the user, and symbolParameters
// those whose values usually are not.
var (
	textParameters   = []string{"q", "rule", "emotional_state"}
	symbolParameters = []string{"symbol", "root", "instrument_type"}
)

// plainList reports whether a value is a list of plain symbols or a known type.
func plainList(value string) bool {
	for part := range strings.SplitSeq(value, ",") {
		if part = strings.TrimSpace(part); !plainSymbol().MatchString(strings.ToUpper(part)) {
			return false
		}
	}
	return true
}
