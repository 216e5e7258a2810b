package excursions

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/market"
	"fillbook/internal/trading/ledger"
)

// state is up to where an account's results are computed.
type state struct {
	revision, barChange int64
}

// Refresh computes the results of all the owner's trades that changed, or whose bars did,
// since the last time. If nothing changed, it only reads: one statement if the owner
// never had bars. Reading the results after it finds them current, unless something
// changed in between.
//
// New results raise the account's revision, so all data cached by revision is read again
// for these trades.
//
// Results are computed without a lock, so writers do not wait; only storing them locks
// the account. A reader does not wait long for writers either: if the account cannot be
// locked within a second, its results stay as they are until the next time.
func (s *Service) Refresh(ctx context.Context, owner journal.UserID) error {
	stale, err := s.findStale(ctx, owner)
	if err != nil || len(stale) == 0 {
		return err
	}
	unlock, err := s.owners.Lock(ctx, owner)
	if err != nil {
		return err
	}
	defer unlock()
	for _, account := range stale {
		if err := s.refreshAccount(ctx, owner, account); err != nil {
			return fmt.Errorf("computing excursions of account %s: %w", account, err)
		}
	}
	return nil
}

// refreshAccount computes and stores an account's outdated results.
func (s *Service) refreshAccount(ctx context.Context, owner journal.UserID, id journal.AccountID) error {
	r := &refresh{owner: owner}
	isStale := false
	err := s.db.View(ctx, func(tx *db.Tx) (err error) {
		isStale, err = r.begin(ctx, tx, id)
		return err
	})
	if err != nil || !isStale {
		return err
	}
	if r.isPending {
		if err := s.computeAll(ctx, r); err != nil {
			return err
		}
	}
	return s.save(ctx, r)
}

// lockWait is how long a reader waits for an account lock.
const lockWait = time.Second

// save stores results, unless the account cannot be locked soon.
func (s *Service) save(ctx context.Context, r *refresh) error {
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	timer := time.AfterFunc(s.lockWait, stop)
	isLocked := false
	err := s.db.Update(waiting, func(tx *db.Tx) error {
		return r.save(waiting, tx, func() { isLocked = timer.Stop() })
	})
	if err != nil && !isLocked && waiting.Err() != nil && ctx.Err() == nil {
		return nil
	}
	return err
}

// findStale returns the accounts whose results are not current.
func (s *Service) findStale(ctx context.Context, owner journal.UserID) (stale []journal.AccountID, err error) {
	var last int64
	err = s.db.Peek(ctx, func(tx *db.Tx) error {
		last, err = bars.LastChange(ctx, tx, owner)
		return err
	})
	if err != nil || last == 0 {
		return nil, err
	}
	err = s.db.View(ctx, func(tx *db.Tx) error {
		stale = nil
		if last, err = bars.LastChange(ctx, tx, owner); err != nil {
			return err
		}
		states, err := readStates(ctx, tx, owner)
		if err != nil {
			return err
		}
		accounts, err := ledger.Accounts(ctx, tx, owner)
		for _, a := range accounts {
			if states[a.ID] != (state{a.Revision, last}) {
				stale = append(stale, a.ID)
			}
		}
		return err
	})
	return stale, err
}

func readStates(ctx context.Context, tx *db.Tx, owner journal.UserID) (map[journal.AccountID]state, error) {
	states := map[journal.AccountID]state{}
	err := db.Each(ctx, tx, func(row db.Scanner) error {
		var account journal.AccountID
		var st state
		err := row.Scan(&account, &st.revision, &st.barChange)
		states[account] = st
		return err
	}, `SELECT account_id, revision, bar_change FROM excursion_accounts WHERE user_id = $1`, owner)
	return states, err
}

func readState(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.AccountID) (st state, known bool, err error) {
	err = tx.QueryRow(ctx, `SELECT revision, bar_change FROM excursion_accounts WHERE user_id = $1 AND account_id = $2`, owner, id).
		Scan(&st.revision, &st.barChange)
	if errors.Is(err, db.ErrNoRows) {
		return state{}, false, nil
	}
	return st, err == nil, err
}

// refresh computes an account's results.
type refresh struct {
	owner   journal.UserID
	account ledger.Account
	lookup  *bars.Lookup
	// at is the state behind the results.
	at state
	// all are the results for all trades with one, if isAll; fresh are those computed
	// later or alone, nil for a trade without one.
	all   []encodedResult
	fresh map[journal.TradeID][]byte
	isAll bool
	// isPending reports whether all results are still to be computed.
	isPending bool
}

