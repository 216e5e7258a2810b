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

// The sources for writing a preset. Documented means documentation or other projects'
// code; no file was seen.
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

// Preset describes one export from one broker: how it is detected and how it is read.
// Whole is for files a [Layout] cannot describe.
//
// Column names are compared by [HeaderKey]. A field for a name also takes alternatives;
// the first one present and filled is used: "Filled Avg Price|Avg Price". "Price#2" is
// the second column named Price.
type Preset struct {
	// Broker is the readable name in the detection result, Export says which export this
	// is.
	Broker, Export string
	Evidence       Evidence
	Format         Format
	Source         Source // FromCSV if empty

	// Header are the names required in one row; the preset with most names wins. Without
	// are names that must be absent.
	Header, Without []string
	// Exact says that the header has these names in this order and no others, for names
	// common to many files.
	Exact bool
	// Matches decides instead of Header for a file recognized by its shape. It returns
	// the reason, or nothing.
	Matches func(tabular.File) (reason string)

	// Zone is for times without one; empty if unknown.
	Zone string
	// MarketZone is the zone of the exchange where most users of an export without Zone
	// trade. It is assumed if the user has no time zone; empty is UTC.
	MarketZone string
	// Order is how the broker writes days and months, if certain.
	Order parse.DateOrder
	// FindOrder returns the date order shown by other signs in the file, if neither the
	// user nor the dates themselves do. It is empty if there are none.
	FindOrder func(tabular.File) parse.DateOrder
	// NewestFirst says that the file runs backwards, which days without times
	// cannot show.
	NewestFirst bool
	// Instrument is the type for everything in the file, if there is only one.
	Instrument string
	// Units says that quantities are in units already: the multiplier is 1.
	Units bool
	Costs CostSign
	// Columns says which column is what, for the generic reading.
	Columns map[Target]string
	// Sides adds words for buying and selling with that meaning only here.
	Sides map[string]Direction

	// Notices are warnings for every file from this export.
	Notices []string
	// RowLimit is how many rows the broker exports at most; 0 means no limit. A file with
	// exactly this many gets a warning.
	RowLimit int
	// Refuse is why no file from this export can be read, and what to import instead.
	Refuse string

	// Layout says how the rows are read, Sections how those in a file with several tables
	// are.
	Layout   *Layout
	Sections []Section

	// Whole reads a file with more than one table.
	Whole func(*Reader) error
}

// Key identifies the export's layout: the user's choices for its words are stored under
// it. It is empty for a file without a preset.
func (p *Preset) Key() string {
	if p.Broker == "" {
		return ""
	}
	return strings.ToLower(p.Broker + "/" + p.Export)
}

// layouts lists the preset's layouts.
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

// Direction is a word's side and effect.
type Direction struct {
	Buy    bool
	Effect parse.Effect
}

// Detection is a preset fitting a file, and where its table begins.
type Detection struct {
	Preset *Preset
	Table  int // index
	Header int // index of its header row, -1 for a match by shape
	Reason string
}

// headerSearch is how many rows may precede a header.
const headerSearch = 200

// Detect finds the best preset for a file; see [Detector.Detect].
func Detect(file tabular.File, presets []*Preset) (best Detection, found bool) {
	return NewDetector(presets).Detect(file)
}

// Detector finds presets for files. It is safe for concurrent use.
type Detector struct {
	presets []*Preset
	headers []knownHeader
	// byKey lists the headers looked up by a name: the name in the fewest headers.
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
			if name, nth, ok := strings.Cut(key, "#"); ok && isNumber(nth) { // the second column with a name has the same name
				d.byKey[name] = append(d.byKey[name], i)
			}
		}
	}
	return d
}

// Detect finds the best preset for a file: the one with most column names. Among equals
// the first in the list wins.
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

// candidates lists the headers a row may be, in preset order.
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

// isFigure reports whether a cell has only digits and signs, as no column name does.
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

// knownHeader is a preset's header, each name with its alternatives as [HeaderKey] writes
// them: it is compared with every row that may be one.
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

// rarestName returns the alternatives of the name in the fewest headers.
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

// fits counts the header names in a row; 0 means no match.
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

// shown returns the header names as the file writes them, for the reason.
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
