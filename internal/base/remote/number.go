package remote

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Number is a number in an answer: a JSON number or text. Its digits are kept unchanged.
type Number string

// UnmarshalJSON implements json.Unmarshaler.
func (n *Number) UnmarshalJSON(data []byte) error {
	switch {
	case bytes.Equal(data, []byte("null")):
		*n = ""
		return nil
	case data[0] == '"':
		return json.Unmarshal(data, (*string)(n))
	case data[0] == '-' || data[0] >= '0' && data[0] <= '9':
		*n = Number(data)
		return nil
	}
	return fmt.Errorf("%.20q is not a number", data)
}

// Member is a required but nullable member in an answer.
type Member[T any] struct {
	Value     T
	IsPresent bool
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *Member[T]) UnmarshalJSON(data []byte) error {
	m.IsPresent = true
	return json.Unmarshal(data, &m.Value)
}
