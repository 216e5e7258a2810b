package columns

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"sync"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/strategies"
	"fillbook/internal/trading/strategybook"
)

// unitData are an account's columns with units instead of trades.
type unitData struct {
	revision     int64
	mode         strategies.Mode
	closed, open *analytics.Columns
	units        []analytics.Unit
	table        *analytics.UnitTable
}

// maxUnitBytes is the limit for cached columns of units.
const maxUnitBytes = 64 << 20

// ToUnits returns a snapshot in which accepted and manual strategies count as one each. It
// runs in the caller's transaction.
func (s *Service) ToUnits(ctx context.Context, tx *db.Tx, b *Snapshot) (*Snapshot, error) {
	mode, err := strategybook.ReadMode(ctx, tx, b.owner)
	if err != nil {
		return nil, err
	}
	out := *b
	out.Columns, out.unitColumns, out.units, out.unitTables, out.HasUnits = nil, nil, nil, nil, true
	own := b
	if b.own != nil {
		own = b.own
	}
	for i, a := range b.Accounts {
		data, err := s.loadUnits(ctx, tx, own, i, mode)
		if err != nil {
			return nil, err
		}
		out.Columns = append(out.Columns, s.convertUnits(b, i, data).WithName(a.Name, a.Number()))
		out.unitColumns = append(out.unitColumns, data.closed.WithName(a.Name, a.Number()), data.open.WithName(a.Name, a.Number()))
		out.units = append(out.units, data.units) // not a copy: there may be many
		out.unitTables = append(out.unitTables, data.table)
	}
	out.Version = "units " + string(mode)
	return &out, nil
}

// loadUnits returns the columns of units for the account at a place, cached or computed.
func (s *Service) loadUnits(ctx context.Context, tx *db.Tx, b *Snapshot, place int, mode strategies.Mode) (*unitData, error) {
	a := b.Accounts[place]
	key := cacheKey{b.owner, a.ID}
	if cached, ok := s.units.Get(key); ok && cached.revision == a.Revision && cached.mode == mode {
		return cached, nil
	}
	set, err := s.strategies.Load(ctx, tx, b.owner, a, mode)
	if err != nil {
		return nil, err
	}
	data := &unitData{revision: a.Revision, mode: mode, units: listUnits(set)}
	data.closed, data.open = analytics.MergeUnits(b.closed[place], b.open[place], data.units)
	data.table = analytics.NewUnitTable(data.units, []*analytics.Columns{b.closed[place], b.open[place]}, []*analytics.Columns{data.closed, data.open})
	s.units.Put(key, data, data.closed.Bytes()+data.open.Bytes()+data.table.Bytes())
	return data, nil
}

// convertUnits returns the closed units of the account at a place, with converted amounts if
// the snapshot's are.
func (s *Service) convertUnits(b *Snapshot, place int, data *unitData) *analytics.Columns {
	a := b.Accounts[place]
	if b.own == nil || a.BaseCurrency == b.Capital.Currency {
		return data.closed
	}
	key := convertedKey{account: a.ID, currency: b.Capital.Currency, units: true}
	version := b.ratesVersion + "|" + strconv.FormatInt(a.Revision, 10) + "|" + string(data.mode)
	if cached, ok := s.converted.Get(key); ok && cached.version == version {
		return cached.of
	}
	fresh := data.closed.ConvertUnits(func(day int64) (decimal.Decimal, bool) {
		return b.Capital.Exchange.RateAt(place, day)
	}, data.units, b.closed[place])
	s.converted.Put(key, &convertedColumns{fresh, version}, entryBytes+fresh.Bytes())
	return fresh
}

// eachUnit goes through the units of all accounts.
func (b *Snapshot) eachUnit() iter.Seq[*analytics.Unit] {
	return func(yield func(*analytics.Unit) bool) {
		for _, list := range b.units {
			for i := range list {
				if !yield(&list[i]) {
					return
				}
			}
		}
	}
}

// selectMembers returns the closed trades of selected units.
func (b *Snapshot) selectMembers(units *analytics.Selection) *analytics.Selection {
	var ids []journal.TradeID
	for i := range units.Len() {
		ids = append(ids, units.ID(i))
	}
	chosen := analytics.NewTradeIDs(ids)
	ids = nil
	for u := range b.eachUnit() {
		if chosen.Has(u.Trades[0]) {
			ids = append(ids, u.Trades...)
		}
	}
	return analytics.SelectTrades(b.closed, analytics.Filter{Lookups: analytics.Lookups{Among: chosen.AddIDs(ids)}})
}

