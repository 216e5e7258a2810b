package statement

import (
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/parse"
	"fillbook/internal/trading/annotations"
)

// ReadAnnotation reads one of the values that a trader added to a trade from a
// column that has it as Fillbook exports it.
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

// instantOf returns the instant of a moment, nil if it could not be read.
func instantOf(moment parse.Moment) *time.Time {
	if moment.At.IsZero() {
		return nil
	}
	return &moment.At
}

// furtherTargets are the annotations that are not listed by hand among the
// targets. Such a column is found by the header that exports have.
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
