package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A document's rendered part is between these two lines.
const (
	beginMark = "<!-- bench: from here to the next mark this text is written by `bench render` -->"
	endMark   = "<!-- bench: end -->"
)

func renderCommand(args []string) error {
	set := flag.NewFlagSet("bench render", flag.ExitOnError)
	into := set.String("into", "", "document to put the tables into, between its marks; printed without it")
	picture := set.String("svg", "", "file to draw the growth into")
	_ = set.Parse(args) // it exits by itself
	if set.NArg() == 0 {
		return errors.New("pass the files of results to render")
	}
	var files []File
	for _, path := range set.Args() {
		f, err := readFile(path)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	text := markdown(files...)
	if *picture != "" {
		if err := os.WriteFile(*picture, []byte(growthPicture(tables(files...))), 0o644); err != nil {
			return err
		}
		text = "![Time of operations over the number of fills, both by powers of ten](" + filepath.Base(*picture) + ")\n\n" + text
	}
	if *into == "" {
		fmt.Print(text)
		return nil
	}
	document, err := os.ReadFile(*into)
	if err != nil {
		return err
	}
	changed, err := replaceBetween(string(document), text)
	if err != nil {
		return fmt.Errorf("%s: %w", *into, err)
	}
	return os.WriteFile(*into, []byte(changed), 0o644)
}

// replaceBetween replaces the text between a document's marks.
func replaceBetween(document, text string) (string, error) {
	before, rest, found := strings.Cut(document, beginMark)
	if !found {
		return "", errors.New("the mark where rendered text begins is missing")
	}
	_, after, found := strings.Cut(rest, endMark)
	if !found {
		return "", errors.New("the mark where rendered text ends is missing")
	}
	return before + beginMark + "\n\n" + text + "\n" + endMark + after, nil
}

// markdown returns result files as Markdown.
func markdown(files ...File) string {
	var b strings.Builder
	for _, f := range files {
		b.WriteString(f.formatOrigin())
	}
	list := tables(files...)
	for _, t := range list {
		b.WriteString(t.growthTable())
	}
	for _, t := range list {
		b.WriteString(t.costTable())
	}
	for _, t := range list {
		b.WriteString(t.limitTable())
	}
	for _, f := range files {
		for _, s := range f.Soaks {
			b.WriteString(s.markdown())
		}
	}
	return b.String()
}

// formatOrigin describes the program and the machine behind the results.
func (f File) formatOrigin() string {
	what := "Operations"
	if len(f.Records) == 0 {
		what = "Mixed load"
	}
	label := f.Label
	if label == "" {
		label = "an unnamed version"
	}
	return fmt.Sprintf("%s: %s, measured on %s; %d cores (%s), %d MiB of memory, %s, %s.\n\n", what, label, f.At.Format(time.DateOnly),
		f.Machine.Cores, f.Machine.Processor, f.Machine.MemoryMiB, f.Machine.System, f.Machine.Go)
}

// growthTable has a column for each size: the median, and in brackets its multiple of the
// limit.
func (t *table) growthTable() string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s: median, and how many times the limit that is\n\n| Operation |", engineName(t.engine))
	for _, size := range t.sizes {
		fmt.Fprintf(&b, " %s fills |", formatCount(size))
	}
	b.WriteString(" Growth | The limit | Target | Met |\n|---|" + strings.Repeat("---:|", len(t.sizes)+1) + "---|---|---|\n")
	for _, w := range t.rows {
		if strings.HasPrefix(w.operation, limitPrefix) {
			continue
		}
		fmt.Fprintf(&b, "| %s |", w.operation)
		for _, size := range t.sizes {
			fmt.Fprintf(&b, " %s |", w.at[size].format())
		}
		exponent := ""
		if e, known := w.exponent(); known {
			exponent = fmt.Sprintf("%.2f", e)
		}
		wanted, met := w.formatTargets(t.engine)
		fmt.Fprintf(&b, " %s | %s | %s | %s |\n", exponent, w.last().Limit, wanted, met)
	}
	return b.String() + "\n"
}

