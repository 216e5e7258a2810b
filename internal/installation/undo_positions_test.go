package installation_test

import (
	"context"
	"fmt"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/strategies"
	"fillbook/internal/trading/strategybook"
)

// addTrade adds a trade with its annotations, as one write.
func (w *writer) addTrade(ctx context.Context) error {
	return w.DB.Update(ctx, func(tx *db.Tx) error {
		opening := w.newFill()
		closing := opening
		closing.Side = map[matching.Side]matching.Side{matching.Buy: matching.Sell, matching.Sell: matching.Buy}[opening.Side]
		closing.ExecutedAt = opening.ExecutedAt.Add(time.Minute)
		added, err := w.Ledger.AddFills(ctx, tx, w.owner, journal.AccountID(w.pick("accounts")), []ledger.NewFill{opening, closing})
		if err != nil {
			return err
		}
		_, err = w.Playbook.AnnotateIn(ctx, tx, w.owner, added.Outcomes[0].Trades[0], w.annotation(), nil)
		return err
	})
}

// addSpecialFill adds a fill that is no trade, of a share or an option.
func (w *writer) addSpecialFill(ctx context.Context) error {
	fill := w.newFill()
	kinds := []matching.Kind{matching.KindOpening, matching.KindRemoval, matching.KindSettlement}
	if w.random.IntN(2) == 0 {
		fill.Symbol, fill.InstrumentType = "AAPL", "option"
		fill.Details = map[string]string{"option_right": "call", "strike": fmt.Sprint(100 + 10*w.random.IntN(2)), "expiry": "2026-03-20"}
		kinds = matching.Kinds()[1:]
	}
	fill.Kind = kinds[w.random.IntN(len(kinds))]
	if fill.Kind == matching.KindAssignment || fill.Kind == matching.KindExercise {
		fill.Price = decimal.Zero
	}
	_, err := w.Ledger.AddExecution(ctx, w.owner, journal.AccountID(w.pick("accounts")), fill)
	return err
}

// moveFill moves a fill to another symbol.
func (w *writer) moveFill(ctx context.Context) error {
	change := ledger.ExecutionChange{Symbol: journal.Some([]string{"AAPL", "MSFT", "NEWS"}[w.random.IntN(3)])}
	_, err := w.Ledger.UpdateExecution(ctx, w.owner, w.pickFill(), change, nil)
	return err
}

// deleteAttachedFill deletes a fill of a trade with an attachment, which may become an
// orphan's.
func (w *writer) deleteAttachedFill(ctx context.Context) error {
	id := journal.ExecutionID("00000000-0000-4000-8000-000000000000")
	must(w.t, w.DB.View(ctx, func(tx *db.Tx) error {
		attached, err := db.List(ctx, tx, db.Single[journal.TradeID], `SELECT trade_id FROM attachments WHERE user_id = $1 AND trade_id IS NOT NULL ORDER BY id`, w.owner)
		if err != nil {
			return err
		}
		return ledger.EachExecution(ctx, tx, w.owner, ledger.ExecutionQuery{}, func(e ledger.Execution) error {
			if slices.ContainsFunc(e.TradeIDs, func(id journal.TradeID) bool { return slices.Contains(attached, id) }) {
				id = e.ID
			}
			return nil
		})
	}))
	return w.Ledger.DeleteExecution(ctx, w.owner, id, nil)
}

// createMove adds a corporate action that moves positions to another symbol.
func (w *writer) createMove(ctx context.Context) error {
	kind := []ledger.ActionKind{ledger.ActionRename, ledger.ActionExchange, ledger.ActionSpinOff}[w.random.IntN(3)]
	change := ledger.ActionChange{
		Kind: journal.Some(kind), Symbol: journal.Some([]string{"AAPL", "MSFT"}[w.random.IntN(2)]), NewSymbol: journal.Some([]string{"NEWS", "MSFT"}[w.random.IntN(2)]),
		EffectiveOn: journal.Some(journal.Day(fmt.Sprintf("2026-03-%02d", 2+w.random.IntN(3)))),
	}
	if kind != ledger.ActionRename {
		change.RatioOld = journal.Some(int64(2))
	}
	_, err := w.Ledger.CreateAction(ctx, w.owner, change)
	return err
}

// pickStrategy returns a random strategy, also a proposed one, with one of its trades.
func (w *writer) pickStrategy() (id journal.StrategyID, trade journal.TradeID) {
	w.t.Helper()
	list := w.strategies()
	if len(list) == 0 {
		return "00000000-0000-4000-8000-000000000000", "00000000-0000-4000-8000-000000000000"
	}
	found := list[w.random.IntN(len(list))]
	return journal.StrategyID(found.ID), found.Members[w.random.IntN(len(found.Members))].Trade
}

func (w *writer) strategies() []strategybook.Strategy {
	w.t.Helper()
	list, err := db.Get(w.t.Context(), w.DB.View, func(tx *db.Tx) ([]strategybook.Strategy, error) {
		return w.Strategies.List(w.t.Context(), tx, w.owner, strategybook.Query{})
	})
	must(w.t, err)
	return list
}

// addToStrategy adds a trade that is in no other strategy of the user's, if there is one, and
// else any.
func (w *writer) addToStrategy(ctx context.Context) error {
	id, _ := w.pickStrategy()
	trade := w.pickOption()
	list, taken := w.strategies(), map[journal.TradeID]bool{}
	for i := range list {
		for _, m := range list[i].Members {
			taken[m.Trade] = taken[m.Trade] || list[i].IsUnit()
		}
	}
	var pairs [][2]string
	for i := range list {
		for _, other := range w.optionsIn(list[i].Account.ID) {
			if !taken[other] && !slices.ContainsFunc(list[i].Members, func(m strategies.Member) bool { return m.Trade == other }) {
				pairs = append(pairs, [2]string{list[i].ID, string(other)})
			}
		}
	}
	if len(pairs) > 0 {
		pair := pairs[w.random.IntN(len(pairs))]
		id, trade = journal.StrategyID(pair[0]), journal.TradeID(pair[1])
	}
	_, err := w.Strategies.AddTrade(ctx, w.owner, id, trade)
	return err
}

func (w *writer) removeFromStrategy(ctx context.Context) error {
	id, trade := w.pickStrategy()
	return w.Strategies.RemoveTrade(ctx, w.owner, id, trade)
}
