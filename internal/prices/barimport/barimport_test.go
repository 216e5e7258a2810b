package barimport_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/barimport"
	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/market"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

const limit = 100_000

// fixture is a user with an account on one engine.
type fixture struct {
	*testing.T
	db      *db.DB
	bars    *bars.Service
	ledger  *ledger.Service
	imports *barimport.Service
	owner   journal.UserID
	account journal.AccountID
}

func eachEngine(t *testing.T, fn func(f fixture)) {
	t.Helper()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		clock := func() time.Time { return time.Date(2026, 3, 10, 15, 0, 0, 0, time.UTC) }
		f := fixture{T: t, db: d, bars: bars.New(d, clock, limit, nil), ledger: ledger.New(d, clock, nil)}
		f.imports = barimport.New(barimport.Options{DB: d, Bars: f.bars})
		f.owner, _ = testkit.NewUser(t, d)
		account, err := f.ledger.CreateAccount(t.Context(), f.owner, ledger.NewAccount{Name: "Main", BaseCurrency: "USD"})
		f.must(err)
		f.account = account.ID
		fn(f)
	})
}

func (f fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// start is a Monday in winter, 9:30 in New York.
var start = time.Date(2026, 1, 5, 14, 30, 0, 0, time.UTC)

// walk returns random minutes with two-decimal prices from start on.
func walk(minutes int) (list []market.Bar) {
	random := rand.New(rand.NewPCG(1, 18))
	price := int64(600_000)
	for i := range int64(minutes) {
		bar := market.Bar{Time: start.Unix() + 60*i, Open: price, High: price, Low: price, Volume: 1 + random.Int64N(500)}
		for range 20 {
			price += random.Int64N(41) - 20
			bar.High, bar.Low = max(bar.High, price), min(bar.Low, price)
		}
		bar.Close = price
		list = append(list, bar)
	}
	return list
}

// addFills buys one contract in every minute-th bar, half way between its low and high.
func (f fixture) addFills(symbol string, list []market.Bar, every int) {
	f.Helper()
	for i := every / 2; i < len(list); i += every {
		middle := decimal.FromScaled(list[i].Low+(list[i].High-list[i].Low)/2, 2)
		_, err := f.ledger.AddExecution(f.Context(), f.owner, f.account, ledger.NewFill{
			Symbol: symbol, InstrumentType: "future", Side: matching.Buy, Quantity: decimal.New(1), Price: middle,
			ExecutedAt: time.Unix(list[i].Time+29, 0),
		})
		f.must(err)
	}
}

// writeBars writes bars in a layout naming neither its zone nor its stamp, with a zone's
// times moved by at.
func writeBars(list []market.Bar, zone string, at time.Duration) string {
	place, err := time.LoadLocation(zone)
	if err != nil {
		panic(err)
	}
	var b strings.Builder
	for _, bar := range list {
		price := func(n int64) string { return decimal.FromScaled(n, 2).String() }
		fmt.Fprintf(&b, "%s;%s;%s;%s;%s;%d\n", time.Unix(bar.Time, 0).Add(at).In(place).Format("20060102 150405"),
			price(bar.Open), price(bar.High), price(bar.Low), price(bar.Close), bar.Volume)
	}
	return b.String()
}

func upload(name, content string) barimport.Upload {
	return barimport.Upload{FileName: name, Content: strings.NewReader(content), Size: int64(len(content))}
}

func (f fixture) preview(up barimport.Upload) barimport.Result {
	f.Helper()
	r, err := f.imports.Preview(f.Context(), f.owner, up)
	f.must(err)
	return r
}

// TestFillsDecide reads a file with unknown zone and stamp with different numbers of
// fills.
func TestFillsDecide(t *testing.T) {
	t.Parallel()
	list := walk(600)
	content := writeBars(list, "America/Chicago", time.Minute) // stamped with the close
	eachEngine(t, func(f fixture) {
		_, _, err := f.imports.Commit(f.Context(), f.owner, upload("ESH6.txt", content))
		if refused := missingField(err); refused != "tz" {
			f.Errorf("without fills the missing option is %q: %v", refused, err)
		}
		f.addFills("ES 03-26", list, 60) // ten fills
		r := f.preview(upload("ESH6.txt", content))
		s := r.Series[0]
		got := fmt.Sprintln(s.Symbol, s.Secs, s.Bars, s.Reading.Zone, s.Reading.Stamp, s.ZoneKnown, s.StampKnown, s.FillsInside, s.FillsChecked, r.Missing)
		if want := fmt.Sprintln("ESH6", 60, 600, "-06:00", market.CloseStamp, true, true, 10, 10, ""); got != want {
			f.Errorf("the series is %s, not %s", got, want)
		}
		if s.First != start.Unix() || s.Last != start.Unix()+599*60 || s.Proposed.Inside != 10 {
			f.Errorf("from %d to %d, proposed %+v", s.First, s.Last, s.Proposed)
		}
		done, r, err := f.imports.Commit(f.Context(), f.owner, upload("ESH6.txt", content))
		f.must(err)
		if done.Inserted != 600 || r.Series[0].Overlaps != 0 || r.Series[0].FillsInside != 10 {
			f.Errorf("the import is %+v, the result %+v", done, r)
		}
		w, err := f.bars.Window(f.Context(), f.owner, bars.WindowQuery{Of: instruments.Priced{Symbol: "ESH26"}, MaxPoints: 2000})
		f.must(err)
		want := make([]market.Bar, len(list))
		copy(want, list)
		if diff := cmp.Diff(want, w.Bars); diff != "" {
			f.Errorf("the bars differ (-want +got):\n%s", diff)
		}
	})
}

func missingField(err error) any {
	refused, ok := errors.AsType[*journal.Error](err)
	if !ok || refused.Code != "mapping_required" {
		return nil
	}
	return refused.Details["field"]
}

// TestFewFills: five fills prove the zone but not the stamp, and the user says it.
func TestFewFills(t *testing.T) {
	t.Parallel()
	list := walk(600)
	content := writeBars(list, "America/New_York", 0)
	eachEngine(t, func(f fixture) {
		f.addFills("ESH6", list, 120)
		r := f.preview(upload("ESH6.txt", content))
		if s := r.Series[0]; !s.ZoneKnown || s.StampKnown || r.Missing != "stamp" {
			f.Errorf("the series is %+v, missing %q", s, r.Missing)
		}
		up := upload("ESH6.txt", content)
		up.Stamp = "open"
		done, _, err := f.imports.Commit(f.Context(), f.owner, up)
		f.must(err)
		if done.Inserted != 600 {
			f.Errorf("the import is %+v", done)
		}
	})
}

// TestWrongZone: what the user says is used, and the fills propose the right one.
func TestWrongZone(t *testing.T) {
	t.Parallel()
	list := walk(600)
	eachEngine(t, func(f fixture) {
		f.addFills("ESH6", list, 60)
		up := upload("ESH6.txt", writeBars(list, "America/New_York", 0))
		up.Zone, up.Stamp = "UTC", "open"
		r := f.preview(up)
		s := r.Series[0]
		if s.Reading.Zone.String() != "UTC" || s.FillsInside > 3 || s.Proposed.Zone.String() != "-05:00" || s.Proposed.Inside != 10 {
			f.Errorf("the series is %+v, proposed %+v", s, s.Proposed)
		}
		if s.FillsChecked == 10 && len(r.Warnings) == 0 {
			f.Error("no warning")
		}
	})
}

// TestZoneOfTimesInUTC: a zone does not move times with a UTC offset.
func TestZoneOfTimesInUTC(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		for _, rows := range []string{
			"1761055200,10,12,9,11\n1761055260,10,12,9,11\n",
			"2025-10-21T23:00:00+09:00,10,12,9,11\n2025-10-21T23:01:00+09:00,10,12,9,11\n",
		} {
			up := upload("ES, 1.csv", "time,open,high,low,close\n"+rows)
			for zone, warnings := range map[string]int{"": 0, "UTC": 0, "America/New_York": 1} {
				up.Zone = zone
				found := f.preview(up)
				if s := found.Series[0]; s.First != 1761055200 || s.Reading.Zone.String() != "UTC" || len(found.Warnings) != warnings {
					f.Errorf("with the zone %q the first bar is at %d in %s; warnings %q", zone, s.First, s.Reading.Zone, found.Warnings)
				}
			}
		}
	})
}

