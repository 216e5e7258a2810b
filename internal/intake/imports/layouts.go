package imports

import (
	"context"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/layouts"
	"fillbook/internal/trading/ledger"
)

// Layouts lists how files with each layout were last imported, the last used first. With
// an account it lists the layouts whose files were imported into it.
func (s *choices) Layouts(ctx context.Context, owner journal.UserID, account journal.AccountID) (list []layouts.Layout, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		if account != "" {
			if err := ledger.CheckAccountOwner(ctx, tx, owner, account); err != nil {
				return err
			}
		}
		list, err = layouts.List(ctx, tx, owner)
		return err
	})
	if account == "" {
		return list, err
	}
	return slices.DeleteFunc(list, func(l layouts.Layout) bool { return !l.HasAccount(account) }), err
}

// Layout returns how files with a layout were last imported.
func (s *choices) Layout(ctx context.Context, owner journal.UserID, signature string) (layout layouts.Layout, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		layout, err = layouts.Read(ctx, tx, owner, signature)
		return err
	})
	return layout, err
}

// StoreLayout stores how files with a layout are imported. check, which may be nil,
// receives the stored one and may reject the change.
func (s *choices) StoreLayout(
	ctx context.Context, owner journal.UserID, layout layouts.Layout, check func(layouts.Layout) error,
) (stored layouts.Layout, err error) {
	layout.UsedAt = s.clock()
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		stored, err = layouts.Store(ctx, tx, owner, layout, check)
		return err
	})
	return stored, err
}

// DeleteLayout deletes how files with a layout are imported. check, which may be nil,
// receives it and may reject the deletion.
func (s *choices) DeleteLayout(ctx context.Context, owner journal.UserID, signature string, check func(layouts.Layout) error) error {
	return s.db.Update(ctx, func(tx *db.Tx) error { return layouts.Delete(ctx, tx, owner, signature, check) })
}
