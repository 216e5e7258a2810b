package journal_test

import (
	"database/sql/driver"
	"testing"

	"fillbook/internal/base/journal"
)

func TestUUIDIsStoredInSixteenBytes(t *testing.T) {
	t.Parallel()
	for range 100 {
		id := journal.NewID[journal.TradeID]()
		stored, err := id.Value()
		if err != nil {
			t.Fatal(err)
		}
		bytes, ok := stored.([]byte)
		if !ok || len(bytes) != 16 {
			t.Fatalf("%s is stored as %v", id, stored)
		}
		for name, value := range map[string]any{"blob": bytes, "text": string(id), "text as bytes": []byte(id)} {
			var read journal.TradeID
			if err := read.Scan(value); err != nil || read != id {
				t.Errorf("%s: read %q, %v, want %q", name, read, err, id)
			}
		}
	}
}

// TestInvalidUUIDIsNull checks that an impossible id matches no record, instead of
// failing in the database.
func TestInvalidUUIDIsNull(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "x", "01900000-0000-7000-8000-00000000000", "01900000-0000-7000-8000-0000000000001", "01900000000070008000000000000001",
		"01900000-0000-7000-8000-00000000000G", "01900000-0000-7000-8000-00000000000A", "0190000-00000-7000-8000-000000000001",
		"{1900000-0000-7000-8000-000000000001", "01900000-0000-7000-8000-0000000000-1",
	} {
		for _, id := range []driver.Valuer{journal.TradeID(text), journal.ExecutionID(text)} {
			if stored, err := id.Value(); stored != nil || err != nil {
				t.Errorf("%T %q is stored as %v, %v", id, text, stored, err)
			}
		}
	}
	id := journal.TradeID("before")
	if err := id.Scan(nil); err != nil || id != "" {
		t.Errorf("NULL is read as %q, %v", id, err)
	}
	for _, value := range []any{int64(1), []byte("short")} {
		if err := id.Scan(value); err == nil {
			t.Errorf("%v is read as %q", value, id)
		}
	}
}
