package bars

import (
	"context"
	"errors"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
)

// Alias makes a journal symbol use another symbol's bars.
type Alias struct {
	ID         journal.BarAliasID
	Symbol     string
	BarsSymbol string
	CreatedAt  time.Time
}

var aliasTable = fields.New("bar_aliases",
	fields.List[Alias]{fields.NewID("id", func(a *Alias) *journal.BarAliasID { return &a.ID })},
	fields.List[Alias]{
		fields.NewText("symbol", func(a *Alias) *string { return &a.Symbol }).Freeze(),
		fields.NewText("bars_symbol", func(a *Alias) *string { return &a.BarsSymbol }),
		fields.NewTime("created_at", func(a *Alias) *time.Time { return &a.CreatedAt }).Freeze(),
	},
)

var selectAliases = aliasTable.Select("a")

func scanAlias(row db.Scanner) (a Alias, err error) {
	err = aliasTable.Scan(row, &a)
	return a, err
}

// ListAliases returns the owner's aliases by symbol.
func (s *Service) ListAliases(ctx context.Context, owner journal.UserID) (list []Alias, err error) {
	err = s.db.Peek(ctx, func(tx *db.Tx) error {
		list, err = ListAliases(ctx, tx, owner)
		return err
	})
	return list, err
}

// ListAliases is [Service.ListAliases] inside a transaction.
func ListAliases(ctx context.Context, tx *db.Tx, owner journal.UserID) ([]Alias, error) {
	return db.List(ctx, tx, scanAlias, selectAliases+` WHERE a.user_id = $1 ORDER BY a.symbol`, owner)
}

// AddAlias stores an alias. A symbol has at most one.
func (s *Service) AddAlias(ctx context.Context, owner journal.UserID, symbol, barsSymbol string) (Alias, error) {
	added, err := newAlias(symbol, barsSymbol, s.clock())
	if err != nil {
		return Alias{}, err
	}
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		isNew, err := insertAlias(ctx, tx, owner, added)
		if err == nil && !isNew {
			return journal.Conflict("%s has an alias already. Delete it first.", added.Symbol)
		}
		aliasHistory.Created(tx, owner, &added)
		return err
	})
	return added, err
}

func newAlias(symbol, barsSymbol string, at time.Time) (a Alias, err error) {
	a = Alias{ID: journal.NewID[journal.BarAliasID](), CreatedAt: at}
	if a.Symbol, err = journal.CleanSymbol("symbol", symbol); err != nil {
		return Alias{}, err
	}
	if a.BarsSymbol, err = journal.CleanSymbol("bars_symbol", barsSymbol); err != nil {
		return Alias{}, err
	}
	if a.Symbol == a.BarsSymbol {
		return Alias{}, journal.InvalidField("bars_symbol", "bars_symbol must differ from symbol.")
	}
	return a, nil
}

// insertAlias stores an alias and records the change, unless the symbol has an alias
// already. It is a step.
func insertAlias(ctx context.Context, tx *db.Tx, owner journal.UserID, added Alias) (isNew bool, err error) {
	u, err := lockUsage(ctx, tx, owner)
	if err != nil {
		return false, err
	}
	var count, taken int
	err = tx.QueryRow(ctx, `SELECT COUNT(*), COUNT(CASE WHEN symbol = $2 THEN 1 END) FROM bar_aliases WHERE user_id = $1`,
		owner, added.Symbol).Scan(&count, &taken)
	if err != nil || taken > 0 {
		return false, err
	}
	if count >= limits.BarAliases.Max {
		return false, limits.BarAliases.Reached()
	}
	if _, err := tx.Exec(ctx, aliasTable.Insert(), aliasTable.Values(owner, &added)...); err != nil {
		return false, err
	}
	return true, recordAliasChange(ctx, tx, owner, u)
}

// DeleteAlias deletes an alias.
func (s *Service) DeleteAlias(ctx context.Context, owner journal.UserID, id journal.BarAliasID) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		u, err := lockUsage(ctx, tx, owner)
		if err != nil {
			return err
		}
		found, err := scanAlias(tx.QueryRow(ctx, selectAliases+` WHERE a.user_id = $1 AND a.id = $2`, owner, id))
		if errors.Is(err, db.ErrNoRows) {
			return journal.NotFound("alias")
		}
		if err != nil {
			return err
		}
		aliasHistory.Deleted(tx, owner, &found)
		if err := history.Keep(ctx, tx, owner, "bar_aliases", `id = $2`, id); err != nil {
			return err
		}
		if _, err = tx.Exec(ctx, `DELETE FROM bar_aliases WHERE user_id = $1 AND id = $2`, owner, id); err != nil {
			return err
		}
		return recordAliasChange(ctx, tx, owner, u)
	})
}
