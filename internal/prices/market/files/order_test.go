package files_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/decimal"
	"fillbook/internal/prices/market"
	"fillbook/internal/prices/market/files"
)

// orders are the tested row orders.
var orders = map[string]func(rows []int64, random *rand.Rand){
	"oldest first": func([]int64, *rand.Rand) {},
	"newest first": func(rows []int64, _ *rand.Rand) { slices.Reverse(rows) },
	"random": func(rows []int64, r *rand.Rand) {
		r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	},
	"alternating": func(rows []int64, _ *rand.Rand) {
		half := append([]int64{}, rows...)
		for i := range rows {
			rows[i] = half[i/2+i%2*(len(rows)/2)]
		}
	},
}

// tempFile returns a test's temporary file.
func tempFile(t *testing.T) func() (files.Scratch, error) {
	return func() (files.Scratch, error) { return os.Create(filepath.Join(t.TempDir(), "scratch")) }
}

// brokenFile is a full disk.
type brokenFile struct{ files.Scratch }

func (brokenFile) WriteAt([]byte, int64) (int, error) { return 0, io.ErrShortWrite }

// TestAnyOrder compares what is read with a map from times to the last values, in every
// order, with repeated rows, and with little memory.
func TestAnyOrder(t *testing.T) {
	t.Parallel()
	const minutes = 3000
	for name, order := range orders {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(3, 29))
			var times []int64
			for i := range int64(minutes) {
				times = append(times, 1735689600+60*i)
			}
			order(times, random)
			times = append(times, times[:minutes/3]...) // some come twice
			want := map[int64]market.Bar{}
			conflicts := 0
			var text strings.Builder
			text.WriteString("time,open,high,low,close,Volume\n")
			for i, at := range times {
				bar := market.Bar{Time: at, Open: 100, High: 120 + at/60%7, Low: 90, Close: 110, Volume: 5}
				if i%50 == 0 {
					bar.Volume++ // differs from the same row without it
				}
				if before, ok := want[at]; ok && before != bar {
					conflicts++
				}
				want[at] = bar
				fmt.Fprintf(&text, "%d,10,%d.%d,9,11,%d\n", at, bar.High/10, bar.High%10, bar.Volume)
			}
			options := files.Options{Limits: files.Limits{Bytes: 1 << 20, Bars: 10_000}}
			little := options.WithMemory(100, 500)
			spilled, broken := little, little
			spilled.Scratch = tempFile(t)
			broken.Scratch = func() (files.Scratch, error) { return brokenFile{}, nil }
			for kind, options := range map[string]files.Options{"usual": options, "little memory": little, "scratch": spilled, "full disk": broken} {
				file, err := files.Read(t.Context(), strings.NewReader(text.String()), "ES.csv", options)
				if err != nil {
					t.Fatal(err)
				}
				got := map[int64]market.Bar{}
				for _, bar := range barsOf(t, file) {
					got[bar.Time] = bar
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s: the bars differ (-want +got):\n%s", kind, diff)
				}
				if s := file.Series[0]; s.Secs != 60 || s.Conflicts != conflicts || s.Count() != minutes {
					t.Errorf("%s: %d bars of %d seconds and %d conflicts, not %d, 60 and %d", kind, s.Count(), s.Secs, s.Conflicts, minutes, conflicts)
				}
			}
		})
	}
}

// TestTicksInAnyOrder: the ticks in a second make one bar, wherever they are in the file.
func TestTicksInAnyOrder(t *testing.T) {
	t.Parallel()
	text := "20240201 000003660,1.5,1.5,0\n20240201 000004660,1.25,1.5,0\n20240201 000003973,1.75,1.5,0\n20240201 000004990,1,1.5,0\n"
	for _, pending := range []int{1, 100} {
		file, err := files.Read(t.Context(), strings.NewReader(text), "DAT_ASCII_EURUSD_T_202402.csv", limits.WithMemory(pending, 100))
		if err != nil {
			t.Fatal(err)
		}
		want := []market.Bar{
			{Time: 1706745603, Open: 150, High: 175, Low: 150, Close: 175},
			{Time: 1706745604, Open: 125, High: 125, Low: 100, Close: 100},
		}
		var got []market.Bar
		for block := range file.Series[0].Convert(market.Reading{Zone: time.UTC, PriceScale: decimal.New(1)}) {
			got = append(got, block.Bars...)
		}
		if diff := cmp.Diff(want, got); diff != "" || file.Series[0].Conflicts != 0 {
			t.Errorf("%d conflicts; the bars differ (-want +got):\n%s", file.Series[0].Conflicts, diff)
		}
	}
}

