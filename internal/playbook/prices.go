package playbook

import (
	"context"

	"fillbook/internal/db"
	"fillbook/internal/decimal"
	"fillbook/internal/instruments"
	"fillbook/internal/journal"
)

// PriceRule defines which numbers the prices of a plan (entry, stop, target) can
// be. It is the same for trades, setups, missed trades and files: any number
// for a future or an option, whose prices may be negative, and above zero for
// everything else. What is stored moves with its trade unchecked.
type PriceRule int

// The rules.
const (
	PricesAboveZero PriceRule = iota
	PricesAnyNumber
)

// PriceRuleOf returns the rule of an instrument type.
func PriceRuleOf(instrumentType string) PriceRule {
	if instruments.AllowsNegativePrice(instrumentType) {
		return PricesAnyNumber
	}
	return PricesAboveZero
}

// priceRuleOfSymbol returns the rule of a setup or missed trade, of which only
// the symbol is known: any number where that is known as a future or an option.
func priceRuleOfSymbol(symbol string) PriceRule {
	if instruments.SymbolAllowsNegativePrice(symbol) {
		return PricesAnyNumber
	}
	return PricesAboveZero
}

// Check refuses a price that the rule does not allow. An absent price is fine.
func (r PriceRule) Check(field string, price decimal.Null) error {
	if r == PricesAnyNumber || !price.Valid || price.Decimal.Sign() > 0 {
		return nil
	}
	return journal.InvalidField(field, "%s must be above zero; only futures and options can have a price of zero or less.", field)
}

// setsPricesBelow reports whether a change sets a stop or target that only some
// instruments can have.
func (c AnnotationChange) setsPricesBelow() bool {
	below := func(o journal.Opt[decimal.Decimal]) bool { return o.Set && !o.Null && o.Value.Sign() <= 0 }
	return below(c.StopPrice) || below(c.TargetPrice)
}

// priceRule returns the rule for a change of a trade. The instrument is looked
// up only if the rule makes a difference.
func (s *Service) priceRule(
	ctx context.Context, tx *db.Tx, owner journal.UserID, trade journal.TradeID, change AnnotationChange,
) (PriceRule, error) {
	if !change.setsPricesBelow() || s.options.Known.InstrumentType == nil {
		return PricesAboveZero, nil
	}
	kind, err := s.options.Known.InstrumentType(ctx, tx, owner, trade)
	return PriceRuleOf(kind), err
}
