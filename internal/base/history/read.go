package history

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// Change is a stored change.
type Change struct {
	ID      journal.ChangeID
	At      time.Time
	Actor   Actor
	Action  Action
	Summary string
	Account journal.AccountID // empty in the user's own stream
	// Total is how many objects the change has, and Objects has all of them, or the first 20
	// of an erased change.
	Total        int
	Objects      []Object
	Undoes       journal.ChangeID
	UndoneBy     journal.ChangeID
	ExpiresAt    *time.Time
	ErasedAt     *time.Time
	Hash         Hash
	PreviousHash Hash
	// NotUndoable is why the change cannot be undone, or empty.
	NotUndoable Reason
	// IsPartial reports that objects of other accounts are left out.
	IsPartial bool
	// Position is its place in the user's order.
	Position int64

	kept      *keptBlock
	canonical []byte // of its content; nil if it is erased
	content   Hash   // of its content
	stored    header
}

// Reason is why a change cannot be undone.
type Reason string

// The reasons.
const (
	NotUndoableSecurity  Reason = "security"
	NotUndoablePermanent Reason = "permanent"
	NotUndoableExpired   Reason = "expired"
	NotUndoableErased    Reason = "erased"
	NotUndoableUndone    Reason = "already_undone"
)

// erasedSummary and partialSummary replace the summary of an erased change, and of one with
// objects that the caller does not see.
const (
	erasedSummary  = "The content of this change was erased."
	partialSummary = "A change to several accounts."
)

// streams are a user's streams.
type streams struct {
	owner    journal.PublicID
	own      *head
	byNumber map[int64]*head
	list     []*head // the user's own first, then by account id
}

func readStreams(ctx context.Context, tx *db.Tx, owner journal.UserID) (*streams, error) {
	list, err := db.List(ctx, tx, scanHead, selectHeads+` WHERE user_id = $1 ORDER BY account_id`, owner)
	s := &streams{byNumber: map[int64]*head{}}
	for i := range list {
		h := &list[i]
		s.byNumber[h.number], s.owner = h, h.owner
		s.list = append(s.list, h)
		if h.account == "" {
			s.own = h
		}
	}
	return s, err
}

// position returns the user's last position.
func (s *streams) position() int64 {
	if s.own == nil {
		return 0
	}
	return s.own.position
}

func (s *streams) id(at, position int64) journal.ChangeID {
	return journal.PackID[journal.ChangeID](at, journal.IDTag(s.owner), position)
}

const selectChanges = selectValues + `,
	(SELECT p.hash FROM history_changes AS p WHERE p.user_id = $1 AND p.position = c.previous)` + selectOthers

// selectListed leaves out the previous change's hash; see [lister.setPrevious].
const selectListed = selectValues + `, NULL` + selectOthers

// Other changes are read by subqueries; $1 is the owner. A join could be planned as one with all changes of the
// user, as PostgreSQL does without statistics.
const (
	selectValues = `SELECT c.position, c.stream, c.seq, c.at, c.action, c.actor_kind, c.objects, c.actor_id, c.actor_name, c.hash, c.content,
	c.undoes, c.undone_by, c.expires_at, c.erased_at, c.accounts, c.rest`
	selectOthers = `,
	(SELECT u.at FROM history_changes AS u WHERE u.user_id = $1 AND u.position = c.undoes),
	(SELECT b.at FROM history_changes AS b WHERE b.user_id = $1 AND b.position = c.undone_by)
	FROM history_changes AS c`
)

// scan reads a row of selectChanges.
func (s *streams) scan(row db.Scanner) (c Change, err error) {
	var at, action, kind, stream int64
	var undoes, undone, undoesAt, undoneAt *int64
	var hash, previous, content, accounts, rest []byte
	err = row.Scan(&c.Position, &stream, &c.stored.seq, &at, &action, &kind, &c.Total, &c.Actor.ID, &c.Actor.Name, &hash, &content,
		&undoes, &undone, db.NullInstant(&c.ExpiresAt), db.NullInstant(&c.ErasedAt), &accounts, &rest, &previous, &undoesAt, &undoneAt)
	if err != nil {
		return c, err
	}
	home := s.byNumber[stream]
	if home == nil {
		return c, fmt.Errorf("%w: its stream is unknown", errContent)
	}
	c.ID, c.At, c.Account = s.id(at, c.Position), db.FromMicros(at), home.account
	copy(c.Hash[:], hash)
	copy(c.PreviousHash[:], previous)
	if len(hash) != len(c.Hash) || action < 0 || int(action) >= len(actions) || kind < 0 || int(kind) >= len(actorKinds) {
		return c, fmt.Errorf("change %s: %w", c.ID, errContent)
	}
	c.Action, c.Actor.Kind = actions[action], actorKinds[kind]
	if undoes != nil && undoesAt != nil {
		c.Undoes = s.id(*undoesAt, *undoes)
	}
	if undone != nil && undoneAt != nil {
		c.UndoneBy = s.id(*undoneAt, *undone)
	}
	if err := c.open(content, rest); err != nil {
		return c, fmt.Errorf("change %s: %w", c.ID, err)
	}
	s.setAccounts(&c, accounts)
	c.stored = header{
		owner: s.owner, account: c.Account, seq: c.stored.seq, id: c.ID, at: c.At, actor: c.Actor, action: c.Action, total: c.Total,
		objects: headerObjects(c.Objects), undoes: c.Undoes,
	}
	return c, nil
}

