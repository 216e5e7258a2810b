package httpapi

import (
	"context"
	"net/http"

	"fillbook/internal/base/journal"
	"fillbook/internal/trading/routine"
	"fillbook/internal/transport"
)

// RoutineItem is a checklist line.
type RoutineItem struct{ routine.Item }

func shapeItem(i routine.Item) RoutineItem { return RoutineItem{i} }

func itemTag(i routine.Item) any { return shapeItem(i) }

type routineItems struct {
	Items []RoutineItem `json:"items"`
}

type routineLine struct {
	RoutineItem
	Done bool `json:"done"`
}

type routineDay struct {
	Day   journal.Day   `json:"day" format:"date"`
	Items []routineLine `json:"items"`
	Done  int           `json:"done"`
	Total int           `json:"total"`
}

func shapeDay(c routine.Checklist) routineDay {
	lines := shapeAll(c.Lines, func(l routine.Line) routineLine { return routineLine{shapeItem(l.Item), l.Done} })
	return routineDay{Day: c.Day, Items: lines, Done: c.Done, Total: c.Total}
}

type newItem struct {
	Title    string        `json:"title"`
	Stage    routine.Stage `json:"stage" enum:"pre,during,post"`
	Weekdays []integer     `json:"weekdays" doc:"At least one of 0 (Sunday) to 6 (Saturday)."`
	Day      opt[string]   `json:"day" required:"false" doc:"The first day. Default: the date in UTC."`
}

type itemChange struct { //nolint:unused // the linter does not see it inside ChangeOf
	Title    opt[string]        `json:"title" required:"false"`
	Stage    opt[routine.Stage] `json:"stage" required:"false" enum:"pre,during,post"`
	Weekdays opt[[]integer]     `json:"weekdays" required:"false"`
	Day      opt[string]        `json:"day" required:"false" doc:"From which day on. Default: the date in UTC."`
}

// DayQuery is a call's day.
type DayQuery struct {
	Day dayParam `query:"day" doc:"The caller's calendar day. Default: the date in UTC."`
}

func routineRoute(needs permission, method, path, id, summary string) route {
	return journalRoute(needs, method, "/routines"+path, id, "Routines", summary)
}

type routineOrder struct {
	IDs []journal.RoutineID `json:"ids"`
}

// routineAPI has the operations on the daily checklist.
type routineAPI struct {
	routine *routine.Service
}

func (a routineAPI) register(api *API) {
	register(api, routineRoute(readJournal, http.MethodGet, "", "listRoutines", "List the items that are active on a day"),
		func(ctx context.Context, in *DayQuery) (*body[routineItems], error) {
			items, err := a.routine.Items(ctx, caller(ctx).UserID, in.Day.Day)
			return answer(routineItems{shapeAll(items, shapeItem)}, err)
		})
	register(api, routineRoute(writeJournal, http.MethodPost, "", "createRoutine", "Add an item, last in its stage"), a.createItem)
	order := routineRoute(writeJournal, http.MethodPut, "/order", "orderRoutines", "Put items in order inside their stages")
	order.status = http.StatusNoContent
	register(api, order, func(ctx context.Context, in *body[routineOrder]) (*nothing, error) {
		return nil, a.routine.Reorder(ctx, caller(ctx).UserID, in.Body.IDs)
	})
	edit := routineRoute(writeJournal, http.MethodPatch, "/{id}", "changeRoutine", "Change an item")
	edit.about = "A new title is set in place. A new stage or other weekdays end the item on the day and answer with its successor, which has a new id; past days are not rewritten."
	register(api, edit, a.changeItem)
	register(api, routineRoute(writeJournal, http.MethodDelete, "/{id}", "deleteRoutine", "Remove an item from a day on"), a.deleteItem)
	a.registerRoutineDayRoutes(api)
}

func (a routineAPI) createItem(ctx context.Context, in *body[newItem]) (*body[RoutineItem], error) {
	day, err := parseBodyDay(in.Body.Day)
	if err != nil {
		return nil, err
	}
	draft := routine.Draft{Title: in.Body.Title, Stage: in.Body.Stage, Weekdays: plainInts(in.Body.Weekdays), Day: day}
	item, err := a.routine.Create(ctx, caller(ctx).UserID, draft)
	return answer(shapeItem(item), err)
}

// parseBodyDay parses the day in a body; an empty text means it is absent.
func parseBodyDay(day opt[string]) (journal.Day, error) {
	if day.Value == "" {
		return "", nil
	}
	return journal.ParseDay("day", day.Value)
}

