package ledger

import (
	"cmp"
	"context"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/matching"
)

// ActionPreview is what a corporate action would change.
type ActionPreview struct {
	// Trades are the first of them, Total counts all.
	Trades []TradeDifference
	Total  int
}

// TradeDifference is a trade before and after a write. Before is nil for a new trade, After
// for one that is removed.
type TradeDifference struct {
	ID            journal.TradeID // empty for a new trade
	Account       journal.AccountID
	Symbol        string
	Before, After *TradeOutline
}

// TradeOutline has a trade's main figures.
type TradeOutline struct {
	Symbol                            string
	Direction                         matching.Direction
	QtyOpened, QtyRemaining, AvgEntry decimal.Decimal
	NetPnL                            decimal.Null
}

func newOutline(t *matching.Trade, symbol string) *TradeOutline {
	return &TradeOutline{Symbol: symbol, Direction: t.Direction, QtyOpened: t.QtyOpened, QtyRemaining: t.QtyRemaining, AvgEntry: t.AvgEntry, NetPnL: t.NetPnL}
}

// Fraction returns the part of a unit that the action left open. Brokers that hold whole
// units only pay cash for it. It is zero if the position had a fraction before.
func (d *TradeDifference) Fraction() decimal.Decimal {
	if d.Before == nil || d.After == nil || !fractionOf(d.Before.QtyOpened).IsZero() || !fractionOf(d.Before.QtyRemaining).IsZero() {
		return decimal.Zero
	}
	return fractionOf(d.After.QtyRemaining)
}

func fractionOf(quantity decimal.Decimal) decimal.Decimal {
	whole := quantity.DivRound(decimal.New(1), 0)
	if whole.Cmp(quantity) > 0 {
		whole = whole.Sub(decimal.New(1))
	}
	return quantity.Sub(whole)
}

// maxDifferences is how many trades a preview lists.
const maxDifferences = 100

// PreviewAction returns what CreateAction would change, and writes nothing.
func (s *Service) PreviewAction(ctx context.Context, owner journal.UserID, change ActionChange) (p ActionPreview, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		now := s.clock()
		a, err := change.apply(CorporateAction{ID: journal.NewID[journal.ActionID](), CreatedAt: now, UpdatedAt: now}, now)
		if err != nil {
			return err
		}
		if err := s.checkAction(ctx, tx, owner, a); err != nil {
			return err
		}
		accounts, err := Accounts(ctx, tx, owner)
		if err != nil {
			return err
		}
		for _, account := range accounts {
			if a.actsOn(account.ID) {
				if err := p.addAccount(ctx, tx, owner, account.ID, a); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return p, err
}

// addAccount adds what the action changes in an account.
func (p *ActionPreview) addAccount(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, a CorporateAction) error {
	b, err := readBook(ctx, tx, owner, account)
	if err != nil {
		return err
	}
	b.dry = true
	if err := b.loadEffects(ctx); err != nil {
		return err
	}
	if err := b.loadActions(ctx); err != nil {
		return err
	}
	at, _ := slices.BinarySearchFunc(b.actions, a, func(b, a CorporateAction) int {
		if b.at <= a.at {
			return -1
		}
		return 1
	})
	b.actions, b.actionsLoaded = slices.Insert(b.actions, at, a), true
	list, err := b.eventChanges(ctx, a.symbols())
	if err != nil || len(list) == 0 {
		return err
	}
	r, err := b.regroupTogether(ctx, "", list)
	if err != nil {
		return err
	}
	ids := b.assignIDs(r)
	before := map[journal.TradeID]*tradeRow{}
	for _, t := range r.old {
		before[t.id] = t
	}
	symbolOf := func(t *tradeRow) string { return r.keys[cmp.Or(t.shown, t.stream)].symbol }
	for i := range r.trades {
		was, is := before[ids[i]], r.row(i, ids[i])
		delete(before, ids[i])
		d := TradeDifference{Account: account, Symbol: symbolOf(is), After: newOutline(is.Trade, symbolOf(is))}
		if was != nil {
			if was.equal(is) {
				continue
			}
			d.ID, d.Before = was.id, newOutline(was.Trade, symbolOf(was))
		}
		p.add(d)
	}
	for _, t := range r.old {
		if before[t.id] != nil {
			p.add(TradeDifference{ID: t.id, Account: account, Symbol: symbolOf(t), Before: newOutline(t.Trade, symbolOf(t))})
		}
	}
	return nil
}

func (p *ActionPreview) add(d TradeDifference) {
	if p.Total++; p.Total <= maxDifferences {
		p.Trades = append(p.Trades, d)
	}
}
