package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/figures/columns"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/trading/routine"
	"fillbook/internal/trading/tradefilter"
)

type calendarQuery struct {
	FigureQuery
	Year      intParam[yearRange]    `query:"year" doc:"The year, 1970 to 2199. Default: the current year."`
	WeekStart intParam[weekdayRange] `query:"week_start" doc:"The first day of a week, 0 (Sunday) to 6 (Saturday). Default 1."`
}

type (
	yearRange    struct{}
	weekdayRange struct{}
)

func (yearRange) bounds() (least, most int)    { return 1970, 2199 }
func (weekdayRange) bounds() (least, most int) { return int(time.Sunday), int(time.Saturday) }

// calendarAnswer is a year with each day's results, notes and routines.
type calendarAnswer struct {
	CountedUnit

	Year   int               `json:"year"`
	Days   []calendarDay     `json:"days" doc:"Only days with trades, notes or a routine."`
	Weeks  []analytics.Week  `json:"weeks" doc:"Whole weeks with trades; the first and the last may reach into another year."`
	Months []analytics.Month `json:"months"`
	Total  analytics.Group   `json:"total"`

	CurrencyConversion

	BreakevenTolerance json.RawMessage `json:"breakeven_tolerance" doc:"The setting of /settings/journal; null by default."`
}

type calendarDay struct {
	analytics.Cell
	Unreviewed   int `json:"unreviewed" doc:"Trades that closed on the day and are not marked as reviewed, whatever pnl_basis is."`
	Notes        int `json:"notes"`
	RoutineDone  int `json:"routine_done"`
	RoutineTotal int `json:"routine_total"`
}

func (a figureAPI) calendar(ctx context.Context, in *calendarQuery) (*body[calendarAnswer], error) {
	zone, err := in.zone()
	if err != nil {
		return nil, err
	}
	year, weekStart := in.Year.Or(a.clock().In(zone).Year()), time.Weekday(in.WeekStart.Or(int(time.Monday)))
	owner := caller(ctx).UserID
	out := calendarAnswer{CountedUnit: in.byTrade().countedUnit(), Year: year, Days: []calendarDay{}}
	if in.filter.Scope.Period == (journal.Period{}) {
		in.ratesPeriod = yearPeriod(year, zone)
	}
	err = a.withFiguresOnBasis(ctx, in.FigureQuery.byTrade(), func(tx *db.Tx, q *figureRequest) error {
		figures := cachedFigure(q, fmt.Sprint("calendar ", year, weekStart), func() analytics.Year {
			return analytics.BuildCalendar(q.book.Columns, analytics.CalendarQuery{Filter: q.filter, Zone: q.zone, Year: year, WeekStart: weekStart})
		})
		out.CurrencyConversion = q.conversion()
		out.Weeks, out.Months, out.Total, out.BreakevenTolerance = figures.Weeks, figures.Months, figures.Total, q.book.Tolerance.Stored
		days := map[journal.Day]*calendarDay{}
		for _, cell := range figures.Days {
			days[cell.Date] = &calendarDay{Cell: cell}
		}
		if err := q.addUnreviewed(ctx, tx, in.zonedFilter(q.zone), year, days); err != nil {
			return err
		}
		if err := addNotes(ctx, tx, owner, year, q.zone, days); err != nil {
			return err
		}
		return a.addRoutine(ctx, tx, owner, year, days, &out)
	})
	return answer(out, err)
}

// addUnreviewed counts each day's unreviewed closed trades.
func (q *figureRequest) addUnreviewed(
	ctx context.Context, tx *db.Tx, filter tradefilter.Filter, year int, days map[journal.Day]*calendarDay,
) error {
	if filter.Reviewed.Set && filter.Reviewed.Value {
		return nil
	}
	filter.Reviewed = journal.Some(false)
	if q.book.Realized {
		filter.ByOpening = false // like the trade parts
	}
	period := &filter.Scope.Period
	first, last := time.Date(year, 1, 1, 0, 0, 0, 0, q.zone), time.Date(year+1, 1, 1, 0, 0, 0, 0, q.zone).Add(-time.Microsecond)
	if period.From == nil || period.From.Before(first) {
		period.From = &first
	}
	if period.To == nil || period.To.After(last) {
		period.To = &last
	}
	list, err := columns.LoadOrTry(q.cache, q.book, fmt.Sprint("unreviewed ", year)+"?"+q.text, func() ([]analytics.Cell, error) {
		whole := q.book.WithWholeTrades()
		unreviewed, err := q.cache.NewFilter(ctx, tx, whole, filter)
		return analytics.ListCells(whole.Select(unreviewed), q.zone), err
	})
	for _, day := range list {
		cellOf(days, day.Date).Unreviewed = day.Trades
	}
	return err
}

// yearPeriod returns a year with the whole weeks at its ends.
func yearPeriod(year int, zone *time.Location) *journal.Period {
	const week = 7
	from := time.Date(year, 1, 1, 0, 0, 0, 0, zone).AddDate(0, 0, -week)
	to := time.Date(year+1, 1, 1, 0, 0, 0, 0, zone).AddDate(0, 0, week)
	return &journal.Period{From: &from, To: &to}
}

// addNotes counts each day's notes.
func addNotes(ctx context.Context, tx *db.Tx, owner journal.UserID, year int, zone *time.Location, days map[journal.Day]*calendarDay) error {
	from, to := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, -1), time.Date(year+1, 1, 2, 0, 0, 0, 0, time.UTC)
	filter := playbook.NoteFilter{Period: journal.Period{From: &from, To: &to}}
	return playbook.EachNote(ctx, tx, owner, filter, playbook.Page{}, func(n playbook.Note) error {
		if day := n.OccurredAt.DayIn(zone); day.Year() == year {
			cellOf(days, day).Notes++
		}
		return nil
	})
}

// addRoutine adds the routine completion to each day and lists the days in order.
func (a figureAPI) addRoutine(
	ctx context.Context, tx *db.Tx, owner journal.UserID, year int, days map[journal.Day]*calendarDay, out *calendarAnswer,
) error {
	first := journal.DayOf(time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC))
	last := journal.DayOf(time.Date(year, 12, 31, 0, 0, 0, 0, time.UTC))
	if today := a.clock.Today(); today < last {
		last = today
	}
	if first <= last {
		done, err := routine.CountDays(ctx, tx, owner, first, last)
		if err != nil {
			return err
		}
		for _, d := range done {
			if d.Total > 0 {
				cell := cellOf(days, d.Day)
				cell.RoutineDone, cell.RoutineTotal = d.Done, d.Total
			}
		}
	}
	for day := first; day.Year() == year; day = day.AddDays(1) {
		if cell := days[day]; cell != nil {
			out.Days = append(out.Days, *cell)
		}
	}
	return nil
}

func cellOf(days map[journal.Day]*calendarDay, day journal.Day) *calendarDay {
	if days[day] == nil {
		days[day] = &calendarDay{Cell: analytics.Cell{Date: day}}
	}
	return days[day]
}
