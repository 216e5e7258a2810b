package playbook

import (
	"context"
	"errors"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
)

// SetupMembers are a setup's values, with one type for each kind. The tags are the JSON
// names in the API and backups, and the API descriptions. See docs/architecture.md, "Add
// a field to a record".
type SetupMembers[Text, Side, Number, Lines any] struct {
	Name        Text   `json:"name"`
	Description Text   `json:"description"`
	Thesis      Text   `json:"thesis"`
	Symbol      Text   `json:"symbol" doc:"Empty for any."`
	Direction   Side   `json:"direction" enum:"long,short," doc:"Empty for both."`
	TargetPrice Number `json:"target_price" doc:"Above zero, unless the symbol is a future or an option."`
	StopPrice   Number `json:"stop_price" doc:"Above zero, unless the symbol is a future or an option."`
	Checklist   Lines  `json:"checklist"`
}

// SetupValues are a setup's values as they are stored and answered.
type SetupValues = SetupMembers[string, Direction, decimal.Null, []string]

// SetupChange is a change to a setup. A new setup needs a name.
type SetupChange = SetupMembers[journal.Opt[string], journal.Opt[Direction], journal.Opt[decimal.Decimal], journal.Opt[[]string]]

// Setup is a pattern the trader trades, with its plan and its checklist. Its name is
// unique among the owner's setups without regard to case.
type Setup struct {
	ID journal.SetupID `json:"id"`
	SetupValues
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// maxChecklist is how many lines a checklist may have.
const maxChecklist = 100

// applySetup returns the setup after a change, or the reason why it is invalid. All
// values are checked: a new symbol may not allow the prices that were there.
func applySetup(change SetupChange, setup Setup) (Setup, error) {
	fields.Copy(&setup.SetupValues, &change)
	err := checkRecord(setupTable, &setup, func(s *Setup) PriceRule { return priceRuleOfSymbol(s.Symbol) })
	if err != nil {
		return Setup{}, err
	}
	return setup, nil
}

func checkSetupName(s *Setup) (err error) {
	s.Name, err = journal.CleanRequiredName("name", s.Name)
	return err
}

func checkSetupSymbol(s *Setup) (err error) {
	s.Symbol, err = optionalSymbol(s.Symbol)
	return err
}

func checkSetupDirection(s *Setup) error {
	if !slices.Contains([]Direction{"", Long, Short}, s.Direction) {
		return journal.InvalidField("direction", "direction must be long, short or empty.")
	}
	return nil
}

func checkSetupLines(s *Setup) (err error) {
	s.Checklist, err = checklist(s.Checklist)
	return err
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
		fields.NewText("name", func(s *Setup) *string { return &s.Name }).CheckBy(checkSetupName),
		fields.NewDerived("name_key", func(s *Setup) string { return nameKey(s.Name) }),
		fields.NewText("description", func(s *Setup) *string { return &s.Description }).Limit(fields.LongText),
		fields.NewText("thesis", func(s *Setup) *string { return &s.Thesis }).Limit(fields.LongText),
		fields.NewText("symbol", func(s *Setup) *string { return &s.Symbol }).CheckBy(checkSetupSymbol),
		fields.NewText("direction", func(s *Setup) *Direction { return &s.Direction }).CheckBy(checkSetupDirection),
		fields.NewNumber("target_price", func(s *Setup) *decimal.Null { return &s.TargetPrice }).Limit(fields.Price),
		fields.NewNumber("stop_price", func(s *Setup) *decimal.Null { return &s.StopPrice }).Limit(fields.Price),
		fields.NewJSON("checklist", func(s *Setup) *[]string { return &s.Checklist }).CheckBy(checkSetupLines),
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
	return db.Get(ctx, s.db.Peek, func(tx *db.Tx) ([]Setup, error) { return ListSetups(ctx, tx, owner) })
}

// ListSetups is [Service.Setups] as a step.
func ListSetups(ctx context.Context, tx *db.Tx, owner journal.UserID) ([]Setup, error) {
	return db.List(ctx, tx, scanSetup, selectSetups+` WHERE user_id = $1 ORDER BY name_key, id`, owner)
}

// Setup returns one setup.
func (s *Service) Setup(ctx context.Context, owner journal.UserID, id journal.SetupID) (Setup, error) {
	return db.Get(ctx, s.db.Peek, func(tx *db.Tx) (Setup, error) { return readSetup(ctx, tx, owner, id, "") })
}

func readSetup(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.SetupID, lock string) (Setup, error) {
	setup, err := scanSetup(tx.QueryRow(ctx, selectSetups+` WHERE user_id = $1 AND id = $2`+lock, owner, id))
	return setup, db.NotFound(err, "setup")
}

// CreateSetup creates a setup. A taken name is a conflict.
func (s *Service) CreateSetup(ctx context.Context, owner journal.UserID, change SetupChange) (Setup, error) {
	setup, err := newSetup(change, s.clock())
	if err != nil {
		return Setup{}, err
	}
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		if err := limits.Setups.Check(ctx, tx, owner, countSetups); err != nil {
			return err
		}
		n, err := insertSetup(ctx, tx, owner, setup)
		if err == nil && n == 0 {
			err = setupTaken(setup.Name)
		}
		setupHistory.Created(tx, owner, &setup)
		return err
	})
	return setup, err
}