type itemChangeInput struct {
	ChangeOf[journal.RoutineID, itemChange]
	DayQuery
}

func (a routineAPI) changeItem(ctx context.Context, in *itemChangeInput) (*body[RoutineItem], error) {
	day, err := parseBodyDay(in.Body.Day)
	if err != nil {
		return nil, err
	}
	if day == "" {
		day = in.Day.Day
	}
	weekdays := in.Body.Weekdays
	change := routine.Change{
		Title: in.Body.Title.Opt, Stage: in.Body.Stage.Opt, Day: day,
		Weekdays: journal.Opt[[]int]{Set: weekdays.Set, Null: weekdays.Null, Value: plainInts(weekdays.Value)},
	}
	item, err := a.routine.Edit(ctx, caller(ctx).UserID, in.ID, change, transport.IfMatch(in.IfMatch, itemTag))
	return answer(shapeItem(item), err)
}

type itemDeleteInput struct {
	DeleteOf[journal.RoutineID]
	DayQuery
}

func (a routineAPI) deleteItem(ctx context.Context, in *itemDeleteInput) (*nothing, error) {
	return nil, a.routine.Delete(ctx, caller(ctx).UserID, in.ID, in.Day.Day, transport.IfMatch(in.IfMatch, itemTag))
}

func plainInts(list []integer) []int {
	if list == nil {
		return nil
	}
	return shapeAll(list, func(n integer) int { return int(n) })
}

// DayPath is the day in a path.
type DayPath struct {
	Day dayParam `path:"day"`
}

type tickInput struct {
	DayPath
	ChangeOf[journal.RoutineID, struct {
		Done *bool `json:"done"`
	}]
}

func (a routineAPI) registerRoutineDayRoutes(api *API) {
	register(api, routineRoute(readJournal, http.MethodGet, "/day/{day}", "getRoutineDay", "Read the checklist of a day"),
		func(ctx context.Context, in *DayPath) (*body[routineDay], error) {
			list, err := a.routine.Checklist(ctx, caller(ctx).UserID, in.Day.Day)
			return answer(shapeDay(list), err)
		})
	register(api, routineRoute(writeJournal, http.MethodPut, "/day/{day}/items/{id}", "tickRoutine", "Tick an item on a day, or take the tick back"), a.tick)
	register(api, routineRoute(readJournal, http.MethodGet, "/history", "getRoutineHistory", "Count what was done day by day"), a.routineHistory)
}

func (a routineAPI) tick(ctx context.Context, in *tickInput) (*body[routineDay], error) {
	if in.Body.Done == nil {
		return nil, journal.InvalidField("done", "done must be true or false.")
	}
	check := transport.IfMatch(in.IfMatch, func(c routine.Checklist) any { return shapeDay(c) })
	list, err := a.routine.Tick(ctx, caller(ctx).UserID, in.Day.Day, in.ID, *in.Body.Done, check)
	return answer(shapeDay(list), err)
}

// StageCount is how much was done, and the total.
type StageCount struct {
	Done  int `json:"done"`
	Total int `json:"total"`
}

type dayCount struct {
	Day journal.Day `json:"day" format:"date"`
	StageCount
}

type routineHistory struct {
	From           journal.Day                  `json:"from" format:"date"`
	To             journal.Day                  `json:"to" format:"date"`
	Days           []dayCount                   `json:"days"`
	CompletionRate *float64                     `json:"completion_rate" doc:"Done over total, 0 to 1; null when nothing was scheduled."`
	Streak         int                          `json:"streak" doc:"Finished days in a row, counted back from to."`
	ByStage        map[routine.Stage]StageCount `json:"by_stage"`
}

func shapeHistory(h routine.History) routineHistory {
	out := routineHistory{
		From: h.From, To: h.To, CompletionRate: h.CompletionRate(), Streak: h.Streak, ByStage: map[routine.Stage]StageCount{},
	}
	out.Days = shapeAll(h.Days, func(d routine.DayCount) dayCount { return dayCount{d.Day, StageCount(d.Count)} })
	for stage, count := range h.ByStage {
		out.ByStage[stage] = StageCount(count)
	}
	return out
}

type spanQuery struct {
	From dayParam `query:"from" doc:"Default: 13 weeks that end at to. At most 400 days."`
	To   dayParam `query:"to" doc:"Default: the date in UTC."`
}

func (a routineAPI) routineHistory(ctx context.Context, in *spanQuery) (*body[routineHistory], error) {
	history, err := a.routine.History(ctx, caller(ctx).UserID, in.From.Day, in.To.Day)
	return answer(shapeHistory(history), err)
}
