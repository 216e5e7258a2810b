package playbook

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"fillbook/internal/db"
	"fillbook/internal/decimal"
	"fillbook/internal/fields"
	"fillbook/internal/journal"
)

// Setup is a pattern that the trader trades, with its plan and its checklist.
// Its name is unique among the owner's setups without regard to case.
type Setup struct {
	ID                     journal.SetupID
	Name                   string
	Description            string
	Thesis                 string
	Symbol                 string    // empty for any
	Direction              Direction // empty for both
	TargetPrice, StopPrice decimal.Null
	Checklist              []string
	CreatedAt, UpdatedAt   time.Time
}

// SetupChange is a change of a setup. A new setup needs a name.
type SetupChange struct {
	Name, Description, Thesis, Symbol journal.Opt[string]
	Direction                         journal.Opt[Direction]
	TargetPrice, StopPrice            journal.Opt[decimal.Decimal]
	Checklist                         journal.Opt[[]string]
}

// maxChecklist is how many lines a checklist may have.
const maxChecklist = 100

// apply returns the setup after the change, or the reason why it is invalid.
func (c SetupChange) apply(setup Setup) (Setup, error) {
	var err error
	if setup.Name, err = journal.CleanRequiredName("name", c.Name.Or(setup.Name)); err != nil {
		return Setup{}, err
	}
	if setup.Description, err = journal.CheckText("description", c.Description.Or(setup.Description)); err != nil {
		return Setup{}, err
	}
	if setup.Thesis, err = journal.CheckText("thesis", c.Thesis.Or(setup.Thesis)); err != nil {
		return Setup{}, err
	}
	if setup.Symbol, err = optionalSymbol(c.Symbol.Or(setup.Symbol)); err != nil {
		return Setup{}, err
	}
	setup.Direction = c.Direction.Or(setup.Direction)
	if !slices.Contains([]Direction{"", Long, Short}, setup.Direction) {
		return Setup{}, journal.InvalidField("direction", "direction must be long, short or empty.")
	}
	setup.TargetPrice, setup.StopPrice = orNull(c.TargetPrice, setup.TargetPrice), orNull(c.StopPrice, setup.StopPrice)
	rule := priceRuleOfSymbol(setup.Symbol) // a new symbol may not allow the prices that were there
	if err := cmp.Or(rule.Check("target_price", setup.TargetPrice), rule.Check("stop_price", setup.StopPrice)); err != nil {
		return Setup{}, err
	}
	setup.Checklist, err = checklist(c.Checklist.Or(setup.Checklist))
	return setup, err
}

func optionalSymbol(text string) (string, error) {
	if journal.IsBlank(text) {
		return "", nil
	}
	return journal.CleanSymbol("symbol", text)
}

func checklist(lines []string) ([]string, error) {
	if len(lines) > maxChecklist {
		return nil, journal.InvalidField("checklist", "checklist must have at most %d lines.", maxChecklist)
	}
	clean := make([]string, len(lines))
	for i, line := range lines {
		var err error
		if clean[i], err = journal.CleanRequiredName("checklist", line); err != nil {
			return nil, err
		}
	}
	return clean, nil
}

// setupTable stores setups.
var setupTable = fields.New("setups",
	fields.List[Setup]{fields.NewID("id", func(s *Setup) *journal.SetupID { return &s.ID })},
	fields.List[Setup]{
		fields.NewText("name", func(s *Setup) *string { return &s.Name }),
		fields.NewDerived("name_key", func(s *Setup) string { return nameKey(s.Name) }),
		fields.NewText("description", func(s *Setup) *string { return &s.Description }),
		fields.NewText("thesis", func(s *Setup) *string { return &s.Thesis }),
		fields.NewText("symbol", func(s *Setup) *string { return &s.Symbol }),
		fields.NewText("direction", func(s *Setup) *Direction { return &s.Direction }),
		fields.NewNumber("target_price", func(s *Setup) *decimal.Null { return &s.TargetPrice }),
		fields.NewNumber("stop_price", func(s *Setup) *decimal.Null { return &s.StopPrice }),
		fields.NewJSON("checklist", func(s *Setup) *[]string { return &s.Checklist }),
		fields.NewTime("created_at", func(s *Setup) *time.Time { return &s.CreatedAt }).Freeze(),
		fields.NewTime("updated_at", func(s *Setup) *time.Time { return &s.UpdatedAt }),
	},
)

var selectSetups = setupTable.Select("s")

func scanSetup(row db.Scanner) (s Setup, err error) {
	err = setupTable.Scan(row, &s)
	return s, err
}

// Setups lists the owner's setups by name.
func (s *Service) Setups(ctx context.Context, owner journal.UserID) ([]Setup, error) {
	var setups []Setup
	err := s.db.Peek(ctx, func(tx *db.Tx) (err error) {
		setups, err = ListSetups(ctx, tx, owner)
		return err
	})
	return setups, err
}

// ListSetups is the step of [Service.Setups].
func ListSetups(ctx context.Context, tx *db.Tx, owner journal.UserID) ([]Setup, error) {
	return db.List(ctx, tx, scanSetup, selectSetups+` WHERE user_id = $1 ORDER BY name_key, id`, owner)
}