// erasedRest is what a hash needs of an erased change.
type erasedRest struct {
	Content Hash           `json:"content"`
	Objects []headerObject `json:"objects"`
}

// open reads the content, or what an erasure has left.
func (c *Change) open(stored, rest []byte) (err error) {
	if stored == nil {
		var left erasedRest
		if err := json.Unmarshal(rest, &left); err != nil {
			return fmt.Errorf("%w: %w", errContent, err)
		}
		c.Summary, c.content = erasedSummary, left.Content
		for _, o := range left.Objects {
			c.Objects = append(c.Objects, Object{Type: o.Type, ID: o.ID, Action: o.Action})
		}
		return nil
	}
	if c.canonical, err = decompress(stored); err != nil {
		return err
	}
	c.content = sha256.Sum256(c.canonical)
	parsed, err := parseContent(c.canonical)
	c.Summary, c.Objects, c.kept = parsed.summary, parsed.objects, parsed.kept
	return err
}

// setAccounts sets the accounts of a change's objects.
func (s *streams) setAccounts(c *Change, numbers []byte) {
	for i := range c.Objects {
		if numbers == nil {
			c.Objects[i].Account = c.Account
			continue
		}
		number, n := binary.Uvarint(numbers)
		if n <= 0 {
			return
		}
		numbers = numbers[n:]
		if home := s.byNumber[int64(number)]; home != nil {
			c.Objects[i].Account = home.account
		} else if number == hiddenStream {
			c.Objects[i].SeenIn = AllAccounts
		}
	}
}

// setReason sets why a change cannot be undone.
func (s *Service) setReason(c *Change) {
	c.setReason(s.clock())
	hasNone := func(o Object) bool { return s.undoerOf(o.Type) == nil }
	if c.NotUndoable == "" && s.undoers != nil && slices.ContainsFunc(c.Objects, hasNone) {
		c.NotUndoable = NotUndoablePermanent
	}
}

// setReason sets why a change cannot be undone, whatever its records are.
func (c *Change) setReason(now time.Time) {
	isUser := func(o Object) bool { return o.Type == "user" && o.Action == Deleted }
	switch {
	case slices.ContainsFunc(c.Objects, isUser):
		c.NotUndoable = NotUndoablePermanent
	case c.Action == Security:
		c.NotUndoable = NotUndoableSecurity
	case c.ErasedAt != nil:
		c.NotUndoable = NotUndoableErased
	case c.UndoneBy != "":
		c.NotUndoable = NotUndoableUndone
	case c.ExpiresAt != nil && !c.ExpiresAt.After(now):
		c.NotUndoable = NotUndoableExpired
	}
}

// limit removes what the context's caller does not see: objects of other accounts. It
// reports whether anything is left.
func (c *Change) limit(ctx context.Context) bool {
	if _, limited := journal.AllowedAccounts(ctx); !limited {
		return true
	}
	if c.Account != "" {
		return journal.AllowsAccount(ctx, c.Account)
	}
	seen := slices.DeleteFunc(slices.Clone(c.Objects), func(o Object) bool { return o.seenIn() != "" && !journal.AllowsAccount(ctx, o.seenIn()) })
	if len(seen) == len(c.Objects) {
		return true
	}
	c.Objects, c.Total, c.IsPartial, c.Summary = seen, len(seen), true, partialSummary
	return len(seen) > 0
}

// Get returns a change. One that the caller does not see is not found.
func (s *Service) Get(ctx context.Context, owner journal.UserID, id journal.ChangeID) (c Change, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		c, err = s.load(ctx, tx, owner, id, "")
		if err != nil {
			return err
		}
		return s.showKept(ctx, tx, owner, &c)
	})
	return c, err
}

// load reads a change.
func (s *Service) load(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.ChangeID, lock string) (Change, error) {
	_, _, position, ok := journal.UnpackID(id)
	if !ok {
		return Change{}, journal.NotFound("change")
	}
	if lock != "" { // the row of one change, not those of the joins
		var one int64
		err := tx.QueryRow(ctx, `SELECT position FROM history_changes WHERE user_id = $1 AND position = $2`+lock, owner, position).Scan(&one)
		if err != nil {
			return Change{}, db.NotFound(err, "change")
		}
	}
	known, err := readStreams(ctx, tx, owner)
	if err != nil {
		return Change{}, err
	}
	c, err := known.scan(tx.QueryRow(ctx, selectChanges+` WHERE c.user_id = $1 AND c.position = $2`, owner, position))
	if err == nil && (c.ID != id || !c.limit(ctx)) {
		err = db.ErrNoRows
	}
	s.setReason(&c)
	return c, db.NotFound(err, "change")
}

