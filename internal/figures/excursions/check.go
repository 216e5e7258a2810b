package excursions

import (
	"context"
	"fmt"
	"math/big"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/market"
	"fillbook/internal/prices/market/oracle"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/ledger"
)

// Check computes an owner's kept excursions a second time, with the slow oracle, and
// reports each difference in one sentence. Results for accounts changed since the last
// [Service.Refresh], and for trades whose fills have no exact time, are not compared.
func (s *Service) Check(ctx context.Context, owner journal.UserID, report func(string)) error {
	return s.db.View(ctx, func(tx *db.Tx) error {
		last, err := bars.LastChange(ctx, tx, owner)
		if err != nil || last == 0 {
			return err
		}
		states, err := readStates(ctx, tx, owner)
		if err != nil {
			return err
		}
		accounts, err := ledger.Accounts(ctx, tx, owner)
		if err != nil {
			return err
		}
		for _, a := range accounts {
			if states[a.ID] != (state{a.Revision, last}) {
				continue
			}
			if err := checkAccount(ctx, tx, owner, a, report); err != nil {
				return err
			}
		}
		return nil
	})
}

func checkAccount(ctx context.Context, tx *db.Tx, owner journal.UserID, account ledger.Account, report func(string)) error {
	kept, err := LoadAccount(ctx, tx, owner, account)
	if err != nil {
		return err
	}
	m, err := newMeter(ctx, tx, owner)
	if err != nil {
		return err
	}
	all := func(ledger.Instrument) (ledger.PositionWindow, bool) { return everything, true }
	err = ledger.EachPosition(ctx, tx, owner, account, all, func(list ledger.InstrumentPositions) error {
		for _, p := range list.Positions {
			result, found := kept[p.Trade]
			delete(kept, p.Trade)
			if !found || !result.IsAvailable() {
				continue
			}
			isSame, err := m.agreesWithOracle(list.Instrument, p, &result)
			if err != nil {
				return err
			}
			if !isSame {
				report(fmt.Sprintf("the excursion of trade %s does not agree with its fills and bars.", p.Trade))
			}
		}
		return nil
	})
	for id := range kept {
		report(fmt.Sprintf("there is an excursion of trade %s, which does not exist.", id))
	}
	return err
}

// agreesWithOracle reports whether a kept result is what the oracle computes.
func (m *meter) agreesWithOracle(i ledger.Instrument, p ledger.Position, kept *Result) (bool, error) {
	t := &trade{Position: p}
	if !t.prepare() {
		return false, nil
	}
	for _, f := range t.fills {
		if f.Width > 0 {
			return true, nil
		}
	}
	for _, s := range m.lookup.Find(toPriced(i), time.UnixMicro(t.opened()).UTC()) {
		if s.Secs != kept.BarSecs || s.PriceKind != kept.PriceKind {
			continue
		}
		within := market.Range{From: t.opened()/micros - s.Secs, To: t.closed()/micros + s.Secs}
		if t.Open {
			within.To = 1 << 33
		}
		block, err := bars.Read(m.ctx, m.tx, m.owner, s.Series, within)
		if err != nil {
			return false, err
		}
		if hasShares(i.Type) && oracle.HasSplit(t.fills, block, t.Open) || kept.IsOtherSide != t.isOtherSide(s.PriceKind) {
			continue
		}
		slow := oracle.MeasureExcursion(t.fills, t.multiplier.Rat(), block)
		isSame := t.equals(slow.MAELow, kept.MAE.Low) && t.equals(slow.MAEHigh, kept.MAE.High) &&
			t.equals(slow.MFELow, kept.MFE.Low) && t.equals(slow.MFEHigh, kept.MFE.High)
		if isSame {
			return true, nil
		}
	}
	return false, nil
}

// hasShares reports whether units may be split for an instrument type.
func hasShares(instrumentType string) bool {
	switch instrumentType {
	case instruments.TypeOption, instruments.TypeFuture, instruments.TypeForex, instruments.TypeCrypto:
		return false
	}
	return true
}

// equals reports whether an amount in the price currency equals a kept amount. A rate may
// have been rounded.
func (t *trade) equals(slow *big.Rat, kept decimal.Decimal) bool {
	if !t.Rate.Stated.Valid {
		return slow.Cmp(kept.Rat()) == 0
	}
	converted := new(big.Rat).Mul(slow, t.Rate.Stated.Decimal.Rat())
	difference := converted.Quo(converted, t.Rate.Priced.Decimal.Rat()).Sub(converted, kept.Rat())
	return difference.Abs(difference).Cmp(big.NewRat(1, 1_000_000_000_000)) < 0
}
