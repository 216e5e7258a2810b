package strategybook

import (
	"context"
	"maps"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/trading/strategies"
)

const (
	// maxTrades is how many trades a strategy can have.
	maxTrades = 100
	// maxKeys is how many fills of a trade a decision names.
	maxKeys = 200
)

// Change is a change to a strategy. What is not set stays.
type Change struct {
	Name  journal.Opt[string]
	Kind  journal.Opt[strategies.Kind]
	State journal.Opt[strategies.State]
	playbook.AnnotationChange
}

// isEmpty reports whether the change sets nothing.
func (c *Change) isEmpty() bool {
	return !c.Name.Set && !c.Kind.Set && !c.State.Set && c.AnnotationChange.IsEmpty()
}

// apply returns the record after the change. It is a step.
func (c *Change) apply(ctx context.Context, tx *db.Tx, owner journal.UserID, r Record, clock journal.Clock) (Record, error) {
	var err error
	if c.Name.Set {
		if r.Name, err = journal.CleanName("name", c.Name.Value); err != nil {
			return Record{}, err
		}
	}
	if c.Kind.Set {
		if r.Kind = c.Kind.Value; r.Kind != "" && !slices.Contains(strategies.Kinds(), r.Kind) {
			return Record{}, journal.InvalidField("kind", "kind must be one of the kinds of strategies.")
		}
	}
	if c.State.Set {
		if c.State.Value != strategies.Accepted {
			return Record{}, journal.InvalidField("state", "state can only be set to accepted.")
		}
		if r.State == strategies.Proposed {
			r.State = strategies.Accepted
		}
	}
	written := playbook.Annotations{AnnotationValues: r.Values, Tags: r.Tags, Setups: r.Setups}
	if written, err = playbook.ApplyChange(ctx, tx, owner, written, c.AnnotationChange, clock()); err != nil {
		return Record{}, err
	}
	r.Values, r.Tags, r.Setups = written.AnnotationValues, written.Tags, written.Setups
	return r, nil
}

// writer is a write to an account's strategies, inside its transaction.
type writer struct {
	*Service
	tx      *db.Tx
	owner   journal.UserID
	account ledger.Account
	mode    strategies.Mode
	set     *Set
}

