package brokertest

import (
	"errors"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"fillbook/internal/intake/statement"
	"fillbook/internal/testkit"
)

// growthOrders make n rows from a fixture's rows, each in another order.
var growthOrders = map[string]func(rows []string, n int) []string{
	// All rows with the same key are together.
	"equal": func(rows []string, n int) (list []string) {
		for i := range n {
			list = append(list, rows[i*len(rows)/n])
		}
		return list
	},
	"alternating": repeatRows,
	"reversed": func(rows []string, n int) []string {
		list := repeatRows(rows, n)
		slices.Reverse(list)
		return list
	},
	"random": func(rows []string, n int) []string {
		list := distinctRows(rows, n)
		rand.New(rand.NewPCG(29, 3)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		return list
	},
	"distinct": distinctRows,
}

func repeatRows(rows []string, n int) (list []string) {
	for i := range n {
		list = append(list, rows[i%len(rows)])
	}
	return list
}

// longNumber is a number in an identifier or a time since 1970, but not a day like
// 20260131.
var longNumber = regexp.MustCompile(`\b[1-9][0-9]{6,17}\b`)

// distinctRows repeats rows with other identifiers.
func distinctRows(rows []string, n int) []string {
	list := repeatRows(rows, n)
	for i := range list {
		list[i] = longNumber.ReplaceAllStringFunc(list[i], func(text string) string {
			number, err := strconv.ParseInt(text, 10, 64)
			if err != nil || len(text) == 8 && (text[:2] == "19" || text[:2] == "20") {
				return text
			}
			return strconv.FormatInt(number+int64(i), 10)
		})
	}
	return list
}

// growthCase is a fixture whose data rows can be repeated.
type growthCase struct {
	name    string
	hints   statement.Hints
	lines   []string
	isData  []bool
	presets []*statement.Preset
}

// genericFiles are tables without a preset, in each form read by columns: a header and
// rows.
var genericFiles = map[string]string{
	"fills":        "Ticker,Action,Units,Price,When,Code number\nAAPL,buy,10,100.5,2026-01-05 15:30:00,1000001\nAAPL,sell,10,101.5,2026-01-05 15:31:00,1000001\n",
	"signed fills": "Ticker;Units;Price;When;Net amount;Code number\nAAPL;10;100,5;05.01.2026 15:30:00;-1005;1000001\nMSFT;-10;101,5;05.01.2026 15:31:00;1015;1000002\n",
	"orders":       "Ticker,Action,Units,Price,When,Status,Code number\nAAPL,buy,10,100.5,2026-01-05 15:30:00,filled,1000001\nAAPL,sell,10,101.5,2026-01-05 15:31:00,canceled,1000002\n",
	"round trips":  "Ticker,Direction,Units,Entry price,Exit price,Entry time,Exit time,Code number\nAAPL,long,10,100.5,101,2026-01-05 15:30:00,2026-01-05 15:40:00,1000001\nMSFT,short,10,100.5,101,2026-01-05 15:30:00,2026-01-05 15:40:00,1000002\n",
	"bad rows":     "Ticker,Action,Units,Price,When,Code number\nAAPL,buy,x,100.5,2026-01-05 15:30:00,1000001\nAAPL,what,10,101.5,never,1000002\n",
	"wide":         strings.Repeat("Column,", 60) + "Ticker,Action,Units,Price,When\n" + strings.Repeat("1000001,", 60) + "AAPL,buy,10,100.5,2026-01-05 15:30:00\n",
}

// CheckGenericGrowth is [CheckGrowth] for tables without a preset, which are read by
// their column names.
func CheckGenericGrowth(t *testing.T, presets []*statement.Preset) {
	t.Helper()
	for _, c := range genericCases(presets) {
		if _, _, err := readGeneric(c.build(10, repeatRows), c.hints); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		for _, order := range slices.Sorted(maps.Keys(growthOrders)) {
			t.Run(c.name+" "+order, func(t *testing.T) { c.check(t, growthOrders[order]) })
		}
	}
}

func genericCases(presets []*statement.Preset) (list []*growthCase) {
	for _, name := range slices.Sorted(maps.Keys(genericFiles)) {
		c := &growthCase{name: name, hints: statement.Hints{Currency: "USD", Zone: "UTC"}, lines: slices.Collect(strings.Lines(genericFiles[name])), presets: presets}
		c.isData = make([]bool, len(c.lines))
		for i := range c.isData {
			c.isData[i] = i > 0
		}
		list = append(list, c)
	}
	return list
}

const (
	// heapPerByte and heapBase bound the memory for reading a file: the table cells, the
	// fills and their problems.
	heapPerByte = 64
	heapBase    = 2 << 20
)

// CheckHeap fails if reading a preset's file, or a table without one, takes more memory
// than a multiple of the file's size: in make test some presets, in make soak all.
func CheckHeap(t *testing.T, presets []*statement.Preset) {
	t.Helper()
	list := genericCases(presets)
	files, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range files {
		if i%testkit.Rounds(25, 1) != 0 {
			continue
		}
		if c, preset := loadGrowthCase(t, file, presets); preset != nil && c.findDataRows() {
			list = append(list, c)
		}
	}
	for _, c := range list {
		for _, order := range []string{"equal", "random"} {
			t.Run(c.name+" "+order, func(t *testing.T) {
				content := c.build(testkit.Rounds(1_000, 10_000), growthOrders[order])
				testkit.CheckHeap(t, uint64(heapBase+heapPerByte*len(content)), func() { _ = c.read(content) })
			})
		}
	}
}

// CheckGrowth fails if reading any preset's file takes more than linear processor time,
// in every row order, or if a preset has no fixture with repeatable rows. Files are the
// package's fixtures with repeated rows: in make test one per preset in one order, in
// make soak all in every order.
func CheckGrowth(t *testing.T, presets []*statement.Preset) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	isLong := testkit.Rounds(0, 1) == 1
	cases := map[*statement.Preset][]*growthCase{}
	for _, file := range files {
		c, preset := loadGrowthCase(t, file, presets)
		if preset != nil && (isLong || len(cases[preset]) == 0) && c.findDataRows() {
			cases[preset] = append(cases[preset], c)
		}
	}
	orders := slices.Sorted(maps.Keys(growthOrders))
	for i, p := range presets {
		list := cases[p]
		if len(list) == 0 {
			t.Errorf("preset %s (%s) has no fixture with rows that can be repeated", p.Broker, p.Export)
			continue
		}
		if !isLong {
			list, orders = list[:1], []string{[]string{"random", "equal"}[i%2]}
		}
		for _, c := range list {
			for _, order := range orders {
				t.Run(c.name+" "+order, func(t *testing.T) { c.check(t, growthOrders[order]) })
			}
		}
	}
}

