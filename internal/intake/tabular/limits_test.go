package tabular_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"runtime"
	"strings"
	"testing"

	"fillbook/internal/intake/tabular"
)

func TestDefault(t *testing.T) {
	want := tabular.Limits{Inflated: 64 << 20, Rows: 200_000, Columns: 256, Cells: 2_000_000, CellBytes: 65_536, Text: 32 << 20}
	if got := tabular.Default(); got != want {
		t.Errorf("the limits are %+v", got)
	}
}

// Each limit is met by a file that just fits and exceeded by one more.
func TestLimits(t *testing.T) {
	sheet := func(rows, cells int) []byte {
		row := `<row>` + strings.Repeat(`<c><v>1</v></c>`, cells) + `</row>`
		return workbook(t, parts{sheets: []string{strings.Repeat(row, rows)}})
	}
	csv := func(rows, cells int) []byte { return []byte(strings.Repeat(strings.Repeat("1,", cells-1)+"1\n", rows)) }
	html := func(rows, cells int) []byte {
		return []byte(strings.Repeat("<tr>"+strings.Repeat("<td>1", cells), rows))
	}
	for _, test := range []struct {
		name     string
		make     func(rows, cells int) []byte
		limits   tabular.Limits
		sentence string
		fits     [2]int
		fails    [2]int
	}{
		{"CSV", csv, tabular.Limits{Rows: 3}, "more than 3 rows", [2]int{3, 2}, [2]int{4, 2}},
		{"CSV", csv, tabular.Limits{Columns: 3}, "more than 3 columns", [2]int{2, 3}, [2]int{2, 4}},
		{"CSV", csv, tabular.Limits{Cells: 6}, "more than 6 cells", [2]int{2, 3}, [2]int{7, 1}},
		{"HTML", html, tabular.Limits{Rows: 3}, "more than 3 rows", [2]int{3, 2}, [2]int{4, 2}},
		{"HTML", html, tabular.Limits{Columns: 3}, "more than 3 columns", [2]int{2, 3}, [2]int{2, 4}},
		{"HTML", html, tabular.Limits{Cells: 6}, "more than 6 cells", [2]int{2, 3}, [2]int{7, 1}},
		{"XLSX", sheet, tabular.Limits{Rows: 3}, "more than 3 rows", [2]int{3, 2}, [2]int{4, 2}},
		{"XLSX", sheet, tabular.Limits{Columns: 3}, "more than 3 columns", [2]int{2, 3}, [2]int{2, 4}},
		{"XLSX", sheet, tabular.Limits{Cells: 6}, "more than 6 cells", [2]int{2, 3}, [2]int{7, 1}},
	} {
		if _, err := tabular.Read(test.make(test.fits[0], test.fits[1]), test.limits); err != nil {
			t.Errorf("%s with %v: %v", test.name, test.fits, err)
		}
		wantRefusal(t, test.make(test.fails[0], test.fails[1]), test.limits, test.sentence)
	}
	few := tabular.Limits{CellBytes: 4}
	for _, form := range []string{"%s", "\"%s\"", "<td>%s</td>", "<td>%.2[1]s<b>%[1]s</b></td>", "<title>%s</title><td>1", `<?xml version="1.0"?><a b="%s"/>`} {
		if _, err := tabular.Read(fmt.Appendf(nil, form, "1"), few); err != nil {
			t.Errorf("%s: %v", form, err)
		}
		wantRefusal(t, fmt.Appendf(nil, form, "12345"), few, "more than 4 bytes")
	}
	wantRefusal(t, workbook(t, parts{sheets: []string{`<row><c><v>12345</v></c></row>`}}), few, "more than 4 bytes")
}

// The limits are for the whole file, not for each sheet.
func TestLimitsOfAllSheets(t *testing.T) {
	one := `<row><c><v>1</v></c></row>`
	book := workbook(t, parts{sheets: []string{one, one, one}})
	wantRefusal(t, book, tabular.Limits{Rows: 2}, "more than 2 rows")
	wantRefusal(t, book, tabular.Limits{Cells: 2}, "more than 2 cells")
}

func TestEmptyColumnsBeyondTheLimit(t *testing.T) {
	for _, text := range []string{
		"a,b\n1" + strings.Repeat(",", 300_000) + "\n2,3",
		"<tr><td>a<td>b<tr><td>1" + strings.Repeat("<td>", 100_000) + "<tr><td>2<td>3",
	} {
		rows := read(t, []byte(text)).Tables[0].Rows
		if len(rows) != 3 || len(rows[1].Cells) != 256 {
			t.Errorf("%.20q is read as %d rows", text, len(rows))
		}
	}
}

