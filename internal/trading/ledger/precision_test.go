package ledger_test

import (
	"strings"
	"testing"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// writtenFills returns equal fills at the given seconds, such as "00 00.250", with the
// text's precision.
func writtenFills(t testing.TB, seconds string) (fills []ledger.NewFill) {
	t.Helper()
	for word := range strings.FieldsSeq(seconds) {
		text := "2026-01-05T14:31:" + word + "Z"
		at, err := journal.ParseInstant("executed_at", text)
		must(t, err)
		f := ledger.NewFill{
			Symbol: "AAPL", Side: matching.Buy, Quantity: decimal.New(1), Price: decimal.New(10), ExecutedAt: at, Facts: ledger.FactsRecorded,
		}
		if journal.HasFraction(text) {
			f.Facts |= ledger.ZeroFraction
		}
		fills = append(fills, f)
	}
	return fills
}

// TestWrittenPrecision: a time is as precise as its text.
func TestWrittenPrecision(t *testing.T) {
	many := func(seconds string) string { return strings.Repeat(seconds+" ", 20) } // more than are compared one by one
	type example = struct{ stored, file, want string }
	eachCase(t, map[string]example{
		"zero and another fraction":        {"00.000", "00.250", "+"},
		"another fraction and zero":        {"00.250", "00.000", "+"},
		"below a microsecond":              {"00.0000001", "00.250", "+"},
		"zero with more digits":            {"00.0", "00.000000", "="},
		"whole second and zero":            {"00", "00.000", "="},
		"zero and whole second":            {"00.000", "00", "="},
		"whole second and fraction":        {"00", "00.250", "="},
		"fraction and whole second":        {"00.250", "00", "="},
		"both fractions":                   {"00.000 00.250", "00.000 00.250", "=="},
		"both fractions for whole seconds": {"00 00", "00.000 00.250", "=="},
		"each its own precision":           {"00 00.000", "00.000 00.250", "=="},
		"another second":                   {"00.000", "01", "+"},
		"many, zero and another":           {many("00.000"), many("00.250"), strings.Repeat("+", 20)},
		"many, whole and fraction":         {many("00"), many("00.250"), strings.Repeat("=", 20)},
		"many, zero and whole":             {many("00.000"), many("00"), strings.Repeat("=", 20)},
	}, func(t *testing.T, d *fixture, c example) {
		d.insert("stored", writtenFills(t, c.stored)...)
		file := writtenFills(t, c.file)
		d.expectPreview(c.want, file)
		if got := outcomes(d.insert("first", file...)); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
		if got := outcomes(d.insert("second", file...)); got != strings.Repeat("=", len(c.want)) {
			t.Errorf("the second time: %s", got)
		}
		d.sound()
	})
}

// TestEditedPrecision: an edited time is as precise as its new text.
func TestEditedPrecision(t *testing.T) {
	eachCase(t, map[string]struct {
		hasFraction bool
		want        string
	}{
		"with a fraction": {true, "+"}, "without a fraction": {false, "="},
	}, func(t *testing.T, d *fixture, c struct {
		hasFraction bool
		want        string
	},
	) {
		ids := d.add("buy 1 10")
		to := writtenFills(t, "00")[0].ExecutedAt
		_, err := d.ledger.UpdateExecution(t.Context(), d.owner, ids[0], ledger.ExecutionChange{
			ExecutedAt: journal.Some(to), HasFraction: c.hasFraction,
		}, nil)
		must(t, err)
		if got := outcomes(d.insert("file", writtenFills(t, "00.250")...)); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
		d.sound()
	})
}
