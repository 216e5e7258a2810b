package sharing

import (
	"context"
	"sync"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

const (
	// flushDelay is how long views are collected before they are written.
	flushDelay = time.Second
	// maxFlushWait is the longest time a link list waits for pending views.
	maxFlushWait = 500 * time.Millisecond
	// maxViews is the most links with pending views.
	maxViews = 10_000
)

type viewKey struct {
	owner journal.UserID
	link  journal.ShareID
}

// viewCounter counts link views. Visitors do not wait for it: views are collected and
// written a second later, by a goroutine that runs only if there are views.
type viewCounter struct {
	db      *db.DB
	mu      sync.Mutex
	waiting map[viewKey]int64
	writing bool // a timer is set
	// turn is full while views are being written. Who asks for a flush then waits for its end,
	// so that no view is between two states.
	turn chan struct{}
}

func newViews(d *db.DB) *viewCounter {
	return &viewCounter{db: d, waiting: map[viewKey]int64{}, turn: make(chan struct{}, 1)}
}

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

// write writes the collected views; the timer calls it.
func (v *viewCounter) write() {
	// From here on a view starts a new timer, because this write does not include
	// it.
	v.mu.Lock()
	v.writing = false
	v.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_ = v.flush(ctx) // after an error the views are written with the next ones
}

// flushBriefly writes pending views, with a short timeout.
func (v *viewCounter) flushBriefly(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, maxFlushWait)
	defer cancel()
	_ = v.flush(ctx) // a slightly old count is good enough
}

func (v *viewCounter) flush(ctx context.Context) error {
	select {
	case v.turn <- struct{}{}:
		defer func() { <-v.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
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
