package barimport_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/barimport"
	"fillbook/internal/prices/bars"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/instruments"
)

// benchBars is about a year of minutes in a future.
const benchBars = 350_000

// benchFile returns a future's bars as TradingView writes them. Ticks are quarters.
func benchFile() string {
	random := rand.New(rand.NewPCG(7, 18))
	var b strings.Builder
	b.WriteString("time,open,high,low,close,Volume\n")
	price := int64(24_000)
	at := time.Date(2025, 1, 6, 0, 0, 0, 0, time.UTC).Unix()
	quarter := func(n int64) string { return fmt.Sprintf("%d.%02d", n/4, n%4*25) }
	for range benchBars {
		open, high, low := price, price, price
		for range 6 {
			price += random.Int64N(5) - 2
			high, low = max(high, price), min(low, price)
		}
		fmt.Fprintf(&b, "%d,%s,%s,%s,%s,%d\n", at, quarter(open), quarter(high), quarter(low), quarter(price), 1+random.Int64N(900))
		if at += 60; at%86400 == 79_200 {
			at += 3600 // the daily pause
		}
	}
	return b.String()
}

type benchmark struct {
	*testing.B
	imports *barimport.Service
	bars    *bars.Service
	owner   journal.UserID
}

func benchEngines(b *testing.B, fn func(b benchmark, d *db.DB)) {
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		b.Run(string(engine), func(b *testing.B) {
			d := testkit.Open(b, engine)
			service := bars.New(d, time.Now, 1<<40, nil)
			owner, _ := testkit.NewUser(b, d)
			fn(benchmark{B: b, imports: barimport.New(barimport.Options{DB: d, Bars: service}), bars: service, owner: owner}, d)
		})
	}
}

// reportSize reports how many bytes a stored bar takes on SQLite.
func (b benchmark) reportSize(d *db.DB) {
	if d.Engine() != db.SQLite {
		return
	}
	path := b.TempDir() + "/size.db"
	if err := d.Snapshot(b.Context(), path); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(info.Size())/benchBars, "bytes/bar")
}

func BenchmarkImport(b *testing.B) {
	content := benchFile()
	benchEngines(b, func(b benchmark, _ *db.DB) {
		for b.Loop() {
			if _, _, err := b.imports.Commit(b.Context(), b.owner, upload("ESZ5.csv", content)); err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			series, err := b.bars.ListSeries(b.Context(), b.owner)
			if err != nil || len(series) != 1 || b.bars.DeleteSeries(b.Context(), b.owner, series[0].ID) != nil {
				b.Fatal(series, err)
			}
			b.StartTimer()
		}
		b.ReportMetric(float64(benchBars)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mbars/s")
	})
}

func BenchmarkWindow(b *testing.B) {
	content := benchFile()
	benchEngines(b, func(b benchmark, d *db.DB) {
		if _, _, err := b.imports.Commit(b.Context(), b.owner, upload("ESZ5.csv", content)); err != nil {
			b.Fatal(err)
		}
		from := time.Date(2025, 6, 3, 22, 0, 0, 0, time.UTC).Unix()
		to := from + 23*3600
		query := bars.WindowQuery{Of: instruments.Priced{Symbol: "ESZ25", Type: "future"}, From: &from, To: &to, MaxPoints: bars.MaxPoints}
		for b.Loop() {
			w, err := b.bars.Window(b.Context(), b.owner, query)
			if err != nil || len(w.Bars) < 1000 {
				b.Fatal(len(w.Bars), err)
			}
		}
		b.reportSize(d)
	})
}
