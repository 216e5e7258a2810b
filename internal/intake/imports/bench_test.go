package imports_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/intake/imports"
	"fillbook/internal/testkit"
)

// manyFills is a file with 100,000 generic fills, each with an order id.
func manyFills() []byte {
	var file bytes.Buffer
	file.WriteString("Symbol,Side,Quantity,Price,Executed At,Commission,Order ID\n")
	at := time.Date(2020, 1, 2, 14, 30, 0, 0, time.UTC)
	for i := range 100_000 {
		side := []string{"buy", "sell"}[i/200%2]
		fmt.Fprintf(&file, "SYM%d,%s,100,%d.%02d,%s,1.05,ORD-%07d\n",
			i%200, side, 10+i%900, i%100, at.Add(time.Duration(i)*15*time.Minute).Format(time.RFC3339), i)
	}
	return file.Bytes()
}

// fewFills is a file with the first 1,000 of manyFills.
func fewFills() []byte {
	return bytes.Join(bytes.SplitAfterN(manyFills(), []byte("\n"), 1002)[:1001], nil)
}

// benchmarkInspect previews a file, whose fills are stored already if known.
func benchmarkInspect(b *testing.B, file []byte, known bool) {
	user := newFixture(b, testkit.Open(b, db.SQLite))
	up := imports.Upload{FileName: "x.csv", Data: file, Account: user.account("USD")}
	rows := bytes.Count(file, []byte("\n")) - 1
	if known {
		if _, err := user.Imports.Commit(b.Context(), user.by, up); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		p, err := user.Imports.Inspect(b.Context(), user.by.UserID, up)
		if err != nil || p.NewRows+p.Duplicates != rows || (p.NewRows == 0) != known {
			b.Fatal(p.NewRows, p.Duplicates, err)
		}
	}
}

// BenchmarkInspect previews 100,000 generic fills.
func BenchmarkInspect(b *testing.B) { benchmarkInspect(b, manyFills(), false) }

// BenchmarkInspectKnown previews 100,000 stored fills.
func BenchmarkInspectKnown(b *testing.B) { benchmarkInspect(b, manyFills(), true) }

// BenchmarkInspectSmall previews 1,000 generic fills.
func BenchmarkInspectSmall(b *testing.B) { benchmarkInspect(b, fewFills(), false) }

// BenchmarkInspectSmallKnown previews 1,000 stored fills.
func BenchmarkInspectSmallKnown(b *testing.B) { benchmarkInspect(b, fewFills(), true) }

// BenchmarkCommit imports 100,000 generic fills into a new account.
func BenchmarkCommit(b *testing.B) {
	user := newFixture(b, testkit.Open(b, db.SQLite))
	file := manyFills()
	b.ReportAllocs()
	for b.Loop() {
		up := imports.Upload{FileName: "x.csv", Data: file, Account: user.account("USD")}
		if result, err := user.Imports.Commit(b.Context(), user.by, up); err != nil || result.Inserted != 100_000 {
			b.Fatal(result, err)
		}
	}
}

// BenchmarkCommitAgain imports 100,000 stored fills again.
func BenchmarkCommitAgain(b *testing.B) {
	user := newFixture(b, testkit.Open(b, db.SQLite))
	up := imports.Upload{FileName: "x.csv", Data: manyFills(), Account: user.account("USD")}
	if _, err := user.Imports.Commit(b.Context(), user.by, up); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if result, err := user.Imports.Commit(b.Context(), user.by, up); err != nil || result.Inserted != 0 {
			b.Fatal(result, err)
		}
	}
}

// BenchmarkReverse reverses an import of 100,000 generic fills.
func BenchmarkReverse(b *testing.B) {
	user := newFixture(b, testkit.Open(b, db.SQLite))
	up := imports.Upload{FileName: "x.csv", Data: manyFills(), Account: user.account("USD")}
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		result, err := user.Imports.Commit(b.Context(), user.by, up)
		if err != nil || result.Inserted != 100_000 {
			b.Fatal(result, err)
		}
		b.StartTimer()
		if err := user.Imports.Reverse(b.Context(), user.by, result.BatchID, nil); err != nil {
			b.Fatal(err)
		}
	}
}
