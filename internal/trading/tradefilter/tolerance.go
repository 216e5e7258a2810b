package tradefilter

import (
	"bytes"
	"encoding/json"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// toleranceField is the name of the setting.
const toleranceField = "breakeven_tolerance"

// Tolerance is how far from zero a result may be and still count as breakeven. The zero
// value counts only an exactly zero result.
type Tolerance struct {
	// Amount is the limit in money. R is the limit as a multiple of the initial
	// risk and is used instead of Amount when InR is true.
	Amount decimal.Decimal
	R      decimal.Decimal
	InR    bool
	// Stored is the setting as the user wrote it, nil without one.
	Stored json.RawMessage
}

// ParseTolerance parses the setting's JSON: {"amount": n}, {"r": n}, a number, which is
// an amount, or null, which is the default.
func ParseTolerance(raw []byte) (Tolerance, error) {
	raw = bytes.TrimSpace(raw)
	if string(raw) == "null" {
		return Tolerance{}, nil
	}
	tolerance := Tolerance{Stored: json.RawMessage(raw)}
	if len(raw) == 0 || raw[0] != '{' {
		var err error
		tolerance.Amount, err = parseLimit(raw)
		return tolerance, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil || len(fields) != 1 {
		return Tolerance{}, errTolerance()
	}
	var err error
	if amount, given := fields["amount"]; given {
		tolerance.Amount, err = parseLimit(amount)
		return tolerance, err
	}
	tolerance.InR = true
	tolerance.R, err = parseLimit(fields["r"])
	return tolerance, err
}

// parseLimit parses a JSON number that is not negative.
func parseLimit(raw []byte) (decimal.Decimal, error) {
	limit, err := decimal.Parse(string(raw))
	if err != nil || limit.Sign() < 0 {
		return decimal.Zero, errTolerance()
	}
	return limit, nil
}

func errTolerance() *journal.Error {
	return journal.InvalidField(toleranceField, `%s must be a number of 0 or more, {"amount": number} or {"r": number}.`, toleranceField)
}

// OutcomeOf returns a net result's outcome. The risk is the initial one, if any.
func (t Tolerance) OutcomeOf(net decimal.Decimal, risk decimal.Null) Outcome {
	limit := t.Amount
	if t.InR {
		limit = decimal.Zero
		if risk.Valid && risk.Decimal.Sign() > 0 {
			limit = risk.Decimal.Mul(t.R)
		}
	}
	switch {
	case net.Abs().Cmp(limit) <= 0:
		return Breakeven
	case net.Sign() > 0:
		return Win
	}
	return Loss
}

// IsZero reports whether only an exactly zero result is breakeven.
func (t Tolerance) IsZero() bool { return t.Amount.IsZero() && t.R.IsZero() }
