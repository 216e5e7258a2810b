package ledger

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
)

// deletedFill is a row of deleted_fills: a fill the user deleted by hand.
type deletedFill struct {
	key       streamKey
	values    fill   // seq is the row's number
	origin    string // the content key with which an edited fill arrived
	deletedAt int64
}

// dealKey is what a deleted fill and an arrival with the same content have in
// common.
type dealKey struct {
	stream                streamKey
	side, quantity, price string
}

func newDealKey(key streamKey, f *fill) dealKey {
	return dealKey{stream: key, side: string(f.side), quantity: f.quantity.String(), price: f.comparedPrice().String()}
}

// timedKey is a dealKey at an instant, written with fractional seconds or not.
type timedKey struct {
	dealKey
	at          int64
	hasFraction bool
}

func scanDeletedFill(row db.Scanner) (*deletedFill, error) {
	d := &deletedFill{}
	var number int64
	var text string
	var origin *string
	if err := row.Scan(&number, &text, &origin, &d.deletedAt); err != nil {
		return nil, err
	}
	var c sourceContent
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return nil, fmt.Errorf("reading deleted fill %d: %w", number, err)
	}
	d.key, d.values = c.key(), c.fill()
	d.values.seq = number
	if origin != nil {
		d.origin = *origin
	}
	return d, nil
}

// loadDeletedFills reads the account's deleted fills, oldest first.
func (b *book) loadDeletedFills(ctx context.Context) ([]*deletedFill, error) {
	if b.deletedFills == 0 {
		return nil, nil
	}
	return db.List(ctx, b.tx, scanDeletedFill,
		`SELECT number, content, origin, deleted_at FROM deleted_fills WHERE user_id = $1 AND account = $2 ORDER BY number`,
		b.owner, b.account.number)
}

// recordDeleted stores that the user deleted fills.
func (b *book) recordDeleted(ctx context.Context, fills []*fill) error {
	list := make([]*deletedFill, len(fills))
	for i, f := range fills {
		s, err := b.streamNumbered(ctx, f.stream)
		if err != nil {
			return err
		}
		list[i] = &deletedFill{key: s.key, values: *f, origin: f.origin, deletedAt: db.Micros(b.now)}
	}
	return b.insertDeletedFills(ctx, list)
}

// insertDeletedFills stores deleted fills and drops the oldest beyond the limit.
func (b *book) insertDeletedFills(ctx context.Context, list []*deletedFill) error {
	if len(list) == 0 {
		return nil
	}
	rows := make([][]any, len(list))
	for i, d := range list {
		b.deletedFills++
		f := &d.values // only what fills are compared by
		text, err := newSource(0, 0, importSource{}, d.key, &fill{
			fillTime: fillTime{f.at, f.facts & (FactsRecorded | timeFacts)}, side: f.side, quantity: f.quantity, price: f.comparedPrice(), externalID: f.externalID,
		}).marshalContent()
		if err != nil {
			return err
		}
		rows[i] = []any{int64(b.owner), b.account.number, b.deletedFills, text, nullIfEmpty(d.origin), d.deletedAt}
	}
	err := b.tx.QueueRows(ctx, "deleted_fills", []string{"user_id", "account", "number", "content", "origin", "deleted_at"}, "", rows)
	if err != nil {
		return err
	}
	err = b.tx.Queue(ctx, `DELETE FROM deleted_fills WHERE user_id = $1 AND account = $2 AND number <= $3`,
		b.owner, b.account.number, b.deletedFills-int64(limits.DeletedFills.Max))
	if err != nil {
		return err
	}
	return b.tx.Queue(ctx, `UPDATE accounts SET deleted_fills = $1 WHERE user_id = $2 AND id = $3`,
		b.deletedFills, b.owner, b.account.ID)
}

