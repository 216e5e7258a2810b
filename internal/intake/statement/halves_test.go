package statement

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"fillbook/internal/intake/tabular"
)

// halvesFile returns a file whose rows differ from plain fills as often as odd says.
func halvesFile(t *testing.T, random *rand.Rand, rows, odd int) tabular.File {
	t.Helper()
	var text strings.Builder
	text.WriteString("Symbol,Side,Quantity,Price,Time,Commission,Status,Fee Currency,Expiry\n")
	at := time.Date(2024, 10, 27, 0, 10, 0, 0, time.UTC)
	for i := range rows {
		at = at.Add(time.Duration(random.IntN(4)) * time.Minute)
		cells := []string{
			fmt.Sprintf("SYM%d", i%7), []string{"buy", "sell"}[random.IntN(2)], fmt.Sprint(1 + random.IntN(90)), fmt.Sprintf("%d.%02d", random.IntN(900), i%100),
			at.Format(time.RFC3339), "1.05", "Filled", "", "",
		}
		if random.IntN(odd) == 0 {
			column := random.IntN(len(cells))
			values := map[int][]string{
				0: {"", "BTCUSD", "AAPL 240119C00100000"}, 1: {"dividend", "hold", "", "short", "deposit"}, 2: {"0", "x", "", "-5"}, 3: {"", "1,5", "97.5%"},
				4: {"2024-10-27 02:30:00", "2024-10-27", "03/04/2024", "31/04/2024", "soon", "2024-10-27T10:00:00+02:00"}, 5: {"0", "0.1%", "-1", "0.001 BNB"},
				6: {"Cancelled", "Partially filled", "strange", "Rejected"}, 7: {"BNB", "EUR"}, 8: {"2024-01-19"},
			}[column]
			cells[column] = values[random.IntN(len(values))]
		}
		text.WriteString(strings.Join(cells, ",") + "\n")
	}
	file, err := tabular.Read([]byte(text.String()), tabular.Default())
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// TestHalvesEqualWhole reads tables in two halves and in order.
func TestHalvesEqualWhole(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	for n := range 60 {
		file := halvesFile(t, random, 40+random.IntN(60), 2<<(n%9))
		table := file.Tables[0]
		hints := Hints{Zone: []string{"", "Europe/Berlin"}[n%2], Currency: "USD"}
		found := func() Detection { // reading changes a preset's columns
			return Detection{Preset: Generic(table.Rows[0].Cells, table.Rows[1:], nil)}
		}
		want, err := read(context.Background(), file, found(), hints, math.MaxInt)
		if err != nil {
			t.Fatal(err)
		}
		got, err := read(context.Background(), file, found(), hints, settledRows)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("file %d: %v\n%+v\nin order\n%+v", n, err, got, want)
		}
	}
}

// TestForksAreIndependent checks which rows a fork may read without those before them.
func TestForksAreIndependent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(rows []tabular.Row)
		want   bool
	}{
		"plain fills":        {func([]tabular.Row) {}, true},
		"a problem":          {func(rows []tabular.Row) { rows[50].Cells[2] = "x" }, true},
		"a canceled order":   {func(rows []tabular.Row) { rows[50].Cells[6] = "canceled" }, true},
		"another zone":       {func(rows []tabular.Row) { rows[50].Cells[4] = "2024-10-27T10:00:00+02:00" }, true},
		"a warning":          {func(rows []tabular.Row) { rows[50].Cells[6] = "strange" }, false},
		"a time shown twice": {func(rows []tabular.Row) { rows[50].Cells[4] = "2024-10-27 02:30:00" }, false},
	} {
		file := halvesFile(t, rand.New(rand.NewPCG(7, 8)), 60, math.MaxInt)
		rows := file.Tables[0].Rows
		c.change(rows)
		m := newTestReader(t, file, Hints{Zone: "Europe/Berlin"})
		lr, err := m.newLayoutReader(m.newLayout())
		if err != nil {
			t.Fatal(err)
		}
		if err := lr.readRows(m.rows[:settledRows]); err != nil {
			t.Fatal(err)
		}
		fork, err := m.newFork()
		if err != nil {
			t.Fatal(err)
		}
		if got := fork.readAll(m.rows[settledRows:]); got != c.want {
			t.Errorf("%s: independent is %v, want %v", name, got, c.want)
		}
	}
}

// newTestReader returns a reader for a file's first table by its column names.
func newTestReader(t *testing.T, file tabular.File, hints Hints) *mappedReader {
	t.Helper()
	rows := file.Tables[0].Rows
	r := &Reader{
		ctx: context.Background(), File: file, Preset: Generic(rows[0].Cells, rows[1:], nil), Hints: hints,
		Out: &Statement{}, sides: map[string]sideWord{}, pool: &fillPool{},
	}
	if err := r.settleZone(); err != nil {
		t.Fatal(err)
	}
	r.open(file.Tables[0], 0, len(rows))
	m, err := r.newMappedReader()
	if err != nil {
		t.Fatal(err)
	}
	return m
}
