package db

import (
	"database/sql"
	"fmt"
	"time"
)

// Instants are stored as microseconds since 1970 in UTC on both engines, so they compare
// and sort as integers.

// Micros returns an instant's stored form.
func Micros(at time.Time) int64 { return at.UnixMicro() }

// NullMicros returns the stored form of an optional instant.
func NullMicros(at *time.Time) any {
	if at == nil {
		return nil
	}
	return at.UnixMicro()
}

// FromMicros returns the instant of its stored form.
func FromMicros(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

// Instant scans a stored instant into at.
func Instant(at *time.Time) sql.Scanner { return instant{at} }

// NullInstant scans a stored instant that may be absent into at.
func NullInstant(at **time.Time) sql.Scanner { return nullInstant{at} }

type instant struct{ at *time.Time }

func (i instant) Scan(value any) error {
	micros, ok := value.(int64)
	if !ok {
		return fmt.Errorf("an instant must be an integer, not %T", value)
	}
	*i.at = FromMicros(micros)
	return nil
}

type nullInstant struct{ at **time.Time }

func (n nullInstant) Scan(value any) error {
	if value == nil {
		*n.at = nil
		return nil
	}
	var at time.Time
	if err := (instant{&at}).Scan(value); err != nil {
		return err
	}
	*n.at = &at
	return nil
}
