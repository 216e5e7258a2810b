package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/textindex"
)

// Query selects changes.
type Query struct {
	// Account selects the account's stream, and changes in the user's own with its objects.
	Account journal.AccountID
	Types   []string
	// Keys selects changes of any of these records.
	Keys    []Key
	Kind    ActorKind
	ActorID string
	Actions []Action
	Period  journal.Period
	// Words are words in the summary or the labels.
	Words string
	// Before selects changes before a position; 0 means all.
	Before int64
	// Limit bounds the list.
	Limit int
}

// Page is a part of the history.
type Page struct {
	Changes []Change
	// Total is how many changes there are in all pages. It is nil if changes are selected:
	// counting them would take longer with every change.
	Total *int
	// HasStream is false if the query's account has no stream.
	HasStream bool
}

// List returns changes, newest first, in the exact reverse of the order of their commits.
func (s *Service) List(ctx context.Context, owner journal.UserID, q Query) (page Page, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		page = Page{HasStream: q.Account == ""}
		known, err := readStreams(ctx, tx, owner)
		if err != nil {
			return err
		}
		l := &lister{Service: s, tx: tx, owner: owner, known: known, Query: q, words: textindex.SplitWords(q.Words)}
		if err := l.build(ctx); err != nil {
			return err
		}
		if l.selectsAll() {
			total := int(known.position())
			page.Total = &total
		}
		if known.own == nil {
			return nil
		}
		page.HasStream = page.HasStream || slices.ContainsFunc(known.list, func(h *head) bool { return h.account == q.Account })
		page.Changes, err = l.list(ctx)
		return err
	})
	return page, err
}

// lister lists changes.
type lister struct {
	*Service
	tx    *db.Tx
	owner journal.UserID
	known *streams
	Query
	words []string
	conditions
	// sources have the positions of the selected changes, each in an index; nil means all
	// changes.
	sources []source
	// first and end bound the positions; end is not one of them.
	first, end int64
}

// source is a list of positions: those of a stream or of a record's changes.
type source struct {
	query string // ends before the conditions for the position
	arg   any
}

func streamSource(number int64) source {
	return source{`SELECT position FROM history_changes WHERE user_id = $1 AND stream = $2`, number}
}

func keySource(key Key) source {
	return source{`SELECT position FROM history_objects WHERE user_id = $1 AND key = $2`, key.hash()}
}

// selectsAll reports whether the caller gets every change.
func (l *lister) selectsAll() bool {
	return len(l.args) == 1 && l.sources == nil && len(l.words) == 0 && l.Period.From == nil && l.Period.To == nil
}

// conditions are a SELECT's conditions with their arguments.
type conditions struct {
	text strings.Builder
	args []any
}

// where adds a condition in which each ? is the next argument.
func (c *conditions) where(condition string, args ...any) {
	for _, arg := range args {
		c.args = append(c.args, arg)
		condition = strings.Replace(condition, "?", "$"+strconv.Itoa(len(c.args)), 1)
	}
	c.text.WriteString(" AND " + condition)
}

// rowsAtOnce is how many changes a statement reads at least, and mostRows at most.
const (
	rowsAtOnce = 50
	mostRows   = 1000
)

// list reads changes until there are enough that the conditions and the caller's limit
// allow. If few of them are allowed, more are read at a time.
func (l *lister) list(ctx context.Context) (list []Change, err error) {
	before := l.end
	for size := max(l.Limit, rowsAtOnce); len(list) < l.Limit; size = max(size, min(2*size, mostRows)) {
		found, next, err := l.read(ctx, before, size)
		if err != nil {
			return nil, err
		}
		for _, c := range found {
			if l.matches(ctx, &c) && len(list) < l.Limit {
				l.setReason(&c)
				list = append(list, c)
			}
		}
		if next == 0 {
			break
		}
		before = next
	}
	if err := l.setPrevious(ctx, list); err != nil {
		return nil, err
	}
	return list, l.showSmallBlocks(ctx, list)
}