// begin reads what changed since an account's results were stored. It computes the new
// results at once, or sets isPending if they are many. It returns false if they are
// current.
func (r *refresh) begin(ctx context.Context, tx *db.Tx, id journal.AccountID) (isStale bool, err error) {
	accounts, err := ledger.Accounts(ctx, tx, r.owner)
	i := slices.IndexFunc(accounts, func(a ledger.Account) bool { return a.ID == id })
	if err != nil || i < 0 { // deleted since
		return false, err
	}
	r.account, r.fresh = accounts[i], map[journal.TradeID][]byte{}
	last, err := bars.LastChange(ctx, tx, r.owner)
	if err != nil {
		return false, err
	}
	r.at = state{r.account.Revision, last}
	before, known, err := readState(ctx, tx, r.owner, id)
	if err != nil || known && before == r.at {
		return false, err
	}
	m, err := newMeter(ctx, tx, r.owner)
	if err != nil {
		return false, err
	}
	r.lookup = m.lookup
	r.isAll = !known
	if known {
		r.isAll, err = r.computeSince(m, before)
	}
	if err != nil || !r.isAll {
		return true, err
	}
	hasFew, err := r.hasFewSeries(m)
	if r.isPending = !hasFew; err != nil || r.isPending {
		return true, err
	}
	all := func(i ledger.Instrument) (ledger.PositionWindow, bool) { return everything, r.hasSeries(i) }
	return true, ledger.EachPosition(ctx, tx, r.owner, r.account, all, func(list ledger.InstrumentPositions) error { return m.measure(list, r.add) })
}

// hasFewSeries reports whether so few instruments have bars that their fills are read
// faster by instrument than with all others.
func (r *refresh) hasFewSeries(m *meter) (bool, error) {
	list, err := ledger.ListInstruments(m.ctx, m.tx, r.owner, r.account)
	const few = 8
	count := 0
	for _, i := range list {
		if r.hasSeries(i) {
			count++
		}
	}
	return few*count <= len(list), err
}

// computeSince computes the results for trades changed after a state, and for those whose
// bars changed. It returns true, without results, if all must be computed.
func (r *refresh) computeSince(m *meter, since state) (needsAll bool, err error) {
	touched, known, err := ledger.TouchedSince(m.ctx, m.tx, r.owner, r.account.ID, since.revision)
	if err != nil || !known {
		return true, err
	}
	changes, err := bars.ListChanges(m.ctx, m.tx, r.owner, since.barChange)
	if err != nil {
		return false, err
	}
	if needsAll, err := r.concernMost(m, changes); err != nil || needsAll {
		return needsAll, err
	}
	for _, id := range touched {
		r.fresh[id] = nil
	}
	add := func(list ledger.InstrumentPositions) error { return m.measure(list, r.add) }
	if err := ledger.EachPositionByID(m.ctx, m.tx, r.owner, touched, add); err != nil || len(changes) == 0 {
		return false, err
	}
	window := func(i ledger.Instrument) (ledger.PositionWindow, bool) { return m.windowOf(changes, i) }
	return false, ledger.EachPosition(m.ctx, m.tx, r.owner, r.account, window, add)
}

// concernMost reports whether bar changes concern so many instruments, and for so long,
// that all trades should be computed: all fills are read faster than a part.
func (r *refresh) concernMost(m *meter, changes []bars.Change) (bool, error) {
	if len(changes) == 0 {
		return false, nil
	}
	list, err := ledger.ListInstruments(m.ctx, m.tx, r.owner, r.account)
	const long, most = 365 * secondsOfDay * micros, 4
	count := 0
	for _, i := range list {
		w, isConcerned := m.windowOf(changes, i)
		if isConcerned && (w == everything || w.To-w.From > long) {
			count++
		}
	}
	return count > 1 && most*count >= len(list), err
}

// add adds a trade's result.
func (r *refresh) add(id journal.TradeID, result *Result) {
	r.fresh[id] = nil
	if result.isKept() {
		r.fresh[id] = result.appendTo(nil)
	}
}

// isKept reports whether a result is worth keeping.
func (r *Result) isKept() bool { return r.IsAvailable() || r.hasContext() }

// fillsAtOnce is how many fills are in memory when all trades are computed.
const fillsAtOnce = 400_000

// computeAllIn computes all results in one transaction.
func (r *refresh) computeAllIn(m *meter) error {
	r.all, r.fresh, r.isAll = nil, map[journal.TradeID][]byte{}, true
	scan := ledger.NewPositionScan(r.owner, r.account, r.hasSeries)
	for more := true; more; {
		batch, isMore, err := scan.Read(m.ctx, m.tx, fillsAtOnce)
		if err != nil {
			return err
		}
		more = isMore
		for _, list := range batch {
			if err := m.measure(list, r.add); err != nil {
				return err
			}
		}
	}
	return nil
}

