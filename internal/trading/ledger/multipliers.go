package ledger

import (
	"cmp"
	"context"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
	"fillbook/internal/trading/instruments"
)

// Override is a multiplier the user set for one account. Root is a future's root (ES for
// ESZ4) or any other instrument's symbol.
type Override struct {
	Root       string
	Multiplier decimal.Decimal
	TickSize   decimal.Null
}

// Overrides lists an account's overrides by root.
func (s *Service) Overrides(ctx context.Context, owner journal.UserID, account journal.AccountID) (list []Override, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		a, err := findAccount(ctx, tx, owner, account)
		if err != nil {
			return err
		}
		list, err = loadOverrides(ctx, tx, owner, a)
		return err
	})
	return list, err
}

// SetOverrides replaces an account's overrides. They apply to new fills: a stored fill
// keeps its multiplier. Each check receives the stored overrides and may reject the
// change.
func (s *Service) SetOverrides(
	ctx context.Context, owner journal.UserID, account journal.AccountID, list []Override, checks ...func([]Override) error,
) ([]Override, error) {
	list, err := cleanOverrides(list)
	if err != nil {
		return nil, err
	}
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		a, err := LockAccount(ctx, tx, owner, account)
		if err != nil {
			return err
		}
		stored, err := loadOverrides(ctx, tx, owner, a)
		if err != nil {
			return err
		}
		for _, check := range checks {
			if err := runCheck(check, stored); err != nil {
				return err
			}
		}
		recordOverrides(tx, owner, a, stored, list)
		_, err = tx.Exec(ctx, `DELETE FROM instrument_overrides WHERE user_id = $1 AND account = $2`, owner, a.number)
		if err != nil {
			return err
		}
		rows := make([][]any, len(list))
		for i, o := range list {
			rows[i] = []any{owner, a.number, o.Root, o.Multiplier, o.TickSize}
		}
		_, err = tx.InsertMany(ctx, "instrument_overrides",
			[]string{"user_id", "account", "root", "multiplier", "tick_size"}, "", rows)
		return err
	})
	return list, err
}

func cleanOverrides(list []Override) ([]Override, error) {
	if len(list) > limits.Overrides.Max {
		return nil, journal.Invalid("An account can have at most %d overrides.", limits.Overrides.Max)
	}
	list = slices.Clone(list)
	seen := map[string]bool{}
	for i := range list {
		o := &list[i]
		var err error
		if o.Root, err = journal.CleanSymbol("root", o.Root); err != nil {
			return nil, err
		}
		if seen[o.Root] {
			return nil, journal.InvalidField("root", "%s occurs twice.", o.Root)
		}
		seen[o.Root] = true
		if err := checkMultiplier(o.Multiplier); err != nil {
			return nil, err
		}
		if o.TickSize.Valid && o.TickSize.Decimal.Sign() <= 0 {
			return nil, journal.InvalidField("tick_size", "tick_size must be above zero.")
		}
		if err := checkAmount("tick_size", o.TickSize.Decimal); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(list, func(a, b Override) int { return cmp.Compare(a.Root, b.Root) })
	return list, nil
}

func loadOverrides(ctx context.Context, tx *db.Tx, owner journal.UserID, a Account) ([]Override, error) {
	return db.List(ctx, tx, func(row db.Scanner) (o Override, err error) {
		err = row.Scan(&o.Root, &o.Multiplier, &o.TickSize)
		return o, err
	}, `SELECT root, multiplier, tick_size FROM instrument_overrides WHERE user_id = $1 AND account = $2 ORDER BY root`,
		owner, a.number)
}

// multipliers finds the multiplier for fills without a stated one: what the user set for
// the account, else what is usual for the instrument.
type multipliers struct {
	rows      *accountRows
	overrides map[string]decimal.Decimal    // nil until loaded
	known     map[[2]string]decimal.Decimal // by symbol and type
	warnings  []string
}

func (a *accountRows) newMultipliers() *multipliers {
	return &multipliers{rows: a, known: map[[2]string]decimal.Decimal{}}
}

func (m *multipliers) lookup(ctx context.Context, symbol, kind string) (decimal.Decimal, error) {
	key := [2]string{symbol, kind}
	if found, ok := m.known[key]; ok {
		return found, nil
	}
	if m.overrides == nil {
		list, err := loadOverrides(ctx, m.rows.tx, m.rows.owner, m.rows.account)
		if err != nil {
			return decimal.Zero, err
		}
		m.overrides = map[string]decimal.Decimal{}
		for _, o := range list {
			m.overrides[o.Root] = o.Multiplier
		}
	}
	m.known[key] = m.find(symbol, kind)
	return m.known[key], nil
}

func (m *multipliers) find(symbol, kind string) decimal.Decimal {
	if found, ok := m.overrides[symbol]; ok {
		return found
	}
	if kind == instruments.TypeFuture {
		if found, ok := m.overrides[instruments.FindRoot(symbol)]; ok {
			return found
		}
	}
	usual, warning := instruments.DefaultMultiplier(symbol, kind)
	if warning != "" {
		m.warnings = append(m.warnings, warning)
	}
	return usual
}
