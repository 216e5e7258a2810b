package imports

import (
	"slices"
	"time"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/journal"
	"fillbook/internal/playbook"
)

// priceRule returns which stops and targets the trade of marks can have.
func priceRule(m *statement.Marks) playbook.PriceRule { return playbook.PriceRuleOf(m.Fill.Type) }

// cleanMarks takes out of marks what the journal would refuse and returns why, a
// sentence for each value. The other values of the row are good all the same.
func cleanMarks(m *statement.Marks) (reasons []string) {
	for _, value := range []struct {
		change playbook.MarkChange
		clear  func()
	}{
		{playbook.MarkChange{Notes: journal.Some(m.Notes)}, func() { m.Notes = "" }},
		{playbook.MarkChange{InitialRisk: optional(m.InitialRisk)}, func() { m.InitialRisk = decimal.Null{} }},
		{playbook.MarkChange{StopPrice: optional(m.StopPrice)}, func() { m.StopPrice = decimal.Null{} }},
		{playbook.MarkChange{TargetPrice: optional(m.TargetPrice)}, func() { m.TargetPrice = decimal.Null{} }},
		{playbook.MarkChange{EmotionalState: journal.Some(m.EmotionalState)}, func() { m.EmotionalState = "" }},
	} {
		if _, err := playbook.NewMarks("", "", value.change, priceRule(m), time.Time{}); err != nil {
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
