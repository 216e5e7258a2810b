package history

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
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
		c := &checker{
			ctx: ctx, tx: tx, owner: owner, known: known, now: s.clock(), ends: map[int64]*streamEnd{},
			blocks: map[int64]Change{}, undone: map[journal.ChangeID]journal.ChangeID{}, erased: map[journal.ChangeID]bool{},
		}
		c.report = func(problem string) {
			c.isBroken = true
			report(problem)
		}
		if err := c.walk(); err != nil {
			return err
		}
		c.compareHeads()
		if err := c.checkBlocks(); err != nil {
			return err
		}
		if c.isBroken {
			return nil // what follows from the changes would be reported as well
		}
		c.checkUndos()
		c.checkErasures()
		return c.checkTypes()
	})
}

// checker recomputes a user's chains.
type checker struct {
	ctx      context.Context
	tx       *db.Tx
	owner    journal.UserID
	known    *streams
	report   func(string)
	isBroken bool // something was reported
	now      time.Time
	ends     map[int64]*streamEnd // by stream number
	last     int64                // position
	blocks   map[int64]Change     // with a kept block that must be there, or may
	types    []int64              // the type bits of each change
	// undone has, for changes that were undone, the change that did it, until that is read.
	undone map[journal.ChangeID]journal.ChangeID
	// undos are changes that undo one that does not say so, as problems.
	undos []string
	// erased are the erased changes that no change says to be erased so far.
	erased map[journal.ChangeID]bool
}

// streamEnd is the end of a stream as recomputed so far.
type streamEnd struct {
	seq      int64
	position int64
	id       journal.ChangeID
	at       time.Time
	hash     Hash
	isBroken bool
}

// newStreamEnd returns the end of a stream without changes, as its head has it.
func newStreamEnd() *streamEnd { return &streamEnd{at: time.UnixMicro(0)} }

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

// walk reads all changes.
func (c *checker) walk() error {
	return c.known.eachChange(c.ctx, c.tx, c.owner, func(change Change, err error) error {
		if change.Position > c.last+1 {
			c.report(fmt.Sprintf("the history has no changes at the positions %d to %d.", c.last+1, change.Position-1))
		}
		c.last = max(c.last+1, change.Position)
		if err != nil {
			c.report(fmt.Sprintf("the history's change at position %d cannot be read: %v.", c.last, err))
			c.types = append(c.types, 0)
			if change.ID != "" {
				end := c.endOf(&change)
				end.isBroken = true
				end.set(&change)
			}
			return nil
		}
		c.checkChange(&change)
		c.collect(&change)
		return nil
	})
}

// checkChange compares a change with the one before it in its stream.
func (c *checker) checkChange(change *Change) {
	end := c.endOf(change)
	hash := chain(end.hash, change.stored.appendTo(nil), change.content)
	var problem string
	switch seq := change.stored.seq; {
	case end.isBroken:
	case seq > end.seq+1:
		problem = fmt.Sprintf("is number %d, and the one before it is number %d: changes between them were removed", seq, end.seq)
	case seq <= end.seq:
		problem = fmt.Sprintf("is number %d after number %d: it was added, moved or altered", seq, end.seq)
	case hash != change.Hash:
		problem = "was altered or added: its hash is another one"
	case change.PreviousHash != end.hash:
		problem = "names another change as the one before it"
	}
	if problem != "" {
		c.report(fmt.Sprintf("stream %s: change %s %s.", nameStream(change.Account), change.ID, problem))
		end.isBroken = true
	}
	end.set(change)
}

// set makes a change the end.
func (e *streamEnd) set(change *Change) {
	e.seq, e.position, e.id, e.at, e.hash = change.stored.seq, change.Position, change.ID, change.At, change.Hash
}