// applyDeleted compares new arrivals with the fills the user deleted. If skip is set, it
// returns the arrivals without those and sets deleted in them. Otherwise all arrivals
// stay, and the deleted fills they bring back are forgotten.
func (b *book) applyDeleted(ctx context.Context, arrivals []*arrival, skip bool) ([]*arrival, error) {
	found, err := b.matchDeleted(ctx, arrivals)
	if err != nil || len(found) == 0 {
		return arrivals, err
	}
	if skip {
		kept := make([]*arrival, 0, len(arrivals))
		for _, a := range arrivals {
			if a.deleted = found[a] != nil; !a.deleted {
				kept = append(kept, a)
			}
		}
		return kept, nil
	}
	keys := make([][]any, 0, len(found))
	for _, f := range found {
		keys = append(keys, []any{int64(b.owner), b.account.number, f.seq})
	}
	slices.SortFunc(keys, func(k, l []any) int { return cmp.Compare(k[2].(int64), l[2].(int64)) })
	keys = slices.CompactFunc(keys, slices.Equal)
	if err := b.keepNumber(ctx); err != nil {
		return nil, err
	}
	for _, key := range keys {
		if err := history.Keep(ctx, b.tx, b.owner, "deleted_fills", `account = $2 AND number = $3`, key[1:]...); err != nil {
			return nil, err
		}
	}
	return arrivals, b.tx.DeleteMany(ctx, "deleted_fills", []string{"user_id", "account", "number"}, keys)
}

// matchDeleted returns the deleted fills new arrivals repeat, by the rules by which a
// stored fill is found: the broker's id decides if both have one, else the content does,
// and an edited fill is found by the content with which it arrived. A repeated arrival in
// the same call has the same result.
func (b *book) matchDeleted(ctx context.Context, arrivals []*arrival) (map[*arrival]*fill, error) {
	if b.deletedFills == 0 {
		return nil, nil
	}
	var fresh []*arrival
	for _, a := range arrivals {
		if a.known == nil {
			fresh = append(fresh, a)
		}
	}
	if len(fresh) == 0 {
		return nil, nil
	}
	list, err := b.loadDeletedFills(ctx)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	m := newDeletedMatcher(list)
	m.match(fresh)
	first := make(map[*fill]*fill, len(m.found))
	for a, f := range m.found {
		first[a.fill] = f
	}
	for _, a := range arrivals {
		if f := first[a.known]; f != nil {
			m.found[a] = f
		}
	}
	return m.found, nil
}

// deletedMatcher finds the deleted fills that arrivals repeat.
type deletedMatcher struct {
	deduper
	byID map[string]*fill
	// byContent and byDeal have the same fills.
	byContent map[timedKey]*fillQueue
	byDeal    map[dealKey]*fillQueue
	byOrigin  map[string][]editedFill
	found     map[*arrival]*fill
}

func newDeletedMatcher(list []*deletedFill) *deletedMatcher {
	m := &deletedMatcher{
		deduper: deduper{claimed: fillSet{}}, byID: map[string]*fill{}, byDeal: map[dealKey]*fillQueue{}, byContent: map[timedKey]*fillQueue{},
		byOrigin: map[string][]editedFill{}, found: map[*arrival]*fill{},
	}
	for _, d := range list {
		f := &d.values
		if f.externalID != "" {
			m.byID[f.externalID] = f
		}
		deal := newDealKey(d.key, f)
		queueOf(m.byDeal, deal).add(f)
		queueOf(m.byContent, timedKey{deal, f.at, f.hasFraction()}).add(f)
		if d.origin != "" {
			bySecond, at := splitOrigin(d.origin)
			m.byOrigin[bySecond] = append(m.byOrigin[bySecond], editedFill{f, at})
		}
	}
	return m
}