// TestSplit: split-adjusted prices are proposed with their ratio and not changed
// automatically.
func TestSplit(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		list := walk(600)
		f.addFills("ESH6", list, 50)
		var rows strings.Builder
		for _, bar := range list { // fill prices have two decimals; the file's are a quarter
			price := func(n int64) string { return decimal.FromScaled(25*n, 4).String() }
			fmt.Fprintf(&rows, "%d,%s,%s,%s,%s\n", bar.Time, price(bar.Open), price(bar.High), price(bar.Low), price(bar.Close))
		}
		up := upload("CME_MINI_ESH2026, 1.csv", "time,open,high,low,close\n"+rows.String())
		s := f.preview(up).Series[0]
		if s.Proposed == nil || s.Proposed.PriceScale.String() != "4" || s.Proposed.Inside != s.FillsChecked || s.FillsChecked < 10 {
			f.Fatalf("the proposal for %d fills is %+v", s.FillsChecked, s.Proposed)
		}
		if s.Reading.PriceScale.String() != "1" || s.FillsInside != 0 {
			f.Errorf("the scale is %s with %d fills inside", s.Reading.PriceScale, s.FillsInside)
		}
		up.PriceScale = decimal.Of(decimal.New(4))
		if s := f.preview(up).Series[0]; s.FillsInside != s.FillsChecked {
			f.Errorf("with the scale %d of %d fills are inside", s.FillsInside, s.FillsChecked)
		}
	})
}