// listUnits returns the strategies that count as one.
func listUnits(set *strategybook.Set) (units []analytics.Unit) {
	for i := range set.Strategies {
		s := &set.Strategies[i]
		if !s.IsUnit() {
			continue
		}
		u := analytics.Unit{
			ID: journal.StrategyID(s.ID), Symbol: s.Underlying, InitialRisk: s.EffectiveRisk(), Quality: uint8(s.Record.TradeQuality), Setups: s.Record.Setups, Tags: s.Record.Tags,
		}
		legs := s.Legs()
		slices.SortStableFunc(legs, func(a, b strategies.Member) int { return a.OpenedAt.Compare(b.OpenedAt) })
		for _, m := range legs {
			u.Trades = append(u.Trades, m.Trade)
		}
		units = append(units, u)
	}
	return units
}

// resolveUnits lets the units pass that have a passing trade. They are found when the filter is
// used first, and not for a cached answer.
func (b *Snapshot) resolveUnits(f analytics.Filter) analytics.Filter {
	if f.IsEmpty() && f.Lookups.Among == nil {
		return f
	}
	trades, tests := f, map[*analytics.UnitTable]func() []bool{}
	for _, table := range b.unitTables {
		tests[table] = sync.OnceValue(func() []bool { return table.Test(trades) })
	}
	f.Lookups.Units = func(table *analytics.UnitTable) []bool {
		if test, known := tests[table]; known {
			return test()
		}
		return table.Test(trades)
	}
	return f
}

// RealizedInOpenUnits returns the net result of the trades closed in the filter's period
// less that of the selected units.
func (b *Snapshot) RealizedInOpenUnits(trades analytics.Filter, units *analytics.Selection) decimal.Decimal {
	return analytics.SumNet(b.WithWholeTrades().Select(trades)).Sub(analytics.SumNet(units))
}

// StrategyKeys returns the keys of a breakdown by a dimension of strategies. It runs in the
// caller's transaction.
func (s *Service) StrategyKeys(ctx context.Context, tx *db.Tx, b *Snapshot, by analytics.Dimension) (func(journal.TradeID) string, error) {
	mode, err := strategybook.ReadMode(ctx, tx, b.owner)
	if err != nil {
		return nil, err
	}
	var sets []*strategybook.Set
	endings := map[journal.TradeID]string{}
	for _, a := range b.Accounts {
		set, err := s.strategies.Load(ctx, tx, b.owner, a, mode)
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
		if by == analytics.ByEndedBy {
			if err := ledger.EachEnding(ctx, tx, b.owner, a, func(id journal.TradeID, kind string) { endings[id] = kind }); err != nil {
				return nil, err
			}
		}
	}
	return func(id journal.TradeID) string {
		var found *strategybook.Strategy
		for _, set := range sets {
			if found = set.FindUnit(id); found != nil {
				break
			}
		}
		return strategyKey(by, found, id, endings)
	}, nil
}

// strategyKey returns a unit's key. found is nil for a trade that is neither an option nor
// in a strategy.
func strategyKey(by analytics.Dimension, found *strategybook.Strategy, id journal.TradeID, endings map[journal.TradeID]string) string {
	switch {
	case by == analytics.ByStrategyKind && found == nil:
		return string(strategies.Single)
	case by == analytics.ByLegs && found == nil:
		return "1"
	case by == analytics.ByEndedBy:
		if found != nil {
			id = found.LastClosed()
		}
		if kind := endings[id]; kind != "" {
			return kind
		}
		return "trade"
	case found == nil || !slices.ContainsFunc(found.Members, func(m strategies.Member) bool { return !m.Stock }):
		return map[analytics.Dimension]string{analytics.ByStrategyKind: string(strategies.Single), analytics.ByLegs: "1"}[by]
	case by == analytics.ByStrategyKind:
		return string(found.Kind)
	case by == analytics.ByLegs:
		return strconv.Itoa(len(found.Legs()))
	case by == analytics.ByDTE:
		if days := found.DaysToExpiry(); days != nil {
			return analytics.NameDTE(*days)
		}
		return ""
	case by == analytics.ByCreditDebit:
		return map[int]string{1: "credit", 0: "even", -1: "debit"}[found.Credit().Sign()]
	case found.Payoff.MaxLoss.Valid:
		return "defined"
	}
	return "undefined"
}