// forged is an archive whose directory says what it likes.
func forged(t *testing.T, name, content string, claimed uint64) []byte {
	t.Helper()
	var packed, out bytes.Buffer
	w := zip.NewWriter(&packed)
	part, err := w.Create("x")
	if err == nil {
		_, err = part.Write([]byte(content))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(packed.Bytes()), int64(packed.Len()))
	if err != nil {
		t.Fatal(err)
	}
	offset, err := r.File[0].DataOffset()
	if err != nil {
		t.Fatal(err)
	}
	f := zip.NewWriter(&out)
	raw, err := f.CreateRaw(&zip.FileHeader{
		Name: name, Method: zip.Deflate, CRC32: crc32.ChecksumIEEE([]byte(content)),
		CompressedSize64: r.File[0].CompressedSize64, UncompressedSize64: claimed,
	})
	if err == nil {
		_, err = raw.Write(packed.Bytes()[offset : offset+int64(r.File[0].CompressedSize64)])
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestInflation(t *testing.T) {
	bomb := strings.Repeat("0", 5<<20)
	small := tabular.Limits{Inflated: 4 << 20}
	wantRefusal(t, archived(t, entry{"a.csv", bomb}), small, "more than 4 MiB")
	wantRefusal(t, archived(t, entry{"a.csv", bomb[:4<<20]}), small, "more than 200 times")
	wantRefusal(t, archived(t, entry{"xl/workbook.xml", bomb[:4<<20]}), small, "more than")
	wantRefusal(t, forged(t, "a.csv", bomb, 5), small, "damaged")
	wantRefusal(t, forged(t, "xl/workbook.xml", bomb, 5), small, "damaged")
	wantRefusal(t, forged(t, "a.csv", "a,b", 1<<40), tabular.Limits{}, "more than 64 MiB")
	wantRefusal(t, forged(t, "a.csv", "a,b", 1<<63), tabular.Limits{}, "more than 64 MiB")
	wantRefusal(t, archived(t, entry{"a.csv", "a"}, entry{"b", bomb[:3<<20]}, entry{"c", bomb[:3<<20]}), small, "more than 4 MiB")

	// An archive in which a workbook is has one budget with it.
	book := workbook(t, parts{sheets: []string{`<row><c><v>1</v></c></row>` + bomb[:2000]}})
	within := int64(len(book) + 3000)
	read(t, archived(t, entry{"a.xlsx", string(book)}))
	if _, err := tabular.Read(book, tabular.Limits{Inflated: within}); err != nil {
		t.Error(err)
	}
	wantRefusal(t, archived(t, entry{"a.xlsx", string(book)}), tabular.Limits{Inflated: within - 500}, "unpacks to more")

	wantRefusal(t, archived(t, manyEntries(201)...), tabular.Limits{}, "more than 200 entries")
	if _, err := tabular.Read(archived(t, append(manyEntries(199), entry{"a.csv", "a"})...), tabular.Limits{}); err != nil {
		t.Error(err)
	}
}

func manyEntries(count int) []entry {
	var entries []entry
	for i := range count {
		entries = append(entries, entry{fmt.Sprintf("%d.bin", i), ""})
	}
	return entries
}

// Hostile files are refused, or read, without taking much memory. Everything here is at
// most a tenth of its size in the service, where 256 MiB are enough, except the buffers
// for one token, which have full size. All allocated memory counts, freed or not.
func TestMemory(t *testing.T) {
	const upload, enough = 512 << 10, 48 << 20
	limits := tabular.Default()
	limits.Inflated, limits.Rows, limits.Cells = limits.Inflated/10, limits.Rows/10, limits.Cells/10
	many := func(piece string) []byte { return []byte(strings.Repeat(piece, upload/len(piece))) }
	sheet := func(rows string) []byte {
		return archived(t, append(parts{sheets: []string{rows}}.entries(), noise(64<<10))...)
	}
	var names strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&names, ` a%x=""`, i)
	}
	for name, data := range map[string][]byte{
		"commas":                 many(","),
		"lines of commas":        many(strings.Repeat(",", 300) + "1\n"),
		"columns":                many("1,"),
		"line breaks":            many("\n"),
		"quotes":                 many(`"`),
		"quotes in threes":       many("\"\"\"x\n"),
		"quotes in threes, wide": many(`"""x,`),
		"quotes in pairs":        many(`""x,`),
		"quotes and blanks":      many("1, \"a\"a\n"),
		"open quotes":            many("\"a\n"),
		"strays":                 many("\"a\"b c\n"),
		"whole lines":            many("\"a,b,\"\"c\"\"\"\n"),
		"a long cell":            many("x"),
		"bars":                   many("|;,\t"),
		"wide text":              wide(strings.Repeat("x,\n", upload/6), binary.LittleEndian, true),
		"code page":              many("\x82\xa0,\n"),
		"tags":                   many("<td>"),
		"rows":                   many("<tr><td>1"),
		"tables":                 many("<table>"),
		"attributes":             append([]byte("<td"), many(" a=1")...),
		"titles":                 many(`<tr><td title="x" colspan=2>1`),
		"open comment":           append([]byte("<td><!--"), many("-<")...),
		"open title":             append([]byte("<title>"), many("x")...),
		"elements":               append([]byte("<?xml?>"), many(`<a b="">`)...),
		"names of attributes":    []byte(`<?xml version="1.0"?><a` + names.String() + `/>`),
		"empty cells":            sheet(strings.Repeat(`<row>`+strings.Repeat(`<c/>`, 1000)+`</row>`, 201)),
		"last column used":       sheet(strings.Repeat(`<row><c r="IV1"><v>1</v></c></row>`, 10_000)),
		"one long cell":          sheet(`<row><c t="str"><v>` + strings.Repeat("x", 6<<20) + `</v></c></row>`),
		"numbers":                sheet(strings.Repeat(`<row><c><v>1e1000000000</v></c></row>`, 20_000)),
		"text of a code page":    archived(t, entry{"a.csv", strings.Repeat("\x82\xa0\x82\xa0,1\n", 900_000)}, noise(64<<10)),
		"a large text":           archived(t, entry{"a.csv", strings.Repeat("1,2,3\n", 1<<20)}, noise(64<<10)),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		file, err := tabular.Read(data, limits)
		runtime.ReadMemStats(&after)
		if allocated := after.TotalAlloc - before.TotalAlloc; allocated > enough {
			t.Errorf("%s: %d bytes were allocated, %v", name, allocated, err)
		}
		if err == nil {
			checkFile(t, file, limits)
		}
	}
}
