package playbook

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/annotations"
)

// Regrouping reports what happened to trades when fills were grouped again.
type Regrouping struct {
	// Merged are trades that live on inside another one.
	Merged []Merge
	// Orphaned are trades without any fill.
	Orphaned []Orphaned
	// Returned are trades that live on by themselves again, and are handled first. Keep, if it is
	// not nil, receives what it needs to return a merged trade's annotations.
	Returned []Returned
	Keep     func(journal.TradeID, jsontext.Value)
	// Restored are trades that have fills and their id again. Those whose annotations are an
	// orphan still, because its fills have not arrived, get these annotations back.
	Restored []journal.TradeID
	// Arrived goes through the fills that are new in Account, with the trades they
	// are now in; it is nil if there are none.
	Account journal.AccountID
	Arrived iter.Seq[Arrival]
}

// Merge means that the trade From is now part of Into.
type Merge struct {
	From, Into journal.TradeID
}

// Orphaned is a trade that has lost every fill. FillKeys are what those fills
// would be known by if they came back. Symbol and OpenedAt are for the person
// who finds the annotations later; they may be empty. WasOrphan reports that an undo makes
// it an orphan even if its annotations are empty: it was one, or links to it follow.
type Orphaned struct {
	Trade    journal.TradeID
	Account  journal.AccountID
	FillKeys []string
	Symbol   string
	OpenedAt *time.Time

	WasOrphan bool
}

// Arrival is a fill that has come into an account, and its trade. FillKeys are
// all that the fill may be known by.
type Arrival struct {
	Trade    journal.TradeID
	FillKeys []string
}

// MoveAnnotations moves annotations to the trades that have the fills now. It is a step
// in the transaction that regroups, after the trades were written.
//
// When two trades become one, the one that goes on keeps its annotations, the other's
// notes are appended below a line, tags and setups are united, empty fields are filled,
// and attachments and linked notes move. Annotations on a trade without fills become
// orphans, if there is anything in them. When one of its fills arrives, an orphan joins
// that fill's trade by the same rules. If its fills arrive in several trades, it joins
// its own, which an undo brought back, or the first with the most.
//
// It costs one look-up for the trades named and one for the arrivals, and nothing more
// for people who never wrote anything.
func MoveAnnotations(ctx context.Context, tx *db.Tx, owner journal.UserID, now time.Time, change Regrouping) error {
	for _, r := range change.Returned {
		if err := returnAnnotations(ctx, tx, owner, now, change.Account, r); err != nil {
			return err
		}
	}
	annotated, err := lockNamed(ctx, tx, owner, change)
	if err != nil {
		return err
	}
	merges := map[journal.TradeID][]Annotations{}
	for _, m := range change.Merged {
		if from, ok := annotated[m.From]; ok && m.From != m.Into {
			merges[m.Into] = append(merges[m.Into], from)
		}
	}
	if err := mergeInto(ctx, tx, owner, now, merges, change.Keep); err != nil {
		return err
	}
	for _, o := range change.Orphaned {
		annotations, ok := annotated[o.Trade]
		if !ok {
			continue
		}
		if err := orphan(ctx, tx, owner, now, o, annotations); err != nil {
			return err
		}
	}
	if err := adoptReturned(ctx, tx, owner, now, change); err != nil {
		return err
	}
	return endOrphans(ctx, tx, owner, change)
}

// lockNamed reads and locks the merged or orphaned trades' annotations.
func lockNamed(ctx context.Context, tx *db.Tx, owner journal.UserID, change Regrouping) (map[journal.TradeID]Annotations, error) {
	going := make([]journal.TradeID, 0, len(change.Merged)+len(change.Orphaned))
	for _, m := range change.Merged {
		going = append(going, m.From)
	}
	for _, o := range change.Orphaned {
		going = append(going, o.Trade)
	}
	annotated := make(map[journal.TradeID]Annotations)
	for chunk := range slices.Chunk(going, idChunk) {
		if err := loadChunk(ctx, tx, owner, chunk, tx.Lock(), annotated); err != nil {
			return nil, err
		}
	}
	return annotated, nil
}

// mergeInto merges the annotations of trades into those of others and moves their
// attachments and notes. The key is the trade they become a part of. keep may be nil; see
// [Regrouping].
func mergeInto(
	ctx context.Context, tx *db.Tx, owner journal.UserID, now time.Time, merges map[journal.TradeID][]Annotations, keep func(journal.TradeID, jsontext.Value),
) error {
	order := slices.Sorted(maps.Keys(merges))
	winners, err := LoadAnnotations(ctx, tx, owner, order)
	if err != nil {
		return err
	}
	merged := make([]Annotations, len(order))
	for i, into := range order {
		winner := winners[into]
		winner.Trade = into
		merged[i] = merge(winner, merges[into]...)
		merged[i].UpdatedAt = now
		winner.Account = merged[i].Account
		if keep != nil {
			if err := keepAll(ctx, tx, owner, now, winner, merges[into], keep); err != nil {
				return err
			}
		}
		recordMoved(tx, owner, winner, merged[i], merges[into])
	}
	if err := saveAnnotations(ctx, tx, owner, merged...); err != nil {
		return err
	}
	for _, into := range order {
		for _, from := range merges[into] {
			if err := recordMovedOrphan(ctx, tx, owner, from); err != nil {
				return err
			}
			if err := moveLinks(ctx, tx, owner, from.Trade, into); err != nil {
				return err
			}
		}
	}
	return nil
}

