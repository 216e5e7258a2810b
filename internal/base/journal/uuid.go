package journal

import (
	"database/sql/driver"
	"encoding/binary"
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

// ScanBlob is Scan for an id that is stored in bytes. It does not keep them.
func (id *TradeID) ScanBlob(blob []byte) error {
	if len(blob) != 16 {
		return id.Scan(blob)
	}
	*id = TradeID(UUIDText([16]byte(blob)))
	return nil
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

// Some ids are computed from what is stored anyway, so neither the id nor an index is
// stored. Such an id is a version 8 UUID with 53 bits for an instant, 37 bits for a hash of
// the owner's id and 32 bits for a number.
const (
	timeBits   = 53
	tagBits    = 37
	numberBits = 32
)

// IDTag returns a hash (FNV-1a) of an owner's id for [PackID]. It must never change,
// because ids depend on it.
func IDTag[T ~string](owner T) uint64 {
	sum := uint64(0xcbf29ce484222325)
	for i := range len(owner) {
		sum = (sum ^ uint64(owner[i])) * 0x100000001b3
	}
	return (sum ^ sum>>tagBits) & (1<<tagBits - 1)
}

// PackID returns the id for an instant in microseconds, an [IDTag] and a number.
func PackID[T ~string](at int64, tag uint64, number int64) T {
	micros, low := uint64(at), uint64(number)&(1<<numberBits-1)
	var id [16]byte
	binary.BigEndian.PutUint64(id[:], micros>>5<<16|8<<12|(micros&31)<<7|tag>>30)
	binary.BigEndian.PutUint64(id[8:], 2<<62|tag&(1<<30-1)<<32|low)
	return T(UUIDText(id))
}

// UnpackID returns what [PackID] has packed, and false for any other id.
func UnpackID[T ~string](id T) (at int64, tag uint64, number int64, ok bool) {
	bytes, ok := ParseUUID(string(id))
	high, low := binary.BigEndian.Uint64(bytes[:]), binary.BigEndian.Uint64(bytes[8:])
	at = int64(high>>16<<5 | high>>7&31)
	if !ok || high>>12&15 != 8 || low>>62 != 2 || at>>timeBits != 0 {
		return 0, 0, 0, false
	}
	return at, high&127<<30 | low>>32&(1<<30-1), int64(low & (1<<numberBits - 1)), true
}
