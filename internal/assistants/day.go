package assistants

import (
	"fmt"
	"net/url"
	"slices"
	"time"

	"fillbook/internal/base/journal"
	"fillbook/internal/people/identity"
)

type dayArgs struct {
	Date    string `json:"date"`
	TZ      string `json:"tz"`
	Account string `json:"account"`
}

var dayTool = &tool{
	name: "get_day", title: "Get day", needs: identity.ScopeRead,
	about: "Reads one day: its result, the trades that closed or were opened on it, notes, the checklist and missed trades.",
	args: []arg{
		text("date", "A day such as 2026-01-31. Default: today."), text("tz", "IANA time zone. Default: the user's."),
		text("account", "Account names or ids, separated by commas. Default: all."),
	},
	run: typed((*call).readDay),
}

func (c *call) readDay(args dayArgs) (*answer, error) {
	if err := c.setZone(args.TZ); err != nil {
		return nil, err
	}
	day := c.today()
	if args.Date != "" {
		var err error
		if day, err = c.parseDay("date", args.Date); err != nil {
			return nil, err
		}
	}
	date := day.Format(time.DateOnly)
	query, err := c.query(filterArgs{Account: args.Account, From: date, To: date, TZ: c.zone.String()})
	if err != nil {
		return nil, err
	}
	a := &answer{data: object{"date": encode(date), "result": null}, extra: object{"tz": encode(c.zone.String())}, link: "/calendar"}
	if err := c.loadNames(accountRecords); err != nil {
		return nil, err
	}
	if err := c.addDayResult(a, query); err != nil {
		return nil, err
	}
	hint := "The day has more than fits here. Choose an account, or use list_trades and search_journal."
	rows, response, err := c.listRows(c.zoned(query, "limit", "50"))
	if err != nil {
		return nil, err
	}
	notes, err := c.readDayNotes(query, day)
	if err != nil {
		return nil, err
	}
	missed, err := c.readDayMissed(query)
	if err != nil {
		return nil, err
	}
	if err := c.addChecklist(a, date); err != nil {
		return nil, err
	}
	a.lists = []*list{
		{field: "missed", rows: missed, total: len(missed), hint: hint},
		{field: "notes", rows: notes, total: len(notes), hint: hint},
		{field: "trades", rows: rows, total: countTotal(response), hint: hint},
	}
	a.table = table{"trades", tradeColumns}
	a.summary = fmt.Sprintf("%s: %s, %s, %s.", date, plural(countTotal(response), "trade"), plural(len(notes), "note"), plural(len(missed), "missed trade"))
	return a, nil
}

// addDayResult adds the day's row of results. Accounts with different currencies have no
// common result.
func (c *call) addDayResult(a *answer, query url.Values) error {
	days, err := c.getObjects("/analytics/daily", c.zoned(query))
	if refused := toRefusal(err); err != nil && refused.Code != "mixed_currencies" {
		return err
	}
	if len(days) > 0 {
		a.data.set("result", days[0])
	}
	return nil
}

// readDayNotes returns the notes of a day. A note of a whole day belongs to that day in every
// zone; the API compares it as midnight in UTC.
func (c *call) readDayNotes(query url.Values, day time.Time) ([]object, error) {
	date := day.Format(time.DateOnly)
	midnight := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, time.UTC)
	from, to := day, endOfDay(day)
	if midnight.Before(from) {
		from = midnight
	}
	if midnight.After(to) {
		to = midnight
	}
	wide := url.Values{"from": {journal.FormatInstant(from.UTC())}, "to": {journal.FormatInstant(to.UTC())}, "limit": {"100"}}
	if accounts := query.Get("account_id"); accounts != "" {
		wide.Set("account_id", accounts)
	}
	notes, err := c.getObjects("/notes", wide)
	notes = slices.DeleteFunc(notes, func(note object) bool {
		at := note.text("occurred_at")
		if len(at) == len(time.DateOnly) {
			return at != date
		}
		instant, err := time.Parse(time.RFC3339, at)
		return err != nil || instant.In(c.zone).Format(time.DateOnly) != date
	})
	return c.shapeNotes(notes), err
}

func (c *call) readDayMissed(query url.Values) (rows []object, err error) {
	only := url.Values{"limit": {"50"}}
	for _, name := range []string{"account_id", "from", "to"} {
		if query.Get(name) != "" {
			only.Set(name, query.Get(name))
		}
	}
	list, err := c.getObjects("/missed-trades", only)
	for _, missed := range list {
		row := missed.pick("id", "direction", "observed_at")
		row.set("text", newUntrusted("missed_trade", missedText(missed), maxText))
		rows = append(rows, row)
	}
	return rows, err
}

// addChecklist adds the day's routine.
func (c *call) addChecklist(a *answer, date string) error {
	checklist, err := c.getObject("/routines/day/"+date, nil)
	if err != nil {
		return err
	}
	items := []object{}
	for _, item := range checklist.objects("items") {
		shaped := item.pick("id", "stage", "done")
		shaped.set("title", newUntrusted("routine_item", item.text("title"), maxName))
		items = append(items, shaped)
	}
	checklist = checklist.pick("done", "total")
	checklist.set("items", items[:min(len(items), 40)])
	a.data.set("routine", checklist)
	return nil
}
