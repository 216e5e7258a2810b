package statement

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/tabular"
)

// Evidence states how well a layout is known.
type Evidence string

// The sources that a preset was written from. Documented means documentation or
// code of other projects; no file was seen.
const (
	RealFile   Evidence = "real file"
	SampleFile Evidence = "sample in the real layout"
	Documented Evidence = "documentation or code only"
)

// CostSign states how a file writes costs.
type CostSign int

// The ways. CostsByColumn looks at the whole column: where most are below
// zero, costs are.
const (
	CostsByColumn CostSign = iota
	CostsPositive          // paid is positive, a rebate negative
	CostsNegative          // paid is negative, a rebate positive
)

// Preset describes one export of one broker: how it is detected and how it is
// read. Whole is for files that a [Layout] cannot describe.
//
// A column name is compared by [HeaderKey]. Where a field takes a name it
// takes alternatives too, the first that is there and filled being used:
// "Filled Avg Price|Avg Price". "Price#2" is the second column of that name.
type Preset struct {
	// Broker is the readable name that detection answers with, Export says
	// which of the broker's exports this is.
	Broker, Export string
	Evidence       Evidence
	Format         Format
	Source         Source // FromCSV if empty

	// Header are the names that must all be in one row; the preset with most
	// of them wins. Without are names that must not be there.
	Header, Without []string
	// Exact says that the header has these names in this order and no others, for
	// names that many files have.
	Exact bool
	// Matches decides instead of Header for a file that is recognized by its shape. It
	// returns the reason, or nothing.
	Matches func(tabular.File) (reason string)

	// Zone is that of times without one; empty if it is not known.
	Zone string
	// MarketZone is that of the exchange which most users of an export without Zone
	// trade at. It is assumed if the user has no time zone; empty is UTC.
	MarketZone string
	// Order is how the broker writes days and months, if that is certain.
	Order parse.DateOrder
	// FindOrder returns the order that other signs in the file show, if neither the
	// user nor the dates themselves do. It is empty if there are none.
	FindOrder func(tabular.File) parse.DateOrder
	// NewestFirst says that the file runs backwards, which days without times
	// cannot show.
	NewestFirst bool
	// Instrument is the type of everything in the file, if there is only one.
	Instrument string
	// Units says that quantities are in units already: the multiplier is 1.
	Units bool
	Costs CostSign
	// Columns says which column is what, for the generic reading.
	Columns map[Target]string
	// Sides adds words for buying and selling that mean so only here.
	Sides map[string]Direction

	// Notices are warnings that every file of this export gets.
	Notices []string
	// RowLimit is how many rows the broker exports at most; 0 means no limit. A
	// file with exactly that many gets a warning.
	RowLimit int
	// Refuse is why no file of this export can be read, and what to import instead.
	Refuse string

	// Layout says how the rows of the file are read, Sections how those of a file
	// with several tables are.
	Layout   *Layout
	Sections []Section

	// Whole reads a file that is more than one table.
	Whole func(*Reader) error
}

// Key identifies the layout of the export: what the user says about its words is
// stored under it. It is empty for a file that no preset fits.
func (p *Preset) Key() string {
	if p.Broker == "" {
		return ""
	}
	return strings.ToLower(p.Broker + "/" + p.Export)
}

// layouts lists the layouts of the preset.
func (p *Preset) layouts() []*Layout {
	var list []*Layout
	if p.Layout != nil {
		list = append(list, p.Layout)
	}
	for _, s := range p.Sections {
		list = append(list, s.Layout)
	}
	return list
}

// Direction is the side and effect that a word means.
type Direction struct {
	Buy    bool
	Effect parse.Effect
}

// Detection is a preset that fits a file, and where its table begins.
type Detection struct {
	Preset *Preset
	Table  int // index of the table
	Header int // index of its header row, -1 for a preset that matches by shape
	Reason string
}

// headerSearch is how many rows of a table may come before its header.
const headerSearch = 200

// Detect finds the preset that fits a file best; see [Detector.Detect].
func Detect(file tabular.File, presets []*Preset) (best Detection, found bool) {
	return NewDetector(presets).Detect(file)
}

// Detector finds the presets of files. It is safe for concurrent use.
type Detector struct {
	presets []*Preset
	headers []knownHeader
	// byKey lists the headers that one of their names is looked up by: that
	// which the fewest headers have.
	byKey map[string][]int
}