// format returns the median with its ratio, or the calls per second.
func (r Record) format() string {
	text := formatDuration(r.P50)
	switch {
	case r.Rate > 0:
		text = formatNumber(r.Rate) + "/s"
	case r.Amount > 0:
		text = formatBytes(r.Amount)
	}
	if r.Ratio > 0 {
		text += " (" + formatRatio(r.Ratio) + ")"
	}
	if r.Errors > 0 {
		text += fmt.Sprintf(" **%d failed**", r.Errors)
	}
	return text
}

// formatTargets returns the row's targets, and for each whether it is met.
func (w row) formatTargets(engine string) (wanted, met string) {
	var goals, results []string
	for _, t := range targetsOf(engine, w.operation) {
		result := "**no**"
		switch reached, known := w.checkTarget(t); {
		case !known:
			result = "not measured"
		case reached:
			result = "yes"
		}
		goals, results = append(goals, t.format()), append(results, result)
	}
	return strings.Join(goals, "; "), strings.Join(results, "; ")
}

// costTable returns each operation's other figures at the largest size.
func (t *table) costTable() string {
	size := t.sizes[len(t.sizes)-1]
	var b strings.Builder
	fmt.Fprintf(&b, "### %s at %s fills: slow calls, and what the server used\n\n", engineName(t.engine), formatCount(size))
	b.WriteString("| Operation | Calls | p95 | First | Limit | Peak memory | CPU a call | Written a call | Answer |\n|---|" +
		strings.Repeat("---:|", 8) + "\n")
	for _, w := range t.rows {
		r, found := w.at[size]
		if !found || strings.HasPrefix(w.operation, limitPrefix) {
			continue
		}
		limit := formatDuration(r.LimitP50)
		if r.LimitRate > 0 {
			limit = formatNumber(r.LimitRate) + "/s"
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s | %s | %s | %s |\n", w.operation, r.Samples, formatDuration(r.P95), formatDuration(r.First), limit,
			formatMiB(r.PeakRSS), formatDuration(r.CPU), formatBytes(r.Written), formatBytes(r.Bytes))
	}
	return b.String() + "\n"
}

// limitTable returns the limits.
func (t *table) limitTable() string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s: limits measured in the same run\n\n| Limit |", engineName(t.engine))
	for _, size := range t.sizes {
		fmt.Fprintf(&b, " %s fills |", formatCount(size))
	}
	b.WriteString("\n|---|" + strings.Repeat("---:|", len(t.sizes)) + "\n")
	for _, w := range t.rows {
		name, isLimit := strings.CutPrefix(w.operation, limitPrefix)
		if !isLimit {
			continue
		}
		fmt.Fprintf(&b, "| %s |", name)
		for _, size := range t.sizes {
			fmt.Fprintf(&b, " %s |", w.at[size].format())
		}
		b.WriteString("\n")
	}
	return b.String() + "\n"
}

func formatBytes(n int64) string {
	switch {
	case n <= 0:
		return ""
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return formatNumber(float64(n)/(1<<10)) + " KiB"
	default:
		return formatMiB(n)
	}
}

// markdown returns a soak as a section.
func (s Soak) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s: mixed load for %s\n\n", engineName(s.Engine), strings.TrimSuffix(s.Length.String(), "0s"))
	fmt.Fprintf(&b, "%d users with %s fills each: %d calls, %.0f a second; by status %s; %d faults.\n", s.Users, formatCount(s.Fills), s.Requests,
		float64(s.Requests)/s.Length.Seconds(), formatStatuses(s.Statuses), s.faults())
	fmt.Fprintf(&b, "Memory of the server: %s in the first minute, %s in the last (%.2f of it), %s at its peak.\n\n",
		formatMiB(s.First), formatMiB(s.Last), s.growth(), formatMiB(s.Peak))
	b.WriteString("| Calls of a kind | Count | p50 | p95 | Slowest |\n|---|---:|---:|---:|---:|\n")
	for _, k := range s.Kinds {
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s |\n", k.Operation, k.Samples, formatDuration(k.P50), formatDuration(k.P95), formatDuration(k.First))
	}
	return b.String() + "\n"
}