// begin locks an account and reads its strategies.
func (s *Service) begin(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) (*writer, error) {
	locked, err := ledger.LockAccount(ctx, tx, owner, account)
	if err != nil {
		return nil, err
	}
	mode, err := ReadMode(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	set, err := s.Load(ctx, tx, owner, locked, mode)
	return &writer{Service: s, tx: tx, owner: owner, account: locked, mode: mode, set: set}, err
}

// finish raises the account's revision with the trades that the write is about, so that the
// strategies of their underlying are computed again, and returns the strategy as it is now.
func (w *writer) finish(ctx context.Context, id journal.StrategyID, touched []journal.TradeID) (Strategy, error) {
	revision, err := ledger.RaiseRevision(ctx, w.tx, w.owner, w.account, touched)
	if err != nil {
		return Strategy{}, err
	}
	w.account.Revision = revision
	if w.set, err = w.Load(ctx, w.tx, w.owner, w.account, w.mode); err != nil {
		return Strategy{}, err
	}
	found := w.find(id)
	if found == nil {
		return Strategy{}, nil // deleted
	}
	return *found, nil
}

func (w *writer) find(id journal.StrategyID) *Strategy {
	at := slices.IndexFunc(w.set.Strategies, func(s Strategy) bool { return journal.StrategyID(s.ID) == id })
	if at >= 0 {
		return &w.set.Strategies[at]
	}
	if at := slices.IndexFunc(w.set.stored, func(r Record) bool { return r.ID == id && r.State != strategies.Alone }); at >= 0 {
		orphan := newOrphan(w.account, w.set.stored[at])
		return &orphan
	}
	return nil
}

// insert stores a new record.
func (w *writer) insert(ctx context.Context, r *Record) error {
	if err := limits.Strategies.Check(ctx, w.tx, w.owner, `SELECT COUNT(*) FROM strategies WHERE user_id = $1`); err != nil {
		return err
	}
	recordHistory.Created(w.tx, w.owner, r)
	_, err := w.tx.Exec(ctx, table.Insert(), table.Values(w.owner, r)...)
	return err
}

// update stores a changed record, if it differs.
func (w *writer) update(ctx context.Context, before, after *Record) error {
	if table.Fields.Equal(before, after) {
		return nil
	}
	after.UpdatedAt = w.clock()
	recordHistory.Updated(w.tx, w.owner, before, after)
	_, err := w.tx.Exec(ctx, table.Update(), table.UpdateValues(w.owner, after)...)
	return err
}

// remove deletes a record.
func (w *writer) remove(ctx context.Context, r *Record) error {
	recordHistory.Deleted(w.tx, w.owner, r)
	if err := history.Keep(ctx, w.tx, w.owner, "strategies", `id = $2`, r.ID); err != nil {
		return err
	}
	_, err := w.tx.Exec(ctx, `DELETE FROM strategies WHERE user_id = $1 AND id = $2`, w.owner, r.ID)
	return err
}

// newRecord returns the record for a strategy: the stored one, or one with its trades.
func (w *writer) newRecord(ctx context.Context, s *Strategy) (r Record, isStored bool, err error) {
	if s.Record.ID != "" {
		return s.Record, true, nil
	}
	now := w.clock()
	r = Record{
		ID: journal.StrategyID(s.ID), Account: w.account.ID, Underlying: s.Underlying, State: s.State, Evidence: s.Evidence, CreatedAt: now, UpdatedAt: now,
		Tags: []journal.TagID{}, Setups: []journal.SetupID{}, Members: []strategies.Decided{},
	}
	for _, m := range s.Members {
		if m.Later {
			continue // it follows its event
		}
		decided, err := w.decide(ctx, m.Trade)
		if err != nil {
			return Record{}, false, err
		}
		r.Members = append(r.Members, decided)
	}
	return r, false, nil
}

// decide returns a trade as a decision names it.
func (w *writer) decide(ctx context.Context, trade journal.TradeID) (strategies.Decided, error) {
	keys, err := ledger.StrategyFillKeys(ctx, w.tx, w.owner, trade, maxKeys)
	return strategies.Decided{Trade: trade, Keys: keys}, err
}

// save stores a record.
func (w *writer) save(ctx context.Context, before, after *Record, isStored bool) error {
	if isStored {
		return w.update(ctx, before, after)
	}
	return w.insert(ctx, after)
}

// release removes trades from the records that name them, so that another can. Stock stays
// in others: it may cover them.
func (w *writer) release(ctx context.Context, trades []journal.TradeID, except journal.StrategyID) error {
	for _, r := range w.set.stored {
		if r.ID == except {
			continue
		}
		after := r
		after.Members = slices.DeleteFunc(slices.Clone(r.Members), func(m strategies.Decided) bool { return slices.Contains(trades, m.Trade) })
		switch {
		case len(after.Members) == len(r.Members) || r.State != strategies.Alone:
			continue
		case len(after.Members) == 0 && !r.hasContent():
			if err := w.remove(ctx, &r); err != nil {
				return err
			}
		default:
			if err := w.update(ctx, &r, &after); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkFree returns a conflict if a trade belongs to an accepted or manual strategy, and
// the common underlying.
func (w *writer) checkFree(trades []journal.TradeID) (underlying string, err error) {
	for _, id := range trades {
		found, known := w.set.underlyings[id]
		switch {
		case !known:
			return "", journal.InvalidField("trade_ids", "Strategies are for options, and for trades in the underlying of an option.")
		case underlying != "" && found != underlying:
			return "", journal.InvalidField("trade_ids", "The trades of a strategy must have one underlying. These have %s and %s.", underlying, found)
		}
		underlying = found
		if s := w.set.Find(id); s != nil && s.IsUnit() {
			return "", journal.Conflict("A trade is in another strategy already. Remove it there first.")
		}
	}
	return underlying, nil
}

// Create stores a strategy of the user. It is one transaction.
func (s *Service) Create(ctx context.Context, owner journal.UserID, trades []journal.TradeID, change Change) (created Strategy, err error) {
	trades = slices.Compact(slices.Sorted(slices.Values(trades)))
	if len(trades) == 0 || len(trades) > maxTrades {
		return Strategy{}, journal.InvalidField("trade_ids", "trade_ids must have 1 to %d trades.", maxTrades)
	}
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		accounts, err := ledger.LockTrades(ctx, tx, owner, trades)
		if err != nil {
			return err
		}
		for _, id := range trades {
			if accounts[id] != accounts[trades[0]] {
				return journal.InvalidField("trade_ids", "The trades of a strategy must be in one account.")
			}
		}
		w, err := s.begin(ctx, tx, owner, accounts[trades[0]])
		if err != nil {
			return err
		}
		created, err = w.create(ctx, trades, change)
		return err
	})
	return created, err
}

func (w *writer) create(ctx context.Context, trades []journal.TradeID, change Change) (Strategy, error) {
	underlying, err := w.checkFree(trades)
	if err != nil {
		return Strategy{}, err
	}
	now := w.clock()
	r := Record{
		ID: journal.NewID[journal.StrategyID](), Account: w.account.ID, Underlying: underlying, State: strategies.Manual, CreatedAt: now, UpdatedAt: now,
		Tags: []journal.TagID{}, Setups: []journal.SetupID{}, Members: []strategies.Decided{},
	}
	if r, err = change.apply(ctx, w.tx, w.owner, r, w.clock); err != nil {
		return Strategy{}, err
	}
	for _, id := range trades {
		decided, err := w.decide(ctx, id)
		if err != nil {
			return Strategy{}, err
		}
		r.Members = append(r.Members, decided)
	}
	if err := w.insert(ctx, &r); err != nil {
		return Strategy{}, err
	}
	if err := w.release(ctx, trades, r.ID); err != nil {
		return Strategy{}, err
	}
	return w.finish(ctx, r.ID, trades)
}

// write runs a write to one strategy in its own transaction. check may be nil; it is
// called with the strategy before.
func (s *Service) write(
	ctx context.Context, owner journal.UserID, id journal.StrategyID, check func(Strategy) error, fn func(*writer, *Strategy) error,
) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		found, _, err := s.Read(ctx, tx, owner, id)
		if err != nil {
			return err
		}
		w, err := s.begin(ctx, tx, owner, found.Account.ID)
		if err != nil {
			return err
		}
		current := w.find(id)
		if current == nil {
			return journal.NotFound("strategy")
		}
		if check != nil {
			if err := check(*current); err != nil {
				return err
			}
		}
		return fn(w, current)
	})
}