// hasSeries reports whether an instrument has bars.
func (r *refresh) hasSeries(i ledger.Instrument) bool { return r.lookup.Has(toPriced(i)) }

var everything = ledger.PositionWindow{From: -1 << 62, To: 1 << 62}

// windowOf returns when a position must have been held for bar changes to concern it: the
// bars before an entry are its context, and those up to a day after an exit are compared
// with it. Bars from the weeks around show when the market is open.
func (m *meter) windowOf(changes []bars.Change, i ledger.Instrument) (w ledger.PositionWindow, found bool) {
	for _, c := range changes {
		if !m.isConcerned(i, c) {
			continue
		}
		if c.Symbol == "" {
			return everything, true
		}
		from, to := (c.From-2*secondsOfDay-market.HoursReach)*micros, (c.To+market.LookBack+market.HoursReach)*micros
		if !found {
			w, found = ledger.PositionWindow{From: from, To: to}, true
		}
		w.From, w.To = min(w.From, from), max(w.To, to)
	}
	return w, found
}

// save stores the results that differ from the stored ones. It computes again what
// changed since. It calls locked when it has the lock.
func (r *refresh) save(ctx context.Context, tx *db.Tx, locked func()) error {
	account, err := ledger.LockAccount(ctx, tx, r.owner, r.account.ID)
	locked()
	if journal.IsKind(err, journal.KindNotFound) {
		return nil // deleted since
	}
	if err != nil {
		return err
	}
	last, err := bars.LastChange(ctx, tx, r.owner)
	if err != nil {
		return err
	}
	after := state{account.Revision, last}
	if after != r.at {
		if err := r.catchUp(ctx, tx); err != nil {
			return err
		}
	}
	changed, err := r.store(ctx, tx)
	if err == nil && len(changed) > 0 {
		after.revision, err = ledger.RaiseRevision(ctx, tx, r.owner, account, changed)
	}
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO excursion_accounts (user_id, account_id, account, revision, bar_change) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (user_id, account_id) DO UPDATE SET revision = excluded.revision, bar_change = excluded.bar_change`,
		r.owner, account.ID, account.Number(), after.revision, after.barChange)
	return err
}

// catchUp computes the results for everything changed after r.at.
func (r *refresh) catchUp(ctx context.Context, tx *db.Tx) error {
	m, err := newMeter(ctx, tx, r.owner)
	if err != nil {
		return err
	}
	r.lookup = m.lookup
	needsAll, err := r.computeSince(m, r.at)
	if err == nil && needsAll {
		err = r.computeAllIn(m)
	}
	return err
}

// encodedResult is a trade's result as stored; data is nil if none.
type encodedResult struct {
	trade journal.TradeID
	key   [16]byte
	data  []byte
}

func newEncodedResult(trade journal.TradeID, data []byte) encodedResult {
	key, _ := journal.ParseUUID(string(trade))
	return encodedResult{trade, key, data}
}

// list returns all new results in key order.
func (r *refresh) list() []encodedResult {
	list := r.all
	if len(r.fresh) > 0 {
		list = slices.DeleteFunc(slices.Clone(list), func(e encodedResult) bool {
			_, isOutdated := r.fresh[e.trade]
			return isOutdated
		})
		for id, data := range r.fresh {
			list = append(list, newEncodedResult(id, data))
		}
	}
	slices.SortFunc(list, func(a, b encodedResult) int { return bytes.Compare(a.key[:], b.key[:]) })
	return list
}

// store writes the results that differ from the stored ones and returns their trades.
func (r *refresh) store(ctx context.Context, tx *db.Tx) (changed []journal.TradeID, err error) {
	list := r.list()
	stored, err := r.readStored(ctx, tx)
	if err != nil {
		return nil, err
	}
	var outdated, rows [][]any
	owner, account := any(int64(r.owner)), any(r.account.Number())
	for i := range list {
		e := &list[i]
		old, isStored := stored[e.trade]
		delete(stored, e.trade)
		if bytes.Equal(e.data, old) {
			continue
		}
		changed = append(changed, e.trade)
		if isStored {
			outdated = append(outdated, []any{owner, e.trade})
		}
		if e.data != nil {
			rows = append(rows, []any{owner, e.key[:], account, e.data})
		}
	}
	for id := range stored { // if isAll, these have no result now
		changed, outdated = append(changed, id), append(outdated, []any{owner, id})
	}
	if err := tx.DeleteMany(ctx, "trade_excursions", []string{"user_id", "trade_id"}, outdated); err != nil {
		return nil, err
	}
	_, err = tx.InsertMany(ctx, "trade_excursions", []string{"user_id", "trade_id", "account", "data"}, "", rows)
	return changed, err
}

// readStored reads the stored results for the computed trades.
func (r *refresh) readStored(ctx context.Context, tx *db.Tx) (map[journal.TradeID][]byte, error) {
	if r.isAll {
		return readEncoded(ctx, tx, r.owner, `AND account = $2`, r.account.Number())
	}
	stored := map[journal.TradeID][]byte{}
	for part := range slices.Chunk(slices.Sorted(maps.Keys(r.fresh)), 500) {
		args := []any{r.owner}
		some, err := readEncoded(ctx, tx, r.owner, `AND trade_id IN `+db.In(&args, part), args[1:]...)
		if err != nil {
			return nil, err
		}
		maps.Copy(stored, some)
	}
	return stored, nil
}

// readEncoded reads stored results as they are. where has its arguments from $2 on.
func readEncoded(ctx context.Context, tx *db.Tx, owner journal.UserID, where string, args ...any) (map[journal.TradeID][]byte, error) {
	found := map[journal.TradeID][]byte{}
	err := db.Each(ctx, tx, func(row db.Scanner) error {
		var id journal.TradeID
		var data []byte
		err := row.Scan(&id, &data)
		found[id] = data
		return err
	}, `SELECT trade_id, data FROM trade_excursions WHERE user_id = $1 `+where, append([]any{owner}, args...)...)
	return found, err
}

// Load returns the kept results for trades. A trade without one is not in the map. It is
// a step; see [Service.Refresh].
func Load(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []journal.TradeID) (map[journal.TradeID]Result, error) {
	found := map[journal.TradeID]Result{}
	for part := range slices.Chunk(ids, 500) {
		args := []any{owner}
		some, err := readEncoded(ctx, tx, owner, `AND trade_id IN `+db.In(&args, part), args[1:]...)
		if err != nil {
			return nil, err
		}
		if err := decodeAll(some, found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// LoadFew returns the kept results for all the owner's trades, or nil if there are more
// than limit. It is a step.
func LoadFew(ctx context.Context, tx *db.Tx, owner journal.UserID, limit int) (map[journal.TradeID]Result, error) {
	var count int
	err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM (SELECT 1 FROM trade_excursions WHERE user_id = $1`+db.Limit(2)+`) AS few`, owner, limit+1).
		Scan(&count)
	if err != nil || count > limit {
		return nil, err
	}
	found := make(map[journal.TradeID]Result, count)
	if count == 0 {
		return found, nil
	}
	all, err := readEncoded(ctx, tx, owner, "")
	if err != nil {
		return nil, err
	}
	return found, decodeAll(all, found)
}

