package strategybook

import (
	"context"
	"maps"
	"reflect"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/strategies"
)

// loader computes an account's strategies. Underlyings are independent of each other, so
// after a write only those that it touched are computed again.
type loader struct {
	ctx     context.Context // as long-lived as the call
	tx      *db.Tx
	owner   journal.UserID
	account ledger.Account
	mode    strategies.Mode

	stored    []Record
	records   map[journal.StrategyID]Record
	decisions map[string][]strategies.Decision // by underlying
	// legs are all legs by underlying, and changed the underlyings to compute.
	legs    map[string][]strategies.Leg
	changed map[string]bool
}

// load returns the set, from the one at an earlier revision if before is not nil.
func (l *loader) load(before *Set, revision int64) (*Set, error) {
	if err := l.readRecords(); err != nil {
		return nil, err
	}
	l.changed = map[string]bool{}
	updated := false
	if before != nil {
		var err error
		if updated, err = l.updateLegs(before, revision); err != nil {
			return nil, err
		}
	}
	if !updated {
		before, l.legs = nil, map[string][]strategies.Leg{}
		if err := l.readUnderlyings(nil); err != nil {
			return nil, err
		}
	}
	return l.build(before), nil
}

// readRecords reads what is stored for strategies.
func (l *loader) readRecords() (err error) {
	l.stored, err = db.List(l.ctx, l.tx, scanRecord, selectRecords+` WHERE s.user_id = $1 AND s.account_id = $2 ORDER BY s.id`, l.owner, l.account.ID)
	l.decisions, l.records = map[string][]strategies.Decision{}, make(map[journal.StrategyID]Record, len(l.stored))
	for _, r := range l.stored {
		l.records[r.ID] = r
		l.decisions[r.Underlying] = append(l.decisions[r.Underlying], strategies.Decision{
			ID: string(r.ID), State: r.State, Kind: r.Kind, Evidence: r.Evidence, Members: r.Members,
		})
	}
	return err
}

func (l *loader) hasDecisions(underlying string) bool { return l.decisions[underlying] != nil }

// readUnderlyings reads all legs of some underlyings, of all if wanted is nil.
func (l *loader) readUnderlyings(wanted map[string]bool) error {
	var wants func(string) bool
	if wanted != nil {
		wants = func(underlying string) bool { return wanted[underlying] }
	}
	legs, err := ledger.StrategyLegs(l.ctx, l.tx, l.owner, l.account, wants, l.hasDecisions)
	if err != nil {
		return err
	}
	for underlying := range wanted {
		delete(l.legs, underlying) // which may have no options left
		l.changed[underlying] = true
	}
	for underlying, list := range legs {
		l.addAccount(list)
		l.legs[underlying], l.changed[underlying] = list, true
	}
	return nil
}

// addAccount makes the keys of legs unique among accounts.
func (l *loader) addAccount(list []strategies.Leg) {
	for i := range list {
		list[i].Key = string(l.account.ID) + "\n" + list[i].Key
	}
}

// maxUpdated is how many touched trades are read one by one.
const maxUpdated = 500

