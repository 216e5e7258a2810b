package imports

import (
	"slices"
	"time"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/journal"
	"fillbook/internal/playbook"
)

// priceRule returns which stops and targets the trade of annotations can have.
func priceRule(m *statement.Annotations) playbook.PriceRule { return playbook.PriceRuleOf(m.Fill.Type) }

// cleanAnnotations removes from annotations what the journal would refuse and returns why, a
// sentence for each value. The other values of the row are good all the same.
func cleanAnnotations(m *statement.Annotations) (reasons []string) {
	for _, value := range []struct {
		change playbook.AnnotationChange
		clear  func()
	}{
		{playbook.AnnotationChange{Notes: journal.Some(m.Notes)}, func() { m.Notes = "" }},
		{playbook.AnnotationChange{InitialRisk: optional(m.InitialRisk)}, func() { m.InitialRisk = decimal.Null{} }},
		{playbook.AnnotationChange{StopPrice: optional(m.StopPrice)}, func() { m.StopPrice = decimal.Null{} }},
		{playbook.AnnotationChange{TargetPrice: optional(m.TargetPrice)}, func() { m.TargetPrice = decimal.Null{} }},
		{playbook.AnnotationChange{EmotionalState: journal.Some(m.EmotionalState)}, func() { m.EmotionalState = "" }},
	} {
		if _, err := playbook.NewAnnotations("", "", value.change, priceRule(m), time.Time{}); err != nil {
			reasons = append(reasons, sentence(err))
			value.clear()
		}
	}
	for _, names := range []*[]string{&m.Tags, &m.Mistakes, &m.Setups} {
		*names = slices.DeleteFunc(slices.Clone(*names), func(name string) bool {
			_, err := journal.CleanRequiredName("name", shortName(name))
			if err != nil {
				reasons = append(reasons, sentence(err))
			}
			return err != nil
		})
	}
	return reasons
}