func TestPriceScale(t *testing.T) {
	t.Parallel()
	list := walk(600)
	hundredths := make([]market.Bar, len(list))
	for i, b := range list {
		b.Open, b.High, b.Low, b.Close = 100*b.Open, 100*b.High, 100*b.Low, 100*b.Close
		hundredths[i] = b
	}
	eachEngine(t, func(f fixture) {
		f.addFills("ESH6", list, 60)
		up := upload("ESH6.txt", writeBars(hundredths, "UTC", 0))
		up.Zone, up.Stamp = "UTC", "open"
		s := f.preview(up).Series[0]
		if !s.Reading.PriceScale.Equal(decimal.Must("0.01")) || s.FillsInside != 10 {
			f.Errorf("the series is %+v", s)
		}
	})
}

// TestOverlaps imports a file again with one bar changed.
func TestOverlaps(t *testing.T) {
	t.Parallel()
	list := walk(30)
	const tradingView = "time,open,high,low,close,Volume\n"
	write := func(list []market.Bar) (text string) {
		for _, b := range list {
			text += fmt.Sprintf("%d,%d,%d,%d,%d,%d\n", b.Time, b.Open, b.High, b.Low, b.Close, b.Volume)
		}
		return tradingView + text
	}
	eachEngine(t, func(f fixture) {
		_, _, err := f.imports.Commit(f.Context(), f.owner, upload("CME_MINI_ESH2026, 1.csv", write(list[:20])))
		f.must(err)
		changed := append([]market.Bar{}, list[10:]...)
		changed[0].Volume++
		// Another notation of the same contract continues its series.
		s := f.preview(upload("ESH6.csv", write(changed))).Series[0]
		if s.Symbol != "ESH2026" || s.Overlaps != 10 || s.Conflicts != 1 || s.Bars != 20 {
			f.Errorf("the series is %+v", s)
		}
		done, r, err := f.imports.Commit(f.Context(), f.owner, upload("ESH6.csv", write(changed)))
		f.must(err)
		if done.Inserted != 10 || done.Replaced != 1 || done.Unchanged != 9 || r.Series[0].Conflicts != 1 {
			f.Errorf("the import is %+v", done)
		}
		series, err := f.bars.ListSeries(f.Context(), f.owner)
		f.must(err)
		if len(series) != 1 || series[0].Bars != 30 {
			f.Errorf("the series are %+v", series)
		}
	})
}

