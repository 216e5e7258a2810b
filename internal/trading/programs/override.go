package programs

import (
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// Override returns a program with other parameters for some of its rules, by kind, checked
// for a starting balance.
func Override(p *Program, overrides []Rule, start decimal.Decimal) (Program, error) {
	out := *p
	out.Rules = slices.Clone(p.Rules)
	for _, o := range overrides {
		field, found := fmt.Sprintf("overrides.%s", o.Kind), false
		for i := range out.Rules {
			if out.Rules[i].Kind != o.Kind {
				continue
			}
			found = true
			var err error
			if out.Rules[i], err = mergeRules(out.Rules[i], o); err != nil {
				return Program{}, journal.InvalidField(field, "%s cannot be read.", field)
			}
			if err := out.Rules[i].check(field, start); err != nil {
				return Program{}, err
			}
		}
		if !found {
			return Program{}, journal.InvalidField(field, "The program has no rule %s.", o.Kind)
		}
	}
	for i := range out.Rules {
		if err := out.Rules[i].check(fmt.Sprintf("rules.%d", i), start); err != nil {
			return Program{}, err
		}
	}
	return out, nil
}

// mergeRules returns a rule with the parameters that another sets. An amount replaces a
// fraction, and the other way round.
func mergeRules(rule, with Rule) (merged Rule, err error) {
	if with.Amount.Valid || with.Fraction.Valid {
		rule.Amount, rule.Fraction = decimal.Null{}, decimal.Null{}
	}
	members := map[string]jsontext.Value{}
	for _, r := range []Rule{rule, with} {
		text, err := json.Marshal(r)
		if err != nil {
			return Rule{}, err
		}
		set := map[string]jsontext.Value{}
		if err := json.Unmarshal(text, &set); err != nil {
			return Rule{}, err
		}
		maps.Copy(members, set)
	}
	text, err := json.Marshal(members)
	if err != nil {
		return Rule{}, err
	}
	return merged, json.Unmarshal(text, &merged)
}
