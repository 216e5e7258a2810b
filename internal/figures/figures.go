// Package figures keeps the columns that analytics work on, and asks.
//
// The closed trades of an account are kept in memory as columns, stamped with
// the account's revision. A question reads the revisions of its accounts and,
// in the same snapshot, the trades that were touched since; it never looks at
// columns of an older revision than that. Whoever wrote, this process or
// another one on the same database, the answer is that of the snapshot.
//
// The memory is bounded: the columns that were used least recently go first,
// and are read again when somebody asks.
package figures

import (
	"context"
	"slices"

	"fillbook/internal/analytics"
	"fillbook/internal/db"
	"fillbook/internal/decimal"
	"fillbook/internal/identity"
	"fillbook/internal/journal"
	"fillbook/internal/ledger"
	"fillbook/internal/matching"
	"fillbook/internal/playbook"
)

// DefaultMemory is how many bytes of columns are kept.
const DefaultMemory = 256 << 20

// tradeBatchSize is how many trades are in memory as rows at a time.
const tradeBatchSize = 8192

// Service answers questions about figures. It is safe for concurrent use.
type Service struct {
	db        *db.DB
	cache     *cache
	answers   *answerCache
	batchSize int // trades that are read at a time
}

// New makes a Service that keeps at most so many bytes of columns; 0 means
// DefaultMemory.
func New(d *db.DB, memory int) *Service {
	if memory <= 0 {
		memory = DefaultMemory
	}
	return &Service{db: d, cache: newCache(memory), answers: newAnswers(), batchSize: tradeBatchSize}
}

// Snapshot is what a question about some accounts can be answered from: their
// columns and their capital, of one snapshot.
type Snapshot struct {
	Accounts []ledger.Account
	Columns  []*analytics.Columns
	Capital  analytics.Capital
	// Realized is set where the columns have realized parts; see
	// [analytics.Filter.Realized].
	Realized bool

	// Tolerance is the owner's: which results count as breakeven.
	Tolerance analytics.Tolerance

	owner     journal.UserID
	revisions []int64 // that the columns show, an account each
}

// Select picks the trades that a filter lets through, with the owner's breakeven
// tolerance.
func (b *Snapshot) Select(f analytics.Filter) *analytics.Selection {
	f.Tolerance = b.Tolerance
	return analytics.SelectTrades(b.Columns, f)
}

// ReadRealized opens the book of some accounts like [Service.Read], with columns
// of realized parts.
func (s *Service) ReadRealized(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []journal.AccountID) (*Snapshot, error) {
	accounts, err := ledger.ResolveScope(ctx, tx, owner, ids, ledger.ToSum)
	if err != nil {
		return nil, err
	}
	return s.openSnapshot(ctx, tx, owner, accounts, true)
}

// Read opens the book of some accounts, or of all the owner's, as one step of
// a reading transaction.
func (s *Service) Read(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []journal.AccountID) (*Snapshot, error) {
	accounts, err := ledger.ResolveScope(ctx, tx, owner, ids, ledger.ToSum)
	if err != nil {
		return nil, err
	}
	return s.openSnapshot(ctx, tx, owner, accounts, false)
}