// check reads the file with n and with twice as many rows.
func (c *growthCase) check(t *testing.T, order func(rows []string, n int) []string) {
	t.Helper()
	build := func(n int) []byte { return c.build(n, order) }
	testkit.CheckReadGrowth(t, testkit.Rounds(600, 4_000), build, c.read)
}

// read reads a file, by its columns if it has no preset.
func (c *growthCase) read(content []byte) error {
	_, found, err := read(content, c.hints, c.presets)
	if errors.Is(err, errNoPreset) {
		_, found, err = readGeneric(content, c.hints)
	}
	if found.Preset == nil {
		return err
	}
	return nil // or it is refused, after it was read
}

// build returns the file with n rows instead of its longest run of data rows.
func (c *growthCase) build(n int, order func(rows []string, n int) []string) []byte {
	first, last := 0, 0
	for i := 0; i < len(c.lines); i++ {
		start := i
		for i < len(c.lines) && c.isData[i] {
			i++
		}
		if i > start && i-start >= last-first {
			first, last = start, i
		}
	}
	return []byte(strings.Join(slices.Concat(c.lines[:first], order(c.lines[first:last], n), c.lines[last:]), ""))
}

// loadGrowthCase reads a fixture and returns its preset, nil if it has none.
func loadGrowthCase(t *testing.T, name string, presets []*statement.Preset) (*growthCase, *statement.Preset) {
	t.Helper()
	archive, err := txtar.ParseFile(name)
	if err != nil || len(archive.Files) == 0 {
		t.Fatalf("reading %s: %v", name, err)
	}
	text := strings.ReplaceAll(string(archive.Files[0].Data), "<tr", "\n<tr")
	c := &growthCase{name: strings.TrimSuffix(filepath.Base(name), ".txtar"), hints: Hints(string(archive.Comment)), presets: presets}
	c.lines = slices.Collect(strings.Lines(text))
	_, found, _ := read([]byte(text), c.hints, presets)
	return c, found.Preset
}

// findDataRows finds the rows counted once more if they are doubled, and reports whether
// there are any. It reads the file once per line.
func (c *growthCase) findDataRows() (hasData bool) {
	base, found, err := read([]byte(strings.Join(c.lines, "")), c.hints, c.presets)
	isRefused := err != nil
	for i := range c.lines {
		doubled := strings.Join(slices.Insert(slices.Clone(c.lines), i, c.lines[i]), "")
		s, again, err := read([]byte(doubled), c.hints, c.presets)
		isData := again.Preset == found.Preset && (isRefused && i > 0 || err == nil && !isRefused && s.Rows > base.Rows)
		isData = isData && strings.Count(c.lines[i], `"`)%2 == 0 // and not inside a cell with several lines
		c.isData = append(c.isData, isData)
		hasData = hasData || isData
	}
	return hasData
}
