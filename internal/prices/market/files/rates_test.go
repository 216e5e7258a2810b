package files_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/decimal"
	"fillbook/internal/prices/market/files"
)

// describeRates returns the rates in a file, a line for each currency and day.
func describeRates(file *files.File) string {
	var text strings.Builder
	for _, s := range file.Series {
		for block := range s.Blocks() {
			for _, bar := range block.Bars {
				fmt.Fprintf(&text, "%s %s %s", s.Symbol, time.Unix(bar.Time, 0).UTC().Format(time.DateOnly), decimal.FromScaled(bar.Close, block.PriceScale))
				if bar.Open != bar.Close || bar.High != bar.Close || bar.Low != bar.Close {
					text.WriteString(" differing prices")
				}
				text.WriteString("\n")
			}
		}
	}
	return text.String()
}

func TestRates(t *testing.T) {
	t.Parallel()
	// The bank's file layout with our own numbers: the newest day first, a comma after
	// the last column, N/A for a currency without a rate.
	content := "Date,USD,JPY,CYP,GBP,\n" +
		"2026-03-03,1.1012,161.05,N/A,0.8731,\n" +
		"2026-03-02,1.0998,160.9,N/A,0.87,\n" +
		"2026-02-27,1.1,160,0.58,0.86905,\n"
	file, err := files.Read(t.Context(), strings.NewReader(content), "eurofxref-hist.csv", limits)
	if err != nil {
		t.Fatal(err)
	}
	want := "EURUSD 2026-02-27 1.1\nEURUSD 2026-03-02 1.0998\nEURUSD 2026-03-03 1.1012\n" +
		"EURJPY 2026-02-27 160\nEURJPY 2026-03-02 160.9\nEURJPY 2026-03-03 161.05\n" +
		"EURCYP 2026-02-27 0.58\n" +
		"EURGBP 2026-02-27 0.86905\nEURGBP 2026-03-02 0.87\nEURGBP 2026-03-03 0.8731\n"
	if diff := cmp.Diff(want, describeRates(file)); diff != "" {
		t.Error(diff)
	}
	if file.Layout != "European Central Bank" || file.Rows != 3 || file.ErrorCount != 0 {
		t.Errorf("%+v", file)
	}
	for _, s := range file.Series {
		if s.PriceKind != "reference" || s.VolumeKind != "none" || s.Secs != 86400 || s.Clock.Zone != time.UTC || !s.Clock.StampKnown || s.Conflicts != 0 {
			t.Errorf("%+v", s)
		}
	}
}

func TestRatesOfOneDay(t *testing.T) {
	t.Parallel()
	file, err := files.Read(t.Context(), strings.NewReader("Date, USD, JPY, \n03 March 2026, 1.1012, 161.05, \n"), "eurofxref.csv", limits)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("EURUSD 2026-03-03 1.1012\nEURJPY 2026-03-03 161.05\n", describeRates(file)); diff != "" {
		t.Error(diff)
	}
}

// A table program saved the file with semicolons and decimal commas.
func TestRatesWithDecimalCommas(t *testing.T) {
	t.Parallel()
	file, err := files.Read(t.Context(), strings.NewReader("Date;USD;JPY;\n2026-03-03;1,1012;161,05;\n"), "rates.csv", limits)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("EURUSD 2026-03-03 1.1012\nEURJPY 2026-03-03 161.05\n", describeRates(file)); diff != "" {
		t.Error(diff)
	}
}

func TestRatesInArchive(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	member, err := archive.Create("eurofxref-hist.csv")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := member.Write([]byte("Date,USD,\n2026-03-03,1.1012,\n")); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	list, err := files.ReadAll(t.Context(), bytes.NewReader(packed.Bytes()), int64(packed.Len()), "eurofxref-hist.zip", limits)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	if diff := cmp.Diff("EURUSD 2026-03-03 1.1012\n", describeRates(list[0])); diff != "" {
		t.Error(diff)
	}
}

func TestRatesLeaveOutBadValues(t *testing.T) {
	t.Parallel()
	content := "Date,USD,GBP,JPY,\n" +
		"2026-03-05,1.1,0.87,160,\n" +
		"2026-02-30,1.1,0.87,160,\n" +
		"2026-03-04,0,-0.87,16x,\n" +
		"2026-03-03,,N/A,161,\n" +
		"2026-03-02,1.2\n" +
		"2026-03-01,9999999999999999,0.5,162,\n"
	file, err := files.Read(t.Context(), strings.NewReader(content), "rates.csv", limits)
	if err != nil {
		t.Fatal(err)
	}
	want := "EURUSD 2026-03-02 1.2\nEURUSD 2026-03-05 1.1\nEURGBP 2026-03-01 0.5\nEURGBP 2026-03-05 0.87\n" +
		"EURJPY 2026-03-01 162\nEURJPY 2026-03-03 161\nEURJPY 2026-03-05 160\n"
	if diff := cmp.Diff(want, describeRates(file)); diff != "" {
		t.Error(diff)
	}
	wantErrors := []files.RowError{
		{Row: 3, Reason: "The date can't be read."},
		{Row: 4, Reason: "The rate of USD must be above zero. The rate of GBP must be above zero. The rate of JPY isn't a number."},
		{Row: 7, Reason: "The rate of USD has too many digits."},
	}
	if diff := cmp.Diff(wantErrors, file.Errors); diff != "" || file.ErrorCount != 3 || file.Rows != 6 {
		t.Errorf("%d errors, %d rows: %s", file.ErrorCount, file.Rows, diff)
	}
}

func TestOtherFilesAreNotRates(t *testing.T) {
	t.Parallel()
	for _, content := range []string{
		"Date,\n2026-03-03,\n",
		"Date,USD,,GBP\n2026-03-03,1.1,,0.87\n",
		"Date,USD,EUR\n2026-03-03,1.1,1\n",
		"Date,Low,Vol\n2026-03-03,1.1,1\n",
		"Date,USDT\n2026-03-03,1.1\n",
		"Day,USD\n2026-03-03,1.1\n",
	} {
		if file, err := files.Read(t.Context(), strings.NewReader(content), "x.csv", limits); !errors.Is(err, files.ErrUnknownLayout) {
			t.Errorf("%q: %+v %v", content, file, err)
		}
	}
	if _, err := files.Read(t.Context(), strings.NewReader("Date,USD,\n2026-03-03,N/A,\n"), "x.csv", limits); !errors.Is(err, files.ErrNoBars) {
		t.Error(err)
	}
	small := files.Options{Limits: files.Limits{Bytes: 1 << 20, Bars: 3}}
	var tooLarge files.LimitError
	_, err := files.Read(t.Context(), strings.NewReader("Date,USD,GBP\n2026-03-03,1,2\n2026-03-02,1,2\n"), "x.csv", small)
	if !errors.As(err, &tooLarge) || tooLarge.What != "bars" {
		t.Error(err)
	}
}