// TestLargeVolumes: one large volume takes decimals from the volumes in its block, and no
// row is refused for it.
func TestLargeVolumes(t *testing.T) {
	t.Parallel()
	text := "time,open,high,low,close,Volume\n1735689600,1,1,1,1,999999999999999999\n1735689660,1,1,1,1,0.75\n"
	file, err := files.Read(t.Context(), strings.NewReader(text), "ES.csv", limits)
	if err != nil {
		t.Fatal(err)
	}
	var volumes []int64
	for _, bar := range barsOf(t, file) {
		volumes = append(volumes, bar.Volume)
	}
	if !cmp.Equal(volumes, []int64{999_999_999_999_999_999, 1}) || file.ErrorCount != 0 {
		t.Errorf("%d errors, the volumes are %v", file.ErrorCount, volumes)
	}
}

// stopping is a context ending after a number of checks.
type stopping struct {
	context.Context
	left int
}

func (c *stopping) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestReadingStopsWithItsContext checks text, binary, packed and archived files: reading
// asks the context again and again, and stops as soon as it has ended.
func TestReadingStopsWithItsContext(t *testing.T) {
	t.Parallel()
	text := "time,open,high,low,close\n" + strings.Repeat("1735828200,10,12,9,11\n", 20_000)
	history := newHST(401)
	for range 13 { // 16,384 records
		history = append(history, history[148:]...)
	}
	for name, content := range map[string][]byte{
		"text": []byte(text), "history": history, "gzip": pack(text), "zip": packZip(t, map[string]string{"ES.csv": text}),
		"rates": []byte("Date,USD,JPY\n" + strings.Repeat("2026-01-05,1,2\n", 20_000)),
	} {
		read := func(ctx context.Context) error {
			_, err := files.ReadAll(ctx, bytes.NewReader(content), int64(len(content)), "ES.csv", files.Options{Limits: files.Limits{Bytes: 1 << 30, Bars: 1 << 30}})
			return err
		}
		if err := read(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for left := range 5 {
			if err := read(&stopping{Context: t.Context(), left: left}); !errors.Is(err, context.Canceled) {
				t.Errorf("%s is read on after %d questions: %v", name, left, err)
			}
		}
	}
}

// TestArchiveLimits: an archive's rows, files and directory are limited, whatever the
// files contain.
func TestArchiveLimits(t *testing.T) {
	t.Parallel()
	const header = "time,open,high,low,close\n"
	wrong := strings.Repeat("x,10,12,9,11\n", 60)
	packed := packZip(t, map[string]string{"a.csv": header + wrong + "1735828200,10,12,9,11\n", "b.csv": header + wrong + "1735828200,10,12,9,11\n"})
	_, err := files.ReadZip(t.Context(), bytes.NewReader(packed), int64(len(packed)), files.Options{Limits: files.Limits{Bytes: 1 << 20, Bars: 100}})
	if want := (files.LimitError{What: "bars", Limit: 100}); !errors.Is(err, want) {
		t.Errorf("rows that can't be read: the error is %v, not %v", err, want)
	}
	for ending, count := range map[string]int{".csv": 10_001, ".pdf": 40_000} {
		var many bytes.Buffer
		w := zip.NewWriter(&many)
		for i := range count {
			if _, err := w.CreateHeader(&zip.FileHeader{Name: fmt.Sprintf("%0100d%s", i, ending)}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		_, err = files.ReadZip(t.Context(), bytes.NewReader(many.Bytes()), int64(many.Len()), limits)
		if want := (files.LimitError{What: "files", Limit: 10_000}); !errors.Is(err, want) {
			t.Errorf("%d files: the error is %v, not %v", count, err, want)
		}
	}
}

// TestLongSymbols: a symbol that is too long is a row error and is not kept.
func TestLongSymbols(t *testing.T) {
	t.Parallel()
	text := "ticker,volume,open,close,high,low,window_start,transactions\n" +
		strings.Repeat("A", 60_000) + ",1,2,2,2,2,1744792500000000000,1\nA,1,2,2,2,2,1744792500000000000,1\n"
	file, err := files.Read(t.Context(), strings.NewReader(text), "x.csv", limits)
	if err != nil {
		t.Fatal(err)
	}
	if want := []files.RowError{{Row: 2, Reason: "The symbol is too long."}}; !cmp.Equal(want, file.Errors) || len(file.Series) != 1 {
		t.Errorf("%d series, the errors are %v", len(file.Series), file.Errors)
	}
}
