package strategybook

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/lru"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/settings"
	"fillbook/internal/trading/strategies"
	"fillbook/internal/trading/tradefilter"
)

// Service computes and stores strategies. It is safe for concurrent use.
type Service struct {
	db    *db.DB
	clock journal.Clock
	sets  *lru.Cache[setKey, *setEntry]
}

// New returns a Service.
func New(d *db.DB, clock journal.Clock) *Service {
	return &Service{db: d, clock: clock, sets: lru.New[setKey, *setEntry](maxCached)}
}

// maxCached is how many trades in cached sets there are at most.
const maxCached = 400_000

// setKey identifies an account's set.
type setKey struct {
	owner   journal.UserID
	account journal.AccountID
}

// setEntry is a cached set with what it was computed for.
type setEntry struct {
	mu       sync.Mutex
	revision int64
	mode     strategies.Mode
	set      *Set
}

// Strategy is a strategy with what is stored for it.
type Strategy struct {
	strategies.Strategy
	Account    ledger.Account
	Underlying string
	// Record has the name and annotations; it is zero if nothing is stored.
	Record Record
}

// Set is an account's strategies. It is shared and must not be changed.
type Set struct {
	Strategies []Strategy
	// byTrade are the places of the strategies that a trade belongs to, not as a cover.
	byTrade map[journal.TradeID]int
	// underlyings are those of all trades that can be in a strategy.
	underlyings map[journal.TradeID]string
	stored      []Record
	// alone are the legs in no strategy that counts as one.
	alone map[journal.TradeID]*strategies.Leg
	// legs are those of the underlyings with options, and keyed the underlyings whose legs have
	// their fills' keys.
	legs  map[string][]strategies.Leg
	keyed map[string]bool
}

// Find returns the strategy of a trade, or nil.
func (s *Set) Find(trade journal.TradeID) *Strategy {
	if i, known := s.byTrade[trade]; known {
		return &s.Strategies[i]
	}
	return nil
}

// FindUnit returns the strategy that a trade counts in: its accepted or manual one, or one
// of the trade alone. It returns nil for trades that are no legs.
func (s *Set) FindUnit(trade journal.TradeID) *Strategy {
	if found := s.Find(trade); found != nil && found.IsUnit() {
		return found
	}
	leg := s.alone[trade]
	if leg == nil {
		return nil
	}
	members := []strategies.Member{{Leg: leg, Role: strategies.RoleLeg, Quantity: leg.Quantity}}
	return &Strategy{Strategy: strategies.Strategy{Kind: strategies.Single, Members: members, Payoff: strategies.NewPayoff(members)}}
}

// LastClosed returns the member that closed last.
func (s *Strategy) LastClosed() journal.TradeID {
	var last *strategies.Member
	for i := range s.Members {
		m := &s.Members[i]
		if m.Role != strategies.RoleCover && m.ClosedAt != nil && (last == nil || m.ClosedAt.After(*last.ClosedAt)) {
			last = m
		}
	}
	if last == nil {
		return ""
	}
	return last.Trade
}

// IsUnit reports whether the strategy counts as one unit in figures.
func (s *Strategy) IsUnit() bool {
	return s.State == strategies.Accepted || s.State == strategies.Manual
}

// EffectiveRisk returns the user's risk, or that of the payoff.
func (s *Strategy) EffectiveRisk() decimal.Null {
	if s.Record.InitialRisk.Valid {
		return s.Record.InitialRisk
	}
	return s.Risk()
}

// RMultiple returns the result in units of the risk; absent while a member is open, and
// without a risk.
func (s *Strategy) RMultiple() decimal.Null {
	net, _, _, _ := s.Result()
	risk := s.EffectiveRisk()
	if len(s.Members) == 0 || !net.Valid || !risk.Valid {
		return decimal.Null{}
	}
	return decimal.Of(net.Decimal.DivRound(risk.Decimal, rScale))
}

// rScale is the decimals of R multiples.
const rScale = 12

