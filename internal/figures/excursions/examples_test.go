package excursions_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/figures/excursions"
	"fillbook/internal/prices/market"
)

// TestPageExamples runs the excursion examples in docs/metrics.md.
func TestPageExamples(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/metrics.md")
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

// example is an example's fills and bars.
type example struct {
	*testing.T
	fills   []market.Fill
	block   market.Block
	checked int
}

func runExample(t *testing.T, lines []string) {
	t.Helper()
	e := &example{T: t, block: market.Block{Secs: 60}}
	for _, line := range lines {
		e.run(strings.Fields(line))
	}
	if e.checked < 2 {
		t.Errorf("%d figures were compared", e.checked)
	}
}

func (e *example) run(words []string) {
	e.Helper()
	switch words[0] {
	case "fill":
		at := e.parse(time.TimeOnly, words[1])
		e.fills = append(e.fills, market.Fill{At: at.UnixMicro(), Quantity: decimal.Must(words[2]), Price: decimal.Must(words[3])})
	case "bar":
		bar := market.Bar{Time: e.parse("15:04", words[1]).Unix()}
		if _, err := fmt.Sscan(strings.Join(words[2:], " "), &bar.Open, &bar.High, &bar.Low, &bar.Close); err != nil {
			e.Fatal(err)
		}
		e.block.Bars = append(e.block.Bars, bar)
	default:
		e.checked++
		if got, want := e.figure(words), strings.Join(words, " "); got != want {
			e.Errorf("it is %s, not %s", got, want)
		}
	}
}

func (e *example) parse(layout, text string) time.Time {
	e.Helper()
	at, err := time.Parse(layout, text)
	if err != nil {
		e.Fatal(err)
	}
	return at
}

// figure returns a line as it should be.
func (e *example) figure(words []string) string {
	e.Helper()
	var position market.Position
	position.Reset(e.fills, one)
	window := market.Window{Block: e.block}
	found, err := position.MeasureExcursion(window)
	if err != nil {
		e.Fatal(err)
	}
	r := excursions.Result{MAE: found.MAE, MFE: found.MFE, GrossAtExit: decimal.Of(market.Result(e.fills, one))}
	bounds := func(low, high decimal.Null) string { return fmt.Sprint(words[0], " ", low, " ", high) }
	switch words[0] {
	case "mae":
		return bounds(decimal.Of(r.MAE.Low), decimal.Of(r.MAE.High))
	case "mfe":
		return bounds(decimal.Of(r.MFE.Low), decimal.Of(r.MFE.High))
	case "given_back":
		return bounds(r.GivenBack())
	case "entry_efficiency":
		return bounds(r.EntryEfficiency())
	case "exit_efficiency":
		return bounds(r.ExitEfficiency())
	case "exit":
		return fmt.Sprint("exit ", r.GrossAtExit)
	case "best":
		best := position.BestExit(window, e.parse("15:04", words[1]).Unix())
		return fmt.Sprint("best ", words[1], " ", best.Low, " ", best.High)
	case "after":
		return fmt.Sprint("after ", words[1], " ", market.AfterExit(e.fills, one, e.block, e.parse("15:04", words[1]).Unix()))
	case "stop", "target":
		return e.planned(words)
	}
	e.Fatalf("%q is no line of an example", strings.Join(words, " "))
	return ""
}

// planned returns the line for an order at a stop or a target.
func (e *example) planned(words []string) string {
	e.Helper()
	var p market.Position
	p.Reset(e.fills, one)
	found := p.PlannedExit(market.Window{Block: e.block}, decimal.Must(words[1]), words[0] == "stop", 1<<40)
	line := fmt.Sprint(words[0], " ", words[1], " ", found.Reached)
	if found.Reached == market.NotReached {
		return line
	}
	return fmt.Sprint(line, " ", found.Result.Low, " ", found.Result.High)
}

var one = decimal.New(1)
