// Package columns caches the columns behind package analytics, and the results.
//
// An account's trades are cached as columns with the account's revision. A query reads
// its accounts' revisions and, in the same database snapshot, the trades changed since;
// it uses columns at exactly its revisions. So the result matches the snapshot, even if
// another process wrote to the database, or if the database was restored to an earlier
// state: a revision is never used twice, see [ledger.Account].
//
// The memory is bounded: the least recently used accounts are evicted, and read again
// when needed.
package columns

import (
	"context"
	"slices"
	"strings"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/lru"
	"fillbook/internal/base/parallel"
	"fillbook/internal/base/textindex"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/figures/excursions"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/trading/settings"
	"fillbook/internal/trading/strategybook"
	"fillbook/internal/trading/tradefilter"
)

// DefaultMemory is the default limit for cached columns, in bytes.
const DefaultMemory = 256 << 20

// tradeBatchSize is how many trades are in memory as rows at a time.
const tradeBatchSize = 4096

// Service reads account snapshots and caches results. It is safe for concurrent use.
type Service struct {
	db        *db.DB
	columns   *lru.Cache[cacheKey, *cacheEntry]
	answers   *lru.Cache[answerKey, *cachedAnswer]
	lookups   *lru.Cache[answerKey, *cachedLookup]
	converted *lru.Cache[convertedKey, *convertedColumns]
	batchSize int // trades to read at a time
	store     *columnStore
	// strategies computes the strategies that units are made of.
	strategies *strategybook.Service
	units      *lru.Cache[cacheKey, *unitData]
	judged     *lru.Cache[answerKey, *judgedVersion]
	openings   *lru.Cache[string, *openingsVersion]
	ruleGap    int // see [rulecheck.Facts]
	clock      journal.Clock
}

// New returns a Service caching at most memory bytes; 0 means DefaultMemory. Columns for
// large accounts are stored in a directory, so the first query after a start need not
// read all trades; an empty dir stores none.
func New(d *db.DB, memory int, dir string) *Service {
	if memory <= 0 {
		memory = DefaultMemory
	}
	return &Service{
		store:      newColumnStore(dir),
		db:         d,
		columns:    lru.New[cacheKey, *cacheEntry](memory),
		answers:    lru.New[answerKey, *cachedAnswer](maxAnswers),
		lookups:    lru.New[answerKey, *cachedLookup](lookupMemory),
		converted:  lru.New[convertedKey, *convertedColumns](convertedMemory),
		judged:     lru.New[answerKey, *judgedVersion](judgedMemory),
		openings:   lru.New[string, *openingsVersion](openingsMemory),
		clock:      journal.SystemClock,
		batchSize:  tradeBatchSize,
		units:      lru.New[cacheKey, *unitData](maxUnitBytes),
		strategies: strategybook.New(d, nil),
	}
}

// UseStrategies sets the service whose cached strategies units are made of, in place of one
// of its own. It must be called before the first query.
func (s *Service) UseStrategies(strategies *strategybook.Service) { s.strategies = strategies }

// Snapshot is the columns and the capital for some accounts, read in one database
// snapshot.
type Snapshot struct {
	Accounts []ledger.Account
	Columns  []*analytics.Columns
	Capital  analytics.Capital
	// Realized is set if the columns have realized parts; see
	// [analytics.Filter.Realized].
	Realized bool

	// Tolerance is the owner's breakeven tolerance.
	Tolerance tradefilter.Tolerance

	owner journal.UserID
	// ratesVersion identifies the currency and the rates that amounts are converted with;
	// empty if they are not.
	ratesVersion string
	// own is the snapshot before conversion; nil if amounts are not converted.
	own *Snapshot
	// closed and open are the columns with whole trades.
	closed, open []*analytics.Columns
	// HasUnits reports that Columns have units instead of trades; see [Service.ToUnits].
	HasUnits bool
	// unitColumns are those of closed and open units, in the accounts' own currencies.
	unitColumns []*analytics.Columns
	units       [][]analytics.Unit
	unitTables  []*analytics.UnitTable
	// Version is what the answers depend on besides the accounts' revisions.
	Version string
}