// showKept adds the values that are in the kept block.
func (s *Service) showKept(ctx context.Context, tx *db.Tx, owner journal.UserID, c *Change) error {
	if !c.showsKept(s.clock()) {
		return nil
	}
	block, err := openBlock(ctx, tx, owner, c)
	c.addKept(block)
	return err
}

// showsKept reports whether what the change kept is shown.
func (c *Change) showsKept(now time.Time) bool {
	return c.kept != nil && c.ErasedAt == nil && (c.ExpiresAt == nil || c.ExpiresAt.After(now))
}

// openBlock reads and parses the kept block that a change names; nil if there is none.
func openBlock(ctx context.Context, tx *db.Tx, owner journal.UserID, c *Change) (*Block, error) {
	if c.kept == nil {
		return nil, nil
	}
	data, err := readBlock(ctx, tx, owner, c.Position)
	if err != nil || data == nil {
		return nil, err
	}
	return c.parseBlock(data)
}

// parseBlock parses the kept block that the change names.
func (c *Change) parseBlock(data []byte) (*Block, error) {
	if sum := sha256.Sum256(data); Hash(sum).String() != c.kept.SHA256 {
		return nil, fmt.Errorf("what change %s removed was altered", c.ID)
	}
	return parseBlock(data)
}

func readBlock(ctx context.Context, tx *db.Tx, owner journal.UserID, position int64) (data []byte, err error) {
	err = db.Each(ctx, tx, func(row db.Scanner) error {
		part, err := db.Single[[]byte](row)
		data = append(data, part...)
		return err
	}, `SELECT data FROM history_blocks WHERE user_id = $1 AND position = $2 ORDER BY part`, owner, position)
	return data, err
}

// Head is the end of a stream.
type Head struct {
	Account journal.AccountID // empty for the user's own
	Changes int64
	Hash    Hash
	At      time.Time
}

// Heads returns the ends of the streams with changes, the user's own first, then by account
// id, and the hash of their hashes.
func (s *Service) Heads(ctx context.Context, owner journal.UserID) (list []Head, all Hash, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		list, all, err = readHeadList(ctx, tx, owner)
		return err
	})
	return list, all, err
}

func readHeadList(ctx context.Context, tx *db.Tx, owner journal.UserID) (list []Head, all Hash, err error) {
	known, err := readStreams(ctx, tx, owner)
	if err != nil {
		return nil, all, err
	}
	sum := sha256.New()
	for _, h := range known.list {
		if h.changes == 0 || h.account != "" && !journal.AllowsAccount(ctx, h.account) {
			continue
		}
		at := h.at
		if h.account == "" {
			if at, err = instantAt(ctx, tx, owner, h.last); err != nil {
				return nil, all, err
			}
		}
		list = append(list, Head{h.account, h.changes, h.hash, at})
		_, _ = sum.Write(h.hash[:])
	}
	sum.Sum(all[:0])
	return list, all, nil
}

func instantAt(ctx context.Context, tx *db.Tx, owner journal.UserID, position int64) (at time.Time, err error) {
	err = tx.QueryRow(ctx, `SELECT at FROM history_changes WHERE user_id = $1 AND position = $2`, owner, position).Scan(db.Instant(&at))
	return at, err
}

// Position returns the place of the owner's last change, 0 before the first. It is a step.
func Position(ctx context.Context, tx *db.Tx, owner journal.UserID) (position int64, err error) {
	err = tx.QueryRow(ctx, `SELECT position FROM history_streams WHERE user_id = $1 AND account_id = ''`, owner).Scan(&position)
	if errors.Is(err, db.ErrNoRows) {
		return 0, nil
	}
	return position, err
}

// HasImports reports whether a change after a position stored fills of an import, a
// connection or a hook. It is a step.
func HasImports(ctx context.Context, tx *db.Tx, owner journal.UserID, after int64) (found bool, err error) {
	place := func(a Action) int { return slices.Index(actions, a) }
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM history_changes WHERE user_id = $1 AND position > $2 AND action IN ($3, $4, $5, $6))`,
		owner, after, place(Import), place(Run), place(Deliver), place(Restore)).Scan(&found)
	return found, err
}

// LastChanges is a table in a FROM clause: user_id, position and at of each user's last
// change.
const LastChanges = `(SELECT user_id, position, at FROM history_streams WHERE account_id = '')`
