package imports

import (
	"slices"

	"fillbook/internal/base/journal"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/playbook"
)

// priceRule returns which stops and targets an annotated trade can have.
func priceRule(m *statement.Annotations) playbook.PriceRule { return playbook.PriceRuleOf(m.Fill.Type) }

// cleanAnnotations removes values the journal would refuse and returns why, a sentence
// for each. The row's other values stay.
func cleanAnnotations(m *statement.Annotations) (reasons []string) {
	for _, err := range playbook.ClearRefused(&m.Values, priceRule(m)) {
		reasons = append(reasons, sentence(err))
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
