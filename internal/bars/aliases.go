package bars

import (
	"context"
	"errors"
	"time"

	"fillbook/internal/db"
	"fillbook/internal/fields"
	"fillbook/internal/journal"
)

// Alias says which bars a symbol of the journal uses: those of another symbol.
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

// maxAliases is how many aliases a user may have.
const maxAliases = 1000

// ListAliases returns the owner's aliases by symbol.
func (s *Service) ListAliases(ctx context.Context, owner journal.UserID) (list []Alias, err error) {
	err = s.db.Peek(ctx, func(tx *db.Tx) error {
		list, err = listAliases(ctx, tx, owner)
		return err
	})
	return list, err
}

func listAliases(ctx context.Context, tx *db.Tx, owner journal.UserID) ([]Alias, error) {
	return db.List(ctx, tx, scanAlias, selectAliases+` WHERE a.user_id = $1 ORDER BY a.symbol`, owner)
}

// AddAlias stores an alias. A symbol has at most one.
func (s *Service) AddAlias(ctx context.Context, owner journal.UserID, symbol, barsSymbol string) (added Alias, err error) {
	added = Alias{ID: journal.NewID[journal.BarAliasID](), CreatedAt: s.clock()}
	if added.Symbol, err = journal.CleanSymbol("symbol", symbol); err != nil {
		return Alias{}, err
	}
	if added.BarsSymbol, err = journal.CleanSymbol("bars_symbol", barsSymbol); err != nil {
		return Alias{}, err
	}
	if added.Symbol == added.BarsSymbol {
		return Alias{}, journal.InvalidField("bars_symbol", "bars_symbol must differ from symbol.")
	}
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		u, err := lockUsage(ctx, tx, owner)
		if err != nil {
			return err
		}
		stored, err := listAliases(ctx, tx, owner)
		if err != nil {
			return err
		}
		for _, a := range stored {
			if a.Symbol == added.Symbol {
				return journal.Conflict("%s has an alias already. Delete it first.", a.Symbol)
			}
		}
		if len(stored) >= maxAliases {
			return journal.Conflict("You can have %d aliases. Delete one first.", maxAliases)
		}
		if _, err = tx.Exec(ctx, aliasTable.Insert(), aliasTable.Values(owner, &added)...); err != nil {
			return err
		}
		return recordAliasChange(ctx, tx, owner, u)
	})
	return added, err
}

// DeleteAlias deletes an alias.
func (s *Service) DeleteAlias(ctx context.Context, owner journal.UserID, id journal.BarAliasID) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		u, err := lockUsage(ctx, tx, owner)
		if err != nil {
			return err
		}
		_, err = scanAlias(tx.QueryRow(ctx, selectAliases+` WHERE a.user_id = $1 AND a.id = $2`, owner, id))
		if errors.Is(err, db.ErrNoRows) {
			return journal.NotFound("alias")
		}
		if err != nil {
			return err
		}
		if _, err = tx.Exec(ctx, `DELETE FROM bar_aliases WHERE user_id = $1 AND id = $2`, owner, id); err != nil {
			return err
		}
		return recordAliasChange(ctx, tx, owner, u)
	})
}
