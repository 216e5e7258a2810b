package statement

import (
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/parse"
	"fillbook/internal/trading/annotations"
)

// ReadAnnotation reads one annotation from a column written as Fillbook exports it.
func (w *Row) ReadAnnotation(f annotations.Field, column string, into *annotations.Values) {
	switch value := f.At(into).(type) {
	case *string:
		*value = w.Text(column)
	case *annotations.Grade:
		*value = Grade(w.Text(column))
	case *decimal.Null:
		*value = w.Null(column)
	case **time.Time:
		if w.Text(column) != "" {
			*value = instantOf(w.Moment(column))
		}
	}
}

// instantOf returns a moment's instant, or nil if it could not be read.
func instantOf(moment parse.Moment) *time.Time {
	if moment.At.IsZero() {
		return nil
	}
	return &moment.At
}

// furtherTargets are annotations missing from the list above. Their columns are found by
// the header in exports.
var furtherTargets = func() []Target {
	var further []Target
	for _, f := range annotations.Fields {
		if target := Target(f.Name); targetLabels[target] == "" {
			further = append(further, target)
			targetLabels[target] = f.Header
			targetWords[target] = []string{f.Header}
		}
	}
	return further
}()