// match matches arrivals with deleted fills: by id, then with equal instants with the
// same precision, then within their times' precision, then by the original content.
func (m *deletedMatcher) match(fresh []*arrival) {
	for _, a := range fresh {
		if f := m.byID[a.externalID]; f != nil {
			m.found[a] = f
			m.claimed.add(f.seq)
		}
	}
	for _, a := range fresh {
		if m.found[a] == nil {
			m.add(a, m.claimFrom(m.byContent[timedKey{newDealKey(*a.key, a.fill), a.at, a.hasFraction()}], a, neverPast, always))
		}
	}
	for _, a := range fresh {
		if m.found[a] == nil {
			m.add(a, m.claimFrom(m.byDeal[newDealKey(*a.key, a.fill)], a, neverPast, (*fill).sameFill))
		}
	}
	for _, a := range fresh {
		if m.found[a] == nil && len(m.byOrigin) > 0 {
			bySecond, _ := splitOrigin(a.contentKey(*a.key))
			m.add(a, m.claimEdited(m.byOrigin, bySecond, a))
		}
	}
}

func (m *deletedMatcher) add(a *arrival, f *fill) {
	if f != nil {
		m.found[a] = f
	}
}

// DeletedFill is a fill the user deleted by hand. Connections, hooks and watched files do
// not bring it back.
type DeletedFill struct {
	NewFill
	// Origin is the content key with which an edited fill arrived.
	Origin    string
	DeletedAt time.Time
}

// DeletedFills returns an account's deleted fills, oldest first. It is a step.
func DeletedFills(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) ([]DeletedFill, error) {
	b, err := readBook(ctx, tx, owner, account)
	if err != nil {
		return nil, err
	}
	stored, err := b.loadDeletedFills(ctx)
	list := make([]DeletedFill, len(stored))
	for i, d := range stored {
		f := &d.values
		list[i] = DeletedFill{
			NewFill: NewFill{
				Symbol: d.key.symbol, InstrumentType: d.key.kind, Side: f.side, Quantity: f.quantity, Price: f.price,
				ExecutedAt: db.FromMicros(f.at), ExternalID: f.externalID, Details: d.key.contractDetails(), Facts: f.facts,
			},
			Origin: d.origin, DeletedAt: db.FromMicros(d.deletedAt),
		}
	}
	return list, err
}

// contractDetails returns the contract as fill details, nil if none.
func (k streamKey) contractDetails() map[string]string {
	details := map[string]string{}
	for name, value := range map[string]string{keyRight: k.right, keyStrike: k.strike, keyExpiry: k.expiry, keyLot: k.lot} {
		if value != "" {
			details[name] = value
		}
	}
	if len(details) == 0 {
		return nil
	}
	return details
}

// AddDeletedFills adds deleted fills to an account, except those that are stored or
// already in the list, and returns their number. With all it adds each one, as to a new
// account: the user may have entered a fill twice and deleted one of them. It is a step;
// an invalid list is rejected before anything is written.
func (s *Service) AddDeletedFills(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, list []DeletedFill, all bool,
) (count int, err error) {
	if len(list) == 0 {
		return 0, nil
	}
	fills := make([]NewFill, len(list))
	for i, d := range list {
		fills[i] = d.NewFill
	}
	checked, err := checkFills(fills)
	if err != nil {
		return 0, err
	}
	err = s.withBook(ctx, tx, owner, account, func(b *book) error {
		arrivals, _, err := b.newArrivals(ctx, checked)
		if err != nil {
			return err
		}
		var already map[*arrival]*fill
		if !all {
			if err := b.findDuplicates(ctx, arrivals); err != nil {
				return err
			}
			if already, err = b.matchDeleted(ctx, arrivals); err != nil {
				return err
			}
		}
		var fresh []*deletedFill
		for i, a := range arrivals {
			if a.known == nil && already[a] == nil {
				fresh = append(fresh, &deletedFill{
					key: *a.key, values: *a.fill, origin: cleanOrigin(list[i].Origin), deletedAt: db.Micros(list[i].DeletedAt),
				})
			}
		}
		count = len(fresh)
		return b.insertDeletedFills(ctx, fresh)
	})
	return count, err
}