// smallBlock is up to how many bytes of a kept block a list shows the values in it. Reading
// everything that deletions kept would take longer than the rest of a page.
const smallBlock = 16 << 10

// showSmallBlocks adds the values in the small kept blocks of a list's changes.
func (l *lister) showSmallBlocks(ctx context.Context, list []Change) error {
	byPosition := map[int64]*Change{}
	for i := range list {
		if c := &list[i]; c.showsKept(l.clock()) && c.kept.Bytes <= smallBlock {
			byPosition[c.Position] = c
		}
	}
	return db.EachIn(ctx, l.tx, slices.Sorted(maps.Keys(byPosition)), func(row db.Scanner) error {
		var position int64
		var data []byte
		if err := row.Scan(&position, &data); err != nil {
			return err
		}
		c := byPosition[position]
		if block, err := c.parseBlock(data); err == nil { // an altered one is left to the check
			c.addKept(block)
		}
		return nil
	}, `SELECT position, data FROM history_blocks WHERE user_id = $1 AND position IN $keys AND part = 0`, l.owner)
}

// setPrevious sets the hashes of the changes before those in a list: of the list's own, and
// of stored ones for the last change of each stream in it. The rows of a large history are far
// apart, so each one that is read costs time.
func (l *lister) setPrevious(ctx context.Context, list []Change) error {
	type place struct {
		account journal.AccountID
		seq     int64
	}
	places := make(map[place]*Change, len(list))
	byPosition := make(map[int64]*Change, len(list))
	for i := range list {
		places[place{list[i].Account, list[i].stored.seq}] = &list[i]
	}
	var missing []int64
	for i := range list {
		c := &list[i]
		if before := places[place{c.Account, c.stored.seq - 1}]; before != nil {
			c.PreviousHash = before.Hash
		} else if c.stored.seq > 1 {
			byPosition[c.Position] = c
			missing = append(missing, c.Position)
		}
	}
	return db.EachIn(ctx, l.tx, missing, func(row db.Scanner) error {
		var position int64
		var hash []byte
		err := row.Scan(&position, &hash)
		if c := byPosition[position]; c != nil {
			copy(c.PreviousHash[:], hash)
		}
		return err
	}, `SELECT c.position, (SELECT p.hash FROM history_changes AS p WHERE p.user_id = $1 AND p.position = c.previous)
		FROM history_changes AS c WHERE c.user_id = $1 AND c.position IN $keys`, l.owner)
}

// read reads the next changes before a position that meet the conditions, and returns the
// position before which to go on, or 0 at the end.
func (l *lister) read(ctx context.Context, before int64, size int) (found []Change, next int64, err error) {
	args := slices.Clone(l.args)
	var text string
	var positions []int64
	if l.sources == nil {
		args = append(args, l.first, before, size)
		text = fmt.Sprintf(` AND c.position >= $%d AND c.position < $%d`, len(args)-2, len(args)-1) + ` ORDER BY c.position DESC` + db.Limit(len(args))
	} else {
		if positions, err = l.readPositions(ctx, before, size); err != nil || len(positions) == 0 {
			return nil, 0, err
		}
		text = ` AND c.position IN ` + db.In(&args, positions) + ` ORDER BY c.position DESC`
	}
	found, err = db.List(ctx, l.tx, l.known.scan, selectListed+` WHERE c.user_id = $1`+l.text.String()+text, args...)
	switch {
	case err != nil:
	case len(positions) == size:
		next = positions[size-1]
	case positions == nil && len(found) == size:
		next = found[size-1].Position
	}
	return found, next, err
}

