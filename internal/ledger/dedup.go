package ledger

import (
	"cmp"
	"context"
	"slices"

	"fillbook/internal/db"
	"fillbook/internal/journal"
)

// arrival is one fill that a caller wants to store.
type arrival struct {
	*fill
	key streamKey
	// unmultiplied tells that the multiplier is to be the usual one.
	unmultiplied bool
	// known is the fill that it turned out to be, stored or earlier in the
	// same call; nil for one that is new. Of a stored one only the gist is read.
	known *fill
}

// dedup finds out which arrivals are stored already. The broker's id decides
// where the arrival and a stored fill have one. Otherwise it is the content,
// and each stored fill answers for one arrival: of three equal fills in a
// file, of which two are stored, the third is new. A fill that was edited here
// is still known by the content it arrived with.
type dedup struct {
	b        *book
	taken    map[int64]bool // stored fills that an arrival was found to be
	byOrigin map[string][]*fill
}

func (b *book) dedup(ctx context.Context, arrivals []*arrival) error {
	d := &dedup{b: b, taken: map[int64]bool{}, byOrigin: map[string][]*fill{}}
	if err := d.byExternalID(ctx, arrivals); err != nil {
		return err
	}
	if b.nextSeq == 1 {
		return nil
	}
	if err := d.loadOrigins(ctx); err != nil {
		return err
	}
	return d.byContent(ctx, arrivals)
}

// byExternalID settles the arrivals whose id is stored, or came before.
func (d *dedup) byExternalID(ctx context.Context, arrivals []*arrival) error {
	first := map[string]*fill{}
	var ids []string
	for _, a := range arrivals {
		if a.externalID != "" && first[a.externalID] == nil {
			first[a.externalID] = a.fill
			ids = append(ids, a.externalID)
		}
	}
	inLedger, err := d.b.fillsByExternalID(ctx, ids)
	if err != nil {
		return err
	}
	for _, a := range arrivals {
		if a.externalID == "" {
			continue
		}
		if f := inLedger[a.externalID]; f != nil {
			a.known, d.taken[f.seq] = f, true
		} else if f := first[a.externalID]; f != a.fill {
			a.known = f
		}
	}
	return nil
}

const (
	externalFills = ` WHERE user_id = $1 AND account = $2 AND external_id IN `
	editedFills   = `WHERE user_id = $1 AND account = $2 AND origin IS NOT NULL ORDER BY origin, seq`
)

// fillsByExternalID finds stored fills by the broker's ids; of several with
// one id the first to arrive.
func (b *book) fillsByExternalID(ctx context.Context, ids []string) (map[string]*fill, error) {
	found := map[string]*fill{}
	if b.nextSeq == 1 {
		return found, nil
	}
	for part := range slices.Chunk(ids, 100) {
		args := []any{b.owner, b.account.number}
		list, err := db.List(ctx, b.tx, scanFill,
			fillSelect+b.tx.Using("executions_external")+externalFills+db.In(&args, part)+` ORDER BY seq DESC`, args...)
		if err != nil {
			return nil, err
		}
		for _, f := range list {
			found[f.externalID] = f
		}
	}
	return found, nil
}

func (d *dedup) loadOrigins(ctx context.Context) error {
	list, err := db.List(ctx, d.b.tx, scanFill, fillSelect+editedFills, d.b.owner, d.b.account.number)
	for _, f := range list {
		d.byOrigin[f.origin] = append(d.byOrigin[f.origin], f)
	}
	return err
}

// byContent settles the arrivals that say the same as a stored fill. It goes
// through each stream in time order, so that stored fills are read in passing.
func (d *dedup) byContent(ctx context.Context, arrivals []*arrival) error {
	streams := map[streamKey][]*arrival{}
	for _, a := range arrivals {
		if a.known == nil {
			streams[a.key] = append(streams[a.key], a)
		}
	}
	for key, list := range streams {
		s, err := d.b.findStream(ctx, key)
		if err != nil {
			return err
		}
		if s != nil {
			slices.SortStableFunc(list, func(a, b *arrival) int { return cmp.Compare(a.at, b.at) })
			if err := d.inStream(ctx, s, list); err != nil {
				return err
			}
		}
		d.byOrigins(key, list)
	}
	return nil
}

