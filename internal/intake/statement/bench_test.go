package statement_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
)

// BenchmarkRead reads 100,000 fills by column names.
func BenchmarkRead(b *testing.B) {
	var text strings.Builder
	text.WriteString("Symbol,Side,Quantity,Price,Executed At,Commission\n")
	at := time.Date(2024, 1, 2, 14, 30, 0, 0, time.UTC)
	for i := range 100_000 {
		side := []string{"buy", "sell"}[i/200%2]
		fmt.Fprintf(&text, "SYM%d,%s,%d,%d.%02d,%s,1.05\n", i%200, side, 100, 10+i%900, i%100, at.Add(time.Duration(i)*time.Minute).Format(time.RFC3339))
	}
	data := []byte(text.String())
	b.Run("table", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := tabular.Read(data, tabular.Default()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("statement", func(b *testing.B) {
		file, err := tabular.Read(data, tabular.Default())
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			found, _ := statement.Locate(file)
			headers, _ := statement.Sample(file.Tables[0], found.Header)
			found.Preset = statement.Generic(headers, file.Tables[found.Table].Rows[found.Header+1:], nil)
			s, err := statement.Read(file, found, statement.Hints{})
			if err != nil || len(s.Fills) != 100_000 {
				b.Fatal(err, len(s.Fills))
			}
		}
	})
}
