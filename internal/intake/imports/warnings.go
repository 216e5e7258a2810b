package imports

import (
	"slices"

	"fillbook/internal/intake/statement"
)

// Warnings are the warnings about a file: as sentences, and in parts for a page with its
// own controls for upload fields.
type Warnings struct {
	Sentences []string        `json:"warnings"`
	Details   []WarningDetail `json:"warning_details" doc:"The same warnings in the same order, with what they are about."`
}

// WarningDetail is a warning in parts.
type WarningDetail struct {
	Code  statement.WarningCode `json:"code" enum:",time_zone_unknown,date_order_unknown,mapping_ignored,currency_not_converted" doc:"What the warning is about; empty if it only informs."`
	Text  string                `json:"text" doc:"The warning without the name of a field."`
	Field string                `json:"field" doc:"The field of the form that it is about; empty if there is none."`
}

func newWarnings() Warnings { return Warnings{Sentences: []string{}, Details: []WarningDetail{}} }

// addWarnings appends warnings about a file.
func (w *Warnings) addWarnings(list []statement.Warning) {
	for _, one := range list {
		w.Sentences = append(w.Sentences, one.String())
		w.Details = append(w.Details, WarningDetail{Code: one.Code, Text: one.Text, Field: one.Code.Field()})
	}
}

// addWarningTexts appends warnings that only inform.
func (w *Warnings) addWarningTexts(texts []string) {
	for _, text := range texts {
		w.addWarnings([]statement.Warning{{Text: text}})
	}
}

// maxDeliveryWarnings is how many warnings one batch's deliveries keep.
const maxDeliveryWarnings = 100

// merge returns both sets of warnings, each once.
func (w Warnings) merge(more Warnings) Warnings {
	merged := Warnings{Sentences: slices.Clone(w.Sentences), Details: slices.Clone(w.Details)}
	for i, text := range more.Sentences {
		if len(merged.Sentences) < maxDeliveryWarnings && !slices.Contains(merged.Sentences, text) {
			merged.Sentences, merged.Details = append(merged.Sentences, text), append(merged.Details, more.Details[i])
		}
	}
	return merged
}
