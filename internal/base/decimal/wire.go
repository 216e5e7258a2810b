package decimal

import (
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
)

// longestEscape is the length of \u0031, the longest JSON form of a digit.
const longestEscape = 6

var errNull = &parseError{ErrSyntax, "give a number here; null is not allowed"}

// MarshalJSON writes d as a bare JSON number in canonical text.
func (d Decimal) MarshalJSON() ([]byte, error) {
	return d.AppendTo(make([]byte, 0, typicalLength)), nil
}

// UnmarshalJSON parses a JSON number, or a JSON string with one, like Parse. It parses
// the text, so no digit is lost. A null is an error: use Null for a nullable field.
func (d *Decimal) UnmarshalJSON(b []byte) error {
	text, err := numberText(b)
	if err != nil {
		return err
	}
	parsed, err := Parse(text)
	if err != nil {
		return err
	}
	*d = parsed
	return nil
}

// numberText returns the content of b if it is a JSON string, and b
// itself otherwise. It checks the length before it copies anything.
func numberText(b []byte) (string, error) {
	switch {
	case len(b) > longestEscape*maxInputText:
		return "", errLong
	case string(b) == "null":
		return "", errNull
	case len(b) == 0 || b[0] != '"':
		return string(b), nil
	}
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return "", errNotPlain
	}
	return text, nil
}

// Value returns d as canonical text, which both engines store exactly.
func (d Decimal) Value() (driver.Value, error) {
	return d.String(), nil
}

// Scan parses a column written by Value, like ParseExact, or a whole number. A float is
// an error, because its digits may differ from the stored ones.
func (d *Decimal) Scan(src any) error {
	switch v := src.(type) {
	case string:
		return d.scanText(v)
	case []byte:
		return d.ScanText(v)
	case int64:
		*d = New(v)
		return nil
	case nil:
		return errors.New("decimal: column is NULL; scan it into a decimal.Null")
	default:
		return fmt.Errorf("decimal: column holds a %T; it must hold text or a whole number", src)
	}
}

// ScanText is Scan for a text. It does not keep the bytes.
func (d *Decimal) ScanText(text []byte) error {
	parsed, ok := parseShort(string(text)) // this conversion does not allocate
	if !ok {
		return d.scanText(string(text))
	}
	*d = parsed
	return nil
}

func (d *Decimal) scanText(s string) error {
	parsed, err := ParseExact(s)
	if err != nil {
		return fmt.Errorf("decimal: stored number: %w", err)
	}
	*d = parsed
	return nil
}