// Update changes a strategy. A proposal that is only annotated stays one.
func (s *Service) Update(ctx context.Context, owner journal.UserID, id journal.StrategyID, change Change, check func(Strategy) error) (changed Strategy, err error) {
	err = s.write(ctx, owner, id, check, func(w *writer, current *Strategy) error {
		if change.isEmpty() {
			changed = *current
			return nil
		}
		before, isStored, err := w.newRecord(ctx, current)
		if err != nil {
			return err
		}
		after, err := change.apply(ctx, w.tx, owner, before, s.clock)
		if err != nil {
			return err
		}
		if after.State == strategies.Accepted && after.Evidence == "" {
			after.Evidence = current.Evidence
		}
		if err := w.save(ctx, &before, &after, isStored); err != nil {
			return err
		}
		changed, err = w.finish(ctx, id, current.tradeIDs())
		return err
	})
	return changed, err
}

// AddTrade adds a trade to a strategy, which becomes the user's own.
func (s *Service) AddTrade(ctx context.Context, owner journal.UserID, id journal.StrategyID, trade journal.TradeID) (changed Strategy, err error) {
	err = s.write(ctx, owner, id, nil, func(w *writer, current *Strategy) error {
		account, err := ledger.LockTrade(ctx, w.tx, owner, trade)
		if err != nil {
			return err
		}
		if current.hasTrade(trade) {
			changed = *current
			return nil
		}
		if account != w.account.ID {
			return journal.InvalidField("trade_id", "The trades of a strategy must be in one account.")
		}
		underlying, err := w.checkFree([]journal.TradeID{trade})
		if err != nil {
			return err
		}
		if underlying != current.Underlying {
			return journal.InvalidField("trade_id", "The trades of a strategy must have one underlying. These have %s and %s.", current.Underlying, underlying)
		}
		changed, err = w.replaceMembers(ctx, current, func(r *Record) error {
			if len(r.Members) >= maxTrades {
				return journal.InvalidField("trade_id", "A strategy has at most %d trades.", maxTrades)
			}
			decided, err := w.decide(ctx, trade)
			r.Members = append(slices.Clone(r.Members), decided)
			return err
		}, trade)
		return err
	})
	return changed, err
}

// tradeIDs returns the strategy's trades, without those that only cover.
func (s *Strategy) tradeIDs() []journal.TradeID {
	legs := s.Legs()
	ids := make([]journal.TradeID, len(legs))
	for i, m := range legs {
		ids[i] = m.Trade
	}
	return ids
}

func (s *Strategy) hasTrade(trade journal.TradeID) bool {
	return slices.ContainsFunc(s.Members, func(m strategies.Member) bool { return m.Trade == trade })
}

// RemoveTrade removes a trade from a strategy, which becomes the user's own.
func (s *Service) RemoveTrade(ctx context.Context, owner journal.UserID, id journal.StrategyID, trade journal.TradeID) error {
	return s.write(ctx, owner, id, nil, func(w *writer, current *Strategy) error {
		if !current.hasTrade(trade) {
			return journal.NotFound("trade")
		}
		if slices.ContainsFunc(current.Members, func(m strategies.Member) bool { return m.Trade == trade && m.Later }) {
			return journal.Conflict("The trade belongs to the strategy because a leg was assigned or exercised. It cannot be removed by itself.")
		}
		if len(current.Members) == 1 {
			return journal.Conflict("A strategy needs a trade. Delete the strategy instead.")
		}
		_, err := w.replaceMembers(ctx, current, func(r *Record) error {
			keys, err := ledger.StrategyFillKeys(ctx, w.tx, owner, trade, maxKeys)
			r.Members = slices.DeleteFunc(slices.Clone(r.Members), func(m strategies.Decided) bool {
				return m.Trade == trade || slices.ContainsFunc(m.Keys, func(key string) bool { return slices.Contains(keys, key) })
			})
			return err
		})
		return err
	})
}

