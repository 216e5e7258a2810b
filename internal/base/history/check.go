package history

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// Check recomputes the chains of a user and reports the first broken change of each stream,
// and kept blocks that are not those the changes name. It changes nothing.
func (s *Service) Check(ctx context.Context, owner journal.UserID, report func(string)) error {
	return s.db.View(ctx, func(tx *db.Tx) error {
		known, err := readStreams(ctx, tx, owner)
		if err != nil {
			return err
		}
		c := &checker{ctx: ctx, tx: tx, owner: owner, known: known, report: report, now: s.clock(), ends: map[int64]*streamEnd{}}
		if err := c.walk(); err != nil {
			return err
		}
		c.compareHeads()
		return nil
	})
}

// checker recomputes a user's chains.
type checker struct {
	ctx    context.Context
	tx     *db.Tx
	owner  journal.UserID
	known  *streams
	report func(string)
	now    time.Time
	ends   map[int64]*streamEnd
	last   int64 // position
	blocks []Change
}

// streamEnd is the end of a stream as recomputed so far.
type streamEnd struct {
	seq      int64
	position int64
	hash     Hash
	isBroken bool
}

// changesAtOnce is how many changes a statement of a check or an export reads.
const changesAtOnce = 500

// eachChange calls fn with a user's changes in order of their commits, and with the error of
// one that cannot be read. fn must not run statements.
func (s *streams) eachChange(ctx context.Context, tx *db.Tx, owner journal.UserID, fn func(Change, error) error) error {
	for last := int64(0); ; {
		n := 0
		err := db.Each(ctx, tx, func(row db.Scanner) error {
			c, err := s.scan(row)
			n, last = n+1, max(last+1, c.Position)
			return fn(c, err)
		}, selectChanges+` WHERE c.user_id = $1 AND c.position > $2 ORDER BY c.position`+db.Limit(3), owner, last, changesAtOnce)
		if err != nil || n < changesAtOnce {
			return err
		}
	}
}

func (c *checker) walk() error {
	err := c.known.eachChange(c.ctx, c.tx, c.owner, func(change Change, err error) error {
		if err != nil {
			c.report(fmt.Sprintf("change %d of the history cannot be read: %v.", c.last+1, err))
			c.last = max(c.last+1, change.Position)
			return nil
		}
		c.checkChange(&change)
		if change.kept != nil && change.ErasedAt == nil {
			c.blocks = append(c.blocks, Change{ID: change.ID, Position: change.Position, ExpiresAt: change.ExpiresAt, kept: change.kept})
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, change := range c.blocks {
		if err := c.checkBlock(&change); err != nil {
			return err
		}
	}
	return nil
}

// checkChange compares a change with the one before it in its stream.
func (c *checker) checkChange(change *Change) {
	home := c.homeOf(change)
	end := c.ends[home]
	if end == nil {
		end = &streamEnd{}
		c.ends[home] = end
	}
	if change.Position != c.last+1 {
		c.report(fmt.Sprintf("stream %s: a change before change %s is missing.", nameStream(change.Account), change.ID))
		end.isBroken = true
	}
	c.last = change.Position
	hash := chain(end.hash, change.stored.appendTo(nil), change.content)
	if !end.isBroken && (change.stored.seq != end.seq+1 || hash != change.Hash) {
		c.report(fmt.Sprintf("stream %s: change %s was altered, or one before it was removed or added.", nameStream(change.Account), change.ID))
		end.isBroken = true
	}
	end.seq, end.position, end.hash = change.stored.seq, change.Position, change.Hash
}

// homeOf returns the number of a change's stream.
func (c *checker) homeOf(change *Change) int64 {
	for _, h := range c.known.list {
		if h.account == change.Account {
			return h.number
		}
	}
	return 0
}

func nameStream(account journal.AccountID) string {
	if account == "" {
		return "of the user"
	}
	return "of account " + string(account)
}

// compareHeads compares the recomputed ends with those that are stored apart.
func (c *checker) compareHeads() {
	for _, h := range c.known.list {
		end := c.ends[h.number]
		if end == nil {
			end = &streamEnd{}
		}
		if !end.isBroken && (h.changes != end.seq || h.hash != end.hash || h.last != end.position) {
			c.report(fmt.Sprintf("stream %s: its head says %d changes and the last hash %s, but there are %d and %s.",
				nameStream(h.account), h.changes, h.hash, end.seq, end.hash))
		}
	}
	if c.known.own != nil && c.known.own.position != c.last {
		c.report(fmt.Sprintf("the history has %d changes, but its head says %d.", c.last, c.known.own.position))
	}
	if c.known.own == nil && c.last > 0 {
		c.report("the history has changes but no head.")
	}
}

// checkBlock compares a kept block with the hash in its change.
func (c *checker) checkBlock(change *Change) error {
	data, err := readBlock(c.ctx, c.tx, c.owner, change.Position)
	if err != nil {
		return err
	}
	isKept := change.ExpiresAt == nil || change.ExpiresAt.After(c.now)
	switch sum := sha256.Sum256(data); {
	case data == nil && isKept:
		c.report(fmt.Sprintf("change %s: what it removed is missing.", change.ID))
	case data != nil && (Hash(sum).String() != change.kept.SHA256 || int64(len(data)) != change.kept.Bytes):
		c.report(fmt.Sprintf("change %s: what it removed was altered.", change.ID))
	}
	return nil
}