// newYork is the zone whose days options expire on.
var newYork = sync.OnceValue(func() *time.Location {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil { // the binary embeds the zones
		panic(err)
	}
	return zone
})

// DaysToExpiry returns the days from the opening to the nearest expiry, or nil without one.
func (s *Strategy) DaysToExpiry() *int {
	expiry := s.NearestExpiry()
	if expiry == "" || len(s.Members) == 0 {
		return nil
	}
	end, err := time.Parse(time.DateOnly, string(expiry))
	if err != nil {
		return nil
	}
	opened := s.OpenedAt().In(newYork())
	if first := slices.IndexFunc(s.Members, func(m strategies.Member) bool { return m.Role != strategies.RoleCover }); s.Members[max(0, first)].DayOnly {
		opened = s.OpenedAt().UTC()
	}
	begin := time.Date(opened.Year(), opened.Month(), opened.Day(), 0, 0, 0, 0, time.UTC)
	days := int(end.Sub(begin) / (24 * time.Hour))
	return &days
}

// ReadMode returns what detection does for a user. It is a step.
func ReadMode(ctx context.Context, tx *db.Tx, owner journal.UserID) (strategies.Mode, error) {
	stored, err := settings.Read(ctx, tx, owner)
	return cmp.Or(stored.Detection, strategies.Propose), err
}

// MayHaveUnits reports whether an owner can have accepted or manual strategies: some are
// stored, or detection accepts by itself. It is a step.
func MayHaveUnits(ctx context.Context, tx *db.Tx, owner journal.UserID) (bool, error) {
	var found int
	err := tx.QueryRow(ctx, `SELECT 1 FROM strategies WHERE user_id = $1 AND state IN ('accepted', 'manual')`+db.Limit(2), owner, 1).Scan(&found)
	if err == nil || !errors.Is(err, db.ErrNoRows) {
		return err == nil, err
	}
	mode, err := ReadMode(ctx, tx, owner)
	return mode == strategies.AcceptStrong, err
}

