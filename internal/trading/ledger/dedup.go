package ledger

import (
	"context"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// arrival is a fill to be stored.
type arrival struct {
	*fill
	// key is the same pointer in all arrivals that a call has for an instrument.
	key *streamKey
	// unmultiplied reports that the usual multiplier applies.
	unmultiplied bool
	// known is the fill it repeats, stored or earlier in the same call; nil for a new
	// fill. Of a stored one only comparedColumns are read.
	known *fill
	// repeated reports that an earlier arrival in the same call has its id.
	repeated bool
	// completed reports that it completes or corrects the known fill.
	completed bool
	// deleted reports that it is left out because the user deleted the fill,
	// withdrawn that it is because the broker withdrew its id.
	deleted, withdrawn bool
	// replaces are a corrected fill's earlier ids, the latest first.
	replaces []string
}

// deduper finds already stored arrivals. The broker's id decides if the arrival and a
// stored fill both have one, else the content does, with times compared at the coarser
// precision. Each stored fill matches one arrival: if two are stored and a file has three
// equal ones, the third is new. An edited fill still matches by the content with which it
// arrived.
type deduper struct {
	b       *book
	claimed fillSet // stored fills matching an arrival
	origins map[string][]editedFill
}

// fillSet is a set of fill numbers. Each entry has 64 of them, because most imports are
// stored under consecutive numbers.
type fillSet map[int64]uint64

func (s fillSet) add(seq int64) { s[seq>>6] |= 1 << (uint64(seq) & 63) }

func (s fillSet) has(seq int64) bool { return s[seq>>6]&(1<<(uint64(seq)&63)) != 0 }

func (b *book) findDuplicates(ctx context.Context, arrivals []*arrival) error {
	d := &deduper{b: b, claimed: fillSet{}}
	if err := d.matchExternalIDs(ctx, arrivals); err != nil {
		return err
	}
	if b.nextSeq == 1 {
		return nil
	}
	if err := d.loadOrigins(ctx); err != nil {
		return err
	}
	if err := d.matchContent(ctx, arrivals); err != nil {
		return err
	}
	return d.matchPrecision(ctx, arrivals)
}

// matchExternalIDs matches arrivals by the broker's id with stored fills and
// with earlier arrivals.
func (d *deduper) matchExternalIDs(ctx context.Context, arrivals []*arrival) error {
	first := map[string]*fill{}
	var ids []string
	for _, a := range arrivals {
		if a.externalID != "" && first[a.externalID] == nil {
			first[a.externalID] = a.fill
			ids = append(ids, a.externalID)
			ids = append(ids, a.replaces...)
		}
	}
	if d.b.nextSeq == 1 {
		ids = nil // nothing is stored
	}
	stored, err := d.b.listByExternalID(ctx, ids)
	if err != nil {
		return err
	}
	for _, a := range arrivals {
		if a.externalID == "" {
			continue
		}
		a.repeated = first[a.externalID] != a.fill
		f, err := d.findByID(ctx, a, stored)
		if err != nil {
			return err
		}
		if f != nil {
			a.known = f
			d.claimed.add(f.seq)
		} else if a.repeated {
			a.known = first[a.externalID]
		}
	}
	return nil
}

// findByID returns the stored fill with the arrival's id, or with one it replaces. Among
// several with the id, which the user allowed, it is the equal one that no other arrival
// matches, else the first to arrive.
func (d *deduper) findByID(ctx context.Context, a *arrival, stored map[string][]*fill) (*fill, error) {
	list := stored[a.externalID]
	for _, id := range a.replaces {
		if len(list) == 0 {
			list = stored[id]
		}
	}
	if len(list) < 2 {
		return firstOf(list), nil
	}
	for _, f := range list[:min(len(list), maxSameID)] {
		if d.claimed.has(f.seq) || !a.sameContent(f) {
			continue
		}
		s, err := d.b.streamNumbered(ctx, f.stream)
		if err != nil || s.key == *a.key {
			return f, err
		}
	}
	return list[0], nil
}

// maxSameID is how many stored fills with one id are compared.
const maxSameID = 64

func firstOf(list []*fill) *fill {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

const externalFills = ` WHERE user_id = $1 AND account = $2 AND external_id IN $keys ORDER BY seq`

// listByExternalID returns stored fills by the broker's ids, those with one id in the order
// of their arrival.
func (a *accountRows) listByExternalID(ctx context.Context, ids []string) (map[string][]*fill, error) {
	found := map[string][]*fill{}
	list, err := db.ListIn(ctx, a.tx, ids, a.scanFill, fillSelect+a.tx.Using("executions_external")+externalFills, a.owner, a.account.number)
	for _, f := range list {
		found[f.externalID] = append(found[f.externalID], f)
	}
	return found, err
}

// fillsByExternalID returns stored fills by the broker's ids; the first to arrive if
// several have the same id.
func (a *accountRows) fillsByExternalID(ctx context.Context, ids []string) (map[string]*fill, error) {
	stored, err := a.listByExternalID(ctx, ids)
	found := make(map[string]*fill, len(stored))
	for id, list := range stored {
		found[id] = list[0]
	}
	return found, err
}

// matchContent matches arrivals with stored fills by content. Many arrivals are matched
// by reading all fills stored in their period, and few by reading each stream's fills in
// time order.
func (d *deduper) matchContent(ctx context.Context, arrivals []*arrival) error {
	matched, err := d.matchRange(ctx, arrivals)
	if err != nil || matched && len(d.origins) == 0 {
		return err
	}
	for key, list := range groupUnknown(arrivals, func(*arrival) bool { return true }) {
		if !matched {
			if err := d.matchStream(ctx, *key, list); err != nil {
				return err
			}
		}
		d.matchOrigins(*key, list)
	}
	return nil
}

// groupUnknown returns the unmatched arrivals meeting a condition, by stream, each list
// in time order.
func groupUnknown(arrivals []*arrival, wanted func(*arrival) bool) map[*streamKey][]*arrival {
	streams := map[*streamKey][]*arrival{}
	for _, a := range arrivals {
		if a.known == nil && wanted(a) {
			streams[a.key] = append(streams[a.key], a)
		}
	}
	for _, list := range streams {
		if !slices.IsSortedFunc(list, byArrivalTime) {
			slices.SortStableFunc(list, byArrivalTime)
		}
	}
	return streams
}

// matchStream matches one stream's arrivals, second by second.
func (d *deduper) matchStream(ctx context.Context, key streamKey, list []*arrival) error {
	s, err := d.b.findStream(ctx, key)
	if err != nil || s == nil {
		return err
	}
	stored, err := d.openStored(ctx, s)
	if err != nil {
		return err
	}
	stored.seek(startOfSecond(list[0]))
	for len(list) > 0 {
		from := startOfSecond(list[0]).At
		n := slices.IndexFunc(list, func(a *arrival) bool { return a.at >= from+second })
		if n < 0 {
			n = len(list)
		}
		d.matchSecond(list[:n], stored.between(from, from+second))
		list = list[n:]
	}
	return stored.err
}

// storedFills reads a stream's stored fills to compare arrivals with: also those that a
// corporate action moved to another stream.
type storedFills struct {
	fillCursor
	moved []*fill // those that were not returned yet, in order
}

const movedFills = ` WHERE user_id = $1 AND stated = $2 AND stated IS NOT NULL`

func (d *deduper) openStored(ctx context.Context, s *stream) (*storedFills, error) {
	f := &storedFills{fillCursor: fillCursor{set: d.b.streamSet, ctx: ctx, changes: &changes{stream: s}, columns: forComparison}}
	if !d.b.hasActions {
		return f, nil
	}
	list, err := db.List(ctx, d.b.tx, d.b.newFillReader((*fill).scanCompared).read,
		comparedFills+d.b.tx.Using("executions_stated")+movedFills, d.b.owner, s.number)
	slices.SortFunc(list, byPosition)
	f.moved = list
	return f, err
}

// between is [fillCursor.between] with the moved fills.
func (s *storedFills) between(from, to int64) []*fill {
	here := s.fillCursor.between(from, to)
	s.moved = s.moved[countWhile(s.moved, func(f *fill) bool { return f.at < from }):]
	if n := countWhile(s.moved, func(f *fill) bool { return f.at < to }); n > 0 {
		here, s.moved = append(here, s.moved[:n]...), s.moved[n:]
		slices.SortFunc(here, byPosition)
	}
	return here
}

// matchSecond matches arrivals in one stream and second with the fills stored in that
// second. Equal instants with the same precision take precedence over the same second.
func (d *deduper) matchSecond(list []*arrival, stored []*fill) {
	if len(stored) == 0 {
		return
	}
	if len(list)*len(stored) <= maxCompared { // most seconds have one or two fills
		d.match(list, stored, (*fill).sameWrittenContent)
		d.match(list, stored, (*fill).sameContentBySecond)
		return
	}
	exact, bySecond := map[timedDeal]*fillQueue{}, newFillQueues(stored)
	for _, f := range stored {
		queueOf(exact, newTimedDeal(f)).add(f)
	}
	for _, a := range list {
		if a.known == nil {
			a.known = d.claimFrom(exact[newTimedDeal(a.fill)], a, neverPast, always)
		}
	}
	for _, a := range list {
		switch {
		case a.known != nil:
		case !a.hasFraction():
			a.known = d.claimFrom(bySecond[newDeal(a.fill)], a, neverPast, always)
		default: // a fraction only equals a time without one
			a.known = d.claimFrom(exact[timedDeal{deal: newDeal(a.fill), at: startOfSecond(a).At}], a, neverPast, always)
		}
	}
}

// match matches arrivals with stored fills by a comparison.
func (d *deduper) match(list []*arrival, among []*fill, same func(*fill, *fill) bool) {
	for _, a := range list {
		if a.known == nil {
			a.known = d.claim(among, a, same)
		}
	}
}

// claim returns the stored fill that equals an arrival and does not match
// another one yet: the first without a broker's id, else the first. Two fills
// with different ids never match.
func (d *deduper) claim(among []*fill, a *arrival, same func(*fill, *fill) bool) (found *fill) {
	for _, f := range among {
		if d.claimed.has(f.seq) || a.externalID != "" && f.externalID != "" || !same(f, a.fill) {
			continue
		}
		if found == nil || f.externalID == "" {
			found = f
		}
		if f.externalID == "" {
			break
		}
	}
	if found != nil {
		d.claimed.add(found.seq)
	}
	return found
}

// updateFirstExternal sets the external id that orders a trade to its first fill's, after
// the fill was written without a regrouping.
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

// checkSameFill returns a conflict if the fill with the same broker's id is a
// different one.
func (set *streamSet) checkSameFill(ctx context.Context, a *arrival) error {
	s, err := set.streamNumbered(ctx, a.known.stream)
	if err == nil && (s.key != *a.key || !a.known.sameDeal(a.fill) || !a.known.sameInstant(&a.fill.fillTime)) {
		return externalIDConflict()
	}
	return err
}

func externalIDConflict() error {
	return journal.Conflict("Another execution of this account already has this external id.")
}