// TestArchive merges an archive's files for one symbol.
func TestArchive(t *testing.T) {
	t.Parallel()
	list := walk(20)
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	for name, part := range map[string][]market.Bar{"BTCUSDT-1m-2026-01-05.csv": list[:12], "BTCUSDT-1m-2026-01-06.csv": list[10:]} {
		member, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range part {
			fmt.Fprintf(member, "%d,%d,%d,%d,%d,%d,%d,1,1,1,1,0\n", b.Time*1000, b.Open, b.High, b.Low, b.Close, b.Volume, b.Time*1000+59_999)
		}
		fmt.Fprintln(member, "x,1,1,1,1,1,1,1,1,1,1,0")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	eachEngine(t, func(f fixture) {
		done, r, err := f.imports.Commit(f.Context(), f.owner, upload("btc.zip", packed.String()))
		f.must(err)
		if done.Inserted != 20 || len(r.Series) != 1 || r.ErrorCount != 2 || r.Errors[0].File == "" {
			f.Errorf("the import is %+v, the result %+v", done, r)
		}
	})
}

// TestArchiveOfTwoLayouts: a symbol's bars can't be joined if their times may be meant
// differently.
func TestArchiveOfTwoLayouts(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	for name, content := range map[string]string{
		"ESH6.txt": writeBars(walk(5), "UTC", 0),
		"ESH6.csv": "time,open,high,low,close,Volume\n1767623400,100,101,99.5,100.25,5\n1767623460,100.25,101,100,100.5,7\n",
	} {
		member, err := w.Create(name)
		if err == nil {
			_, err = member.Write([]byte(content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	eachEngine(t, func(f fixture) {
		up := upload("es.zip", packed.String())
		up.Zone, up.Stamp = "UTC", "open"
		_, _, err := f.imports.Commit(f.Context(), f.owner, up)
		if refused, ok := errors.AsType[*journal.Error](err); !ok || !strings.Contains(refused.Message, "ESH6 in different layouts") {
			f.Errorf("the error is %v", err)
		}
	})
}

func TestQuota(t *testing.T) {
	t.Parallel()
	list := walk(30)
	eachEngine(t, func(f fixture) {
		small := barimport.New(barimport.Options{DB: f.db, Bars: bars.New(f.db, time.Now, 40, nil)})
		up := upload("ESH6.txt", writeBars(list, "UTC", 0))
		up.Zone, up.Stamp = "UTC", "open"
		_, _, err := small.Commit(f.Context(), f.owner, up)
		f.must(err)
		_, _, err = small.Commit(f.Context(), f.owner, up) // the same bars need no space
		f.must(err)
		up = upload("NQH6.txt", writeBars(list, "UTC", 0))
		up.Zone, up.Stamp = "UTC", "open"
		_, _, err = small.Commit(f.Context(), f.owner, up)
		refused, ok := errors.AsType[*journal.Error](err)
		if !ok || refused.Kind != journal.KindTooLarge || refused.Details["limit"] != int64(40) || refused.Details["used"] != int64(30) {
			f.Errorf("the error is %v", err)
		}
		if list, err := f.bars.ListImports(f.Context(), f.owner); err != nil || len(list) != 2 {
			f.Errorf("%d imports, error %v", len(list), err)
		}
	})
}

func TestGaps(t *testing.T) {
	t.Parallel()
	content := "time,open,high,low,close\n"
	for _, day := range []string{"2026-01-02", "2026-01-05", "2026-01-08", "2026-01-09"} {
		content += day + ",1,1,1,1\n"
	}
	eachEngine(t, func(f fixture) {
		s := f.preview(upload("NASDAQ_AAPL, 1D.csv", content)).Series[0]
		if diff := cmp.Diff([]barimport.Gap{{From: "2026-01-06", To: "2026-01-07"}}, s.Gaps); diff != "" || s.GapDays != 2 {
			f.Errorf("the gaps are %v", s.Gaps)
		}
	})
}

func TestRefusedOptions(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		for field, change := range map[string]func(*barimport.Upload){
			"tz":          func(u *barimport.Upload) { u.Zone = "Mars/Olympus" },
			"stamp":       func(u *barimport.Upload) { u.Stamp = "middle" },
			"bar_secs":    func(u *barimport.Upload) { u.BarSecs = -1 },
			"price_scale": func(u *barimport.Upload) { u.PriceScale = decimal.Of(decimal.Zero) },
			"file":        func(u *barimport.Upload) { u.Content, u.Size = strings.NewReader("no bars"), 7 },
		} {
			up := upload("ESH6.csv", "time,open,high,low,close\n1767623400,1,1,1,1\n")
			change(&up)
			_, err := f.imports.Preview(f.Context(), f.owner, up)
			if refused, ok := errors.AsType[*journal.Error](err); !ok || refused.Details["field"] != field {
				f.Errorf("%s: the error is %v", field, err)
			}
		}
	})
}

// TestReadingEnds: a file is not read on when its time is over, or when its sender has
// gone.
func TestReadingEnds(t *testing.T) {
	t.Parallel()
	content := writeBars(walk(5_000), "UTC", 0)
	eachEngine(t, func(f fixture) {
		gone, cancel := context.WithCancel(f.Context())
		cancel()
		if _, err := f.imports.Preview(gone, f.owner, upload("ESH6.txt", content)); !errors.Is(err, context.Canceled) {
			f.Errorf("preview after disconnect: %v", err)
		}
		f.imports.SetReadTime(time.Nanosecond)
		_, err := f.imports.Preview(f.Context(), f.owner, upload("ESH6.txt", content))
		if !journal.IsKind(err, journal.KindInvalid) || !strings.Contains(err.Error(), "takes too long") {
			f.Errorf("a file that takes too long: %v", err)
		}
	})
}

// TestRepeatedRows: a row repeated with other values is counted, unless clocks were set
// back in between. The file goes back by less than an hour.
func TestRepeatedRows(t *testing.T) {
	t.Parallel()
	const rows = "20251102 005900;10;12;9;11;1\n20251102 010000;10;12;9;11;1\n20251102 010100;10;12;9;11;1\n20251102 010000;10;12;9;11;2\n20251102 010100;10;12;9;11;2\n20251102 010200;10;12;9;11;2\n"
	eachEngine(t, func(f fixture) {
		for zone, want := range map[string][2]int{"America/New_York": {6, 0}, "Europe/Berlin": {4, 2}, "UTC": {4, 2}} {
			up := upload("ESH6.txt", rows)
			up.Zone, up.Stamp = zone, "open"
			s := f.preview(up).Series[0]
			if s.Bars != want[0] || s.Repeated != want[1] || s.Secs != 60 {
				f.Errorf("%s: %d bars of %d seconds, %d repeated; want %v", zone, s.Bars, s.Secs, s.Repeated, want)
			}
		}
	})
}

// TestCommitStops: a client leaving before the commit, or an import taking too long,
// leaves nothing behind.
func TestCommitStops(t *testing.T) {
	t.Parallel()
	content := writeBars(walk(30), "UTC", 0)
	eachEngine(t, func(f fixture) {
		up := upload("ESH6.txt", content)
		up.Zone, up.Stamp = "UTC", "open"
		ctx, leave := context.WithCancel(f.Context())
		leaving := bars.New(f.db, func() time.Time { leave(); return start }, limit, nil) // it asks for the time while it writes
		_, _, err := barimport.New(barimport.Options{DB: f.db, Bars: leaving}).Commit(ctx, f.owner, up)
		if !errors.Is(err, context.Canceled) {
			f.Errorf("the client left: the error is %v", err)
		}
		f.imports.SetCommitTime(0)
		if _, _, err := f.imports.Commit(f.Context(), f.owner, up); !errors.Is(err, context.DeadlineExceeded) {
			f.Errorf("after the time: the error is %v", err)
		}
		if list, err := f.bars.ListImports(f.Context(), f.owner); err != nil || len(list) != 0 {
			f.Errorf("%d imports are stored: %v", len(list), err)
		}
	})
}