func (d *dedup) inStream(ctx context.Context, s *stream, list []*arrival) error {
	cursor := &fillCursor{b: d.b, ctx: ctx, changes: &changes{stream: s}, gists: true}
	cursor.seek(list[0].position())
	var here []*fill
	for i, a := range list {
		if i == 0 || a.at != list[i-1].at {
			here = cursor.atInstant(a.at)
		}
		a.known = d.take(here, a, (*fill).sameContent)
	}
	return cursor.err
}

// byOrigins settles arrivals by what edited fills said when they arrived.
func (d *dedup) byOrigins(key streamKey, list []*arrival) {
	if len(d.byOrigin) == 0 {
		return
	}
	for _, a := range list {
		if a.known == nil {
			a.known = d.take(d.byOrigin[a.contentKey(key)], a, func(*fill, *fill) bool { return true })
		}
	}
}

// take finds the first stored fill that is the arrival and is not another one
// already. Two fills with different ids of the broker are never the same.
func (d *dedup) take(among []*fill, a *arrival, same func(*fill, *fill) bool) *fill {
	for _, f := range among {
		if !d.taken[f.seq] && (a.externalID == "" || f.externalID == "") && same(f, a.fill) {
			d.taken[f.seq] = true
			return f
		}
	}
	return nil
}

// adoptIDs gives a stored fill that had none the id that the broker's file
// knows it by, so that it is found again even after an edit.
func (b *book) adoptIDs(ctx context.Context, arrivals []*arrival) error {
	for _, a := range arrivals {
		if a.known == nil || a.known.state != stored || a.externalID == "" || a.known.externalID != "" {
			continue
		}
		_, err := b.tx.Exec(ctx,
			`UPDATE executions SET external_id = $1 WHERE user_id = $2 AND account = $3 AND executed_at = $4 AND seq = $5`,
			a.externalID, b.owner, b.account.number, a.known.at, a.known.seq)
		if err != nil {
			return err
		}
		adopted := *a.known
		adopted.externalID = a.externalID
		if err := b.updateFirstExternal(ctx, &adopted); err != nil {
			return err
		}
	}
	return nil
}

// updateFirstExternal keeps the external id that a trade is ordered by equal to
// that of its first fill, after the fill was written without a regrouping.
func (b *book) updateFirstExternal(ctx context.Context, f *fill) error {
	ids, err := db.List(ctx, b.tx, db.Single[journal.TradeID], `
		SELECT id FROM trades WHERE user_id = $1 AND account = $2 AND opened_at = $3 AND first_seq = $4`,
		b.owner, b.account.number, f.at, f.seq)
	for _, id := range ids { // at most one: no two trades open with the same fill
		_, err = b.tx.Exec(ctx, `UPDATE trades SET first_external = $1, revision = $2 WHERE user_id = $3 AND id = $4`,
			f.externalID, b.revision, b.owner, id)
	}
	b.reordered = append(b.reordered, ids...)
	return err
}

// duplicateOf finds the stored fill that a single new one repeats, nil if it
// is new. An id of the broker that another fill has is refused.
func (b *book) duplicateOf(ctx context.Context, f *fill, key streamKey) (*fill, error) {
	if f.externalID != "" {
		known, err := b.fillsByExternalID(ctx, []string{f.externalID})
		if err != nil {
			return nil, err
		}
		if same := known[f.externalID]; same != nil {
			return same, b.refuseOther(ctx, same, f, key)
		}
	}
	s, err := b.findStream(ctx, key)
	if err != nil || s == nil {
		return nil, err
	}
	cursor := &fillCursor{b: b, ctx: ctx, changes: &changes{stream: s}}
	cursor.seek(f.position())
	d := &dedup{b: b, taken: map[int64]bool{}}
	return d.take(cursor.atInstant(f.at), &arrival{fill: f}, (*fill).sameContent), cursor.err
}

// refuseOther refuses a fill that carries the broker's id of a different one.
func (b *book) refuseOther(ctx context.Context, stored, f *fill, key streamKey) error {
	s, err := b.streamNumbered(ctx, stored.stream)
	if err == nil && (s.key != key || !stored.sameContent(f)) {
		return takenExternalID()
	}
	return err
}

func takenExternalID() error {
	return journal.Conflict("Another execution of this account already has this external id.")
}