// moveLinks moves a trade's attachments and notes and deletes its annotations.
func moveLinks(ctx context.Context, tx *db.Tx, owner journal.UserID, from, into journal.TradeID) error {
	if err := recordMovedNotes(ctx, tx, owner, from, into, func(journal.NoteID) bool { return true }); err != nil {
		return err
	}
	if err := recordMovedAttachments(ctx, tx, owner, from, into, func(journal.AttachmentID) bool { return true }); err != nil {
		return err
	}
	for _, statement := range []string{
		`UPDATE attachments SET trade_id = $1 WHERE user_id = $2 AND trade_id = $3`,
		`UPDATE notes SET trade_id = $1 WHERE user_id = $2 AND trade_id = $3`,
	} {
		if err := tx.Queue(ctx, statement, into, owner, from); err != nil {
			return err
		}
	}
	return tx.Queue(ctx, `DELETE FROM trade_annotations WHERE user_id = $1 AND trade_id = $2`, owner, from)
}

// recordMovedOrphan keeps an orphan whose annotations move to a trade, and records its end.
// After an undo, the fills of an orphan can be parts of another trade.
func recordMovedOrphan(ctx context.Context, tx *db.Tx, owner journal.UserID, a Annotations) error {
	err := lockOrphan(ctx, tx, owner, a.Trade)
	if journal.IsKind(err, journal.KindNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	recordOrphan(tx, owner, a.Trade, a.Account, "", false)
	return keepOrphan(ctx, tx, owner, a.Trade)
}

// keepOrphan keeps what makes an orphan of a trade's annotations, before it is deleted.
func keepOrphan(ctx context.Context, tx *db.Tx, owner journal.UserID, trade journal.TradeID) error {
	for _, table := range []string{"orphaned_annotations", "orphaned_fills"} {
		if err := history.Keep(ctx, tx, owner, table, `trade_id = $2`, trade); err != nil {
			return err
		}
	}
	return nil
}

// merge returns a trade's annotations after others became part of it: its own values
// stay, and empty ones are filled from the others in their order.
func merge(winner Annotations, others ...Annotations) Annotations {
	m := winner
	tags, setups, rules := [][]journal.TagID{m.Tags}, [][]journal.SetupID{m.Setups}, [][]RuleTick{m.Rules}
	notes := make([]string, len(others))
	m.Notes = "" // appended once, below
	for i, other := range others {
		m.Trade, m.Account = cmp.Or(m.Trade, other.Trade), cmp.Or(m.Account, other.Account)
		tags, setups, rules = append(tags, other.Tags), append(setups, other.Setups), append(rules, other.Rules)
		notes[i], other.Notes = other.Notes, ""
		AnnotationFields.Merge(&m.AnnotationValues, &other.AnnotationValues)
	}
	m.Notes = annotations.MergeNotes(winner.Notes, notes...)
	m.Tags, m.Setups, m.Rules = united(tags...), united(setups...), mergeRules(rules...)
	return m
}

// orphan keeps a removed trade's annotations, unless they are empty, nothing is linked to
// them and they were no orphan before.
func orphan(ctx context.Context, tx *db.Tx, owner journal.UserID, now time.Time, o Orphaned, annotations Annotations) error {
	used, err := isUsed(ctx, tx, owner, annotations)
	if err != nil {
		return err
	}
	if !used && !o.WasOrphan {
		_, err := tx.Exec(ctx, `DELETE FROM trade_annotations WHERE user_id = $1 AND trade_id = $2`, owner, o.Trade)
		return err
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO orphaned_annotations (user_id, trade_id, account_id, symbol, opened_at, orphaned_at)
		VALUES ($1, $2, $3, $4, $5, $6)`,
		owner, o.Trade, annotations.Account, o.Symbol, db.NullMicros(o.OpenedAt), db.Micros(now))
	if err != nil {
		return err
	}
	recordOrphan(tx, owner, o.Trade, annotations.Account, o.Symbol, true)
	rows := make([][]any, len(o.FillKeys))
	for i, key := range o.FillKeys {
		rows[i] = []any{owner, annotations.Account, key, o.Trade}
	}
	_, err = tx.InsertMany(ctx, "orphaned_fills", []string{"user_id", "account_id", "fill_key", "trade_id"},
		`ON CONFLICT (user_id, account_id, fill_key, trade_id) DO NOTHING`, rows)
	return err
}

// isUsed reports whether anything would be lost with the annotations.
func isUsed(ctx context.Context, tx *db.Tx, owner journal.UserID, annotations Annotations) (bool, error) {
	if !annotations.isEmpty() {
		return true, nil
	}
	var n int
	err := tx.QueryRow(ctx, `
		SELECT (SELECT COUNT(*) FROM attachments WHERE user_id = $1 AND trade_id = $2) +
			(SELECT COUNT(*) FROM notes WHERE user_id = $1 AND trade_id = $2)`,
		owner, annotations.Trade).Scan(&n)
	return n > 0, err
}

// adoptReturned merges orphans into the trades in which their fills have arrived.
func adoptReturned(ctx context.Context, tx *db.Tx, owner journal.UserID, now time.Time, change Regrouping) error {
	if change.Arrived == nil {
		return nil
	}
	lost, err := lostFills(ctx, tx, owner, change.Account)
	if err != nil || len(lost) == 0 {
		return err
	}
	homes := chooseTrades(lost, change.Arrived)
	adopted := map[journal.TradeID]journal.TradeID{}
	for _, orphan := range slices.Sorted(maps.Keys(homes)) {
		err := lockOrphan(ctx, tx, owner, orphan)
		if journal.IsKind(err, journal.KindNotFound) {
			continue // its owner has just adopted or deleted it
		}
		if err != nil {
			return err
		}
		adopted[orphan] = homes[orphan]
	}
	return adoptInto(ctx, tx, owner, now, adopted)
}

// endOrphans ends the state of the orphans that are trades again.
func endOrphans(ctx context.Context, tx *db.Tx, owner journal.UserID, change Regrouping) error {
	for _, trade := range change.Restored {
		err := lockOrphan(ctx, tx, owner, trade)
		if journal.IsKind(err, journal.KindNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if err := keepOrphan(ctx, tx, owner, trade); err != nil {
			return err
		}
		recordOrphan(tx, owner, trade, change.Account, "", false)
		if _, err := tx.Exec(ctx, `DELETE FROM orphaned_annotations WHERE user_id = $1 AND trade_id = $2`, owner, trade); err != nil {
			return err
		}
	}
	return nil
}

// lostFills returns the fill keys that an account's orphans wait for, with the orphans.
func lostFills(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) (map[string][]journal.TradeID, error) {
	lost := make(map[string][]journal.TradeID)
	err := db.Each(ctx, tx, func(row db.Scanner) error {
		var key string
		var trade journal.TradeID
		err := row.Scan(&key, &trade)
		lost[key] = append(lost[key], trade)
		return err
	}, `SELECT fill_key, trade_id FROM orphaned_fills WHERE user_id = $1 AND account_id = $2 ORDER BY fill_key, trade_id`, owner, account)
	return lost, err
}

// maxVotes is how many fills with the same key are counted for an orphan. A file decides
// how many fills and how many orphans share a key.
const maxVotes = 64

// chooseTrades chooses a trade for each orphan: its own if one of its fills has arrived
// there, else the one in which most of them have, or the first named among equals.
func chooseTrades(lost map[string][]journal.TradeID, arrived iter.Seq[Arrival]) map[journal.TradeID]journal.TradeID {
	type pair struct{ orphan, trade journal.TradeID }
	votes := make(map[pair]int)
	var order []pair
	counted := map[string]int{}
	for a := range arrived {
		var lists [][]journal.TradeID
		for _, key := range a.FillKeys {
			if counted[key]++; counted[key] <= maxVotes {
				lists = append(lists, lost[key])
			}
		}
		for _, orphan := range united(lists...) { // once, even if several fill keys match
			p := pair{orphan, a.Trade}
			if votes[p]++; votes[p] == 1 {
				order = append(order, p)
			}
		}
	}
	homes := make(map[journal.TradeID]journal.TradeID)
	for _, p := range order {
		best, ok := homes[p.orphan]
		if !ok || p.trade == p.orphan || best != p.orphan && votes[p] > votes[pair{p.orphan, best}] {
			homes[p.orphan] = p.trade
		}
	}
	return homes
}

// adoptInto merges orphans into trades, or ends their state if they are those trades.
// The key is the orphan.
func adoptInto(ctx context.Context, tx *db.Tx, owner journal.UserID, now time.Time, homes map[journal.TradeID]journal.TradeID) error {
	orphans := slices.Sorted(maps.Keys(homes))
	stored, err := LoadAnnotations(ctx, tx, owner, orphans)
	if err != nil {
		return err
	}
	merges := map[journal.TradeID][]Annotations{}
	for _, orphan := range orphans {
		into := homes[orphan]
		if orphan != into {
			merges[into] = append(merges[into], stored[orphan])
			continue
		}
		// The trade itself has come back. The redo restores the orphan with its fill keys.
		if err := keepOrphan(ctx, tx, owner, orphan); err != nil {
			return err
		}
		recordOrphan(tx, owner, orphan, stored[orphan].Account, "", false)
		if _, err := tx.Exec(ctx, `DELETE FROM orphaned_annotations WHERE user_id = $1 AND trade_id = $2`, owner, orphan); err != nil {
			return err
		}
	}
	return mergeInto(ctx, tx, owner, now, merges, nil)
}
