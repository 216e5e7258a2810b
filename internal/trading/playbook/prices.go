package playbook

import (
	"context"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/annotations"
	"fillbook/internal/trading/instruments"
)

// PriceRule defines which numbers a plan's prices (entry, stop, target) can be. It is the
// same for trades, setups, missed trades and files: any number for a future or an option,
// whose prices may be negative, and above zero for everything else. What is stored moves
// with its trade unchecked.
type PriceRule int

// The rules.
const (
	PricesAboveZero PriceRule = iota
	PricesAnyNumber
)

// PriceRuleOf returns an instrument type's rule.
func PriceRuleOf(instrumentType string) PriceRule {
	if instruments.AllowsNegativePrice(instrumentType) {
		return PricesAnyNumber
	}
	return PricesAboveZero
}

// priceRuleOfSymbol returns the rule for a setup or missed trade with only a symbol: any
// number where that is known as a future or an option.
func priceRuleOfSymbol(symbol string) PriceRule {
	if instruments.SymbolAllowsNegativePrice(symbol) {
		return PricesAnyNumber
	}
	return PricesAboveZero
}

// Check refuses a price the rule does not allow. An absent price is fine.
func (r PriceRule) Check(field string, price decimal.Null) error {
	if r == PricesAnyNumber || !price.Valid || price.Decimal.Sign() > 0 {
		return nil
	}
	return journal.InvalidField(field, "%s must be above zero; only futures and options can have a price of zero or less.", field)
}

// setsPriceBelow reports whether a change sets a price that only some instruments
// can have.
func (c *AnnotationChange) setsPriceBelow() bool {
	return slices.ContainsFunc(AnnotationFields, func(f annotations.Field) bool {
		if f.Range != fields.Price {
			return false
		}
		sent := annotations.MemberOf(&c.ValueChange, f).(*journal.Opt[decimal.Decimal])
		return sent.Set && !sent.Null && sent.Value.Sign() <= 0
	})
}

// priceRule returns the rule for a trade's change. The instrument is looked up only if
// the rule makes a difference.
func (s *Service) priceRule(
	ctx context.Context, tx *db.Tx, owner journal.UserID, trade journal.TradeID, change AnnotationChange,
) (PriceRule, error) {
	if !change.setsPriceBelow() || s.options.Known.InstrumentType == nil {
		return PricesAboveZero, nil
	}
	kind, err := s.options.Known.InstrumentType(ctx, tx, owner, trade)
	return PriceRuleOf(kind), err
}
