package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

func compareCommand(args []string, to io.Writer) error {
	if len(args) != 2 {
		return errors.New("pass two files of results: the old one and the new one")
	}
	older, err := readFile(args[0])
	if err != nil {
		return err
	}
	newer, err := readFile(args[1])
	if err != nil {
		return err
	}
	_, err = io.WriteString(to, formatComparison(older, newer))
	return err
}

// leastNoise is the difference between two runs with the same program on an idle machine.
const leastNoise = .1

// change is one operation in two runs.
type change struct {
	older, newer Record
	time         float64 // new time over old
	machine      float64 // new limit over old: the machine's own change
	noise        float64 // the corrected ratio's relative uncertainty
}

// corrected returns the change without the machine's: the new ratio to the limit over the
// old one.
func (c change) corrected() float64 { return c.time / c.machine }

// newChange compares two records for one operation. Limits are used only if both records
// have the same one.
func newChange(older, newer Record) change {
	c := change{older: older, newer: newer, machine: 1}
	noise := []float64{older.Noise, newer.Noise}
	switch {
	case older.Rate > 0 && newer.Rate > 0:
		c.time = older.Rate / newer.Rate
		if older.LimitRate > 0 && newer.LimitRate > 0 {
			c.machine = older.LimitRate / newer.LimitRate
		}
	case older.P50 > 0 && newer.P50 > 0:
		c.time = float64(newer.P50) / float64(older.P50)
		if older.Limit == newer.Limit && older.LimitP50 > 0 && newer.LimitP50 > 0 {
			c.machine = float64(newer.LimitP50) / float64(older.LimitP50)
			noise = append(noise, older.LimitNoise, newer.LimitNoise)
		}
	}
	var squares float64
	for _, n := range noise {
		squares += n * n
	}
	c.noise = max(leastNoise, math.Sqrt(squares))
	return c
}

// verdict returns slower, faster, or nothing within the noise.
func (c change) verdict() string {
	switch corrected := c.corrected(); {
	case c.newer.Errors > c.older.Errors:
		return fmt.Sprintf("FAILS (%d of its calls)", c.newer.Errors)
	case c.time == 0:
		return "not measured"
	case corrected > 1+c.noise:
		return "SLOWER"
	case corrected < 1/(1+c.noise):
		return "faster"
	default:
		return ""
	}
}

// formatComparison returns a table with the operations in both files, and a line with
// counts.
func formatComparison(older, newer File) string {
	var b strings.Builder
	fmt.Fprintf(&b, "old: %s of %s\nnew: %s of %s\n\n", older.Label, older.At.Format("2006-01-02 15:04"), newer.Label, newer.At.Format("2006-01-02 15:04"))
	b.WriteString("| Engine | Fills | Operation | Old | New | New/old | Limit new/old | Corrected | Noise | |\n|---|---:|---|---:|---:|---:|---:|---:|---:|---|\n")
	verdicts := map[string]int{}
	before := map[string]Record{}
	for _, r := range older.Records {
		before[recordKey(r)] = r
	}
	for _, r := range newer.Records {
		old, found := before[recordKey(r)]
		if !found || strings.HasPrefix(r.Operation, limitPrefix) {
			continue
		}
		c := newChange(old, r)
		verdicts[c.verdict()]++
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %.2f | %.2f | %.2f | ±%.0f %% | %s |\n", r.Engine, formatCount(r.Size), r.Operation, old.format(), r.format(),
			c.time, c.machine, c.corrected(), 100*c.noise, c.verdict())
	}
	fmt.Fprintf(&b, "\nslower: %d, faster: %d, within the noise of the runs: %d\n", verdicts["SLOWER"], verdicts["faster"], verdicts[""])
	return b.String()
}

func recordKey(r Record) string { return fmt.Sprintf("%s %d %s", r.Engine, r.Size, r.Operation) }