// readPositions returns the next positions of the sources before a position, the highest
// first. Each source is read in the order of its index.
func (l *lister) readPositions(ctx context.Context, before int64, size int) (all []int64, err error) {
	for _, s := range l.sources {
		found, err := db.List(ctx, l.tx, db.Single[int64], s.query+` AND position >= $3 AND position < $4 ORDER BY position DESC`+db.Limit(5),
			l.owner, s.arg, l.first, before, size)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	slices.SortFunc(all, func(a, b int64) int { return cmp.Compare(b, a) })
	all = slices.Compact(all)
	return all[:min(len(all), size)], nil
}

// build builds the conditions and the sources.
func (l *lister) build(ctx context.Context) error {
	l.args = []any{l.owner}
	if len(l.Actions) > 0 {
		codes := make([]int, len(l.Actions))
		for i, a := range l.Actions {
			codes[i] = slices.Index(actions, a)
		}
		l.text.WriteString(" AND c.action IN " + db.In(&l.args, codes))
	}
	if len(l.Types) > 0 {
		var set int64
		for _, t := range l.Types {
			set |= 1 << slices.Index(types, t)
		}
		l.where("(c.types & ?) <> 0", set)
	}
	if l.Kind != "" {
		l.where("c.actor_kind = ?", slices.Index(actorKinds, l.Kind))
	}
	if l.ActorID != "" {
		l.where("c.actor_id = ?", l.ActorID)
	}
	l.addSources(ctx)
	return l.setPeriod(ctx)
}

// addSources adds the sources of the narrowest selection. [lister.matches] tests the others.
func (l *lister) addSources(ctx context.Context) {
	_, limited := journal.AllowedAccounts(ctx)
	if len(l.Keys) == 0 && l.Account == "" && !limited {
		return
	}
	l.sources = []source{}
	for _, key := range l.Keys {
		l.sources = append(l.sources, keySource(key))
	}
	if len(l.Keys) > 0 {
		return
	}
	if l.Account != "" {
		l.sources = append(l.sources, keySource(accountKey(l.Account)))
	}
	for _, h := range l.known.list {
		if h.account == l.Account && l.Account != "" || l.Account == "" && (h.account == "" || journal.AllowsAccount(ctx, h.account)) {
			l.sources = append(l.sources, streamSource(h.number))
		}
	}
}

// setPeriod sets the positions of a period: the instants of changes never decrease.
func (l *lister) setPeriod(ctx context.Context) (err error) {
	l.end = l.known.position() + 1
	if l.Before > 0 {
		l.end = min(l.end, l.Before)
	}
	if l.Period.From != nil {
		if l.first, err = l.findPosition(ctx, db.Micros(*l.Period.From)); err != nil {
			return err
		}
	}
	if l.Period.To != nil {
		after, err := l.findPosition(ctx, db.Micros(*l.Period.To)+1)
		l.end = min(l.end, after)
		return err
	}
	return nil
}

// findPosition returns the first position at an instant or later.
func (l *lister) findPosition(ctx context.Context, at int64) (int64, error) {
	low, high := int64(1), l.known.position()+1
	for low < high {
		middle := (low + high) / 2
		var found int64
		err := l.tx.QueryRow(ctx, `SELECT at FROM history_changes WHERE user_id = $1 AND position = $2`, l.owner, middle).Scan(&found)
		if err != nil && !errors.Is(err, db.ErrNoRows) {
			return 0, err
		}
		if found >= at {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low, nil
}

// matches reports whether a read change meets the conditions that SQL does not test, and
// removes what the caller does not see.
func (l *lister) matches(ctx context.Context, c *Change) bool {
	if !c.limit(ctx) {
		return false
	}
	ofAccount := func(o Object) bool { return o.Account == l.Account }
	if l.Account != "" && c.Account != l.Account && (c.Account != "" || !slices.ContainsFunc(c.Objects, ofAccount)) {
		return false
	}
	for _, word := range l.words {
		hasLabel := func(o Object) bool { return textindex.HasWord(o.Label, word) }
		if !textindex.HasWord(c.Summary, word) && !slices.ContainsFunc(c.Objects, hasLabel) {
			return false
		}
	}
	return true
}
