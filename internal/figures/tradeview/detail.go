package tradeview

import (
	"context"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/excursions"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/trading/rulebook"
	"fillbook/internal/trading/strategybook"
)

// Detail is a trade with its fills and everything added to it.
type Detail struct {
	View
	Fills         []ledger.TradeFill
	DividendTotal decimal.Decimal
	Setups        []playbook.Setup // in Annotations.Setups order
	Attachments   []playbook.Attachment
}

// TotalPnL returns the net result and the dividends. It is absent while the
// trade is open.
func (d *Detail) TotalPnL() decimal.Null {
	if !d.NetPnL.Valid {
		return decimal.Null{}
	}
	return decimal.Of(d.NetPnL.Decimal.Add(d.DividendTotal))
}

// ReadDetail reads one of the owner's trades.
func ReadDetail(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.TradeID) (Detail, error) {
	playbook.PrefetchAnnotations(ctx, tx, owner, id)
	prefetchExcursions(ctx, tx, owner, id)
	prefetchSettings(ctx, tx, owner)
	found, err := ledger.ReadTrade(ctx, tx, owner, id)
	if err != nil {
		return Detail{}, err
	}
	return Describe(ctx, tx, owner, found)
}

// Describe adds annotations to a trade read from the ledger.
func Describe(ctx context.Context, tx *db.Tx, owner journal.UserID, trade ledger.TradeDetail) (Detail, error) {
	r := newReader(ctx, tx, owner)
	views := []View{{Trade: trade.Trade}}
	if err := r.annotate(views); err != nil {
		return Detail{}, err
	}
	return r.describe(views[0], trade)
}

func prefetchExcursions(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.TradeID) {
	tx.Prefetch(func(tx *db.Tx) { _, _ = excursions.Load(ctx, tx, owner, []journal.TradeID{id}) })
}

// PrefetchAnnotated sends the queries of [ledger.ReadTrade] and [Annotate] ahead; see
// [db.Tx.Prefetch].
func PrefetchAnnotated(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.TradeID) {
	tx.Prefetch(func(tx *db.Tx) {
		_, _ = ledger.ReadTrade(ctx, tx, owner, id)
		prefetchExcursions(ctx, tx, owner, id)
		prefetchSettings(ctx, tx, owner)
		_, _ = playbook.AttachmentsOf(ctx, tx, owner, playbook.Target{Trade: id})
		_, _ = rulebook.ListRules(ctx, tx, owner)
		_, _ = strategybook.MayHaveUnits(ctx, tx, owner)
	})
}

// Annotate adds known annotations to a trade read from the ledger.
func Annotate(ctx context.Context, tx *db.Tx, owner journal.UserID, trade ledger.TradeDetail, known playbook.Annotations) (Detail, error) {
	r := newReader(ctx, tx, owner)
	view := View{Trade: trade.Trade}
	var err error
	if r.results, err = excursions.Load(ctx, tx, owner, []journal.TradeID{known.Trade}); err != nil {
		return Detail{}, err
	}
	if err := r.setAnnotations(&view, known); err != nil {
		return Detail{}, err
	}
	return r.describe(view, trade)
}

// describe adds what lists do not show. A trade without annotations has no
// attachments, which refer to them.
func (r *reader) describe(view View, trade ledger.TradeDetail) (detail Detail, err error) {
	detail = Detail{View: view, Fills: trade.Fills, DividendTotal: trade.DividendTotal, Attachments: []playbook.Attachment{}}
	if view.Annotations.Trade == "" {
		return detail, nil
	}
	if detail.Attachments, err = playbook.AttachmentsOf(r.ctx, r.tx, r.owner, playbook.Target{Trade: trade.ID}); err != nil {
		return Detail{}, err
	}
	detail.Setups, err = findSetups(r.ctx, r.tx, r.owner, detail.Annotations.Setups)
	return detail, err
}

func findSetups(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []journal.SetupID) ([]playbook.Setup, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	all, err := playbook.ListSetups(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	byID := make(map[journal.SetupID]playbook.Setup, len(all))
	for _, setup := range all {
		byID[setup.ID] = setup
	}
	var setups []playbook.Setup
	for _, id := range ids {
		if setup, ok := byID[id]; ok {
			setups = append(setups, setup)
		}
	}
	return setups, nil
}
