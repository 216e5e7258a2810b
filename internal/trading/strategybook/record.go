// Package strategybook stores what users decide about strategies and write on them, and
// returns an account's strategies: the stored decisions and what package strategies detects.
//
// A decision is a row with the trades that it is about and the keys of their fills, so it
// survives regrouping, the reversal of an import and a second import. Strategies themselves
// are not stored: they are computed for an account's revision and cached.
package strategybook

import (
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/annotations"
	"fillbook/internal/trading/strategies"
)

// Record is what is stored for a strategy.
type Record struct {
	ID         journal.StrategyID
	Account    journal.AccountID
	Underlying string
	// State is that of the decision. Proposed means that the user only wrote something on it.
	State strategies.State
	// Kind is the user's, empty for the detected one.
	Kind strategies.Kind
	// Evidence is what an accepted strategy was proposed with.
	Evidence strategies.Evidence
	Name     string
	Members  []strategies.Decided
	annotations.Values
	Tags      []journal.TagID
	Setups    []journal.SetupID
	CreatedAt time.Time
	UpdatedAt time.Time
}

var table = fields.New("strategies",
	fields.List[Record]{fields.NewID("id", func(r *Record) *journal.StrategyID { return &r.ID })},
	append(fields.List[Record]{
		fields.NewText("account_id", func(r *Record) *journal.AccountID { return &r.Account }).Freeze(),
		fields.NewText("underlying", func(r *Record) *string { return &r.Underlying }).Freeze(),
		fields.NewText("state", func(r *Record) *strategies.State { return &r.State }),
		fields.NewText("kind", func(r *Record) *strategies.Kind { return &r.Kind }),
		fields.NewText("evidence", func(r *Record) *strategies.Evidence { return &r.Evidence }),
		fields.NewText("name", func(r *Record) *string { return &r.Name }),
		fields.NewJSON("members", func(r *Record) *[]strategies.Decided { return &r.Members }),
		fields.NewJSON("tags", func(r *Record) *[]journal.TagID { return &r.Tags }),
		fields.NewJSON("setups", func(r *Record) *[]journal.SetupID { return &r.Setups }),
		fields.NewTime("created_at", func(r *Record) *time.Time { return &r.CreatedAt }).Freeze(),
		fields.NewTime("updated_at", func(r *Record) *time.Time { return &r.UpdatedAt }),
	}, liftAnnotations()...),
)

// liftAnnotations returns the fields of the annotations as fields of a record.
func liftAnnotations() (list fields.List[Record]) {
	for _, f := range annotations.Fields {
		list = append(list, fields.Lift(f, func(r *Record) *annotations.Values { return &r.Values }))
	}
	return list
}

var selectRecords = table.Select("s")

func scanRecord(row db.Scanner) (r Record, err error) {
	err = table.Scan(row, &r)
	return r, err
}

var recordHistory = history.NewType("strategy", table.Fields, history.Of[Record]{
	ID: func(r *Record) string { return string(r.ID) }, Label: (*Record).label,
	Account: func(r *Record) *journal.AccountID { return &r.Account },
})

func (r *Record) label() string {
	if r.Name != "" {
		return r.Name
	}
	return r.Underlying
}

// tradeIDs returns the trades that the decision was made about; some may be gone. A restored
// decision has none.
func (r *Record) tradeIDs() (ids []journal.TradeID) {
	for _, m := range r.Members {
		if m.Trade != "" {
			ids = append(ids, m.Trade)
		}
	}
	return ids
}

// hasContent reports whether the user wrote anything on the strategy.
func (r *Record) hasContent() bool {
	return r.Name != "" || r.Kind != "" || len(r.Tags)+len(r.Setups) > 0 || !annotations.Fields.IsEmpty(&r.Values)
}
