package main

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"time"
)

// someFile is a run with one operation growing in proportion, one constant, and a limit.
func someFile() File {
	f := File{Label: "v1", At: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)}
	for _, size := range []int{1000, 10_000, 100_000} {
		grown := Record{Engine: "sqlite", Size: size, Operation: "import of all fills", P50: time.Duration(size) * time.Microsecond, Samples: 1}
		grown.setLimit("plain insert", times{time.Duration(size) * time.Microsecond / 2})
		level := Record{Engine: "sqlite", Size: size, Operation: "fill, large account", P50: 2 * time.Millisecond, PeakRSS: 50 << 20, Samples: 9}
		level.setLimit(limitCommit, times{50 * time.Microsecond})
		limit := Record{Engine: "sqlite", Size: size, Operation: limitPrefix + limitCommit, P50: 50 * time.Microsecond}
		f.Records = append(f.Records, grown, level, limit)
	}
	return f
}

func TestExponents(t *testing.T) {
	t.Parallel()
	list := tables(someFile())
	for i, want := range []float64{1, 0} {
		if got, known := list[0].rows[i].exponent(); !known || math.Abs(got-want) > 1e-9 {
			t.Errorf("%s grows with %v, want %v", list[0].rows[i].operation, got, want)
		}
	}
	single := row{"x", map[int]Record{1000: {Size: 1000, P50: time.Second}}}
	if _, known := single.exponent(); known {
		t.Error("one size has a growth")
	}
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	text := markdown(someFile())
	for _, line := range []string{
		"### SQLite: median, and how many times the limit that is",
		"| import of all fills | 1.00 ms (2×) | 10.0 ms (2×) | 100 ms (2×) | 1.00 | plain insert | ≤ 2.5× at 100k | yes |",
		"| fill, large account | 2.00 ms (40×) | 2.00 ms (40×) | 2.00 ms (40×) | 0.00 | one small row, stored durably | ≤ 20× | **no** |",
		"| fill, large account | 9 | ",
		"| one small row, stored durably | 50.0 µs | 50.0 µs | 50.0 µs |",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("%q is missing in\n%s", line, text)
		}
	}
	if strings.Contains(text, limitPrefix) {
		t.Error("a limit is among the operations")
	}
}

func TestErrorsAreShown(t *testing.T) {
	t.Parallel()
	f := someFile()
	for i := range f.Records {
		f.Records[i].Errors = 3
	}
	text := markdown(f)
	if !strings.Contains(text, "**3 failed**") || strings.Contains(text, "| yes |") {
		t.Errorf("failed calls are not shown:\n%s", text)
	}
}

func TestATargetIsJudgedWhereItWasSet(t *testing.T) {
	t.Parallel()
	w := row{"deletion of a fill half the journal back", map[int]Record{
		1000: {Size: 1000, P50: time.Millisecond}, 1_000_000: {Size: 1_000_000, P50: time.Second},
	}}
	if wanted, met := w.formatTargets("sqlite"); wanted != "≤ 60.0 ms at 100k" || met != "not measured" {
		t.Errorf("%s: %s", wanted, met)
	}
	w.at[hundredThousand] = Record{Size: hundredThousand, P50: 50 * time.Millisecond}
	if _, met := w.formatTargets("sqlite"); met != "yes" {
		t.Errorf("met: %s", met)
	}
}

func TestBetween(t *testing.T) {
	t.Parallel()
	document := "before\n" + beginMark + "\nold\n" + endMark + "\nafter\n"
	got, err := replaceBetween(document, "new\n")
	if want := "before\n" + beginMark + "\n\nnew\n\n" + endMark + "\nafter\n"; err != nil || got != want {
		t.Errorf("%q, %v", got, err)
	}
	again, err := replaceBetween(got, "new\n")
	if err != nil || again != got {
		t.Errorf("a second time gives %q, %v", again, err)
	}
	for _, broken := range []string{"nothing", beginMark + " and no end"} {
		if _, err := replaceBetween(broken, "new"); err == nil {
			t.Errorf("%q was accepted", broken)
		}
	}
}

func TestPictureIsWellFormed(t *testing.T) {
	t.Parallel()
	text := growthPicture(tables(someFile()))
	decoder := xml.NewDecoder(strings.NewReader(text))
	words := 0
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if _, isText := token.(xml.CharData); isText {
			words++
		}
	}
	for _, want := range []string{"import of all fills", "fill, large account", ">100k<", ">10 ms<", "prefers-color-scheme: dark"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in the picture", want)
		}
	}
	if words == 0 || strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
		t.Errorf("the picture is\n%s", text)
	}
}

func TestLevelLinesAreLevelAndLabelsApart(t *testing.T) {
	t.Parallel()
	p := newPanel(tables(someFile())[0])
	p.placeLabels()
	for _, l := range p.lines {
		level := p.y(l.taken[0]) == p.y(l.taken[len(l.taken)-1])
		if level != (l.operation == "fill, large account") {
			t.Errorf("%s: level is %v", l.operation, level)
		}
	}
	for i := 1; i < len(p.lines); i++ {
		if gap := p.lines[i].label - p.lines[i-1].label; gap < labelHeight {
			t.Errorf("two names are %v apart", gap)
		}
	}
}

func TestPictureOfOneSize(t *testing.T) {
	t.Parallel()
	f := someFile()
	f.Records = f.Records[:3]
	if text := growthPicture(tables(f)); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
		t.Errorf("the picture is\n%s", text)
	}
}
