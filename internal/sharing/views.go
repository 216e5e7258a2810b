package sharing

import (
	"context"
	"sync"
	"time"

	"fillbook/internal/db"
	"fillbook/internal/journal"
)

const (
	// gathering is how long views are gathered before they are written.
	gathering = time.Second
	// settleTime is how long the owner waits for them to be written first.
	settleTime = 500 * time.Millisecond
	// maxViews bounds how many links wait to be written.
	maxViews = 10_000
)

type viewed struct {
	owner journal.UserID
	link  journal.ShareID
}

// views counts who looks at links. A visitor never waits for it: views are
// gathered and written a second later, by a goroutine that lives only while
// there is something to write.
type views struct {
	db      *db.DB
	mu      sync.Mutex
	waiting map[viewed]int64
	writing bool // a timer is set
}

func newViews(d *db.DB) *views { return &views{db: d, waiting: map[viewed]int64{}} }

func (v *views) add(owner journal.UserID, link journal.ShareID) {
	v.mu.Lock()
	defer v.mu.Unlock()
	key := viewed{owner, link}
	if _, known := v.waiting[key]; !known && len(v.waiting) >= maxViews {
		return
	}
	v.waiting[key]++
	if !v.writing {
		v.writing = true
		time.AfterFunc(gathering, v.write)
	}
}

// write is run by the timer.
func (v *views) write() {
	// From here on a view starts the timer anew: one that comes while this
	// writes is not part of it, and must not wait for yet another.
	v.mu.Lock()
	v.writing = false
	v.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_ = v.flush(ctx) // what could not be written waits for the next view
}

// settle writes what waits, but not for long.
func (v *views) settle(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	_ = v.flush(ctx) // a count that is a moment old is good enough
}

func (v *views) flush(ctx context.Context) error {
	v.mu.Lock()
	taken := v.waiting
	v.waiting = map[viewed]int64{}
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
