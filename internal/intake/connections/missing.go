package connections

import (
	"context"
	"fmt"
	"strings"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/connector"
	"fillbook/internal/intake/fetch"
)

// noteListed keeps the ids of a delivery's fills. With unreadable records, not all ids
// are known.
func (r *run) noteListed(d connector.Delivery) {
	if !r.about.ListsAll || r.listed == nil || len(d.Statement.Problems) > 0 {
		r.listed = nil
		return
	}
	for _, f := range d.Statement.Fills {
		r.listed[f.ID] = true
	}
	for _, id := range d.Withdrawn {
		r.listed[id] = true
	}
	for next, before := range d.Replaced {
		r.listed[next], r.listed[before] = true, true
	}
}

// findMissing counts the connection's fills missing in a window's deliveries, although
// they were in an earlier one. They may have been withdrawn by the broker, which does not
// say so; they stay.
func (r *run) findMissing(ctx context.Context, query connector.Query, last connector.Delivery) error {
	if r.listed == nil || r.knownTo == nil {
		return nil
	}
	from, to := last.Covered(query)
	from, to = from.Add(r.about.Margin), earlier(to, *r.knownTo).Add(-r.about.Margin)
	if !from.Before(to) {
		return nil
	}
	var missing []string
	err := r.DB.View(ctx, func(tx *db.Tx) error {
		ids, err := r.imports.ListIDs(ctx, tx, r.job.Owner, r.stored.Account, r.stored.ID, from, to)
		missing = nil
		for _, id := range ids {
			if !r.listed[id] {
				missing = append(missing, id)
			}
		}
		return err
	})
	if err != nil {
		return fetch.StoreError(fmt.Errorf("comparing fills: %w", err))
	}
	r.record.Missing += len(missing)
	if len(missing) > 0 {
		r.addMessages([]string{describeMissing(r.about.Title, missing)})
	}
	return nil
}

// describeMissing returns a sentence about fills a broker no longer reports.
func describeMissing(title string, ids []string) string {
	const most = 5
	list := strings.Join(ids[:min(len(ids), most)], ", ")
	if len(ids) > most {
		list += fmt.Sprintf(" and %d more", len(ids)-most)
	}
	if len(ids) == 1 {
		return fmt.Sprintf("%s no longer reports the fill %s. It stays in your journal; delete it if it is wrong.", title, list)
	}
	return fmt.Sprintf("%s no longer reports the fills %s. They stay in your journal; delete them if they are wrong.", title, list)
}

// MissingFills is what a connection's last run with missing fills has found.
type MissingFills struct {
	Connection journal.ConnectionID
	Count      int
	At         time.Time
}

// ListMissing returns for each of the owner's connections the last run with missing fills
// after an instant. It is a step.
func ListMissing(ctx context.Context, tx *db.Tx, owner journal.UserID, since time.Time) (map[journal.ConnectionID]MissingFills, error) {
	found := map[journal.ConnectionID]MissingFills{}
	err := db.Each(ctx, tx, func(row db.Scanner) error {
		var m MissingFills
		err := row.Scan(&m.Connection, &m.Count, db.Instant(&m.At))
		found[m.Connection] = m
		return err
	}, `SELECT connection_id, missing, ended_at FROM connection_runs WHERE user_id = $1 AND missing > 0 AND ended_at > $2 ORDER BY ended_at, id`,
		owner, db.Micros(since))
	return found, err
}