func newSetup(change SetupChange, now time.Time) (Setup, error) {
	return applySetup(change, Setup{ID: journal.NewID[journal.SetupID](), CreatedAt: now, UpdatedAt: now})
}

func setupTaken(name string) error {
	return journal.Conflict("There is already a setup called %s.", name)
}

// insertSetup inserts a setup unless its name is taken, and reports whether it did.
func insertSetup(ctx context.Context, tx *db.Tx, owner journal.UserID, s Setup) (int64, error) {
	return tx.Exec(ctx, setupTable.Insert()+` ON CONFLICT (user_id, name_key) DO NOTHING`, setupTable.Values(owner, &s)...)
}

func updateSetup(ctx context.Context, tx *db.Tx, owner journal.UserID, s Setup) error {
	_, err := tx.Exec(ctx, setupTable.Update(), setupTable.UpdateValues(owner, &s)...)
	if errors.Is(err, db.ErrConflict) {
		return setupTaken(s.Name)
	}
	return err
}

// ChangeSetup changes what is sent. Renamed rules' ticks get the new texts.
func (s *Service) ChangeSetup(
	ctx context.Context, owner journal.UserID, id journal.SetupID, change SetupChange, renames []RuleRename, check Check[Setup],
) (Setup, error) {
	var setup Setup
	err := s.db.Update(ctx, func(tx *db.Tx) error {
		old, err := check.apply(readSetup(ctx, tx, owner, id, tx.Lock()))
		if err != nil {
			return err
		}
		if setup, err = applySetup(change, old); err != nil {
			return err
		}
		if renames, err = checkRenames(renames, old.Checklist, setup.Checklist); err != nil {
			return err
		}
		setup.UpdatedAt = s.clock()
		if err := updateSetup(ctx, tx, owner, setup); err != nil {
			return err
		}
		setupHistory.Updated(tx, owner, &old, &setup)
		return s.renameRules(ctx, tx, owner, id, renames)
	})
	return setup, err
}

// DeleteSetup deletes a setup, takes it off every trade and leaves the missed
// trades that named it without one.
func (s *Service) DeleteSetup(ctx context.Context, owner journal.UserID, id journal.SetupID, check Check[Setup]) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		setup, err := check.apply(readSetup(ctx, tx, owner, id, tx.Lock()))
		if err != nil {
			return err
		}
		err = s.unlink(ctx, tx, owner, `SELECT DISTINCT trade_annotations.account_id FROM trade_annotations JOIN trade_setups
			ON trade_setups.user_id = trade_annotations.user_id AND trade_setups.trade_id = trade_annotations.trade_id
			WHERE trade_setups.user_id = $1 AND trade_setups.setup_id = $2 ORDER BY trade_annotations.account_id`, owner, id)
		if err != nil {
			return err
		}
		if err := recordRemovedSetup(ctx, tx, owner, setup); err != nil {
			return err
		}
		if removed := s.options.Known.SetupRemoved; removed != nil {
			if err := removed(ctx, tx, owner, id); err != nil {
				return err
			}
		}
		_, err = tx.Exec(ctx, `UPDATE missed_trades SET setup_id = NULL WHERE user_id = $1 AND setup_id = $2`, owner, id)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM setups WHERE user_id = $1 AND id = $2`, owner, id)
		return err
	})
}
