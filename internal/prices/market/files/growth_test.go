package files_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fillbook/internal/prices/market/files"
	"fillbook/internal/testkit"
)

// growthOrders return the seconds for n rows, each in another order.
var growthOrders = map[string]func(n int) []int{
	"equal": func(n int) []int { return make([]int, n) },
	"alternating": func(n int) (list []int) {
		for i := range n {
			list = append(list, i/2+i%2*10*24*60*60) // two days
		}
		return list
	},
	"reversed": func(n int) []int {
		list := ascending(n)
		slices.Reverse(list)
		return list
	},
	"random": func(n int) []int { return rand.New(rand.NewPCG(29, 3)).Perm(n) },
}

func ascending(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

// growthReader returns a function reading a file with rows at some seconds.
type growthReader func(seconds []int) (name string, content []byte)

// TestGrowth reads every layout in adverse row orders, in make soak in all: processor
// time must not grow faster than the file. A layout without a case fails.
func TestGrowth(t *testing.T) { // not parallel: it measures the process
	cases := map[string]growthReader{
		"rates": textGrowth("eurofxref-hist.csv", "Date,USD,JPY,\n2026-01-05,1.1,160.5,\n"),
		"zip": func(seconds []int) (string, []byte) {
			_, content := textGrowth("ES.csv", tradingView)(seconds)
			return "ES.zip", packZip(t, map[string]string{"ES.csv": string(content)})
		},
		"gzip": func(seconds []int) (string, []byte) {
			_, content := textGrowth("ES.csv", tradingView)(seconds)
			return "ES.csv.gz", pack(string(content))
		},
		"Zstandard": func(seconds []int) (string, []byte) {
			_, content := textGrowth("ES.csv", tradingView)(seconds)
			return "ES.csv.zst", packZstd(t, content)
		},
		"many symbols":   manySymbols,
		"large volumes":  textGrowth("ES.csv", "time,open,high,low,close,Volume\n1735689600,1,1,1,1,999999999999999999\n1735689660,1,1,1,1,0.00000001\n"),
		"history 400":    binaryGrowth("EURUSD1.hst", newHST(400), 148, 44, func(record []byte, at int64) { little.PutUint32(record, uint32(at)) }),
		"history 401":    binaryGrowth("EURUSD1.hst", newHST(401), 148, 60, func(record []byte, at int64) { little.PutUint64(record, uint64(at)) }),
		"Sierra Chart":   binaryGrowth("ESH5.scid", newSCID(), 56, 40, func(record []byte, at int64) { little.PutUint64(record, uint64((at+25569*86400)*1_000_000)) }),
		"Databento":      dbnGrowth(),
		"many files":     manyFiles(t),
		"real volumes":   textGrowth("DAX.csv", "<DATE>\t<TIME>\t<OPEN>\t<HIGH>\t<LOW>\t<CLOSE>\t<TICKVOL>\t<VOL>\t<SPREAD>\n2026.02.16\t02:07:00\t5\t5\t5\t5\t271\t0\t19\n2026.02.16\t02:07:00\t5\t5\t5\t5\t300\t7\t19\n"),
		"rows in errors": textGrowth("ES.csv", "time,open,high,low,close\n1735689600,1,1,1,1\n1735689600,x,1,1,1\n"),
	}
	covered, isLayout := map[int]bool{}, map[string]bool{}
	for i, test := range layoutTests {
		covered[files.FindLayout(test.file, test.lines)] = true
		name := fmt.Sprintf("%s %d", test.want.Layout, i)
		cases[name], isLayout[name] = textGrowth(test.file, test.lines), true
	}
	for i, name := range files.LayoutNames() {
		if !covered[i] {
			t.Errorf("layout %d, %s, has no case in layoutTests", i, name)
		}
	}
	binary := map[string]bool{}
	for _, build := range cases {
		_, content := build([]int{0, 60})
		binary[files.FindBinary(content)] = true
	}
	for _, kind := range files.BinaryKinds() {
		if !binary[kind] {
			t.Errorf("files of the kind %s have no case", kind)
		}
	}
	options := files.Options{Limits: files.Limits{Bytes: 1 << 30, Bars: 1 << 24}}
	for name, build := range cases {
		for order, secondsOf := range growthOrders {
			if testkit.Rounds(0, 1) == 0 && isLayout[name] && (order == "equal" || order == "reversed") {
				continue // they have the same rows as the special cases
			}
			t.Run(name+" "+order, func(t *testing.T) {
				n := testkit.Rounds(1_000, 40_000)
				if name == "many files" {
					n /= 10
				}
				var fileName string
				byOrder := func(n int) (content []byte) {
					fileName, content = build(secondsOf(n))
					return content
				}
				testkit.CheckReadGrowth(t, n, byOrder, func(content []byte) error {
					_, err := files.ReadAll(t.Context(), bytes.NewReader(content), int64(len(content)), fileName, options)
					return err
				})
			})
		}
	}
}

const tradingView = "time,open,high,low,close\n1735689600,1,1,1,1\n"

// textGrowth returns a reader for a text file with a sample's rows at other times.
func textGrowth(name, sample string) growthReader {
	lines := slices.Collect(strings.Lines(sample))
	header := ""
	if first := strings.TrimLeft(lines[0], `"<`); first[0] > '9' {
		header, lines = lines[0], lines[1:]
	}
	return func(seconds []int) (string, []byte) {
		var b bytes.Buffer
		b.WriteString(header)
		for i, second := range seconds {
			b.WriteString(setTime(lines[i%len(lines)], second))
		}
		return name, b.Bytes()
	}
}

var (
	unixTime    = regexp.MustCompile(`\b1[0-9]{9}(?:[0-9]{3}){0,3}\b`)
	compactDate = regexp.MustCompile(`\b(20[0-9]{2})[0-9]{4}([ ,;\t])`)
	compactTime = regexp.MustCompile(`\b(20[0-9]{6}[ ,])[0-9]{6}`)
	yearFirst   = regexp.MustCompile(`\b(20[0-9]{2})([-./])[0-9]{1,2}([-./])[0-9]{1,2}`)
	yearLast    = regexp.MustCompile(`\b[0-9]{2}([-./])[0-9]{2}([-./])(20[0-9]{2})\b`)
	clock       = regexp.MustCompile(`([ T,;\t])[0-9]{2}:[0-9]{2}:[0-9]{2}`)
	shortClock  = regexp.MustCompile(`([ T,;\t])[0-9]{2}:[0-9]{2}([,;\t])`)
)

// setTime changes a row's time to a second in its year, or after its unix time. Times
// without seconds get the minute.
func setTime(row string, second int) string {
	if found := unixTime.FindString(row); found != "" && !yearFirst.MatchString(row) {
		n, _ := strconv.ParseInt(found, 10, 64)
		unit := int64(1)
		for range len(found) - 10 {
			unit *= 10
		}
		return strings.Replace(row, found, strconv.FormatInt(n+int64(second)*unit, 10), 1)
	}
	day, hour, minute, rest := second/86400, second/3600%24, second/60%60, second%60
	month, date := day/28%12+1, day%28+1
	row = compactTime.ReplaceAllString(row, fmt.Sprintf("${1}%02d%02d%02d", hour, minute, rest))
	row = compactDate.ReplaceAllString(row, fmt.Sprintf("${1}%02d%02d${2}", month, date))
	row = clock.ReplaceAllString(row, fmt.Sprintf("${1}%02d:%02d:%02d", hour, minute, rest))
	row = shortClock.ReplaceAllString(row, fmt.Sprintf("${1}%02d:%02d${2}", hour, minute))
	row = yearFirst.ReplaceAllString(row, fmt.Sprintf("${1}${2}%02d${3}%02d", month, date))
	return yearLast.ReplaceAllString(row, fmt.Sprintf("%02d${1}%02d${2}${3}", date%12+1, month))
}

// manySymbols has a symbol for every tenth row.
func manySymbols(seconds []int) (string, []byte) {
	var b bytes.Buffer
	b.WriteString("ticker,volume,open,close,high,low,window_start,transactions\n")
	for i, second := range seconds {
		fmt.Fprintf(&b, "S%d,1,2,2,2,2,%d,1\n", i%(len(seconds)/10+1), int64(1744792500+second)*1_000_000_000)
	}
	return "minutes.csv", b.Bytes()
}

// manyFiles is an archive with a file for each row.
func manyFiles(t *testing.T) growthReader {
	return func(seconds []int) (string, []byte) {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		for i, second := range seconds {
			member, err := w.CreateHeader(&zip.FileHeader{Name: fmt.Sprintf("%d/ES, 1.csv", i)})
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.WriteString(member, setTime(tradingView, second))
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return "ES.zip", b.Bytes()
	}
}

// binaryGrowth returns a reader for a file repeating a record with other times.
func binaryGrowth(name string, sample []byte, header, size int, setSecond func(record []byte, at int64)) growthReader {
	return func(seconds []int) (string, []byte) {
		content := bytes.Clone(sample[:header])
		for _, second := range seconds {
			record := bytes.Clone(sample[header : header+size])
			setSecond(record, 1735689600+int64(second))
			content = append(content, record...)
		}
		return name, content
	}
}

func dbnGrowth() growthReader {
	sample := newDBN(dbnOptions{version: 2})
	header := 8 + int(binary.LittleEndian.Uint32(sample[4:]))
	return binaryGrowth("bars.dbn", sample, header, 56, func(record []byte, at int64) {
		little.PutUint64(record[8:], uint64(at*1_000_000_000))
	})
}

// TestMemoryOfRepeatedRows reads a million equal rows, and as many on two alternating
// days: the memory held does not grow with them.
func TestMemoryOfRepeatedRows(t *testing.T) { // not parallel: it measures the process
	const rows = 1_000_000
	for name, text := range map[string]string{
		"equal":       "1735828200,1,1,1,1\n1735828200,1,1,1,1\n",
		"alternating": "1735828200,1,1,1,1\n1735914600,1,1,1,1\n",
	} {
		packed := packZip(t, map[string]string{"ES.csv": "time,open,high,low,close\n" + strings.Repeat(text, rows/2)})
		testkit.CheckHeap(t, 56<<20, func() {
			list, err := files.ReadAll(t.Context(), bytes.NewReader(packed), int64(len(packed)), "ES.zip", files.Options{Limits: files.Limits{Bytes: 1 << 30, Bars: rows}})
			if err != nil || list[0].Rows != rows {
				t.Errorf("%s: the error is %v", name, err)
			}
		})
	}
}