// FindUnits returns a function for the accepted or manual strategy that a trade belongs to,
// which returns nil for none. It is a step.
func (s *Service) FindUnits(ctx context.Context, tx *db.Tx, owner journal.UserID) (func(journal.TradeID) *Strategy, error) {
	if some, err := MayHaveUnits(ctx, tx, owner); err != nil || !some {
		return func(journal.TradeID) *Strategy { return nil }, err
	}
	accounts, err := ledger.Accounts(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	mode, err := ReadMode(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	sets := make([]*Set, len(accounts))
	for i, a := range accounts {
		if sets[i], err = s.Load(ctx, tx, owner, a, mode); err != nil {
			return nil, err
		}
	}
	return func(id journal.TradeID) *Strategy {
		for _, set := range sets {
			if found := set.Find(id); found != nil && found.IsUnit() {
				return found
			}
		}
		return nil
	}, nil
}

// Load returns an account's strategies at its revision. It is a step.
func (s *Service) Load(ctx context.Context, tx *db.Tx, owner journal.UserID, account ledger.Account, mode strategies.Mode) (*Set, error) {
	key := setKey{owner, account.ID}
	entry := s.sets.GetOrAdd(key, 1, func() *setEntry { return &setEntry{} })
	entry.mu.Lock()
	if entry.set != nil && entry.revision == account.Revision && entry.mode == mode {
		defer entry.mu.Unlock()
		return entry.set, nil
	}
	before, revision := entry.set, entry.revision
	if entry.mode != mode {
		before = nil
	}
	entry.mu.Unlock() // another request may compute the same; waiting could deadlock on SQLite's writer
	l := loader{ctx: ctx, tx: tx, owner: owner, account: account, mode: mode}
	set, err := l.load(before, revision)
	if err != nil {
		return nil, err
	}
	entry.mu.Lock()
	entry.revision, entry.mode, entry.set = account.Revision, mode, set
	entry.mu.Unlock()
	s.sets.Resize(key, entry, 1+len(set.underlyings))
	return set, nil
}

// compareNewest orders strategies as lists do: the newest first.
func compareNewest(a, b Strategy) int {
	return cmp.Or(b.ListedAt().Compare(a.ListedAt()), cmp.Compare(b.ID, a.ID))
}

// Query selects strategies.
type Query struct {
	// Filter selects by accounts, period and status.
	Filter tradefilter.Filter
	State  strategies.State
	Kind   strategies.Kind
	// Chain is a chain's id.
	Chain string
	// Trades selects those with one of these trades; nil means all.
	Trades func(journal.TradeID) bool
}

func (q *Query) matches(s *Strategy) bool {
	return (q.State == "" || s.State == q.State) && (q.Kind == "" || s.Kind == q.Kind) && (q.Chain == "" || s.ChainID == q.Chain) && s.IsListed(&q.Filter) &&
		(q.Trades == nil || slices.ContainsFunc(s.Legs(), func(m strategies.Member) bool { return q.Trades(m.Trade) }))
}

// IsListed reports whether the strategy is in a filter's period and has its status.
func (s *Strategy) IsListed(f *tradefilter.Filter) bool {
	at := s.ListedAt()
	if f.ByOpening {
		at = s.OpenedAt()
	}
	return f.Scope.Period.Contains(at) && f.Status.Includes(s.ClosedAt() == nil)
}

// List returns the owner's strategies that a query selects, newest first. It is a step.
func (s *Service) List(ctx context.Context, tx *db.Tx, owner journal.UserID, q Query) ([]Strategy, error) {
	all, err := ledger.Accounts(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	accounts, err := ledger.SelectAccounts(all, q.Filter.Scope.Accounts, ledger.ToList)
	if err != nil {
		return nil, err
	}
	mode, err := ReadMode(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	var list []Strategy
	for _, a := range accounts {
		set, err := s.Load(ctx, tx, owner, a, mode)
		if err != nil {
			return nil, err
		}
		for i := range set.Strategies {
			if q.matches(&set.Strategies[i]) {
				list = append(list, set.Strategies[i])
			}
		}
	}
	if len(accounts) > 1 {
		slices.SortStableFunc(list, compareNewest)
	}
	return list, nil
}

// Read returns a strategy, with the others of its account. It is a step.
func (s *Service) Read(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.StrategyID) (Strategy, *Set, error) {
	accounts, err := ledger.Accounts(ctx, tx, owner)
	if err != nil {
		return Strategy{}, nil, err
	}
	mode, err := ReadMode(ctx, tx, owner)
	if err != nil {
		return Strategy{}, nil, err
	}
	var home journal.AccountID
	err = tx.QueryRow(ctx, `SELECT account_id FROM strategies WHERE user_id = $1 AND id = $2`, owner, id).Scan(&home)
	if err != nil && !errors.Is(err, db.ErrNoRows) {
		return Strategy{}, nil, err
	}
	for _, a := range accounts {
		if home != "" && a.ID != home {
			continue
		}
		set, err := s.Load(ctx, tx, owner, a, mode)
		if err != nil {
			return Strategy{}, nil, err
		}
		if at := slices.IndexFunc(set.Strategies, func(x Strategy) bool { return journal.StrategyID(x.ID) == id }); at >= 0 {
			return set.Strategies[at], set, nil
		}
		if at := slices.IndexFunc(set.stored, func(r Record) bool { return r.ID == id && r.State != strategies.Alone }); at >= 0 {
			return newOrphan(a, set.stored[at]), set, nil
		}
	}
	return Strategy{}, nil, journal.NotFound("strategy")
}

// newOrphan returns a stored strategy whose trades are gone. It comes back with their fills.
func newOrphan(a ledger.Account, r Record) Strategy {
	kind := cmp.Or(r.Kind, strategies.Custom)
	return Strategy{
		Strategy: strategies.Strategy{ID: string(r.ID), State: r.State, Evidence: cmp.Or(r.Evidence, strategies.ByUser), Kind: kind, KindBy: "detected"},
		Account:  a, Underlying: r.Underlying, Record: r,
	}
}
