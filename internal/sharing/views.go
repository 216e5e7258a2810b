package sharing

import (
	"context"
	"sync"
	"time"

	"fillbook/internal/db"
	"fillbook/internal/journal"
)

const (
	// flushDelay is how long views are gathered before they are written.
	flushDelay = time.Second
	// maxFlushWait is how long the owner waits for them to be written first.
	maxFlushWait = 500 * time.Millisecond
	// maxViews bounds how many links wait to be written.
	maxViews = 10_000
)

type viewKey struct {
	owner journal.UserID
	link  journal.ShareID
}

// viewCounter counts who looks at links. A visitor never waits for it: views are
// gathered and written a second later, by a goroutine that lives only while
// there is something to write.
type viewCounter struct {
	db      *db.DB
	mu      sync.Mutex
	waiting map[viewKey]int64
	writing bool // a timer is set
}

func newViews(d *db.DB) *viewCounter { return &viewCounter{db: d, waiting: map[viewKey]int64{}} }

func (v *viewCounter) add(owner journal.UserID, link journal.ShareID) {
	v.mu.Lock()
	defer v.mu.Unlock()
	key := viewKey{owner, link}
	if _, known := v.waiting[key]; !known && len(v.waiting) >= maxViews {
		return
	}
	v.waiting[key]++
	if !v.writing {
		v.writing = true
		time.AfterFunc(flushDelay, v.write)
	}
}

// write is run by the timer.
func (v *viewCounter) write() {
	// From here on a view starts the timer anew: one that comes while this
	// writes is not part of it, and must not wait for yet another.
	v.mu.Lock()
	v.writing = false
	v.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_ = v.flush(ctx) // what could not be written waits for the next view
}

// flushBriefly writes what waits, but not for long.
func (v *viewCounter) flushBriefly(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, maxFlushWait)
	defer cancel()
	_ = v.flush(ctx) // a count that is a moment old is good enough
}

func (v *viewCounter) flush(ctx context.Context) error {
	v.mu.Lock()
	taken := v.waiting
	v.waiting = map[viewKey]int64{}
	v.mu.Unlock()
	if len(taken) == 0 {
		return nil
	}
	err := v.db.Update(ctx, func(tx *db.Tx) error {
		for key, n := range taken {
			_, err := tx.Exec(ctx, `UPDATE share_links SET view_count = view_count + $1 WHERE user_id = $2 AND id = $3`, n, key.owner, key.link)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if v.db.ReadOnly() {
		return nil // these views are never counted
	}
	if err != nil {
		v.mu.Lock()
		defer v.mu.Unlock()
		for key, n := range taken {
			v.waiting[key] += n
		}
	}
	return err
}
