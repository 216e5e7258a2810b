package files_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/market"
	"fillbook/internal/market/files"
)

var little = binary.LittleEndian

// newHST returns a history file of MetaTrader 4 with two hours of EURUSD.
func newHST(version uint32) []byte {
	data := little.AppendUint32(nil, version)
	data = append(data, padded("Copyright 2001-2026, a company", 64)...)
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

// newSCID returns a file of Sierra Chart with two trades in one second and one in the
// next.
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

// newDBN returns a file of Databento, version 2, with two minutes of one contract.
func newDBN() []byte {
	const symbolLength = 71
	meta := append(padded("GLBX.MDP3", 16), 7, 0)
	meta = append(meta, make([]byte, 3*8+3)...)
	meta = little.AppendUint16(meta, symbolLength)
	meta = append(meta, make([]byte, 53)...)
	meta = little.AppendUint32(meta, 0) // no schema
	meta = append(little.AppendUint32(meta, 1), padded("ESH5", symbolLength)...)
	meta = little.AppendUint32(little.AppendUint32(meta, 0), 0) // partial, not found
	meta = append(little.AppendUint32(meta, 1), padded("ESH5", symbolLength)...)
	meta = little.AppendUint32(little.AppendUint32(little.AppendUint32(meta, 1), 20250101), 20250201)
	meta = append(meta, padded("4916", symbolLength)...)
	data := append(little.AppendUint32([]byte("DBN\x02"), uint32(len(meta))), meta...)
	for minute := range uint64(2) {
		data = append(data, 14, 33, 1, 0)
		data = little.AppendUint32(data, 4916)
		data = little.AppendUint64(data, (1735828200+minute*60)*1_000_000_000)
		for _, price := range []uint64{5950_250000000, 5952_000000000, 5949_500000000, 5951_000000000, 10} {
			data = little.AppendUint64(data, price)
		}
	}
	return data
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
		{"bars.dbn", newDBN(), found{"Databento", "ESH5", 60, "trade", "real", "UTC", 0, true, "2025-01-02 14:30:00", 2}, []market.Bar{
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