// ReadCurrency opens the book of all the owner's accounts that are kept in a
// currency, of which there may be none. Where it is not said, it is that of the
// oldest account.
func (s *Service) ReadCurrency(ctx context.Context, tx *db.Tx, owner journal.UserID, currency string) (*Snapshot, error) {
	accounts, err := ledger.Accounts(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	if currency == "" && len(accounts) > 0 {
		currency = accounts[0].BaseCurrency
	}
	accounts = slices.DeleteFunc(accounts, func(a ledger.Account) bool { return a.BaseCurrency != currency })
	return s.openSnapshot(ctx, tx, owner, accounts, false)
}

func (s *Service) openSnapshot(ctx context.Context, tx *db.Tx, owner journal.UserID, accounts []ledger.Account, realized bool) (*Snapshot, error) {
	b := &Snapshot{Accounts: accounts, owner: owner, Realized: realized}
	var err error
	if b.Tolerance, err = readTolerance(ctx, tx, owner); err != nil {
		return nil, err
	}
	for _, a := range accounts {
		held, err := s.cache.entryFor(owner, a.ID).load(a.Revision, realized, func(old *accountData) (*accountData, error) {
			return s.loadAccount(ctx, tx, owner, a, old, realized)
		})
		if err != nil {
			return nil, err
		}
		columns := held.columns
		if realized {
			columns = held.realized
		}
		b.Columns = append(b.Columns, columns.WithName(a.Name, a.Number()))
		b.revisions = append(b.revisions, held.revision)
		b.Capital.Cash = append(b.Capital.Cash, held.cash)
		b.Capital.Starting = b.Capital.Starting.Add(a.StartingBalance)
		b.Capital.Currency = a.BaseCurrency
	}
	s.cache.evict()
	return b, nil
}

// readTolerance reads the owner's breakeven tolerance. A stored value that is not
// a tolerance, kept by a client before the key had a meaning, counts as none.
func readTolerance(ctx context.Context, tx *db.Tx, owner journal.UserID) (analytics.Tolerance, error) {
	value, err := identity.Preference(ctx, tx, owner, analytics.ToleranceKey)
	if err != nil || value == nil {
		return analytics.Tolerance{}, err
	}
	tolerance, err := analytics.ParseTolerance(value)
	if err != nil {
		return analytics.Tolerance{}, nil //nolint:nilerr // see above
	}
	return tolerance, nil
}

// View opens the book of some accounts in a snapshot of its own.
func (s *Service) View(ctx context.Context, owner journal.UserID, ids []journal.AccountID, fn func(*db.Tx, *Snapshot) error) error {
	return s.view(ctx, owner, ids, s.Read, fn)
}

// ViewRealized opens the book of [Service.ReadRealized] in a snapshot of its own.
func (s *Service) ViewRealized(ctx context.Context, owner journal.UserID, ids []journal.AccountID, fn func(*db.Tx, *Snapshot) error) error {
	return s.view(ctx, owner, ids, s.ReadRealized, fn)
}

func (s *Service) view(
	ctx context.Context, owner journal.UserID, ids []journal.AccountID,
	read func(context.Context, *db.Tx, journal.UserID, []journal.AccountID) (*Snapshot, error), fn func(*db.Tx, *Snapshot) error,
) error {
	return s.db.View(ctx, func(tx *db.Tx) error {
		b, err := read(ctx, tx, owner, ids)
		if err != nil {
			return err
		}
		return fn(tx, b)
	})
}

// loadAccount brings the columns of an account up to its revision: by the trades that
// were touched since, or where that is not known by all of them. Realized parts
// are read if asked for; those that are there are kept up to date.
func (s *Service) loadAccount(ctx context.Context, tx *db.Tx, owner journal.UserID, a ledger.Account, old *accountData, realized bool) (*accountData, error) {
	fresh := &accountData{revision: a.Revision}
	var err error
	if fresh.cash, err = readCash(ctx, tx, owner, a.ID); err != nil {
		return nil, err
	}
	known := false
	if old != nil {
		var touched []journal.TradeID
		if touched, known, err = ledger.TouchedSince(ctx, tx, owner, a.ID, old.revision); err != nil {
			return nil, err
		}
		if known {
			err = fresh.update(ctx, tx, owner, old, touched)
		}
	}
	if err == nil && !known {
		realized = realized || old != nil && old.realized != nil
		fresh.columns, err = s.readAll(ctx, tx, owner, a)
	}
	if err == nil && realized && fresh.realized == nil {
		fresh.realized, err = readRealized(ctx, tx, owner, a, fresh.columns)
	}
	return fresh, err
}

// update makes the columns in which the touched trades are as they are now.
// Those that are gone, or open again, are taken out.
func (h *accountData) update(ctx context.Context, tx *db.Tx, owner journal.UserID, old *accountData, touched []journal.TradeID) error {
	h.columns, h.realized = old.columns, old.realized
	if len(touched) == 0 {
		return nil
	}
	trades, err := ledger.ClosedTradesByID(ctx, tx, owner, touched)
	if err != nil {
		return err
	}
	annotations, err := playbook.LoadAnnotations(ctx, tx, owner, tradeIDs(trades))
	if err != nil {
		return err
	}
	rows := withAnnotations(trades, annotations)
	h.columns = old.columns.WithChanges(rows, missingIDs(touched, rows))
	if old.realized == nil {
		return nil
	}
	rows, err = realizedRows(ctx, tx, owner, rows, touched)
	if err == nil {
		h.realized = old.realized.WithChanges(rows, missingIDs(touched, rows))
	}
	return err
}

// missingIDs lists the trades that have no row.
func missingIDs(touched []journal.TradeID, rows []analytics.Trade) (ids []journal.TradeID) {
	there := make(map[journal.TradeID]bool, len(rows))
	for i := range rows {
		there[rows[i].ID] = true
	}
	for _, id := range touched {
		if !there[id] {
			ids = append(ids, id)
		}
	}
	return ids
}

// readAll reads the closed trades of an account, newest first and so many at a
// time: as columns they take a fraction of the memory that they take as rows.
func (s *Service) readAll(ctx context.Context, tx *db.Tx, owner journal.UserID, account ledger.Account) (*analytics.Columns, error) {
	var parts []*analytics.Columns
	var annotations map[journal.TradeID]playbook.Annotations
	after := ledger.StartCursor()
	for {
		trades, err := ledger.ClosedTrades(ctx, tx, owner, account, after, s.batchSize)
		last := len(trades) < s.batchSize
		switch {
		case err != nil || annotations != nil:
		case last:
			annotations, err = playbook.LoadAnnotations(ctx, tx, owner, tradeIDs(trades))
		default:
			annotations, err = playbook.LoadAllAnnotations(ctx, tx, owner)
		}
		if err != nil {
			return nil, err
		}
		parts = append(parts, analytics.BuildColumns(account.ID, withAnnotations(trades, annotations)))
		if last {
			slices.Reverse(parts)
			return analytics.ConcatColumns(account.ID, parts...), nil
		}
		after = trades[len(trades)-1].Cursor()
	}
}

func tradeIDs(trades []ledger.ClosedTrade) []journal.TradeID {
	ids := make([]journal.TradeID, len(trades))
	for i := range trades {
		ids[i] = trades[i].ID
	}
	return ids
}

// withAnnotations puts what figures need of the annotations beside the trades.
func withAnnotations(trades []ledger.ClosedTrade, annotations map[journal.TradeID]playbook.Annotations) []analytics.Trade {
	rows := make([]analytics.Trade, len(trades))
	for i := range trades {
		rows[i] = newRow(&trades[i], annotations[trades[i].ID])
	}
	return rows
}

// newRow is a closed trade as analytics see it.
func newRow(t *ledger.ClosedTrade, m playbook.Annotations) analytics.Trade {
	derived := playbook.Derive(playbook.Figures{
		Long: t.Direction == matching.Long, EntryNotional: t.EntryNotional, EntrySize: t.EntrySize, Rate: t.Rate, NetPnL: decimal.Of(t.Net),
	}, m)
	side := analytics.Short
	if t.Direction == matching.Long {
		side = analytics.Long
	}
	return analytics.Trade{
		ID: t.ID, Symbol: t.Symbol, InstrumentType: t.InstrumentType, Side: side,
		OpenedAt: t.OpenedAt, ClosedAt: t.ClosedAt, Net: t.Net, Gross: t.Gross, Fees: t.Fees.Add(t.Commission),
		EntryNotional: t.EntryNotional, Volume: t.Volume.Decimal, InitialRisk: derived.InitialRisk, MAE: dropSign(m.MAE), MFE: dropSign(m.MFE),
		Quality: uint8(m.TradeQuality), Setups: m.Setups, Tags: m.Tags, //nolint:gosec // it is 0 to 5
		Instrument: t.Instrument, External: t.External, Arrival: t.Arrival,
	}
}

func dropSign(n decimal.Null) decimal.Null {
	if n.Valid {
		n.Decimal = n.Decimal.Abs()
	}
	return n
}

// readCash reads the cash of an account in the order of the equity curve.
func readCash(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) ([]analytics.CashEvent, error) {
	var list []analytics.CashEvent
	scope := journal.Scope{Accounts: []journal.AccountID{account}}
	err := ledger.EachCash(ctx, tx, owner, scope, func(c ledger.Cash) error {
		flow := c.Type == ledger.Deposit || c.Type == ledger.Withdrawal
		list = append(list, analytics.CashEvent{ID: c.ID, At: c.OccurredAt, Amount: c.Amount, Flow: flow})
		return nil
	})
	slices.SortStableFunc(list, analytics.CompareCash)
	return list, err
}
