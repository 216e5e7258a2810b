package playbook

import (
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/annotations"
)

// AnnotationValues are a trade's annotations except its tags and setups.
type AnnotationValues = annotations.Values

// ValueChange is a change to [AnnotationValues].
type ValueChange = annotations.Change

// AnnotationFields is the field table for [AnnotationValues].
var AnnotationFields = annotations.Fields

// Check reports the first value the journal does not accept, by the price rule for the
// trade's instrument, and cleans the names. Notes may have any length: merged trades keep
// both notes.
func (m *Annotations) Check(rule PriceRule) error {
	for _, f := range AnnotationFields {
		if f.Range == fields.LongText {
			continue
		}
		if err := checkValue(f, &m.AnnotationValues, rule); err != nil {
			return err
		}
	}
	return nil
}

// CheckTyped is Check for values a person or a file states: notes have a limit too.
// Repeated tags and setups are dropped.
func (m *Annotations) CheckTyped(rule PriceRule) (err error) {
	for _, f := range AnnotationFields {
		if err := checkValue(f, &m.AnnotationValues, rule); err != nil {
			return err
		}
	}
	if m.Tags, err = links("tag_ids", m.Tags); err != nil {
		return err
	}
	m.Setups, err = links("setup_ids", m.Setups)
	return err
}

// ClearRefused clears the values that [Annotations.CheckTyped] would refuse, and
// returns why, an error for each.
func ClearRefused(values *AnnotationValues, rule PriceRule) (refused []error) {
	for _, f := range AnnotationFields {
		if err := checkValue(f, values, rule); err != nil {
			refused = append(refused, err)
			f.Clear(values)
		}
	}
	return refused
}

// checkValue checks one value by its field's check or range and cleans it.
func checkValue[R any](f fields.Field[R], record *R, rule PriceRule) (err error) {
	if f.Check != nil {
		return f.Check(record)
	}
	switch value := f.At(record).(type) {
	case *string:
		if f.Range == fields.LongText {
			*value, err = journal.CheckText(f.Name, *value)
		} else {
			*value, err = journal.CleanName(f.Name, *value)
		}
	case *annotations.Grade:
		err = checkGrade(f.Name, *value)
	case *decimal.Null:
		switch {
		case f.Range == fields.AboveZero && value.Valid && value.Decimal.Sign() <= 0:
			err = notAboveZero(f.Name)
		case f.Range == fields.Price:
			err = rule.Check(f.Name, *value)
		}
	}
	return err
}

// checkRecord checks and cleans all a record's values, in table order. ruleOf returns the
// rule for its prices, and is called once the fields before them are clean.
func checkRecord[R any](table *fields.Table[R], record *R, ruleOf func(*R) PriceRule) error {
	for _, f := range table.Fields {
		if f.Ignored && f.Check == nil {
			continue // an id, a time or a derived value
		}
		var rule PriceRule
		if f.Range == fields.Price {
			rule = ruleOf(record)
		}
		if err := checkValue(f, record, rule); err != nil {
			return err
		}
	}
	return nil
}

// checkGrade accepts 1 to 5, and 0 for none.
func checkGrade(field string, grade annotations.Grade) error {
	if grade < 0 || grade > annotations.MaxGrade {
		return gradeOutOfRange(field)
	}
	return nil
}

func gradeOutOfRange(field string) error {
	return journal.InvalidField(field, "%s must be a whole number from 1 to %d.", field, annotations.MaxGrade)
}

// annotationTable stores annotations. Tags and setups have their own tables.
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
