// Package annotations describes the values that a trader adds to a trade: the
// struct that contains them and their field table. Storage, the API, backups,
// exports and imports use both.
package annotations

import (
	"strings"
	"time"

	"fillbook/internal/decimal"
	"fillbook/internal/fields"
	"fillbook/internal/journal"
)

// Values are the annotations of a trade other than its tags and
// setups. The names in JSON are those of backups.
//
// To add a value, add the column in a migration, the member here, and its line
// in [Fields]. See docs/architecture.md, "Add a field to the annotations".
type Values struct {
	Notes string `json:"notes,omitzero"`
	// InitialRisk is the money at risk at entry, as the trader stated it. The
	// playbook derives the risk that a stop implies.
	InitialRisk decimal.Null `json:"initial_risk,omitzero"`
	StopPrice   decimal.Null `json:"stop_price,omitzero"`
	TargetPrice decimal.Null `json:"target_price,omitzero"`
	// LastStop is the stop that a broker's statement showed at the end. It may
	// have been trailed, so no risk follows from it.
	LastStop       decimal.Null `json:"last_stop,omitzero"`
	MAE            decimal.Null `json:"mae,omitzero"` // worst excursion
	MFE            decimal.Null `json:"mfe,omitzero"` // best excursion
	EmotionalState string       `json:"emotional_state,omitzero"`
	Confidence     int          `json:"confidence,omitzero"`    // 1 to 5, 0 for none
	TradeQuality   int          `json:"trade_quality,omitzero"` // 1 to 5, 0 for none
	ReviewedAt     *time.Time   `json:"reviewed_at,omitzero"`
}

// Fields is the field table of [Values]. When two trades
// become one, the first value of a field is kept, and notes are appended. Hence
// a merged trade counts as reviewed if one of the two was.
var Fields = fields.List[Values]{
	fields.NewText("notes", func(v *Values) *string { return &v.Notes }).
		Export("Notes").Alias("note", "comment", "comments").
		EmptyIf(func(v *Values) bool { return journal.IsBlank(v.Notes) }).
		MergeBy(func(into, other *Values) { into.Notes = MergeNotes(into.Notes, other.Notes) }),
	fields.NewNumber("initial_risk", func(v *Values) *decimal.Null { return &v.InitialRisk }).Export("Initial Risk").Alias("risk"),
	fields.NewNumber("stop_price", func(v *Values) *decimal.Null { return &v.StopPrice }).Export("Stop").Alias("stop", "stoploss"),
	fields.NewNumber("target_price", func(v *Values) *decimal.Null { return &v.TargetPrice }).
		Export("Target").Alias("target", "takeprofit"),
	fields.NewNumber("mae", func(v *Values) *decimal.Null { return &v.MAE }).Export("MAE"),
	fields.NewNumber("mfe", func(v *Values) *decimal.Null { return &v.MFE }).Export("MFE"),
	fields.NewText("emotional_state", func(v *Values) *string { return &v.EmotionalState }).
		Export("Emotional State").Alias("emotion", "mood"),
	fields.NewGrade("confidence", func(v *Values) *int { return &v.Confidence }).Export("Confidence"),
	fields.NewGrade("trade_quality", func(v *Values) *int { return &v.TradeQuality }).Export("Quality").Alias("quality", "rating"),
	fields.NewInstant("reviewed_at", func(v *Values) **time.Time { return &v.ReviewedAt }).Export("Reviewed At"),
	fields.NewNumber("last_stop", func(v *Values) *decimal.Null { return &v.LastStop }).Export("Last Stop"),
}

// IsEmpty reports whether no value is set.
func (v *Values) IsEmpty() bool { return Fields.IsEmpty(v) }

// rule is the line between the notes of two trades that became one.
const rule = "\n\n---\n\n"

// MergeNotes appends notes below a line unless they are already there, so that
// merging them again changes nothing.
func MergeNotes(notes, other string) string {
	switch {
	case journal.IsBlank(other):
		return notes
	case journal.IsBlank(notes):
		return other
	case strings.Contains(rule+notes+rule, rule+other+rule):
		return notes
	}
	return notes + rule + other
}
