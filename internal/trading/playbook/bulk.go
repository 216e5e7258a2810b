package playbook

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// BulkChange is one change to several trades' annotations. Set is applied to each trade
// first; then tags and setups are removed, then added.
type BulkChange struct {
	Set                     AnnotationChange
	AddTags, RemoveTags     []journal.TagID
	AddSetups, RemoveSetups []journal.SetupID
}

// IsEmpty reports whether the change sets no field.
func (c AnnotationChange) IsEmpty() bool { return reflect.ValueOf(c).IsZero() }

// IsEmpty reports whether the change sets, adds and removes nothing.
func (c BulkChange) IsEmpty() bool {
	return c.Set.IsEmpty() && len(c.AddTags)+len(c.RemoveTags)+len(c.AddSetups)+len(c.RemoveSetups) == 0
}

// BulkResult reports what a bulk change did to one trade.
type BulkResult struct {
	Trade   journal.TradeID
	Changed bool
}

// AnnotateTrades changes several trades' annotations as one step. It reports each trade
// once, in the order given. An id that is not the owner's trade is not found, and an
// unknown tag or setup is an invalid field. A trade whose annotations stay the same is
// not written.
func (s *Service) AnnotateTrades(
	ctx context.Context, tx *db.Tx, owner journal.UserID, trades []journal.TradeID, change BulkChange,
) ([]BulkResult, error) {
	trades = unique(trades)
	accounts, err := s.options.Known.Trades(ctx, tx, owner, trades)
	if err != nil {
		return nil, err
	}
	if err := change.check(ctx, tx, owner); err != nil {
		return nil, err
	}
	stored, err := LoadAnnotations(ctx, tx, owner, trades)
	if err != nil {
		return nil, err
	}
	results := make([]BulkResult, len(trades))
	var before, after []Annotations
	now := s.clock()
	for i, trade := range trades {
		old := stored[trade]
		old.Trade, old.Account = trade, accounts[trade]
		rule, err := s.priceRule(ctx, tx, owner, trade, change.Set)
		if err != nil {
			return nil, err
		}
		changed, err := change.apply(old, rule, now)
		if err != nil {
			return nil, err
		}
		if err := checkRules(ctx, tx, owner, old.Rules, changed.Rules); err != nil {
			return nil, err
		}
		results[i] = BulkResult{Trade: trade, Changed: !changed.equal(old)}
		if results[i].Changed {
			before, after = append(before, old), append(after, changed)
		}
	}
	if err := replaceMany(ctx, tx, owner, before, after); err != nil {
		return nil, err
	}
	for i := range after {
		tradeHistory.Updated(tx, owner, &before[i], &after[i])
	}
	return results, s.reportChanged(ctx, tx, owner, after)
}

// unique returns the ids in order without repeats.
func unique[T comparable](ids []T) []T {
	seen := make(map[T]bool, len(ids))
	return slices.DeleteFunc(slices.Clone(ids), func(id T) bool {
		repeated := seen[id]
		seen[id] = true
		return repeated
	})
}

// check refuses lists that are too long or contradict each other, and ids that
// are not the owner's.
func (c BulkChange) check(ctx context.Context, tx *db.Tx, owner journal.UserID) error {
	setups := idList[journal.SetupID]{"setup_ids", c.Set.Setups.Value}
	if c.Set.Setup.Set && !c.Set.Setup.Null && !c.Set.Setups.Set {
		setups = idList[journal.SetupID]{"setup_id", []journal.SetupID{c.Set.Setup.Value}}
	}
	err := checkLists(ctx, tx, owner, `SELECT COUNT(*) FROM tags`, idList[journal.TagID]{"tag_ids", c.Set.Tags.Value},
		idList[journal.TagID]{"add_tag_ids", c.AddTags}, idList[journal.TagID]{"remove_tag_ids", c.RemoveTags})
	if err != nil {
		return err
	}
	return checkLists(ctx, tx, owner, `SELECT COUNT(*) FROM setups`, setups,
		idList[journal.SetupID]{"add_setup_ids", c.AddSetups}, idList[journal.SetupID]{"remove_setup_ids", c.RemoveSetups})
}

