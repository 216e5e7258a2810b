package routine

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"fillbook/internal/db"
	"fillbook/internal/journal"
)

// DailyLog is what the user wrote about a day.
type DailyLog struct {
	Day  journal.Day
	Body string // Markdown
}

// DailyLogs hands every daily log of a user to visit, in any order. It is a
// step of the transaction that makes the user's first items; visit runs no
// statements. The logs belong to another package, which this one must not know.
type DailyLogs func(ctx context.Context, tx *db.Tx, owner journal.UserID, visit func(DailyLog) error) error

// clampToToday is the day on which items begin that a call about some day makes
// by being the first: that day where it is today somewhere west of Greenwich,
// else the date in UTC.
func (s *Service) clampToToday(day journal.Day) journal.Day {
	today := s.clock.Today()
	return min(max(day, today.AddDays(-1)), today)
}

// seed makes the first items of a user who never had any, and takes the lock
// under which a routine is changed. The marker's key decides who of several
// first callers does it; the others wait and find it done.
func (s *Service) seed(ctx context.Context, tx *db.Tx, owner journal.UserID, start journal.Day) error {
	if seeded, err := isSeeded(ctx, tx, owner, tx.Lock()); err != nil || seeded {
		return err
	}
	won, err := markSeeded(ctx, tx, owner, db.Micros(s.clock()))
	if err != nil {
		return err
	}
	if !won {
		_, err := isSeeded(ctx, tx, owner, tx.Lock())
		return err
	}
	titles, err := readTemplate(ctx, tx, owner)
	if err != nil {
		return err
	}
	items := seedItems(titles, min(start, s.clock.Today()))
	var done []tick
	err = s.logs(ctx, tx, owner, func(log DailyLog) error {
		done = append(done, findTicks(log, items)...)
		return nil
	})
	if err != nil {
		return err
	}
	startEarlier(items, done)
	if err := insertItems(ctx, tx, owner, items); err != nil {
		return err
	}
	return insertTicks(ctx, tx, owner, done)
}

func markSeeded(ctx context.Context, tx *db.Tx, owner journal.UserID, at int64) (bool, error) {
	n, err := tx.Exec(ctx,
		`INSERT INTO routine_seeds (user_id, seeded_at) VALUES ($1, $2) ON CONFLICT (user_id) DO NOTHING`, owner, at)
	if errors.Is(err, db.ErrMissing) {
		return false, journal.NotFound("user")
	}
	return n == 1, err
}

// weekdaysOnly is Monday to Friday.
const weekdaysOnly Weekdays = 0b0111110

// seedItems makes an item of each line of a template; a line that is there
// twice makes one.
func seedItems(titles []string, start journal.Day) []Item {
	items := []Item{}
	seen := map[string]bool{}
	for _, title := range titles {
		if seen[foldTitle(title)] {
			continue
		}
		seen[foldTitle(title)] = true
		id := journal.NewID[journal.RoutineID]()
		items = append(items, Item{
			ID: id, Chain: id, Title: title, Stage: Pre, Weekdays: weekdaysOnly, Position: len(items), StartDay: start,
		})
	}
	return items
}

// tickedLine is a ticked line of a Markdown task list.
var tickedLine = regexp.MustCompile(`(?m)^[ \t]*[-*+][ \t]+\[[xX]\][ \t]+(.*)$`)

// findTicks gives the ticks of a log: its ticked lines whose text is the title
// of an item.
func findTicks(log DailyLog, items []Item) []tick {
	byTitle := map[string]journal.RoutineID{}
	for _, item := range items {
		byTitle[foldTitle(item.Title)] = item.ID
	}
	var done []tick
	for _, match := range tickedLine.FindAllStringSubmatch(log.Body, -1) {
		if id, ok := byTitle[foldTitle(match[1])]; ok {
			done = append(done, tick{id, log.Day})
		}
	}
	return done
}

// foldTitle gives titles that differ only in case or outer space the same text.
func foldTitle(title string) string { return strings.ToLower(strings.TrimSpace(title)) }

// startEarlier moves the start of each item back to its first tick.
func startEarlier(items []Item, done []tick) {
	for i := range items {
		for _, t := range done {
			if t.item == items[i].ID && t.day < items[i].StartDay {
				items[i].StartDay = t.day
			}
		}
	}
}