// WithWholeTrades returns the snapshot with closed trades instead of realized parts.
func (b *Snapshot) WithWholeTrades() *Snapshot {
	whole := *b
	whole.Columns, whole.Realized, whole.HasUnits = b.closed, false, false
	return &whole
}

// Select returns the trades passing a filter, with the owner's breakeven tolerance.
func (b *Snapshot) Select(f analytics.Filter) *analytics.Selection {
	f.Tolerance = b.Tolerance
	return analytics.SelectTrades(b.Columns, f)
}

// FindInsights returns the groups of selected trades that differ from the rest, with the
// owner's breakeven tolerance.
func (b *Snapshot) FindInsights(f analytics.Filter, q analytics.InsightQuery) []analytics.Insight {
	f.Tolerance, q.Open = b.Tolerance, b.open
	return analytics.FindInsights(b.closed, f, q)
}

// ListOvernight returns the trades passing a filter, whatever its period, held at the end
// of a UTC day or still open.
func (b *Snapshot) ListOvernight(f analytics.Filter) []journal.TradeID {
	f.Tolerance, f.Period = b.Tolerance, journal.Period{}
	ids := analytics.SelectTrades(b.closed, f).ListOvernight()
	open := analytics.SelectTrades(b.open, f)
	for i := range open.Len() {
		ids = append(ids, open.ID(i))
	}
	return ids
}

// ReadRealized is like [Service.Read], with realized parts.
func (s *Service) ReadRealized(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []journal.AccountID) (*Snapshot, error) {
	return s.read(ctx, tx, owner, ids, true, ledger.ToSum)
}

// Read returns the snapshot for some accounts, or for all the owner's accounts if ids is
// empty. It runs in the caller's transaction.
func (s *Service) Read(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []journal.AccountID) (*Snapshot, error) {
	return s.read(ctx, tx, owner, ids, false, ledger.ToSum)
}

