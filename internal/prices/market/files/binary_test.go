package files_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"fillbook/internal/prices/market"
	"fillbook/internal/prices/market/files"
)

var little = binary.LittleEndian

// newHST returns a MetaTrader 4 history file with two hours of EURUSD.
func newHST(version uint32) []byte {
	data := little.AppendUint32(nil, version)
	copyright := map[uint32]string{400: "(C)opyright 2003, a company", 401: "Copyright 2001-2026, a company"}
	data = append(data, padded(copyright[version], 64)...)
	data = append(data, padded("EURUSD", 12)...)
	data = little.AppendUint32(little.AppendUint32(data, 60), 5)
	data = append(data, make([]byte, 148-len(data))...)
	for hour := range int64(2) {
		at := 1735689600 + hour*3600
		prices := []float64{1.03512, 1.03555, 1.034, 1.0345}
		if version == 400 {
			prices[1], prices[2] = prices[2], prices[1]
			data = little.AppendUint32(data, uint32(at))
		} else {
			data = little.AppendUint64(data, uint64(at))
		}
		for _, price := range prices {
			data = little.AppendUint64(data, math.Float64bits(price))
		}
		if version == 400 {
			data = little.AppendUint64(data, math.Float64bits(250))
			continue
		}
		data = little.AppendUint64(little.AppendUint32(little.AppendUint64(data, 250), 2), 0)
	}
	return data
}

func padded(text string, size int) []byte {
	return append([]byte(text), make([]byte, size-len(text))...)
}

// newSCID returns a Sierra Chart file with two trades in one second and one in the next.
func newSCID() []byte {
	data := append([]byte("SCID"), 56, 0, 0, 0, 40, 0, 0, 0, 1, 0)
	data = append(data, make([]byte, 56-len(data))...)
	for i, price := range []float32{414425, 414450, 414400} {
		at := (25569*86400+1735828200)*1_000_000 + int64(i)*600_000
		data = little.AppendUint64(data, uint64(at))
		for _, value := range []float32{0, price + 25, price, price} {
			data = little.AppendUint32(data, math.Float32bits(value))
		}
		for _, value := range []uint32{1, 3, 3, 0} {
			data = little.AppendUint32(data, value)
		}
	}
	return data
}

// dbnOptions are the variants of a Databento file.
type dbnOptions struct {
	version     byte
	hasSendTime bool
	byNumber    bool // the instrument number was asked for
}

// newDBN returns a Databento file with two minutes of one contract.
func newDBN(o dbnOptions) []byte {
	symbolLength := 71
	meta := append(padded("GLBX.MDP3", 16), 7, 0)
	meta = append(meta, make([]byte, 3*8)...)
	if o.version == 1 {
		symbolLength = 22
		meta = little.AppendUint64(meta, 2) // records
	}
	meta = append(meta, 1, 0, 0)
	if o.hasSendTime {
		meta[len(meta)-1] = 1
	}
	if o.version > 1 {
		meta = little.AppendUint16(meta, uint16(symbolLength))
	}
	meta = append(meta, make([]byte, 100-len(meta))...)
	asked, resolved := "ESH5", "4916"
	if o.byNumber {
		asked, resolved = resolved, asked
	}
	meta = little.AppendUint32(meta, 0) // no schema
	meta = append(little.AppendUint32(meta, 1), padded(asked, symbolLength)...)
	meta = little.AppendUint32(little.AppendUint32(meta, 0), 0) // partial, not found
	meta = append(little.AppendUint32(meta, 1), padded(asked, symbolLength)...)
	meta = little.AppendUint32(little.AppendUint32(little.AppendUint32(meta, 1), 20250101), 20250201)
	meta = append(meta, padded(resolved, symbolLength)...)
	data := append(little.AppendUint32([]byte{'D', 'B', 'N', o.version}, uint32(len(meta))), meta...)
	for minute := range uint64(2) {
		start := len(data)
		data = append(data, 14, 33, 1, 0)
		data = little.AppendUint32(data, 4916)
		data = little.AppendUint64(data, (1735828200+minute*60)*1_000_000_000)
		for _, price := range []uint64{5950_250000000, 5952_000000000, 5949_500000000, 5951_000000000, 10} {
			data = little.AppendUint64(data, price)
		}
		if o.hasSendTime {
			data = little.AppendUint64(data, (1735828260+minute*60)*1_000_000_000)
			data[start] = 16
		}
	}
	return data
}

// packZstd packs a file as Databento delivers it.
func packZstd(t testing.TB, content []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll(content, nil)
}

// databentoCSV is the same two minutes as text, with plain and with integer prices.
var databentoCSV = map[string]string{
	"plain": "ts_event,rtype,publisher_id,instrument_id,open,high,low,close,volume,symbol\n" +
		"2025-01-02T14:30:00.000000000Z,33,1,4916,5950.250000000,5952.000000000,5949.500000000,5951.000000000,10,ESH5\n" +
		"2025-01-02T14:31:00.000000000Z,33,1,4916,5950.250000000,5952.000000000,5949.500000000,5951.000000000,10,ESH5\n",
	"integers": "ts_event,rtype,publisher_id,instrument_id,open,high,low,close,volume,symbol\n" +
		"1735828200000000000,33,1,4916,5950250000000,5952000000000,5949500000000,5951000000000,10,ESH5\n" +
		"1735828260000000000,33,1,4916,5950250000000,5952000000000,5949500000000,5951000000000,10,ESH5\n" +
		"1735828320000000000,33,1,4916,5950250000000,5952000000000,5949500000000,9223372036854775807,10,ESH5\n",
}