// Setup returns one setup.
func (s *Service) Setup(ctx context.Context, owner journal.UserID, id journal.SetupID) (Setup, error) {
	var setup Setup
	err := s.db.Peek(ctx, func(tx *db.Tx) (err error) {
		setup, err = readSetup(ctx, tx, owner, id, "")
		return err
	})
	return setup, err
}

func readSetup(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.SetupID, lock string) (Setup, error) {
	setup, err := scanSetup(tx.QueryRow(ctx, selectSetups+` WHERE user_id = $1 AND id = $2`+lock, owner, id))
	if errors.Is(err, db.ErrNoRows) {
		return Setup{}, journal.NotFound("setup")
	}
	return setup, err
}

// CreateSetup creates a setup. A name that is taken is a conflict.
func (s *Service) CreateSetup(ctx context.Context, owner journal.UserID, change SetupChange) (Setup, error) {
	setup, err := newSetup(change, s.clock())
	if err != nil {
		return Setup{}, err
	}
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		n, err := insertSetup(ctx, tx, owner, setup)
		if err == nil && n == 0 {
			err = setupTaken(setup.Name)
		}
		return err
	})
	return setup, err
}

func newSetup(change SetupChange, now time.Time) (Setup, error) {
	return change.apply(Setup{ID: journal.NewID[journal.SetupID](), CreatedAt: now, UpdatedAt: now})
}

func setupTaken(name string) error {
	return journal.Conflict("There is already a setup called %s.", name)
}

// insertSetup inserts a setup unless its name is taken, and reports whether it did.
func insertSetup(ctx context.Context, tx *db.Tx, owner journal.UserID, s Setup) (int64, error) {
	return tx.Exec(ctx, setupTable.Insert()+` ON CONFLICT (user_id, name_key) DO NOTHING`, setupTable.Values(owner, &s)...)
}

// UpsertSetup creates a setup, or changes the one that has the name already. It is
// a step of an import; changed reports whether anything was written.
func UpsertSetup(ctx context.Context, tx *db.Tx, owner journal.UserID, now time.Time, change SetupChange) (id journal.SetupID, changed bool, err error) {
	return RestoreSetup(ctx, tx, owner, now, now, change)
}

// RestoreSetup is [UpsertSetup] for a setup of a backup: a new one was created
// at an instant in the past, a change is made now.
func RestoreSetup(
	ctx context.Context, tx *db.Tx, owner journal.UserID, created, now time.Time, change SetupChange,
) (id journal.SetupID, changed bool, err error) {
	fresh, err := newSetup(change, created)
	if err != nil {
		return "", false, err
	}
	n, err := insertSetup(ctx, tx, owner, fresh)
	if err != nil || n > 0 {
		return fresh.ID, n > 0, err
	}
	old, err := scanSetup(tx.QueryRow(ctx, selectSetups+` WHERE user_id = $1 AND name_key = $2`+tx.Lock(), owner, nameKey(fresh.Name)))
	if err != nil {
		return "", false, err
	}
	change.Name = journal.Opt[string]{} // the user's own spelling stays
	setup, err := change.apply(old)
	if err != nil || setupTable.Fields.Equal(&setup, &old) {
		return old.ID, false, err
	}
	setup.UpdatedAt = now
	return old.ID, true, updateSetup(ctx, tx, owner, setup)
}

func updateSetup(ctx context.Context, tx *db.Tx, owner journal.UserID, s Setup) error {
	_, err := tx.Exec(ctx, setupTable.Update(), setupTable.UpdateValues(owner, &s)...)
	if errors.Is(err, db.ErrConflict) {
		return setupTaken(s.Name)
	}
	return err
}

// ChangeSetup changes what is sent.
func (s *Service) ChangeSetup(ctx context.Context, owner journal.UserID, id journal.SetupID, change SetupChange, check Check[Setup]) (Setup, error) {
	var setup Setup
	err := s.db.Update(ctx, func(tx *db.Tx) error {
		old, err := readSetup(ctx, tx, owner, id, tx.Lock())
		if err != nil {
			return err
		}
		if err := check.run(old); err != nil {
			return err
		}
		if setup, err = change.apply(old); err != nil {
			return err
		}
		setup.UpdatedAt = s.clock()
		return updateSetup(ctx, tx, owner, setup)
	})
	return setup, err
}

// DeleteSetup deletes a setup, takes it off every trade and leaves the missed
// trades that named it without one.
func (s *Service) DeleteSetup(ctx context.Context, owner journal.UserID, id journal.SetupID, check Check[Setup]) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		old, err := readSetup(ctx, tx, owner, id, tx.Lock())
		if err != nil {
			return err
		}
		if err := check.run(old); err != nil {
			return err
		}
		err = s.unlink(ctx, tx, owner, `SELECT DISTINCT trade_annotations.account_id FROM trade_annotations JOIN trade_setups
			ON trade_setups.user_id = trade_annotations.user_id AND trade_setups.trade_id = trade_annotations.trade_id
			WHERE trade_setups.user_id = $1 AND trade_setups.setup_id = $2 ORDER BY trade_annotations.account_id`, owner, id)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE missed_trades SET setup_id = NULL WHERE user_id = $1 AND setup_id = $2`, owner, id)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM setups WHERE user_id = $1 AND id = $2`, owner, id)
		return err
	})
}
