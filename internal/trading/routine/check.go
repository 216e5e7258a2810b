package routine

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// Check verifies every user's routine: a chain's items have no gaps and no overlaps, no
// tick is after its item's end, and an item that is never active has ticks. It reports
// each breach in one sentence and changes nothing.
func (s *Service) Check(ctx context.Context, report func(string)) error {
	return s.db.View(ctx, func(tx *db.Tx) error {
		users, err := db.List(ctx, tx, db.Single[journal.UserID], `SELECT user_id FROM routine_seeds ORDER BY user_id`)
		if err != nil {
			return err
		}
		for _, user := range users {
			archive, err := Export(ctx, tx, user)
			if err != nil {
				return err
			}
			for _, breach := range findBreaches(archive) {
				report(fmt.Sprintf("user number %d: %s", user, breach))
			}
		}
		return nil
	})
}

// findBreaches returns violated invariants.
func findBreaches(a Archive) []string {
	found := []string{}
	chains := groupByChain(a.Items)
	for _, chain := range slices.Sorted(maps.Keys(chains)) {
		found = append(found, findBreaks(chains[chain])...)
	}
	ends, held := map[journal.RoutineID]Item{}, map[journal.RoutineID]bool{}
	for _, item := range a.Items {
		ends[item.ID] = item
	}
	for _, t := range a.Ticks {
		held[t.Item] = true
		if ends[t.Item].hasEndedBy(t.Day) {
			found = append(found, fmt.Sprintf("the routine item %s was ticked on %s, after its end.", t.Item, t.Day))
		}
	}
	for _, item := range a.Items {
		if item.isNeverActive() && !held[item.ID] {
			found = append(found, fmt.Sprintf("the routine item %s is never active and has no ticks.", item.ID))
		}
	}
	return found
}

// groupByChain returns each chain's items in time order, without those that are never
// active.
func groupByChain(items []Item) map[journal.RoutineID][]Item {
	chains := map[journal.RoutineID][]Item{}
	for _, item := range items {
		if !item.isNeverActive() {
			chains[item.Chain] = append(chains[item.Chain], item)
		}
	}
	for _, chain := range chains {
		slices.SortFunc(chain, func(a, b Item) int {
			return cmp.Or(cmp.Compare(a.StartDay, b.StartDay), cmp.Compare(a.ID, b.ID))
		})
	}
	return chains
}

// findBreaks returns a chain's gaps and overlaps.
func findBreaks(chain []Item) []string {
	var found []string
	for i := 1; i < len(chain); i++ {
		if chain[i-1].EndDay != chain[i].StartDay {
			found = append(found, fmt.Sprintf("the routine items %s and %s do not follow each other.", chain[i-1].ID, chain[i].ID))
		}
	}
	return found
}