// updateLegs takes the legs of an earlier set, with those of the trades read that were touched
// since. It reports false if that is not possible.
func (l *loader) updateLegs(before *Set, revision int64) (bool, error) {
	ids, known, err := ledger.TouchedSince(l.ctx, l.tx, l.owner, l.account.ID, revision)
	if err != nil || !known || len(ids) > maxUpdated {
		return false, err
	}
	fresh, missing, err := ledger.StrategyLegsByID(l.ctx, l.tx, l.owner, ids, l.hasDecisions)
	isUnknown := func(id journal.TradeID) bool { _, is := before.underlyings[id]; return !is }
	if err != nil || slices.ContainsFunc(missing, isUnknown) { // details of fills may have changed
		return false, err
	}
	l.legs = maps.Clone(before.legs)
	l.removeLegs(before, ids)
	again := map[string]bool{}
	for underlying, list := range fresh {
		switch {
		case l.legs[underlying] != nil:
			l.addAccount(list)
			l.legs[underlying], l.changed[underlying] = slices.Concat(l.legs[underlying], list), true
		case slices.ContainsFunc(list, isOption):
			again[underlying] = true // shares may have been there before its first option
		}
	}
	for underlying := range l.changed {
		if !slices.ContainsFunc(l.legs[underlying], isOption) {
			again[underlying] = true
		}
	}
	for underlying := range l.decisions {
		if !before.keyed[underlying] && l.legs[underlying] != nil {
			again[underlying] = true
		}
	}
	for _, underlying := range compareRecords(before.stored, l.stored) {
		l.changed[underlying] = true
	}
	if len(again) == 0 {
		return true, nil
	}
	return true, l.readUnderlyings(again)
}

func isOption(l strategies.Leg) bool { return !l.Stock }

// removeLegs removes the legs of touched trades.
func (l *loader) removeLegs(before *Set, ids []journal.TradeID) {
	for _, id := range ids {
		if underlying, is := before.underlyings[id]; is {
			l.changed[underlying] = true
		}
	}
	for underlying := range l.changed {
		l.legs[underlying] = slices.DeleteFunc(slices.Clone(l.legs[underlying]), func(leg strategies.Leg) bool {
			_, touched := slices.BinarySearch(ids, leg.Trade)
			return touched
		})
	}
}

// compareRecords returns the underlyings whose records differ. Both lists are in the order of
// their ids.
func compareRecords(before, after []Record) (changed []string) {
	for len(before) > 0 || len(after) > 0 {
		switch {
		case len(after) == 0 || len(before) > 0 && before[0].ID < after[0].ID:
			changed, before = append(changed, before[0].Underlying), before[1:]
		case len(before) == 0 || after[0].ID < before[0].ID:
			changed, after = append(changed, after[0].Underlying), after[1:]
		default:
			if !reflect.DeepEqual(before[0], after[0]) {
				changed = append(changed, before[0].Underlying, after[0].Underlying)
			}
			before, after = before[1:], after[1:]
		}
	}
	return changed
}

// build computes the strategies of the changed underlyings and takes the others from before.
func (l *loader) build(before *Set) *Set {
	set := &Set{
		stored: l.stored, legs: l.legs, keyed: map[string]bool{},
		byTrade: map[journal.TradeID]int{}, underlyings: map[journal.TradeID]string{}, alone: map[journal.TradeID]*strategies.Leg{},
	}
	for underlying, list := range l.legs {
		set.keyed[underlying] = l.hasDecisions(underlying)
		for i := range list {
			set.underlyings[list[i].Trade], set.alone[list[i].Trade] = underlying, &list[i]
		}
		if l.changed[underlying] {
			set.Strategies = append(set.Strategies, l.detect(underlying, list)...)
		}
	}
	if before != nil {
		for i := range before.Strategies {
			if s := before.Strategies[i]; !l.changed[s.Underlying] {
				s.Account = l.account
				set.Strategies = append(set.Strategies, s)
			}
		}
	}
	slices.SortFunc(set.Strategies, compareNewest)
	for i := range set.Strategies {
		for _, m := range set.Strategies[i].Legs() {
			set.byTrade[m.Trade] = i
		}
	}
	return set
}

// detect returns an underlying's strategies, with what is stored for them.
func (l *loader) detect(underlying string, list []strategies.Leg) []Strategy {
	built := strategies.Build(list, l.decisions[underlying], l.mode)
	out := make([]Strategy, len(built))
	for i, found := range built {
		record := l.records[journal.StrategyID(found.ID)]
		if record.Kind != "" {
			found.KindBy, found.Kind = "user", record.Kind
		}
		out[i] = Strategy{Strategy: found, Account: l.account, Underlying: underlying, Record: record}
	}
	return out
}
