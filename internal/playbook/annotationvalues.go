package playbook

import (
	"time"

	"fillbook/internal/decimal"
	"fillbook/internal/fields"
	"fillbook/internal/journal"
)

// AnnotationValues are the annotations of a trade other than its tags and
// setups. The names in JSON are those of backups.
//
// To add a value, add the column in a migration, the member here, and its line
// in [AnnotationFields].
type AnnotationValues struct {
	Notes string `json:"notes,omitzero"`
	// InitialRisk is the money at risk at entry, as the trader stated it. See
	// [Derive] for the risk that a stop implies.
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

// AnnotationFields is the field table of [AnnotationValues]. When two trades
// become one, the first value of a field is kept, and notes are appended. Hence
// a merged trade counts as reviewed if one of the two was.
var AnnotationFields = fields.List[AnnotationValues]{
	fields.NewText("notes", func(v *AnnotationValues) *string { return &v.Notes }).
		Export("Notes").Alias("note", "comment", "comments").
		EmptyIf(func(v *AnnotationValues) bool { return isBlank(v.Notes) }).
		MergeBy(func(into, other *AnnotationValues) { into.Notes = mergeNotes(into.Notes, other.Notes) }),
	fields.NewNumber("initial_risk", func(v *AnnotationValues) *decimal.Null { return &v.InitialRisk }).Export("Initial Risk").Alias("risk"),
	fields.NewNumber("stop_price", func(v *AnnotationValues) *decimal.Null { return &v.StopPrice }).Export("Stop").Alias("stop", "stoploss"),
	fields.NewNumber("target_price", func(v *AnnotationValues) *decimal.Null { return &v.TargetPrice }).
		Export("Target").Alias("target", "takeprofit"),
	fields.NewNumber("mae", func(v *AnnotationValues) *decimal.Null { return &v.MAE }).Export("MAE"),
	fields.NewNumber("mfe", func(v *AnnotationValues) *decimal.Null { return &v.MFE }).Export("MFE"),
	fields.NewText("emotional_state", func(v *AnnotationValues) *string { return &v.EmotionalState }).
		Export("Emotional State").Alias("emotion", "mood"),
	fields.NewGrade("confidence", func(v *AnnotationValues) *int { return &v.Confidence }).Export("Confidence"),
	fields.NewGrade("trade_quality", func(v *AnnotationValues) *int { return &v.TradeQuality }).Export("Quality").Alias("quality", "rating"),
	fields.NewInstant("reviewed_at", func(v *AnnotationValues) **time.Time { return &v.ReviewedAt }).Export("Reviewed At"),
	fields.NewNumber("last_stop", func(v *AnnotationValues) *decimal.Null { return &v.LastStop }).Export("Last Stop"),
}

// IsEmpty reports whether no value is set.
func (v *AnnotationValues) IsEmpty() bool { return AnnotationFields.IsEmpty(v) }

// Check reports the first value that the journal does not accept, by the rule
// for the prices of the trade's instrument, and cleans the names. Notes may be
// of any length: trades that became one keep the notes of both.
func (v *AnnotationValues) Check(rule PriceRule) (err error) {
	if v.InitialRisk.Valid && v.InitialRisk.Decimal.Sign() <= 0 {
		return notAboveZero("initial_risk")
	}
	if err := rule.Check("stop_price", v.StopPrice); err != nil {
		return err
	}
	if err := rule.Check("target_price", v.TargetPrice); err != nil {
		return err
	}
	if v.EmotionalState, err = journal.CleanName("emotional_state", v.EmotionalState); err != nil {
		return err
	}
	if err := checkGrade("confidence", v.Confidence); err != nil {
		return err
	}
	return checkGrade("trade_quality", v.TradeQuality)
}

// checkGrade accepts 1 to 5, and 0 for none.
func checkGrade(field string, grade int) error {
	if grade < 0 || grade > maxGrade {
		return journal.InvalidField(field, "%s must be a whole number from 1 to %d.", field, maxGrade)
	}
	return nil
}

// annotationTable stores annotations. Tags and setups have tables of their own.
var annotationTable = fields.New("trade_annotations",
	fields.List[Annotations]{
		fields.NewID("trade_id", func(a *Annotations) *journal.TradeID { return &a.Trade }),
	},
	annotationColumns(),
)

func annotationColumns() fields.List[Annotations] {
	list := fields.List[Annotations]{
		fields.NewID("account_id", func(a *Annotations) *journal.AccountID { return &a.Account }).Freeze(),
	}
	for _, f := range AnnotationFields {
		list = append(list, fields.Lift(f, func(a *Annotations) *AnnotationValues { return &a.AnnotationValues }))
	}
	return append(list, fields.NewTime("updated_at", func(a *Annotations) *time.Time { return &a.UpdatedAt }))
}