// NewDetector returns a detector for some presets.
func NewDetector(presets []*Preset) *Detector {
	d := &Detector{presets: presets, headers: knownHeaders(presets), byKey: map[string][]int{}}
	uses := map[string]int{}
	for _, h := range d.headers {
		for _, name := range h.with {
			for _, key := range name {
				uses[key]++
			}
		}
	}
	for i, h := range d.headers {
		for _, key := range h.rarestName(uses) {
			d.byKey[key] = append(d.byKey[key], i)
			if name, nth, ok := strings.Cut(key, "#"); ok && isNumber(nth) { // the second column of a name has the same name
				d.byKey[name] = append(d.byKey[name], i)
			}
		}
	}
	return d
}

// Detect finds the preset that fits a file best: the one with most column
// names. Among equals the first in the list is taken.
func (d *Detector) Detect(file tabular.File) (best Detection, found bool) {
	for _, p := range d.presets {
		if p.Matches != nil {
			if reason := p.Matches(file); reason != "" {
				return Detection{Preset: p, Header: -1, Reason: reason}, true
			}
		}
	}
	most := 0
	for t, table := range file.Tables {
		for i := range min(len(table.Rows), headerSearch) {
			cells := table.Rows[i].Cells
			list := d.candidates(cells)
			if len(list) == 0 {
				continue // as most rows below the header
			}
			keys := headerKeys(cells)
			for _, n := range list {
				h := d.headers[n]
				if n := h.fits(keys); n > most && (!h.preset.Exact || slices.Equal(cells, h.preset.Header)) {
					most, found = n, true
					best = Detection{Preset: h.preset, Table: t, Header: i, Reason: "matched header " + strings.Join(h.preset.shown(cells), " + ")}
				}
			}
		}
	}
	return best, found
}

// candidates lists the headers that a row may be, in the order of the presets.
func (d *Detector) candidates(cells []string) []int {
	var list []int
	for _, cell := range cells {
		if !isFigure(cell) {
			list = append(list, d.byKey[HeaderKey(cell)]...)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// isFigure reports whether a cell has only digits and signs, as no name of a column
// does.
func isFigure(cell string) bool {
	for i := range len(cell) {
		if c := cell[i]; !parse.IsDigit(c) && strings.IndexByte(".,-+:/ ", c) < 0 {
			return false
		}
	}
	return true
}

func headerKeys(cells []string) map[string]int {
	keys := make(map[string]int, len(cells))
	for _, c := range cells {
		key := HeaderKey(c)
		if key != "" {
			keys[key]++
			if n := keys[key]; n > 1 {
				keys[fmt.Sprintf("%s#%d", key, n)]++
			}
		}
	}
	return keys
}

// knownHeader is the header of a preset, each name with its alternatives in the
// form that names are compared in: it is compared with every row that may be one.
type knownHeader struct {
	preset        *Preset
	with, without [][]string
}

func knownHeaders(presets []*Preset) []knownHeader {
	var list []knownHeader
	for _, p := range presets {
		if len(p.Header) > 0 {
			list = append(list, knownHeader{p, alternatives(p.Header), alternatives(p.Without)})
		}
	}
	return list
}

// rarestName returns the alternatives of the name that the fewest headers have.
func (h knownHeader) rarestName(uses map[string]int) []string {
	count := func(alternatives []string) (n int) {
		for _, key := range alternatives {
			n += uses[key]
		}
		return n
	}
	return slices.MinFunc(h.with, func(a, b []string) int { return cmp.Compare(count(a), count(b)) })
}

func alternatives(names []string) [][]string {
	list := make([][]string, len(names))
	for i, name := range names {
		for alternative := range strings.SplitSeq(name, "|") {
			list[i] = append(list[i], HeaderKey(alternative))
		}
	}
	return list
}

// fits counts the names that a row has of the header; 0 means that it is not it.
func (h knownHeader) fits(keys map[string]int) int {
	has := func(alternatives []string) bool {
		return slices.ContainsFunc(alternatives, func(key string) bool { return keys[key] > 0 })
	}
	if slices.ContainsFunc(h.without, has) {
		return 0
	}
	for _, name := range h.with {
		if !has(name) {
			return 0
		}
	}
	return len(h.with)
}

// shown returns the names of the header as the file writes them, for the reason.
func (p *Preset) shown(cells []string) []string {
	var list []string
	for _, name := range p.Header {
		for alternative := range strings.SplitSeq(name, "|") {
			i := slices.IndexFunc(cells, func(c string) bool { return HeaderKey(c) == HeaderKey(alternative) })
			if i >= 0 {
				list = append(list, cells[i])
				break
			}
		}
	}
	return list
}