// LoadAccount returns the kept results for all trades in an account. It is a step.
func LoadAccount(ctx context.Context, tx *db.Tx, owner journal.UserID, account ledger.Account) (map[journal.TradeID]Result, error) {
	all, err := readEncoded(ctx, tx, owner, `AND account = $2`, account.Number())
	if err != nil {
		return nil, err
	}
	found := make(map[journal.TradeID]Result, len(all))
	return found, decodeAll(all, found)
}

func decodeAll(encoded map[journal.TradeID][]byte, into map[journal.TradeID]Result) error {
	for id, data := range encoded {
		r, err := decodeResult(data)
		if err != nil {
			return fmt.Errorf("trade %s: %w", id, err)
		}
		into[id] = r
	}
	return nil
}

// ForgetAccount deletes a deleted account's results. It is a step.
func ForgetAccount(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) error {
	var number int64
	err := tx.QueryRow(ctx, `SELECT account FROM excursion_accounts WHERE user_id = $1 AND account_id = $2`, owner, account).Scan(&number)
	if errors.Is(err, db.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := tx.DeleteInChunks(ctx, "trade_excursions", "trade_id", `user_id = $1 AND account = $2`, owner, number); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `DELETE FROM excursion_accounts WHERE user_id = $1 AND account_id = $2`, owner, account)
	return err
}

// DeleteAll deletes a user's results. It is a step in deleting the user.
func DeleteAll(ctx context.Context, tx *db.Tx, owner journal.UserID) error {
	return tx.DeleteInChunks(ctx, "trade_excursions", "trade_id", `user_id = $1`, owner)
}