// replaceMembers stores a strategy with other trades as the user's own.
func (w *writer) replaceMembers(ctx context.Context, current *Strategy, replace func(*Record) error, added ...journal.TradeID) (Strategy, error) {
	before, isStored, err := w.newRecord(ctx, current)
	if err != nil {
		return Strategy{}, err
	}
	after := before
	if err := replace(&after); err != nil {
		return Strategy{}, err
	}
	after.State, after.Evidence = strategies.Manual, ""
	if err := w.save(ctx, &before, &after, isStored); err != nil {
		return Strategy{}, err
	}
	if err := w.release(ctx, added, after.ID); err != nil {
		return Strategy{}, err
	}
	return w.finish(ctx, after.ID, append(current.tradeIDs(), added...))
}

// Delete dissolves a strategy: its trades stay alone and are not proposed again. What was
// written on it is kept with the decision, for an undo.
func (s *Service) Delete(ctx context.Context, owner journal.UserID, id journal.StrategyID, check func(Strategy) error) error {
	return s.write(ctx, owner, id, check, func(w *writer, current *Strategy) error {
		before, isStored, err := w.newRecord(ctx, current)
		if err != nil {
			return err
		}
		after := before
		after.State = strategies.Alone
		// A stock trade that only covers may cover others.
		after.Members = slices.DeleteFunc(slices.Clone(before.Members), func(m strategies.Decided) bool {
			return slices.ContainsFunc(current.Members, func(x strategies.Member) bool { return x.Trade == m.Trade && x.Role == strategies.RoleCover })
		})
		if err := w.save(ctx, &before, &after, isStored); err != nil {
			return err
		}
		_, err = w.finish(ctx, id, current.tradeIDs())
		return err
	})
}

// ForgetAccount deletes an account's rows and keeps them for an undo. It is a step.
func ForgetAccount(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) error {
	if err := history.Keep(ctx, tx, owner, "strategies", `account_id = $2`, account); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `DELETE FROM strategies WHERE user_id = $1 AND account_id = $2`, owner, account)
	return err
}

// RestoreAccount restores the rows of an account that came back. It is a step.
func RestoreAccount(ctx context.Context, u *history.Undoing, _ journal.AccountID) error {
	return u.Insert(ctx, "strategies", "")
}

// ReplaceTag replaces a tag by another on the owner's strategies, or removes it if tag is
// empty. It is a step in merging and deleting tags.
func ReplaceTag(ctx context.Context, tx *db.Tx, owner journal.UserID, old, tag journal.TagID) error {
	return changeAll(ctx, tx, owner, "tags", string(old), func(r *Record) {
		r.Tags = slices.DeleteFunc(slices.Clone(r.Tags), func(id journal.TagID) bool { return id == old || id == tag })
		if tag != "" {
			r.Tags = append(r.Tags, tag)
		}
	})
}

// RemoveSetup removes a setup from the owner's strategies. It is a step in deleting it.
func RemoveSetup(ctx context.Context, tx *db.Tx, owner journal.UserID, setup journal.SetupID) error {
	return changeAll(ctx, tx, owner, "setups", string(setup), func(r *Record) {
		r.Setups = slices.DeleteFunc(slices.Clone(r.Setups), func(id journal.SetupID) bool { return id == setup })
	})
}

// changeAll changes the records with an id in a column that is a list.
func changeAll(ctx context.Context, tx *db.Tx, owner journal.UserID, column, id string, change func(*Record)) error {
	list, err := db.List(ctx, tx, scanRecord, selectRecords+` WHERE s.user_id = $1 AND s.`+column+` LIKE $2 ORDER BY s.account_id, s.id`, owner, `%"`+id+`"%`)
	if err != nil {
		return err
	}
	touched := map[journal.AccountID][]journal.TradeID{}
	for _, before := range list {
		after := before
		change(&after)
		recordHistory.Updated(tx, owner, &before, &after)
		if _, err := tx.Exec(ctx, table.Update(), table.UpdateValues(owner, &after)...); err != nil {
			return err
		}
		touched[before.Account] = append(touched[before.Account], before.tradeIDs()...)
	}
	for _, account := range slices.Sorted(maps.Keys(touched)) {
		// A caller who is limited to some accounts may change what all accounts share.
		if err := ledger.TouchTrades(journal.UnlimitAccounts(ctx), tx, owner, account, touched[account]...); err != nil {
			return err
		}
	}
	return nil
}
