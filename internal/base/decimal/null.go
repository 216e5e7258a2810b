package decimal

import "database/sql/driver"

// Null is a Decimal that may be absent: a nullable column, or a JSON field that
// may be null. The zero value is absent. If Valid is false, Decimal is 0 and
// has no meaning.
type Null struct {
	Decimal Decimal
	Valid   bool
}

// Of returns d as a present Null.
func Of(d Decimal) Null { return Null{Decimal: d, Valid: true} }

// Or returns the number, or instead if it is absent.
func (n Null) Or(instead Decimal) Decimal {
	if n.Valid {
		return n.Decimal
	}
	return instead
}

// Equal reports whether both are absent, or both present and the same number.
func (n Null) Equal(m Null) bool {
	return n.Valid == m.Valid && (!n.Valid || n.Decimal.Equal(m.Decimal))
}

// IsZero reports whether the number is absent, not whether it is 0, so the JSON option
// omitzero leaves out absent numbers only.
func (n Null) IsZero() bool { return !n.Valid }

// String returns the canonical text, or "null".
func (n Null) String() string { return string(n.AppendTo(nil)) }

// AppendTo appends n's JSON form, a number or null, to b.
func (n Null) AppendTo(b []byte) []byte {
	if !n.Valid {
		return append(b, "null"...)
	}
	return n.Decimal.AppendTo(b)
}

// MarshalJSON writes a JSON number or null.
func (n Null) MarshalJSON() ([]byte, error) { return n.AppendTo(make([]byte, 0, typicalLength)), nil }

// UnmarshalJSON parses null, or what Decimal parses.
func (n *Null) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*n = Null{}
		return nil
	}
	var d Decimal
	if err := d.UnmarshalJSON(b); err != nil {
		return err
	}
	*n = Of(d)
	return nil
}

// Value returns canonical text or NULL.
func (n Null) Value() (driver.Value, error) {
	if !n.Valid {
		return nil, nil
	}
	return n.Decimal.Value()
}

// Scan parses NULL, or what Decimal scans.
func (n *Null) Scan(src any) error {
	if src == nil {
		*n = Null{}
		return nil
	}
	var d Decimal
	if err := d.Scan(src); err != nil {
		return err
	}
	*n = Of(d)
	return nil
}

// ScanText parses a text, as [Decimal.ScanText] does.
func (n *Null) ScanText(text []byte) error {
	if err := n.Decimal.ScanText(text); err != nil {
		return err
	}
	n.Valid = true
	return nil
}