// idList is an id list and the field it was sent in.
type idList[T comparable] struct {
	field string
	ids   []T
}

func checkLists[T comparable](ctx context.Context, tx *db.Tx, owner journal.UserID, count string, set, add, remove idList[T]) error {
	for _, id := range remove.ids {
		if slices.Contains(add.ids, id) {
			return journal.InvalidField(remove.field, "%s and %s must not name the same record.", add.field, remove.field)
		}
	}
	for _, list := range []idList[T]{set, add, remove} {
		ids, err := links(list.field, list.ids)
		if err != nil {
			return err
		}
		if err := checkAll(ctx, tx, owner, count, list.field, ids); err != nil {
			return err
		}
	}
	return nil
}

// apply returns a trade's annotations after the change.
func (c BulkChange) apply(old Annotations, rule PriceRule, now time.Time) (Annotations, error) {
	changed, err := c.Set.apply(old, rule, now)
	if err != nil {
		return Annotations{}, err
	}
	if changed.Tags, err = relink("add_tag_ids", changed.Tags, c.AddTags, c.RemoveTags); err != nil {
		return Annotations{}, err
	}
	if sameSet(changed.Tags, old.Tags) { // tags have no order
		changed.Tags = old.Tags
	}
	changed.Setups, err = relink("add_setup_ids", changed.Setups, c.AddSetups, c.RemoveSetups)
	return changed, err
}

// relink removes ids from a list and appends others. A list that was longer
// than allowed, as after a merge, may stay so but not grow.
func relink[T comparable](field string, old, add, remove []T) ([]T, error) {
	list := slices.DeleteFunc(slices.Clone(old), func(id T) bool { return slices.Contains(remove, id) })
	list = united(list, add)
	if len(list) > maxLinks && len(list) > len(old) {
		return nil, journal.InvalidField(field, "%s would give a trade more than %d records.", field, maxLinks)
	}
	return list, nil
}

// sameSet reports whether two lists without repeats have the same elements.
func sameSet[T comparable](a, b []T) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(id T) bool { return !slices.Contains(b, id) })
}

// replaceMany writes annotations over what is stored, links included.
func replaceMany(ctx context.Context, tx *db.Tx, owner journal.UserID, before, after []Annotations) error {
	var untagged, unset, unticked []journal.TradeID
	for i := range after {
		if len(before[i].Tags) > 0 && !slices.Equal(before[i].Tags, after[i].Tags) {
			untagged = append(untagged, after[i].Trade)
		}
		if len(before[i].Setups) > 0 && !slices.Equal(before[i].Setups, after[i].Setups) {
			unset = append(unset, after[i].Trade)
		}
		if len(before[i].Rules) > 0 && !slices.Equal(before[i].Rules, after[i].Rules) {
			unticked = append(unticked, after[i].Trade)
		}
	}
	if err := deleteLinks(ctx, tx, owner, `DELETE FROM trade_tags`, untagged); err != nil {
		return err
	}
	if err := deleteLinks(ctx, tx, owner, `DELETE FROM trade_setups`, unset); err != nil {
		return err
	}
	if err := deleteLinks(ctx, tx, owner, `DELETE FROM trade_rules`, unticked); err != nil {
		return err
	}
	return saveAnnotations(ctx, tx, owner, after...)
}

func deleteLinks(ctx context.Context, tx *db.Tx, owner journal.UserID, statement string, trades []journal.TradeID) error {
	return db.QueueIn(ctx, tx, trades, statement+` WHERE user_id = $1 AND trade_id IN $keys`, owner)
}

// reportChanged calls Known.AnnotationsChanged for each account with changed trades.
func (s *Service) reportChanged(ctx context.Context, tx *db.Tx, owner journal.UserID, changed []Annotations) error {
	if s.options.Known.AnnotationsChanged == nil {
		return nil
	}
	byAccount := map[journal.AccountID][]journal.TradeID{}
	for _, m := range changed {
		byAccount[m.Account] = append(byAccount[m.Account], m.Trade)
	}
	for _, account := range slices.Sorted(maps.Keys(byAccount)) {
		if err := s.options.Known.AnnotationsChanged(ctx, tx, owner, account, byAccount[account]...); err != nil {
			return err
		}
	}
	return nil
}