// ReadCurrency returns the snapshot for all the owner's accounts with a currency,
// possibly none. The default is the oldest account's currency.
func (s *Service) ReadCurrency(ctx context.Context, tx *db.Tx, owner journal.UserID, currency string) (*Snapshot, error) {
	b, err := readScope(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	if currency == "" && len(b.Accounts) > 0 {
		currency = b.Accounts[0].BaseCurrency
	}
	b.Accounts = slices.DeleteFunc(b.Accounts, func(a ledger.Account) bool { return a.BaseCurrency != currency })
	return b, s.loadAccounts(ctx, tx, b, false)
}

func (s *Service) read(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []journal.AccountID, realized bool, purpose ledger.Purpose) (*Snapshot, error) {
	b, err := readScope(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	if b.Accounts, err = ledger.SelectAccounts(b.Accounts, ids, purpose); err != nil {
		return nil, err
	}
	return b, s.loadAccounts(ctx, tx, b, realized)
}

// Open returns the snapshot from [Service.Read] or [Service.ReadRealized] without a
// caller's transaction. If all columns are cached, it runs a single statement.
func (s *Service) Open(ctx context.Context, owner journal.UserID, ids []journal.AccountID, realized bool) (b *Snapshot, err error) {
	complete := false
	err = s.db.Peek(ctx, func(tx *db.Tx) error {
		if b, err = readScope(ctx, tx, owner); err != nil {
			return err
		}
		if b.Accounts, err = ledger.SelectAccounts(b.Accounts, ids, ledger.ToSum); err == nil {
			complete = s.addCached(b, realized)
		}
		return err
	})
	if err != nil || complete {
		return b, err
	}
	err = s.db.View(ctx, func(tx *db.Tx) error {
		b, err = s.read(ctx, tx, owner, ids, realized, ledger.ToSum)
		return err
	})
	return b, err
}

// readScope returns a snapshot with all the owner's accounts and the breakeven tolerance,
// without data. It reads both in one statement.
func readScope(ctx context.Context, tx *db.Tx, owner journal.UserID) (*Snapshot, error) {
	accounts, stored, err := ledger.AccountsWith(ctx, tx, owner, settings.ToleranceQuery)
	if err != nil {
		return nil, err
	}
	b := &Snapshot{Accounts: accounts, owner: owner}
	if len(accounts) == 0 {
		b.Tolerance, err = readTolerance(ctx, tx, owner)
	} else if stored != nil {
		b.Tolerance, err = tradefilter.ParseTolerance([]byte(*stored))
	}
	return b, err
}

// loadAccounts adds the account data, cached or read.
func (s *Service) loadAccounts(ctx context.Context, tx *db.Tx, b *Snapshot, realized bool) error {
	b.Realized = realized
	for _, a := range b.Accounts {
		data, err := s.load(ctx, tx, b.owner, a, extras{realized: realized})
		if err != nil {
			return err
		}
		b.add(a, data)
	}
	return nil
}

// addCached is like loadAccounts with cached data. It returns false if some is not
// cached.
func (s *Service) addCached(b *Snapshot, realized bool) bool {
	b.Realized = realized
	for _, a := range b.Accounts {
		entry, ok := s.columns.Get(cacheKey{b.owner, a.ID})
		if !ok {
			return false
		}
		data := entry.find(a.Revision, extras{realized: realized})
		if data == nil {
			return false
		}
		b.add(a, data)
	}
	return true
}

// add adds one account's data.
func (b *Snapshot) add(a ledger.Account, data *accountData) {
	b.closed = append(b.closed, data.columns.WithName(a.Name, a.Number()))
	b.open = append(b.open, data.open.WithName(a.Name, a.Number()))
	if b.Realized {
		b.Columns = append(b.Columns, data.realized.WithName(a.Name, a.Number()))
	} else {
		b.Columns = b.closed
	}
	b.Capital.Cash = append(b.Capital.Cash, data.cash)
	b.Capital.Starting = b.Capital.Starting.Add(a.StartingBalance)
	b.Capital.Currency = a.BaseCurrency
}

// readTolerance reads the owner's breakeven tolerance.
func readTolerance(ctx context.Context, tx *db.Tx, owner journal.UserID) (tradefilter.Tolerance, error) {
	stored, err := settings.Read(ctx, tx, owner)
	if err != nil || stored.Tolerance == nil {
		return tradefilter.Tolerance{}, err
	}
	return tradefilter.ParseTolerance(stored.Tolerance)
}

// View calls fn with the snapshot from [Service.Read] in its own transaction.
func (s *Service) View(ctx context.Context, owner journal.UserID, ids []journal.AccountID, fn func(*db.Tx, *Snapshot) error) error {
	return s.view(ctx, owner, ids, s.Read, fn)
}

// ViewRealized calls fn with the snapshot from [Service.ReadRealized] in its own
// transaction.
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

// load returns an account's data at its revision, cached or read.
func (s *Service) load(ctx context.Context, tx *db.Tx, owner journal.UserID, a ledger.Account, more extras) (*accountData, error) {
	key := cacheKey{owner, a.ID}
	entry := s.columns.GetOrAdd(key, entryBytes, newCacheEntry)
	data, size, err := entry.load(a.Revision, more, func(old []*accountData) (*accountData, error) {
		return s.loadAccount(ctx, tx, owner, a, old, more)
	})
	if size > 0 {
		s.columns.Resize(key, entry, size)
	}
	return data, err
}

// loadAccount returns an account's data at its revision. It reads the trades changed
// since the latest old data with the same history, or all trades without old data. Extras
// are read if requested; existing extras are updated.
func (s *Service) loadAccount(ctx context.Context, tx *db.Tx, owner journal.UserID, a ledger.Account, old []*accountData, more extras) (*accountData, error) {
	fresh := &accountData{revision: a.Revision}
	var err error
	if fresh.cash, err = readCash(ctx, tx, owner, a.ID); err != nil {
		return nil, err
	}
	for _, base := range old {
		more.realized = more.realized || base.realized != nil
		more.begun = more.begun || base.begun != nil
		if err := fresh.updateFrom(ctx, tx, owner, a, base); err != nil {
			return nil, err
		}
	}
	if fresh.columns == nil {
		if stored := s.store.read(a.ID); stored != nil {
			if err := fresh.updateFrom(ctx, tx, owner, a, stored); err != nil {
				return nil, err
			}
		}
	}
	if fresh.columns == nil {
		if err := s.readAll(ctx, tx, owner, a, fresh); err != nil {
			return nil, err
		}
		fresh.unstored = maxUnstored
	}
	if fresh.unstored >= maxUnstored {
		fresh.unstored = 0
		s.store.write(a.ID, fresh)
	}
	if more.realized && fresh.realized == nil {
		if fresh.realized, err = readRealized(ctx, tx, owner, a, fresh); err != nil {
			return nil, err
		}
	}
	if more.texts && fresh.texts == nil {
		if fresh.texts, err = playbook.IndexTradeTexts(ctx, tx, owner, a.ID); err != nil {
			return nil, err
		}
	}
	if more.rules && fresh.rules == nil {
		if fresh.rules, err = playbook.IndexRules(ctx, tx, owner, a.ID); err != nil {
			return nil, err
		}
	}
	return fresh, fresh.loadRuleExtras(ctx, tx, owner, a, more)
}

// updateFrom sets the columns, if they are not set, to the current state of older
// columns, unless these have another history.
func (h *accountData) updateFrom(ctx context.Context, tx *db.Tx, owner journal.UserID, a ledger.Account, old *accountData) error {
	if h.columns != nil {
		return nil
	}
	touched, known, err := ledger.TouchedSince(ctx, tx, owner, a.ID, old.revision)
	if err != nil || !known {
		return err
	}
	h.unstored = old.unstored + 1
	return h.update(ctx, tx, owner, old, touched)
}

// update sets the columns to the old ones with the touched trades in their current state.
func (h *accountData) update(ctx context.Context, tx *db.Tx, owner journal.UserID, old *accountData, touched []journal.TradeID) error {
	h.columns, h.open, h.realized, h.texts, h.rules = old.columns, old.open, old.realized, old.texts, old.rules
	if len(touched) == 0 {
		h.begun, h.entries = old.begun, old.entries
		return nil
	}
	if old.entries != nil {
		fresh, err := readEntries(ctx, tx, owner, touched)
		if err != nil {
			return err
		}
		h.entries = old.entries.with(touched, fresh)
	}
	if old.texts != nil {
		changed, err := playbook.IndexTextsOf(ctx, tx, owner, touched)
		if err != nil {
			return err
		}
		h.texts = old.texts.Replace(touched, changed)
	}
	if old.rules != nil {
		changed, err := playbook.IndexRulesOf(ctx, tx, owner, touched)
		if err != nil {
			return err
		}
		h.rules = old.rules.Replace(touched, changed)
	}
	trades, err := ledger.FigureTradesByID(ctx, tx, owner, touched)
	if err != nil {
		return err
	}
	annotations, links, err := readAnnotations(ctx, tx, owner, trades)
	if err != nil {
		return err
	}
	kept, err := excursions.Load(ctx, tx, owner, touched)
	if err != nil {
		return err
	}
	b := rowBuilder{annotations: annotations, links: links, kept: kept}
	closed, open := b.build(trades)
	h.columns = old.columns.WithChanges(closed, missingIDs(touched, closed))
	h.open = old.open.WithChanges(open, missingIDs(touched, open))
	if old.realized == nil {
		return nil
	}
	rows, err := realizedRows(ctx, tx, owner, slices.Concat(open, closed), touched)
	if err == nil {
		h.realized = old.realized.WithChanges(rows, missingIDs(touched, rows))
	}
	return err
}

// missingIDs returns the trades without a row.
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

// readAll sets the columns to an account's trades, which it reads newest first and in
// batches: columns take a fraction of the rows' memory. A batch becomes columns while the
// next is read.
func (s *Service) readAll(ctx context.Context, tx *db.Tx, owner journal.UserID, account ledger.Account, into *accountData) error {
	n, err := ledger.CountTrades(ctx, tx, owner, account, s.batchSize+1)
	if err != nil {
		return err
	}
	var b rowBuilder
	if b.kept, err = excursions.LoadAccount(ctx, tx, owner, account); err != nil {
		return err
	}
	if n <= s.batchSize {
		return readFew(ctx, tx, owner, account, n, b, into)
	}
	if b.annotations, err = playbook.LoadAllAnnotations(ctx, tx, owner); err == nil {
		b.links, err = playbook.LoadLinks(ctx, tx, owner, b.annotations)
	}
	if err != nil {
		return err
	}
	var closed, open []*analytics.Columns
	// There are at most three batches: one being read, one waiting and one being built.
	batches, used := make(chan []ledger.FigureTrade, 1), make(chan []ledger.FigureTrade, 3)
	parallel.Run(func() {
		defer close(batches)
		err = ledger.EachFigureTrades(ctx, tx, owner, account, s.batchSize, func(trades []ledger.FigureTrade) []ledger.FigureTrade {
			batches <- trades
			select {
			case again := <-used:
				return again
			default:
				return nil
			}
		})
	}, func() {
		defer func() { // after a panic, too: the sender must not wait
			for range batches {
			}
		}()
		for trades := range batches {
			closedRows, openRows := b.build(trades)
			closed = append(closed, analytics.BuildColumns(account.ID, closedRows))
			open = append(open, analytics.BuildColumns(account.ID, openRows))
			used <- trades
		}
	})
	slices.Reverse(closed)
	slices.Reverse(open)
	into.columns, into.open = analytics.ConcatColumns(account.ID, closed...), analytics.ConcatColumns(account.ID, open...)
	return err
}

// readFew is readAll for few trades: it reads them at once, and only their annotations.
func readFew(ctx context.Context, tx *db.Tx, owner journal.UserID, account ledger.Account, n int, b rowBuilder, into *accountData) error {
	var all []ledger.FigureTrade
	err := ledger.EachFigureTrades(ctx, tx, owner, account, n, func(trades []ledger.FigureTrade) []ledger.FigureTrade {
		all = append(all, trades...)
		return nil
	})
	if err == nil {
		b.annotations, b.links, err = readAnnotations(ctx, tx, owner, all)
	}
	closed, open := b.build(all)
	into.columns, into.open = analytics.BuildColumns(account.ID, closed), analytics.BuildColumns(account.ID, open)
	return err
}

// readAnnotations reads trade annotations and links.
func readAnnotations(
	ctx context.Context, tx *db.Tx, owner journal.UserID, trades []ledger.FigureTrade,
) (annotations map[journal.TradeID]playbook.Annotations, links playbook.Links, err error) {
	annotations, err = playbook.LoadAnnotations(ctx, tx, owner, tradeIDs(trades))
	if err == nil {
		links, err = playbook.LoadLinks(ctx, tx, owner, annotations)
	}
	return annotations, links, err
}

func tradeIDs(trades []ledger.FigureTrade) []journal.TradeID {
	ids := make([]journal.TradeID, len(trades))
	for i := range trades {
		ids[i] = trades[i].ID
	}
	return ids
}

// rowBuilder adds annotations and excursions to trades, as far as figures and filters
// need them.
type rowBuilder struct {
	annotations map[journal.TradeID]playbook.Annotations
	links       playbook.Links
	kept        map[journal.TradeID]excursions.Result

	roots rootCache
	// The following are from the last call.
	closed, open []analytics.Trade
	excursions   []analytics.TradeExcursion
}

// build returns trades as rows, valid until the next call.
func (b *rowBuilder) build(trades []ledger.FigureTrade) (closed, open []analytics.Trade) {
	if b.roots == nil {
		b.roots = rootCache{}
	}
	b.closed, b.open, b.excursions = slices.Grow(b.closed[:0], len(trades)), b.open[:0], b.excursions[:0]
	for i := range trades {
		rows := &b.closed
		if trades[i].Open {
			rows = &b.open
		}
		*rows = append(*rows, analytics.Trade{})
		row := &(*rows)[len(*rows)-1]
		setRow(row, &trades[i])
		b.complete(&trades[i], row)
	}
	return b.closed, b.open
}

// complete adds to a row what the trade itself does not have.
func (b *rowBuilder) complete(t *ledger.FigureTrade, row *analytics.Trade) {
	row.Root = b.roots.find(row.Symbol, row.InstrumentType)
	row.HasNote, row.HasAttachment = b.links.Notes[t.ID], b.links.Attachments[t.ID]
	if annotations, found := b.annotations[t.ID]; found {
		addAnnotations(t, &annotations, row)
	}
	if result, found := b.kept[t.ID]; found || row.MAE.Valid || row.MFE.Valid {
		b.excursions = append(b.excursions, analytics.TradeExcursion{})
		addExcursion(row, &b.excursions[len(b.excursions)-1], &result, found)
	}
}

// rootCache has instrument roots, which many trades share.
type rootCache map[[2]string]string

func (c rootCache) find(symbol, instrumentType string) string {
	key := [2]string{symbol, instrumentType}
	root, known := c[key]
	if !known {
		root = instruments.RootOf(symbol, instrumentType)
		c[key] = root
	}
	return root
}

// setRow sets an empty row to a trade's values. Rows are large, so they are not copied.
func setRow(row *analytics.Trade, t *ledger.FigureTrade) {
	row.ID, row.Symbol, row.InstrumentType, row.Side, row.Open = t.ID, t.Symbol, t.InstrumentType, analytics.Short, t.Open
	if t.Direction == matching.Long {
		row.Side = analytics.Long
	}
	row.OpenedAt, row.ClosedAt, row.Net, row.Gross, row.Fees = t.OpenedAt, t.ListedAt, t.Net, t.Gross, t.Fees.Add(t.Commission)
	row.EntryNotional, row.Volume = t.EntryNotional, t.Volume.Decimal
	row.Quantity, row.EntryPrice, row.ExitPrice, row.ReturnPct = t.QtyOpened, t.AvgEntry, t.AvgExit, t.ReturnPct
	row.Instrument, row.External, row.Arrival, row.OptionRight, row.Expiry = t.Instrument, t.External, t.Arrival, t.OptionRight, t.Expiry
	row.Removed, row.Symbols = t.Removed, t.Symbols
}

// addAnnotations adds a trade's annotations to its row.
func addAnnotations(t *ledger.FigureTrade, m *playbook.Annotations, row *analytics.Trade) {
	derived := playbook.Derive(playbook.Figures{
		Long: t.Direction == matching.Long, EntryNotional: t.EntryNotional, EntrySize: t.EntrySize, Rate: t.Rate,
		NetPnL: decimal.Null{Decimal: t.Net, Valid: !t.Open},
	}, *m)
	row.InitialRisk, row.RMultiple, row.MAE, row.MFE = derived.InitialRisk, derived.RMultiple, dropSign(m.MAE), dropSign(m.MFE)
	row.Quality, row.Setups, row.Tags = uint8(m.TradeQuality), m.Setups, m.Tags // the quality is 0 to 5
	row.EmotionalState, row.Reviewed = textindex.Fold(strings.TrimSpace(m.EmotionalState)), m.ReviewedAt != nil
	row.HasNote = row.HasNote || !journal.IsBlank(m.Notes)
	row.PlannedR, row.HasStop = derived.PlannedR, m.StopPrice.Valid || m.InitialRisk.Valid
	if m.ReviewedAt != nil {
		row.ReviewedAt = *m.ReviewedAt
	}
}

func dropSign(n decimal.Null) decimal.Null {
	if n.Valid {
		n.Decimal = n.Decimal.Abs()
	}
	return n
}

// readCash reads an account's cash in equity curve order.
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
