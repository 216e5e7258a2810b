package journal

import (
	"database/sql/driver"
	"encoding/hex"
	"fmt"
)

// Trade and execution ids are stored in 16 bytes: as uuid on PostgreSQL and as blob on
// SQLite. In Go they are texts in the usual UUID form.

// UUIDText returns a UUID's text.
func UUIDText(id [16]byte) string {
	var text [36]byte
	encodeUUID(&text, id[:])
	return string(text[:])
}

func encodeUUID(text *[36]byte, id []byte) {
	hex.Encode(text[0:8], id[0:4])
	hex.Encode(text[9:13], id[4:6])
	hex.Encode(text[14:18], id[6:8])
	hex.Encode(text[19:23], id[8:10])
	hex.Encode(text[24:36], id[10:16])
	text[8], text[13], text[18], text[23] = '-', '-', '-', '-'
}

// ParseUUID returns the bytes of a UUID in [UUIDText] form, and false for any other text.
func ParseUUID(text string) (id [16]byte, ok bool) {
	if len(text) != 36 || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
		return id, false
	}
	for i, at := range [16]int{0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34} {
		high, low := hexDigit(text[at]), hexDigit(text[at+1])
		if high > 15 || low > 15 {
			return [16]byte{}, false
		}
		id[i] = high<<4 | low
	}
	return id, true
}

// hexDigit returns the value of a lower-case digit, and 255 for another character.
func hexDigit(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	}
	return 255
}

// uuidValue returns an id's stored form: NULL for an invalid UUID, which no record has.
func uuidValue(text string) (driver.Value, error) {
	id, ok := ParseUUID(text)
	if !ok {
		return nil, nil
	}
	return id[:], nil
}

// scanUUID returns a stored id's text, which is empty for NULL.
func scanUUID(value any) (string, error) {
	switch v := value.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case []byte:
		if len(v) == 16 {
			return UUIDText([16]byte(v)), nil
		}
		if len(v) == 36 {
			return string(v), nil
		}
	}
	return "", fmt.Errorf("an id must be a UUID, not %T", value)
}

// uuidType is the SQL type for ids in 16 bytes.
const uuidType = "UUID"

// Value returns the stored form of the id.
func (id TradeID) Value() (driver.Value, error) { return uuidValue(string(id)) }

// SQLType returns the type of the id's columns.
func (TradeID) SQLType() string { return uuidType }

// Scan reads the stored form of an id; NULL is an empty one.
func (id *TradeID) Scan(value any) error {
	text, err := scanUUID(value)
	*id = TradeID(text)
	return err
}

// Value returns the stored form of the id.
func (id ExecutionID) Value() (driver.Value, error) { return uuidValue(string(id)) }

// SQLType returns the type of the id's columns.
func (ExecutionID) SQLType() string { return uuidType }

// Scan reads the stored form of an id; NULL is an empty one.
func (id *ExecutionID) Scan(value any) error {
	text, err := scanUUID(value)
	*id = ExecutionID(text)
	return err
}
