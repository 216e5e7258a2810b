package routine

import (
	"context"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// MaxHistoryDays is the longest history in one call; a history without a first day has
// thirteen weeks.
const (
	MaxHistoryDays     = 400
	defaultHistoryDays = 13 * 7
)

// Count is how many items are done and how many there are.
type Count struct{ Done, Total int }

func (c *Count) add(ticked bool) {
	c.Total++
	if ticked {
		c.Done++
	}
}

// DayCount is one day's count.
type DayCount struct {
	Day journal.Day
	Count
}

// History is the counts in a period, including both ends.
type History struct {
	From, To journal.Day
	Days     []DayCount // every calendar day, ascending
	Count               // of the whole span
	ByStage  map[Stage]Count
	// Streak is how many consecutive days were finished up to To, even if the first is
	// before From. Days without items are skipped, and To itself may be unfinished.
	Streak int
}

// CompletionRate returns the share of done items, or nil without items.
func (h History) CompletionRate() *float64 {
	if h.Total == 0 {
		return nil
	}
	rate := float64(h.Done) / float64(h.Total)
	return &rate
}

// countHistory counts a span's checklists. Each item is visited only on its active days,
// so many short-lived items cost little.
func countHistory(from, to journal.Day, items []Item, done ticks) History {
	h := History{From: from, To: to, Days: make([]DayCount, 0, from.DaysUntil(to)+1)}
	at := map[journal.Day]int{}
	for day := from; day <= to; day = day.AddDays(1) {
		at[day] = len(h.Days)
		h.Days = append(h.Days, DayCount{Day: day})
	}
	byStage := map[Stage]*Count{Pre: {}, During: {}, Post: {}}
	stageOf := map[journal.RoutineID]Stage{}
	count := func(stage Stage, day journal.Day, ticked bool) {
		for _, c := range []*Count{&h.Count, &h.Days[at[day]].Count, byStage[stage]} {
			c.add(ticked)
		}
	}
	for _, item := range items {
		stageOf[item.ID] = item.Stage
		for day := max(from, item.StartDay); day <= to && !item.hasEndedBy(day); day = day.AddDays(1) {
			if item.ScheduledOn(day) && !done[tick{item.ID, day}] {
				count(item.Stage, day, false)
			}
		}
	}
	for t := range done {
		if stage, known := stageOf[t.item]; known {
			count(stage, t.day, true)
		}
	}
	h.ByStage = map[Stage]Count{Pre: *byStage[Pre], During: *byStage[During], Post: *byStage[Post]}
	return h
}

// countStreak counts finished days backwards from the last one. broken reports
// whether an unfinished day ended the streak.
func countStreak(days []DayCount) (length int, broken bool) {
	for _, day := range slices.Backward(days) {
		if day.Done < day.Total {
			return length, true
		}
		if day.Total > 0 {
			length++
		}
	}
	return length, false
}

// dropUnfinishedToday removes the last day if it is unfinished.
func dropUnfinishedToday(days []DayCount) []DayCount {
	if last := len(days) - 1; last >= 0 && days[last].Done < days[last].Total {
		return days[:last]
	}
	return days
}

// historySpan returns a history's days: by default thirteen weeks up to today.
func historySpan(from, to, today journal.Day) (journal.Day, journal.Day, error) {
	if to == "" {
		to = today
	}
	if from == "" {
		from = to.AddDays(1 - defaultHistoryDays)
	}
	switch days := from.DaysUntil(to) + 1; {
	case days < 1:
		return "", "", journal.InvalidField("from", "from must not be after to.")
	case days > MaxHistoryDays:
		return "", "", journal.InvalidField("from", "A history has at most %d days.", MaxHistoryDays)
	}
	return from, to, nil
}

// History returns the counts from one day to another. By default it
// ends today in UTC and has thirteen weeks.
func (s *Service) History(ctx context.Context, owner journal.UserID, from, to journal.Day) (History, error) {
	from, to, err := historySpan(from, to, s.clock.Today())
	if err != nil {
		return History{}, err
	}
	var h History
	err = s.read(ctx, owner, s.clock.Today(), func(tx *db.Tx) error {
		if h, err = readSpan(ctx, tx, owner, from, to); err != nil {
			return err
		}
		var broken bool
		h.Streak, broken = countStreak(dropUnfinishedToday(h.Days))
		if broken {
			return nil
		}
		earlier, err := streakBefore(ctx, tx, owner, from)
		h.Streak += earlier
		return err
	})
	return h, err
}

// CountDays returns each day's counts in a period, including both ends. It runs in the
// caller's transaction and does not seed the routine.
func CountDays(ctx context.Context, tx *db.Tx, owner journal.UserID, from, to journal.Day) ([]DayCount, error) {
	h, err := readSpan(ctx, tx, owner, from, to)
	return h.Days, err
}

func readSpan(ctx context.Context, tx *db.Tx, owner journal.UserID, from, to journal.Day) (History, error) {
	items, err := listItems(ctx, tx, owner, from, to)
	if err != nil {
		return History{}, err
	}
	done, err := listTicks(ctx, tx, owner, from, to)
	if err != nil {
		return History{}, err
	}
	return countHistory(from, to, items, done), nil
}

// streakBefore returns the streak's length before a day, reading about a year at a time.
func streakBefore(ctx context.Context, tx *db.Tx, owner journal.UserID, day journal.Day) (int, error) {
	first, err := firstDay(ctx, tx, owner)
	if err != nil || first == "" {
		return 0, err
	}
	length := 0
	for day > first {
		to := day.AddDays(-1)
		day = max(first, day.AddDays(-MaxHistoryDays))
		h, err := readSpan(ctx, tx, owner, day, to)
		if err != nil {
			return 0, err
		}
		n, broken := countStreak(h.Days)
		length += n
		if broken {
			break
		}
	}
	return length, nil
}
