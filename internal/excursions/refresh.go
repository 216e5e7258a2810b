package excursions

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"fillbook/internal/bars"
	"fillbook/internal/db"
	"fillbook/internal/journal"
	"fillbook/internal/ledger"
	"fillbook/internal/market"
)

// state is up to where the results of an account are computed.
type state struct {
	revision, barChange int64
}

// Refresh computes the results of all trades of the owner that changed, or whose bars
// did, since the last time. If nothing changed, it only reads: one statement if the
// owner never had bars. Reading the results after it finds them current, unless
// something changed in between.
//
// New results raise the revision of the account, so that whatever is cached by
// revision reads these trades again.
//
// A reader does not wait long for writers: if the account cannot be locked within a
// second, its results stay as they are until the next time.
func (s *Service) Refresh(ctx context.Context, owner journal.UserID) error {
	stale, err := s.findStale(ctx, owner)
	if err != nil {
		return err
	}
	for _, account := range stale {
		if err := s.refreshAccount(ctx, owner, account); err != nil {
			return fmt.Errorf("computing excursions of account %s: %w", account, err)
		}
	}
	return nil
}

// lockWait is how long a reader waits for the lock of an account.
const lockWait = time.Second

// refreshAccount computes the results of an account, unless it cannot be locked soon.
func (s *Service) refreshAccount(ctx context.Context, owner journal.UserID, account journal.AccountID) error {
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	timer := time.AfterFunc(s.lockWait, stop)
	isLocked := false
	err := s.db.Update(waiting, func(tx *db.Tx) error {
		return refreshAccount(waiting, tx, owner, account, func() { isLocked = timer.Stop() })
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

// refreshAccount computes the results of an account that are not current. It calls
// locked when it has the lock.
func refreshAccount(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.AccountID, locked func()) error {
	account, err := ledger.LockAccount(ctx, tx, owner, id)
	locked()
	if journal.IsKind(err, journal.KindNotFound) {
		return nil // deleted since
	}
	if err != nil {
		return err
	}
	last, err := bars.LastChange(ctx, tx, owner)
	if err != nil {
		return err
	}
	before, known, err := readState(ctx, tx, owner, id)
	if err != nil || before == (state{account.Revision, last}) {
		return err
	}
	r := refresh{ctx: ctx, tx: tx, owner: owner, account: account, fresh: map[journal.TradeID][]byte{}}
	if r.meter, err = newMeter(ctx, tx, owner); err != nil {
		return err
	}
	var touched []journal.TradeID
	if known {
		if touched, known, err = ledger.TouchedSince(ctx, tx, owner, id, before.revision); err != nil {
			return err
		}
	}
	if known {
		err = r.computeChanged(touched, before.barChange)
	} else {
		err = r.computeAll()
	}
	if err != nil {
		return err
	}
	after := state{account.Revision, last}
	changed, err := r.save()
	if err == nil && len(changed) > 0 {
		after.revision, err = ledger.RaiseRevision(ctx, tx, owner, account, changed)
	}
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO excursion_accounts (user_id, account_id, account, revision, bar_change) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (user_id, account_id) DO UPDATE SET revision = excluded.revision, bar_change = excluded.bar_change`,
		owner, id, account.Number(), after.revision, after.barChange)
	return err
}

func readState(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.AccountID) (st state, known bool, err error) {
	err = tx.QueryRow(ctx, `SELECT revision, bar_change FROM excursion_accounts WHERE user_id = $1 AND account_id = $2`, owner, id).
		Scan(&st.revision, &st.barChange)
	if errors.Is(err, db.ErrNoRows) {
		return state{}, false, nil
	}
	return st, err == nil, err
}

// refresh computes results of an account in one transaction.
type refresh struct {
	ctx     context.Context
	tx      *db.Tx
	owner   journal.UserID
	account ledger.Account
	meter   *meter
	// fresh are the new results, nil for a trade without one. stored are the stored ones
	// of the same trades, or of all.
	fresh, stored map[journal.TradeID][]byte
}

// computeAll computes the results of all trades.
func (r *refresh) computeAll() (err error) {
	if err := ledger.EachPosition(r.ctx, r.tx, r.owner, r.account, r.meter.hasSeries, r.compute); err != nil {
		return err
	}
	r.stored, err = readEncoded(r.ctx, r.tx, r.owner, `AND account = $2`, r.account.Number())
	for id := range r.stored {
		if r.fresh[id] == nil {
			r.fresh[id] = nil // delete it
		}
	}
	return err
}

// hasSeries selects all positions of instruments that have bars.
func (m *meter) hasSeries(i ledger.Instrument) (ledger.PositionWindow, bool) {
	return everything, m.lookup.Has(toPriced(i))
}

var everything = ledger.PositionWindow{From: -1 << 62, To: 1 << 62}

// computeChanged computes the results of the trades that changed, and of those whose
// bars changed after a number.
func (r *refresh) computeChanged(touched []journal.TradeID, barChange int64) error {
	for _, id := range touched {
		r.fresh[id] = nil
	}
	if err := ledger.EachPositionByID(r.ctx, r.tx, r.owner, touched, r.compute); err != nil {
		return err
	}
	changes, err := bars.ListChanges(r.ctx, r.tx, r.owner, barChange)
	if err != nil {
		return err
	}
	if len(changes) > 0 {
		meets := func(i ledger.Instrument) (ledger.PositionWindow, bool) { return r.meter.windowOf(changes, i) }
		if err := ledger.EachPosition(r.ctx, r.tx, r.owner, r.account, meets, r.compute); err != nil {
			return err
		}
	}
	r.stored = map[journal.TradeID][]byte{}
	for part := range slices.Chunk(sortedIDs(r.fresh), 500) {
		args := []any{r.owner}
		some, err := readEncoded(r.ctx, r.tx, r.owner, `AND trade_id IN `+db.In(&args, part), args[1:]...)
		if err != nil {
			return err
		}
		maps.Copy(r.stored, some)
	}
	return nil
}

// windowOf returns when a position must have been held so that changes of bars concern
// it: the bars before an entry are its context, and those of a day after an exit are
// compared with it.
func (m *meter) windowOf(changes []bars.Change, i ledger.Instrument) (w ledger.PositionWindow, found bool) {
	for _, c := range changes {
		if !m.isConcerned(i, c) {
			continue
		}
		if c.Symbol == "" {
			return everything, true
		}
		from, to := (c.From-2*secondsOfDay)*micros, (c.To+market.LookBack)*micros
		if !found {
			w, found = ledger.PositionWindow{From: from, To: to}, true
		}
		w.From, w.To = min(w.From, from), max(w.To, to)
	}
	return w, found
}

// compute adds the results of positions.
func (r *refresh) compute(i ledger.Instrument, positions []ledger.Position) error {
	return r.meter.measure(i, positions, func(id journal.TradeID, result Result) {
		r.fresh[id] = nil
		if result.IsAvailable() || result.hasContext() {
			r.fresh[id] = result.encode()
		}
	})
}

// save stores the results that differ from the stored ones and returns their trades.
func (r *refresh) save() (changed []journal.TradeID, err error) {
	var outdated, rows [][]any
	for _, id := range sortedIDs(r.fresh) {
		data, old := r.fresh[id], r.stored[id]
		if bytes.Equal(data, old) {
			continue
		}
		changed = append(changed, id)
		if old != nil {
			outdated = append(outdated, []any{int64(r.owner), id})
		}
		if data != nil {
			rows = append(rows, []any{r.owner, id, r.account.Number(), data})
		}
	}
	if err := r.tx.DeleteMany(r.ctx, "trade_excursions", []string{"user_id", "trade_id"}, outdated); err != nil {
		return nil, err
	}
	_, err = r.tx.InsertMany(r.ctx, "trade_excursions", []string{"user_id", "trade_id", "account", "data"}, "", rows)
	return changed, err
}

func sortedIDs(results map[journal.TradeID][]byte) []journal.TradeID {
	ids := make([]journal.TradeID, 0, len(results))
	for id := range results {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
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

// Load returns the kept results of trades. A trade without one is not in the map. It
// is a step; see [Service.Refresh].
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

// LoadFew returns the kept results of all trades of the owner, or nil if there are more
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

// LoadAccount returns the kept results of all trades of an account. It is a step.
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

// ForgetAccount deletes the results of an account that is deleted. It is a step.
func ForgetAccount(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) error {
	var number int64
	err := tx.QueryRow(ctx, `SELECT account FROM excursion_accounts WHERE user_id = $1 AND account_id = $2`, owner, account).Scan(&number)
	if errors.Is(err, db.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `DELETE FROM trade_excursions WHERE user_id = $1 AND account = $2`, owner, number); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `DELETE FROM excursion_accounts WHERE user_id = $1 AND account_id = $2`, owner, account)
	return err
}