// collect notes what is compared after all changes were read.
func (c *checker) collect(change *Change) {
	c.types = append(c.types, 0)
	if change.Total == len(change.Objects) && !c.isBroken { // an erased change has the first objects only
		c.types[len(c.types)-1] = typeBits(change.Objects)
	}
	if change.kept != nil && change.ErasedAt == nil {
		c.blocks[change.Position] = Change{ID: change.ID, Position: change.Position, ExpiresAt: change.ExpiresAt, kept: change.kept}
	}
	if change.UndoneBy != "" {
		c.undone[change.ID] = change.UndoneBy
	}
	if change.Undoes != "" {
		if c.undone[change.Undoes] != change.ID {
			c.undos = append(c.undos, fmt.Sprintf("change %s does not say that change %s undid it.", change.Undoes, change.ID))
		}
		delete(c.undone, change.Undoes)
	}
	isErased := change.canonical == nil
	if isErased || change.ErasedAt != nil {
		c.erased[change.ID] = isErased && change.ErasedAt != nil
	}
	for _, o := range change.Objects {
		if id := journal.ChangeID(o.ID); o.Type == "change" && c.erased[id] {
			delete(c.erased, id)
		}
	}
}

// endOf returns the end so far of a change's stream.
func (c *checker) endOf(change *Change) *streamEnd {
	home := c.homeOf(change)
	if c.ends[home] == nil {
		c.ends[home] = newStreamEnd()
	}
	return c.ends[home]
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
			end = newStreamEnd()
		}
		var problem string
		switch {
		case end.isBroken:
		case h.changes > end.seq:
			problem = fmt.Sprintf("changes after %s were removed", cmp.Or(string(end.id), "the beginning"))
		case h.changes < end.seq:
			problem = fmt.Sprintf("its head was rolled back, or changes up to %s were added", end.id)
		case h.hash != end.hash || h.last != end.position || h.account != "" && !h.at.Equal(end.at):
			problem = fmt.Sprintf("its head does not name the last change, %s", cmp.Or(string(end.id), "of which there is none"))
		}
		if problem != "" {
			c.report(fmt.Sprintf("stream %s: %s. Its head says %d changes and the hash %s, but there are %d and %s.",
				nameStream(h.account), problem, h.changes, h.hash, end.seq, end.hash))
		}
	}
	if c.known.own != nil && c.known.own.position != c.last {
		c.report(fmt.Sprintf("the history has %d changes, but its head says %d.", c.last, c.known.own.position))
	}
	if c.known.own == nil && c.last > 0 {
		c.report("the history has changes but no head.")
	}
}

// checkBlocks compares the kept blocks with those that the changes name.
func (c *checker) checkBlocks() error {
	positions, err := db.List(c.ctx, c.tx, db.Single[int64], `SELECT DISTINCT position FROM history_blocks WHERE user_id = $1 ORDER BY position`, c.owner)
	if err != nil {
		return err
	}
	for _, position := range positions {
		if _, known := c.blocks[position]; !known {
			c.report(fmt.Sprintf("there is removed content for the change at position %d, which names none.", position))
		}
	}
	for _, position := range slices.Sorted(maps.Keys(c.blocks)) {
		change := c.blocks[position]
		if err := c.checkBlock(&change); err != nil {
			return err
		}
	}
	return nil
}

// checkUndos reports changes whose undo is not a change that undoes them, or the reverse.
func (c *checker) checkUndos() {
	for _, problem := range c.undos {
		c.report(problem)
	}
	for _, id := range slices.Sorted(maps.Keys(c.undone)) {
		c.report(fmt.Sprintf("change %s says that change %s undid it, which did not.", id, c.undone[id]))
	}
}

// checkErasures reports contents that were removed without a change that says so.
func (c *checker) checkErasures() {
	for _, id := range slices.Sorted(maps.Keys(c.erased)) {
		c.report(fmt.Sprintf("the content of change %s was erased, but no change says so.", id))
	}
}

// checkTypes compares the types by which changes are selected with those of their objects.
func (c *checker) checkTypes() error {
	return db.Each(c.ctx, c.tx, func(row db.Scanner) error {
		var position, set int64
		if err := row.Scan(&position, &set); err != nil {
			return err
		}
		if position < 1 || position > int64(len(c.types)) {
			return nil
		}
		if want := c.types[position-1]; want != 0 && want != set {
			c.report(fmt.Sprintf("the change at position %d is listed under other types than those of its records.", position))
		}
		return nil
	}, `SELECT position, types FROM history_changes WHERE user_id = $1 ORDER BY position`, c.owner)
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
