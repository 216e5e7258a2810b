package market_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"fillbook/internal/decimal"
	"fillbook/internal/market"
)

// TestPageExamples runs the examples of excursions in docs/metrics.md.
func TestPageExamples(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := strings.Split(string(page), "```excursion\n")[1:]
	if len(examples) < 2 {
		t.Fatalf("the page has %d examples", len(examples))
	}
	for _, rest := range examples {
		text, _, _ := strings.Cut(rest, "```")
		name, lines, _ := strings.Cut(text, "\n")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runExample(t, strings.Split(strings.TrimSpace(lines), "\n"))
		})
	}
}

func runExample(t *testing.T, lines []string) {
	t.Helper()
	var fills []market.Fill
	block := market.Block{Secs: 60}
	checked := 0
	for _, line := range lines {
		words := strings.Fields(line)
		switch words[0] {
		case "fill":
			at, err := time.Parse(time.TimeOnly, words[1])
			if err != nil {
				t.Fatal(err)
			}
			fills = append(fills, market.Fill{At: at.UnixMicro(), Quantity: decimal.Must(words[2]), Price: decimal.Must(words[3])})
		case "bar":
			at, err := time.Parse("15:04", words[1])
			if err != nil {
				t.Fatal(err)
			}
			bar := market.Bar{Time: at.Unix()}
			if _, err := fmt.Sscan(strings.Join(words[2:], " "), &bar.Open, &bar.High, &bar.Low, &bar.Close); err != nil {
				t.Fatal(err)
			}
			block.Bars = append(block.Bars, bar)
		case "mae", "mfe":
			found, err := market.MeasureExcursion(fills, decimal.New(1), block)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]market.Bounds{"mae": found.MAE, "mfe": found.MFE}[words[0]]
			if got.Low.String() != words[1] || got.High.String() != words[2] {
				t.Errorf("%s is %s to %s, not %s to %s", words[0], got.Low, got.High, words[1], words[2])
			}
			checked++
		default:
			t.Fatalf("%q is no line of an example", line)
		}
	}
	if checked != 2 {
		t.Errorf("%d bounds were compared", checked)
	}
}