// TestDatabento reads the same bars in every form in which Databento delivers them.
func TestDatabento(t *testing.T) {
	t.Parallel()
	content := map[string][]byte{"es.csv": []byte(databentoCSV["plain"]), "integers.csv": []byte(databentoCSV["integers"])}
	for version := range byte(3) {
		for _, o := range []dbnOptions{{}, {hasSendTime: true}, {byNumber: true}} {
			o.version = version + 1
			content[fmt.Sprintf("%+v.dbn", o)] = newDBN(o)
		}
	}
	want := []market.Bar{
		{Time: 1735828200, Open: 595025, High: 595200, Low: 594950, Close: 595100, Volume: 10},
		{Time: 1735828260, Open: 595025, High: 595200, Low: 594950, Close: 595100, Volume: 10},
	}
	for name, plain := range content {
		for name, data := range map[string][]byte{name: plain, name + ".zst": packZstd(t, plain), name + ".gz": pack(string(plain))} {
			for name, data := range map[string][]byte{name: data, "a.zip of " + name: packZip(t, map[string]string{name: string(data)})} {
				list, err := files.ReadAll(t.Context(), bytes.NewReader(data), int64(len(data)), name, limits)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				if s := list[0].Series[0]; s.Symbol != "ESH5" || s.Secs != 60 {
					t.Errorf("%s: the bars are of %q and have %d seconds", name, s.Symbol, s.Secs)
				}
				if diff := cmp.Diff(want, barsOf(t, list[0])); diff != "" {
					t.Errorf("%s: the bars differ (-want +got):\n%s", name, diff)
				}
			}
		}
	}
}

// TestZstandardLimits: a packed file is refused if it is damaged, unpacks to too many
// bytes, or needs too much memory.
func TestZstandardLimits(t *testing.T) {
	t.Parallel()
	text := "time,open,high,low,close\n" + strings.Repeat("1735828200,10,12,9,11\n", 10_000)
	packed := packZstd(t, []byte(text))
	read := func(content []byte, bytesLimit int64) error {
		_, err := files.Read(t.Context(), bytes.NewReader(content), "ES.csv.zst", files.Options{Limits: files.Limits{Bytes: bytesLimit, Bars: 1 << 20}})
		return err
	}
	if err := read(packed, 1<<20); err != nil {
		t.Fatal(err)
	}
	if err, want := read(packed, 1000), (files.LimitError{What: "bytes", Limit: 1000}); !errors.Is(err, want) {
		t.Errorf("too many bytes: the error is %v", err)
	}
	for i := 4; i < len(packed); i++ {
		changed := bytes.Clone(packed)
		changed[i] ^= 0xff
		for _, content := range [][]byte{changed, packed[:i]} {
			err := read(content, 1<<20)
			if !errors.Is(err, files.ErrDamaged) && !errors.Is(err, files.ErrUnknownLayout) { // its header may be damaged
				t.Fatalf("byte %d: the error is %v", i, err)
			}
		}
	}
	var wide bytes.Buffer
	w, err := zstd.NewWriter(&wide, zstd.WithWindowSize(64<<20))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = w.Write([]byte(text))
	if err := errors.Join(w.Flush(), w.Close()); err != nil {
		t.Fatal(err)
	}
	if err := read(wide.Bytes(), 1<<20); !errors.Is(err, files.ErrDamaged) {
		t.Errorf("a window of 64 MiB: the error is %v", err)
	}
}

func TestBinaryLayouts(t *testing.T) {
	t.Parallel()
	euro := []market.Bar{
		{Time: 1735689600, Open: 103512, High: 103555, Low: 103400, Close: 103450, Volume: 250},
		{Time: 1735693200, Open: 103512, High: 103555, Low: 103400, Close: 103450, Volume: 250},
	}
	tests := []struct {
		name    string
		content []byte
		want    found
		bars    []market.Bar
	}{
		{"EURUSD60.hst", newHST(401), found{"MetaTrader 4 history", "EURUSD", 3600, "bid", "ticks", "", 0, true, "2025-01-01 00:00:00", 2}, euro},
		{"EURUSD60.hst", newHST(400), found{"MetaTrader 4 history", "EURUSD", 3600, "bid", "ticks", "", 0, true, "2025-01-01 00:00:00", 2}, euro},
		{"ESH5.scid", newSCID(), found{"Sierra Chart", "ESH5", 1, "trade", "real", "UTC", 0, true, "2025-01-02 14:30:00", 2}, []market.Bar{
			{Time: 1735828200, Open: 414425, High: 414450, Low: 414425, Close: 414450, Volume: 6},
			{Time: 1735828201, Open: 414400, High: 414400, Low: 414400, Close: 414400, Volume: 3},
		}},
		{"bars.dbn", newDBN(dbnOptions{version: 2}), found{"Databento", "ESH5", 60, "trade", "real", "UTC", 0, true, "2025-01-02 14:30:00", 2}, []market.Bar{
			{Time: 1735828200, Open: 595025, High: 595200, Low: 594950, Close: 595100, Volume: 10},
			{Time: 1735828260, Open: 595025, High: 595200, Low: 594950, Close: 595100, Volume: 10},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			file, err := files.Read(t.Context(), bytes.NewReader(test.content), test.name, limits)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, describe(t, file)); diff != "" {
				t.Errorf("the series differs (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.bars, barsOf(t, file)); diff != "" {
				t.Errorf("the bars differ (-want +got):\n%s", diff)
			}
			cut := test.content[:len(test.content)-5]
			if _, err := files.Read(t.Context(), bytes.NewReader(cut), test.name, limits); !errors.Is(err, files.ErrDamaged) {
				t.Errorf("a file that is cut off: the error is %v", err)
			}
		})
	}
}
