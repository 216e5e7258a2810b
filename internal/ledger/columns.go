package ledger

import (
	"fmt"

	"fillbook/internal/matching"
)

// Columns that are stored in another form than the program works with.

// sideOf scans the flag is_buy.
type sideOf struct{ side *matching.Side }

func (s sideOf) Scan(value any) error {
	buy, err := flag(value)
	*s.side = matching.Sell
	if buy {
		*s.side = matching.Buy
	}
	return err
}

// directionOf scans the flag is_long.
type directionOf struct{ direction *matching.Direction }

func (d directionOf) Scan(value any) error {
	long, err := flag(value)
	*d.direction = matching.Short
	if long {
		*d.direction = matching.Long
	}
	return err
}

// flag reads a boolean of either engine.
func flag(value any) (bool, error) {
	switch v := value.(type) {
	case bool:
		return v, nil
	case int64:
		return v != 0, nil
	}
	return false, fmt.Errorf("a flag must be a boolean, not %T", value)
}

// orEmpty scans a text column whose NULL means the empty text.
type orEmpty[T ~string] struct{ text *T }

func (o orEmpty[T]) Scan(value any) error {
	switch v := value.(type) {
	case nil:
		*o.text = ""
	case string:
		*o.text = T(v)
	case []byte:
		*o.text = T(v)
	default:
		return fmt.Errorf("a text must not be %T", value)
	}
	return nil
}
