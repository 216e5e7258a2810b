package files_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/prices/market"
	"fillbook/internal/prices/market/files"
)

// TestConvert writes five days of bars around both clock changes as a local file and
// reads them back, oldest first and newest first.
func TestConvert(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"America/New_York", "Europe/Athens", "Asia/Kolkata", "UTC"} {
		for _, start := range []string{"2025-03-07", "2025-03-28", "2025-10-24", "2025-10-31"} {
			for _, stamp := range []market.Stamp{market.OpenStamp, market.CloseStamp} {
				t.Run(fmt.Sprintf("%s %s %d", name, start, stamp), func(t *testing.T) {
					t.Parallel()
					for _, secs := range []int64{900, 3600} {
						checkConversion(t, name, start, stamp, secs, false)
						checkConversion(t, name, start, stamp, secs, true)
					}
				})
			}
		}
	}
}

func checkConversion(t *testing.T, zoneName, start string, stamp market.Stamp, secs int64, isNewest bool) {
	t.Helper()
	zone, err := time.LoadLocation(zoneName)
	if err != nil {
		t.Fatal(err)
	}
	first, err := time.Parse(time.DateOnly, start)
	if err != nil {
		t.Fatal(err)
	}
	const header = "time,open,high,low,close,tick_volume,spread,real_volume\n"
	var rows []string
	var want []market.Bar
	for i := range 5 * 86400 / secs {
		bar := market.Bar{Time: first.Unix() + i*secs, Open: 100 + i, High: 102 + i, Low: 99 + i, Close: 101 + i}
		want = append(want, bar)
		written := time.Unix(bar.Time, 0).In(zone)
		if stamp == market.CloseStamp {
			written = written.Add(time.Duration(secs) * time.Second)
		}
		rows = append(rows, fmt.Sprintf("%s,%d,%d,%d,%d,0,0,0\n", written.Format(time.DateTime), bar.Open, bar.High, bar.Low, bar.Close))
	}
	if isNewest {
		slices.Reverse(rows)
	}
	file, err := files.Read(t.Context(), strings.NewReader(header+strings.Join(rows, "")), "DAX.csv", limits)
	if err != nil {
		t.Fatal(err)
	}
	var got []market.Bar
	for block := range file.Series[0].Convert(market.Reading{Zone: zone, Stamp: stamp, PriceScale: decimal.New(1)}) {
		got = append(got, block.Bars...)
	}
	if len(got) != len(want) {
		t.Fatalf("%d bars, not %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("bar %d is %+v, not %+v", i, got[i], want[i])
		}
	}
}

func TestConvertPriceScale(t *testing.T) {
	t.Parallel()
	file, err := files.Read(t.Context(), strings.NewReader("time,open,high,low,close\n1735828200,414425,414450,414400,414425\n"), "ES.csv", limits)
	if err != nil {
		t.Fatal(err)
	}
	for block := range file.Series[0].Convert(market.Reading{Zone: time.UTC, PriceScale: decimal.Must("0.01")}) {
		if got := decimal.FromScaled(block.Bars[0].High, block.PriceScale); !got.Equal(decimal.Must("4144.5")) {
			t.Errorf("the high is %v", got)
		}
	}
}
