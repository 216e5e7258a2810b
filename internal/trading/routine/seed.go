package routine

import (
	"context"
	"errors"
	"strings"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/lazyregexp"
)

// DailyLog is the user's log for a day.
type DailyLog struct {
	Day  journal.Day
	Body string // Markdown
}

// DailyLogs calls visit with a user's daily logs, in any order. It runs in the
// transaction that seeds the routine; visit runs no statements. It is a function because
// the logs belong to another package, which this one must not import.
type DailyLogs func(ctx context.Context, tx *db.Tx, owner journal.UserID, visit func(DailyLog) error) error

// clampToToday returns the start day of items a call for some day seeds: that day if it
// is yesterday in UTC, because it may be today in the caller's zone, else today in UTC.
func (s *Service) clampToToday(day journal.Day) journal.Day {
	today := s.clock.Today()
	return min(max(day, today.AddDays(-1)), today)
}

// seed creates a new user's first items, and takes the lock for routine changes. The
// marker row's key decides which concurrent caller does it; the others wait.
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
	for i := range items {
		itemHistory.Created(tx, owner, &items[i])
	}
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

// seedItems returns an item for each template line, without duplicates.
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
			ID: id, Chain: id,
			ItemValues: ItemValues{Title: title, Stage: Pre, Weekdays: weekdaysOnly, Position: len(items), StartDay: start},
		})
	}
	return items
}

// tickedLine matches a ticked line in a Markdown task list.
var tickedLine = lazyregexp.New(`(?m)^[ \t]*[-*+][ \t]+\[[xX]\][ \t]+(.*)$`)

// findTicks returns a log's ticks: its ticked lines whose text is an item's title.
func findTicks(log DailyLog, items []Item) []tick {
	byTitle := map[string]journal.RoutineID{}
	for _, item := range items {
		byTitle[foldTitle(item.Title)] = item.ID
	}
	var done []tick
	for _, match := range tickedLine().FindAllStringSubmatch(log.Body, -1) {
		if id, ok := byTitle[foldTitle(match[1])]; ok {
			done = append(done, tick{id, log.Day})
		}
	}
	return done
}

// foldTitle returns a title in lower case without outer space, for comparison.
func foldTitle(title string) string { return strings.ToLower(strings.TrimSpace(title)) }

// startEarlier moves each item's start back to its first tick.
func startEarlier(items []Item, done []tick) {
	for i := range items {
		for _, t := range done {
			if t.item == items[i].ID && t.day < items[i].StartDay {
				items[i].StartDay = t.day
			}
		}
	}
}
