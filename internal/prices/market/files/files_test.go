package files_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/prices/market"
	"fillbook/internal/prices/market/files"
)

var limits = files.Options{Limits: files.Limits{Bytes: 1 << 20, Bars: 10_000}}

// found has the values a test compares in a series.
type found struct {
	Layout, Symbol string
	Secs           int64
	Price          market.PriceKind
	Volume         market.VolumeKind
	Zone           string // empty if it is not known
	Stamp          market.Stamp
	StampKnown     bool
	First          string // the first bar's time by the file's clock
	Bars           int
}

func describe(t *testing.T, file *files.File) found {
	t.Helper()
	if len(file.Series) != 1 {
		t.Fatalf("%d series", len(file.Series))
	}
	s := file.Series[0]
	first, _ := s.Range()
	f := found{
		Layout: file.Layout, Symbol: s.Symbol, Secs: s.Secs, Price: s.PriceKind, Volume: s.VolumeKind,
		Stamp: s.Clock.Stamp, StampKnown: s.Clock.StampKnown,
		First: time.Unix(first, 0).UTC().Format("2006-01-02 15:04:05"), Bars: s.Count(),
	}
	if s.Clock.Zone != nil {
		f.Zone = s.Clock.Zone.String()
	}
	return f
}

const newYork = "America/New_York"

// layoutTests has a file in every layout.
var layoutTests = []struct {
	file  string
	lines string
	want  found
}{
	{
		"CME_MINI_ES1!, 5.csv", "time,open,high,low,close,Plot,Plot,Volume\n1735828200,5950.25,5952,5949.5,5951,NaN,1,10\n1735828500,5951,5953,5951,5952.75,NaN,1,12\n",
		found{"TradingView", "ES1!", 300, "trade", "real", "UTC", 0, true, "2025-01-02 14:30:00", 2},
	},
	{
		"BINANCE_BTCUSDT, 60.csv", "time,open,high,low,close\n2025-01-21T23:00:00+09:00,101.5,102,101,101.9\n2025-01-22T00:00:00+09:00,101.9,103,101,102\n",
		found{"TradingView", "BTCUSDT", 3600, "trade", "none", "UTC", 0, true, "2025-01-21 14:00:00", 2},
	},
	{
		"BINANCE_BTCUSDT, 1D.csv", "time,open,high,low,close\n2025-01-21,101.5,102,101,101.9\n",
		found{"TradingView", "BTCUSDT", 86400, "trade", "none", "UTC", 0, true, "2025-01-21 00:00:00", 1},
	},
	{
		"NQ 12-24.Last.txt", "20240912 040200;19538.25;19538.25;19537.25;19537.25;4\n20240912 040300;19535.25;19535.25;19535.25;19535.25;1\n",
		found{"NinjaTrader", "NQ 12-24", 60, "trade", "real", "UTC", market.CloseStamp, true, "2024-09-12 04:02:00", 2},
	},
	{
		"NQ 12-24.Bid.txt", "20240912 040200 1230000;19538.25;19538.25;19538.5;1\n20240912 040200 4230000;19539.25;19539.25;19539.5;2\n20240912 040201 0000000;19539;19539;19539.5;2\n",
		found{"NinjaTrader ticks", "NQ 12-24", 1, "bid", "real", "UTC", 0, true, "2024-09-12 04:02:00", 2},
	},
	{
		"NQ 12-24.Last.txt", "20240912 040200 1230000;19538.25;1\n20240912 040200 4230000;19539.25;2\n20240912 040201 0000000;19539;2\n",
		found{"NinjaTrader ticks", "NQ 12-24", 1, "trade", "real", "UTC", 0, true, "2024-09-12 04:02:00", 2},
	},
	{
		"EURUSD_Candlestick_1_M_BID_26.03.2025-27.03.2025.csv", "Local time,Open,High,Low,Close,Volume\n26.03.2025 00:00:00.000,1.5,1.75,1.25,1.5,12.5\n26.03.2025 00:01:00.000,1.5,1.75,1.25,1.5,12.5\n",
		found{"Dukascopy", "EURUSD", 60, "bid", "real", "", 0, true, "2025-03-26 00:00:00", 2},
	},
	{
		"AAPL_full_1min_UNADJUSTED.txt", "2024-01-02 09:30:00,10,12,9,11,100\n2024-01-02 09:31:00,11,12,9,11,200\n",
		found{"FirstRate Data", "AAPL", 60, "trade", "real", newYork, 0, true, "2024-01-02 09:30:00", 2},
	},
	{
		"minutes.txt", "20240912 040200;1.5;1.5;1.25;1.25;4\n20240912 040300;1.5;1.5;1.25;1.25;4\n",
		found{"NinjaTrader or HistData", "MINUTES", 60, "trade", "real", "", 0, false, "2024-09-12 04:02:00", 2},
	},
	{
		"DAT_ASCII_EURUSD_M1_202402.csv", "20240201 000000;1.0866;1.0867;1.0865;1.0866;0\n20240201 000100;1.0866;1.0866;1.0866;1.0866;0\n",
		found{"HistData", "EURUSD", 60, "bid", "none", "-05:00", 0, true, "2024-02-01 00:00:00", 2},
	},
	{
		"DAT_MT_EURUSD_M1_202402.csv", "2024.02.01,00:00,1.0866,1.0867,1.0865,1.0866,0\n",
		found{"HistData", "EURUSD", 60, "bid", "none", "-05:00", 0, true, "2024-02-01 00:00:00", 1},
	},
	{
		"DAT_ASCII_EURUSD_T_202402.csv", "20240201 000003660,1.0866,1.0868,0\n20240201 000003973,1.0865,1.0867,0\n20240201 000014990,1.0864,1.0866,0\n",
		found{"HistData ticks", "EURUSD", 1, "bid", "none", "-05:00", 0, true, "2024-02-01 00:00:03", 2},
	},
	{
		"EURUSD60.csv", "2023.11.29,12:00,1.36171,1.36183,1.35966,1.36066,3593\n2023.11.29,13:00,1.36066,1.36150,1.36055,1.36087,2231\n",
		found{"MetaTrader 4", "EURUSD", 3600, "bid", "ticks", "", 0, true, "2023-11-29 12:00:00", 2},
	},
	{
		"XAUUSD_M1_202602160207_202602272357.csv", "<DATE>\t<TIME>\t<OPEN>\t<HIGH>\t<LOW>\t<CLOSE>\t<TICKVOL>\t<VOL>\t<SPREAD>\r\n2026.02.16\t02:07:00\t5010.50\t5014.78\t5010.50\t5014.77\t271\t0\t19\r\n2026.02.16\t02:08:00\t5010.50\t5014.78\t5010.50\t5014.77\t271\t0\t19\r\n",
		found{"MetaTrader 5", "XAUUSD", 60, "bid", "ticks", "", 0, true, "2026-02-16 02:07:00", 2},
	},
	{
		"XAUUSD_Daily.csv", "<DATE>\t<OPEN>\t<HIGH>\t<LOW>\t<CLOSE>\t<TICKVOL>\t<VOL>\t<SPREAD>\n2026.02.16\t5010.50\t5014.78\t5010.50\t5014.77\t271\t5\t19\n2026.02.17\t5010.50\t5014.78\t5010.50\t5014.77\t271\t7\t19\n",
		found{"MetaTrader 5", "XAUUSD", 86400, "bid", "real", "UTC", 0, true, "2026-02-16 00:00:00", 2},
	},
	{
		"EURUSD5.csv", "time,open,high,low,close,tick_volume,spread,real_volume\n2025-04-05 01:05:00,1.09494,1.09501,1.09467,1.09491,487,0,0\n",
		found{"MetaTrader 5 (Python)", "EURUSD", 300, "bid", "ticks", "", 0, true, "2025-04-05 01:05:00", 1},
	},
	{
		"EURUSD5.csv", "time,open,high,low,close,tick_volume,spread,real_volume\n1743815100,1.09494,1.09501,1.09467,1.09491,487,0,0\n",
		found{"MetaTrader 5 (Python)", "EURUSD", 300, "bid", "ticks", "", 0, true, "2025-04-05 01:05:00", 1},
	},
	{
		"ES.txt", "Date, Time, Open, High, Low, Last, Volume, # of Trades, OHLC Avg\n2022/5/1, 18:00:00.0, 4144.00, 4144.00, 4131.50, 4135.50, 2084, 1175, 4138.75\n2022/5/1, 18:01:00.0, 4135.50, 4136.00, 4131.50, 4135.50, 2084, 1175, 4138.75\n",
		found{"Sierra Chart", "ES", 60, "trade", "real", "", 0, true, "2022-05-01 18:00:00", 2},
	},
	{
		"aapl.us.txt", "<TICKER>,<PER>,<DATE>,<TIME>,<OPEN>,<HIGH>,<LOW>,<CLOSE>,<VOL>,<OPENINT>\r\nAAPL.US,D,20240907,000000,0.40934,0.41431,0.40439,0.40934,24044444,0\r\n",
		found{"Stooq", "AAPL.US", 86400, "trade", "real", "UTC", 0, true, "2024-09-07 00:00:00", 1},
	},
	{
		"aapl.us.txt", "<TICKER>,<PER>,<DATE>,<TIME>,<OPEN>,<HIGH>,<LOW>,<CLOSE>,<VOL>,<OPENINT>\nAAPL.US,5,20240907,153500,1,2,1,2,3,0\n",
		found{"Stooq", "AAPL.US", 300, "trade", "real", "Europe/Warsaw", 0, false, "2024-09-07 15:35:00", 1},
	},
	{
		"YHOO.csv", "Date,Open,High,Low,Close,Adj Close,Volume\n2024-01-02,40.369999,40.490002,39.310001,39.590000,39.590000,21504200\n2024-01-03,40,41,39,40,40,null\n",
		found{"Yahoo", "YHOO", 86400, "trade", "real", "UTC", 0, true, "2024-01-02 00:00:00", 2},
	},
	{
		"4063.T.csv", "Date,Open,High,Low,Close,Volume,Dividends,Stock Splits\n2024-04-14 00:00:00+09:00,4126,4130,4055,4129,7459400,0,0\n2024-04-13 00:00:00+09:00,4064,4099,4026,4081,5160200,0,0\n",
		found{"yfinance", "4063.T", 86400, "trade", "real", "UTC", 0, true, "2024-04-13 00:00:00", 2},
	},
	{
		"IBM.csv", "timestamp,open,high,low,close,volume\n2024-03-18 19:20:00,128.61,128.61,128.61,128.61,172\n2024-03-18 19:15:00,128.60,128.60,128.60,128.60,100\n",
		found{"Alpha Vantage", "IBM", 300, "trade", "real", newYork, market.CloseStamp, true, "2024-03-18 19:15:00", 2},
	},
	{
		"AAPL_1min_sample.csv", "timestamp,open,high,low,close,volume\n2026-01-26 04:00:00,248.5000,248.5900,248.3000,248.5900,1568\n2026-01-26 04:01:00,248.7400,248.8500,248.5600,248.5600,7.917E-05\n",
		found{"FirstRate Data", "AAPL", 60, "trade", "real", newYork, 0, true, "2026-01-26 04:00:00", 2},
	},
	{
		"SPX_1min.txt", "2026-06-10 09:30:00,7350.54,7355.29,7347.23,7348.74\r\n2026-06-10 09:31:00,7350.54,7355.29,7347.23,7348.74\r\n",
		found{"FirstRate Data", "SPX", 60, "trade", "none", newYork, 0, true, "2026-06-10 09:30:00", 2},
	},
	{
		"MSFT.txt", "12/31/2024,09:30,420.5,421,420,420.75,1500\n12/31/2024,09:31,420.5,421,420,420.75,1500\n",
		found{"Kibot", "MSFT", 60, "trade", "real", newYork, 0, true, "2024-12-31 09:30:00", 2},
	},
	{
		"MSFT.txt", "12/30/2024,420.5,421,420,420.75,1500\n12/31/2024,420.5,421,420,420.75,1500\n",
		found{"Kibot", "MSFT", 86400, "trade", "real", "UTC", 0, true, "2024-12-30 00:00:00", 2},
	},
	{
		"ALGOUSDT-1m-2026-02.csv", "open_time,open,high,low,close,volume,close_time,quote_volume,count,taker_buy_volume,taker_buy_quote_volume,ignore\n1769904000000,0.1038,0.1040,0.1037,0.1040,242160.4,1769904059999,25142.90126,102,126196.5,13109.51126,0\n",
		found{"Binance", "ALGOUSDT", 60, "trade", "real", "UTC", 0, true, "2026-02-01 00:00:00", 1},
	},
	{
		"BTCUSDT-1m-2025-02.csv", "1769904000000000,0.1038,0.1040,0.1037,0.1040,242160.4,1769904059999999,25142.9,102,126196.5,13109.5,0\n",
		found{"Binance", "BTCUSDT", 60, "trade", "real", "UTC", 0, true, "2026-02-01 00:00:00", 1},
	},
	{
		"XBTUSD_1440.csv", "1713017600,122.0,122.0,122.0,122.0,0.1,1\n1713104000,123.61,123.61,123.61,123.61,0.1,1\n",
		found{"Kraken", "XBTUSD", 86400, "trade", "real", "UTC", 0, true, "2024-04-13 14:13:20", 2},
	},
	{
		"EURUSD_Candlestick_1_m_BID.csv", "Gmt time,Open,High,Low,Close,Volume\n26.03.2025 00:00:00.000,1.21225,1.21363,1.2056,1.20676,165.5\n26.03.2025 00:01:00.000,1.21225,1.21363,1.2056,1.20676,165.5\n",
		found{"Dukascopy", "EURUSD", 60, "bid", "real", "UTC", 0, true, "2025-03-26 00:00:00", 2},
	},
	{
		"eurusd-d1-bid-2021.csv", "timestamp,open,high,low,close,volume\n1612137600000,1.21225,1.21363,1.2056,1.20676,165569.8187\n1612224000000,1.20676,1.20877,1.20115,1.20365,147916.4607\n",
		found{"Dukascopy", "EURUSD", 86400, "bid", "real", "UTC", 0, true, "2021-02-01 00:00:00", 2},
	},
	{
		"ohlcv-1m.csv", "ts_event,rtype,publisher_id,instrument_id,open,high,low,close,volume,symbol\n2026-01-05T14:30:00.000000000Z,33,1,42083748,94800.0,95800.0,93800.0,95300.0,900,MBTF6\n",
		found{"Databento", "MBTF6", 60, "trade", "real", "UTC", 0, true, "2026-01-05 14:30:00", 1},
	},
	{
		"2025-04-16.csv", "ticker,volume,open,close,high,low,window_start,transactions\nAAPL,4930,200.29,200.5,200.63,200.29,1744792500000000000,129\nAAPL,1815,200.39,200.34,200.61,200.34,1744792560000000000,57\n",
		found{"Massive", "AAPL", 60, "trade", "real", "UTC", 0, true, "2025-04-16 08:35:00", 2},
	},
	{
		"SPX.csv", "date,open,high,low,close,volume,average,barCount\n2024-07-24 13:30:00+00:00,5505.84,5506.78,5501.68,5506.25,-1,0,59\n2024-07-24 13:31:00+00:00,5505.84,5506.78,5501.68,5506.25,-1,0,59\n",
		found{"Interactive Brokers", "SPX", 60, "trade", "none", "UTC", 0, true, "2024-07-24 13:30:00", 2},
	},
	{
		"AAPL.csv", "Datetime,Open,High,Low,Close,Adj Close,Volume\n2026-01-05 14:30:00+00:00,10,12,9,11,11,5\n2026-01-05 14:31:00+00:00,11,12,9,11,11,5\n",
		found{"yfinance", "AAPL", 60, "trade", "real", "UTC", 0, true, "2026-01-05 14:30:00", 2},
	},
	{
		"GE.csv", "Date,Open,High,Low,Close,Volume\n2026-01-02,10,12,9,11,5\n2026-01-05,11,12,9,11,5\n", // a weekend between two days
		found{"Stooq", "GE", 86400, "trade", "real", "UTC", 0, true, "2026-01-02 00:00:00", 2},
	},
	{
		"DAX.txt", "Date,Time,Open,High,Low,Close,Volume,OpenInterest\n2026-01-02,09:05:00,3578.73,3587.88,3578.73,3582.99,0,0\n2026-01-02,09:10:00,3578.73,3587.88,3578.73,3582.99,0,0\n",
		found{"Visual Chart", "DAX", 300, "trade", "none", "", market.CloseStamp, true, "2026-01-02 09:05:00", 2},
	},
}

func TestLayouts(t *testing.T) {
	t.Parallel()
	for _, test := range layoutTests {
		t.Run(test.want.Layout+" "+test.file, func(t *testing.T) {
			t.Parallel()
			file, err := files.Read(t.Context(), strings.NewReader(test.lines), test.file, limits)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, describe(t, file)); diff != "" {
				t.Errorf("the series differs (-want +got):\n%s", diff)
			}
			if file.ErrorCount != 0 {
				t.Errorf("errors: %v", file.Errors)
			}
			// The same file packed with gzip, as MetaTrader writes it, in UTF-16, and
			// with old programs' line ends.
			returns := strings.ReplaceAll(strings.ReplaceAll(test.lines, "\r\n", "\n"), "\n", "\r")
			for name, packed := range map[string][]byte{"gzip": pack(test.lines), "UTF-16": toUTF16(test.lines), "returns": []byte(returns)} {
				again, err := files.Read(t.Context(), bytes.NewReader(packed), test.file, limits)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if diff := cmp.Diff(describe(t, file), describe(t, again)); diff != "" {
					t.Errorf("%s: the series differs (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}

func pack(text string) []byte {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return packed.Bytes()
}

func toUTF16(text string) []byte {
	packed := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(text)) {
		packed = append(packed, byte(unit), byte(unit>>8))
	}
	return packed
}

// barsOf returns all bars in the first series, at the first block's scales.
func barsOf(t *testing.T, file *files.File) (bars []market.Bar) {
	t.Helper()
	for block := range file.Series[0].Blocks() {
		bars = append(bars, block.Bars...)
	}
	return bars
}

func TestDamagedRowsAreLeftOut(t *testing.T) {
	t.Parallel()
	text := "time,open,high,low,close,Volume\n" +
		"1735828200,10,12,9,11,5\n" +
		"yesterday,10,12,9,11,5\n" +
		"1735828260,ten,12,9,11,5\n" +
		"1735828320,10,9,9,11,5\n" +
		"1735828380,10,12,11,11,5\n" +
		"1735828440,10,12,9,11,x\n" +
		"\n" +
		"1735828500,10,12\n" +
		"1735828560,10,99999999999999999999,9,11,5\n" +
		"1735828620,10,12.5,9,11,\n"
	file, err := files.Read(t.Context(), strings.NewReader(text), "ES.csv", limits)
	if err != nil {
		t.Fatal(err)
	}
	want := []files.RowError{
		{Row: 3, Reason: "The time can't be read."},
		{Row: 4, Reason: "The open isn't a number."},
		{Row: 5, Reason: "The high is below the open, the low or the close."},
		{Row: 6, Reason: "The low is above the open or the close."},
		{Row: 7, Reason: "The volume isn't a number."},
		{Row: 9, Reason: "The low isn't a number."},
		{Row: 10, Reason: "The high isn't a number."},
	}
	if diff := cmp.Diff(want, file.Errors); diff != "" {
		t.Errorf("the errors differ (-want +got):\n%s", diff)
	}
	if file.Rows != file.ErrorCount+len(barsOf(t, file)) {
		t.Errorf("%d rows, %d errors, %d bars", file.Rows, file.ErrorCount, len(barsOf(t, file)))
	}
	wantBars := []market.Bar{
		{Time: 1735828200, Open: 100, High: 120, Low: 90, Close: 110, Volume: 5},
		{Time: 1735828620, Open: 100, High: 125, Low: 90, Close: 110},
	}
	if diff := cmp.Diff(wantBars, barsOf(t, file)); diff != "" {
		t.Errorf("the bars differ (-want +got):\n%s", diff)
	}
}

func TestRepeatedBarsAreConflictsIfTheyDiffer(t *testing.T) {
	t.Parallel()
	text := "time,open,high,low,close\n1735828200,10,12,9,11\n1735914600,1,1,1,1\n1735828200,10,12,9,11\n1735828200,10,12,9,10\n"
	file, err := files.Read(t.Context(), strings.NewReader(text), "ES, 5.csv", limits)
	if err != nil {
		t.Fatal(err)
	}
	if s := file.Series[0]; s.Conflicts != 1 || s.Count() != 2 {
		t.Errorf("%d conflicts and %d bars, not 1 and 2", s.Conflicts, s.Count())
	}
	if bars := barsOf(t, file); bars[0].Close != 10 {
		t.Errorf("the last one does not win: %+v", bars)
	}
}

// TestRealVolumeWins has MetaTrader's two volumes: real volumes count if any row has
// one, also for the rows before it.
func TestRealVolumeWins(t *testing.T) {
	t.Parallel()
	text := "<DATE>\t<TIME>\t<OPEN>\t<HIGH>\t<LOW>\t<CLOSE>\t<TICKVOL>\t<VOL>\t<SPREAD>\n" +
		"2026.02.16\t02:07:00\t5\t5\t5\t5\t271\t0\t19\n2026.02.16\t02:08:00\t5\t5\t5\t5\t300\t7\t19\n2026.02.16\t02:09:00\t5\t5\t5\t5\t300\t0\t19\n"
	file, err := files.Read(t.Context(), strings.NewReader(text), "DAX.csv", limits)
	if err != nil {
		t.Fatal(err)
	}
	var volumes []int64
	for _, bar := range barsOf(t, file) {
		volumes = append(volumes, bar.Volume)
	}
	if s := file.Series[0]; s.VolumeKind != market.RealVolume || !cmp.Equal(volumes, []int64{0, 7, 0}) {
		t.Errorf("volumes of kind %s: %v", s.VolumeKind, volumes)
	}
}

func TestManySymbolsInOneFile(t *testing.T) {
	t.Parallel()
	text := "ticker,volume,open,close,high,low,window_start,transactions\n"
	for _, symbol := range []string{"A", "AA", "A", "B"} {
		text += symbol + ",1,2,2,2,2,1744792500000000000,1\n"
	}
	file, err := files.Read(t.Context(), strings.NewReader(text), "2025-04-16.csv", limits)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, s := range file.Series {
		counts[s.Symbol] = s.Count()
	}
	if diff := cmp.Diff(map[string]int{"A": 1, "AA": 1, "B": 1}, counts); diff != "" {
		t.Errorf("the series differ (-want +got):\n%s", diff)
	}
}

func TestRefusedFiles(t *testing.T) {
	t.Parallel()
	good := "time,open,high,low,close\n" + strings.Repeat("1735828200,10,12,9,11\n", 50)
	packed := pack(good)
	tests := []struct {
		name, content string
		limits        files.Limits
		want          error
	}{
		{"empty", "", limits.Limits, files.ErrNoBars},
		{"header only", "time,open,high,low,close\n", limits.Limits, files.ErrNoBars},
		{"no row can be read", "time,open,high,low,close\nx,1,1,1,1\n", limits.Limits, files.ErrNoBars},
		{"fills of a broker", "Symbol,Side,Qty,Price,Time\nES,Buy,1,5000,2025-01-02 10:00\n", limits.Limits, files.ErrUnknownLayout},
		{"a picture", "\x89PNG\x0d\x0a\x1a\x0a\x00\x00", limits.Limits, files.ErrUnknownLayout},
		{"a packed file that is cut off", string(packed[:len(packed)-6]), limits.Limits, files.ErrDamaged},
		{"a packed file with a wrong byte", string(packed[:len(packed)-20]) + "\xff\xff" + string(packed[len(packed)-18:]), limits.Limits, files.ErrDamaged},
		{"a very long line", "time,open,high,low,close\n" + strings.Repeat("1", 1<<17), limits.Limits, files.ErrDamaged},
		{"too many bars", good, files.Limits{Bytes: 1 << 20, Bars: 49}, files.LimitError{What: "bars", Limit: 49}},
		{"too many bytes", good, files.Limits{Bytes: 500, Bars: 1000}, files.LimitError{What: "bytes", Limit: 500}},
		{"too many bytes unpacked", string(packed), files.Limits{Bytes: 500, Bars: 1000}, files.LimitError{What: "bytes", Limit: 500}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if _, err := files.Read(t.Context(), strings.NewReader(test.content), "ES.csv", files.Options{Limits: test.limits}); !errors.Is(err, test.want) {
				t.Errorf("the error is %v, not %v", err, test.want)
			}
		})
	}
}

func packZip(t *testing.T, content map[string]string) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	for name, text := range content {
		member, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = member.Write([]byte(text))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

func TestZip(t *testing.T) {
	t.Parallel()
	packed := packZip(t, map[string]string{
		"data/BTCUSDT-1m-2025-02.csv":     "1769904000000,1,1,1,1,1,1769904059999,1,1,1,1,0\n",
		"BTCUSDT-1m-2025-02.csv.CHECKSUM": "0123  BTCUSDT-1m-2025-02.zip\n",
	})
	list, err := files.ReadZip(t.Context(), bytes.NewReader(packed), int64(len(packed)), limits)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 || list[0].Series[0].Symbol != "BTCUSDT" {
		t.Errorf("the archive has %d files with bars", len(list))
	}
}

// TestZipWithOtherFiles has other archive contents besides bars: reports, macOS notes
// about each file, and endings in capitals.
func TestZipWithOtherFiles(t *testing.T) {
	t.Parallel()
	const row = "20240201 000000;1.0866;1.0867;1.0865;1.0866;0\n"
	packed := packZip(t, map[string]string{
		"DAT_ASCII_EURUSD_M1_202402.CSV":            row,
		"DAT_ASCII_EURUSD_M1_202402.txt":            "File DAT_ASCII_EURUSD_M1_202402.csv status report\nGap of 72s found.\n",
		"__MACOSX/._DAT_ASCII_EURUSD_M1_202402.csv": "\x00\x05\x16\x07",
	})
	list, err := files.ReadZip(t.Context(), bytes.NewReader(packed), int64(len(packed)), limits)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, file := range list {
		if found[file.Name] = len(file.Series); (file.Refused != nil) != (len(file.Series) == 0) {
			t.Errorf("%s has %d series and the error %v", file.Name, len(file.Series), file.Refused)
		}
	}
	if diff := cmp.Diff(map[string]int{"DAT_ASCII_EURUSD_M1_202402.CSV": 1, "DAT_ASCII_EURUSD_M1_202402.txt": 0}, found); diff != "" {
		t.Errorf("the files differ (-want +got):\n%s", diff)
	}
	reports := packZip(t, map[string]string{"report.txt": "Status report\nGap of 72s found.\n"})
	if _, err := files.ReadZip(t.Context(), bytes.NewReader(reports), int64(len(reports)), limits); !errors.Is(err, files.ErrUnknownLayout) {
		t.Errorf("without any bars the error is %v", err)
	}
}

// TestDamagedArchive changes every byte in the packed content: the archive is refused as
// damaged or is read, and no other error occurs.
func TestDamagedArchive(t *testing.T) {
	t.Parallel()
	packed := packZip(t, map[string]string{"ES.csv": "time,open,high,low,close\n" + strings.Repeat("1735828200,10,12,9,11\n", 20)})
	damaged := 0
	for i := 30; i < len(packed); i++ {
		changed := bytes.Clone(packed)
		changed[i] ^= 0xff
		_, err := files.ReadAll(t.Context(), bytes.NewReader(changed), int64(len(changed)), "ES.zip", limits)
		switch {
		case errors.Is(err, files.ErrDamaged):
			damaged++
		case err != nil && !errors.Is(err, files.ErrNoBars) && !errors.Is(err, files.ErrUnknownLayout):
			t.Errorf("byte %d: the error is %v", i, err)
		}
	}
	if damaged == 0 {
		t.Error("no archive was damaged")
	}
}

func TestOrderOfDayAndMonth(t *testing.T) {
	t.Parallel()
	const header = "Date,Time,Open,High,Low,Close,Volume\n"
	tests := []struct {
		name, rows string
		want       []string // the days with bars
		errors     int
	}{
		{"the month first", "01/02/2026,09:35,1,1,1,1,1\n01/13/2026,09:35,1,1,1,1,1\n", []string{"2026-01-02", "2026-01-13"}, 0},
		{"the day first", "01/02/2026,09:35,1,1,1,1,1\n13/02/2026,09:35,1,1,1,1,1\n", []string{"2026-02-01", "2026-02-13"}, 0},
		{"points, the day first", "01.02.2026,09:35,1,1,1,1,1\n02.02.2026,09:35,1,1,1,1,1\n", []string{"2026-02-01", "2026-02-02"}, 0},
		{"points, the month first", "01.02.2026,09:35,1,1,1,1,1\n01.13.2026,09:35,1,1,1,1,1\n", []string{"2026-01-02", "2026-01-13"}, 0},
		{"both", "01/13/2026,09:35,1,1,1,1,1\n13/01/2026,09:35,1,1,1,1,1\n", []string{"2026-01-13"}, 1},
		{"both, after others", "01/02/2026,09:35,1,1,1,1,1\n13/02/2026,09:35,1,1,1,1,1\n02/13/2026,09:35,1,1,1,1,1\n", []string{"2026-02-01", "2026-02-13"}, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			archive := packZip(t, map[string]string{"DAX.txt": header + test.rows})
			for name, content := range map[string][]byte{"plain": []byte(header + test.rows), "gzip": pack(header + test.rows), "zip": archive} {
				list, err := files.ReadAll(t.Context(), bytes.NewReader(content), int64(len(content)), "DAX.txt", limits)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				var days []string
				for _, bar := range barsOf(t, list[0]) {
					days = append(days, time.Unix(bar.Time, 0).UTC().Format(time.DateOnly))
				}
				if !cmp.Equal(days, test.want) || list[0].ErrorCount != test.errors {
					t.Errorf("%s: %v with %d errors, not %v with %d", name, days, list[0].ErrorCount, test.want, test.errors)
				}
			}
		})
	}
}

func TestDecimalCommas(t *testing.T) {
	t.Parallel()
	text := "time;open;high;low;close;Volume\n1735828200;10,25;12;9,5;11,75;1,5\n1735828260;1.234,5;1300;9;11;1\n"
	file, err := files.Read(t.Context(), strings.NewReader(text), "ES, 1.csv", limits)
	if err != nil {
		t.Fatal(err)
	}
	want := []market.Bar{{Time: 1735828200, Open: 1025, High: 1200, Low: 950, Close: 1175, Volume: 15}}
	if diff := cmp.Diff(want, barsOf(t, file)); diff != "" || file.ErrorCount != 1 {
		t.Errorf("%d errors; the bars differ (-want +got):\n%s", file.ErrorCount, diff)
	}
}

// TestFileNames has names given to files by programs and browsers.
func TestFileNames(t *testing.T) {
	t.Parallel()
	type named struct {
		Symbol string
		Secs   int64
		Price  market.PriceKind
	}
	const header = "Gmt time,Open,High,Low,Close,Volume\n26.03.2025 00:00:00.000,1,1,1,1,1\n"
	for name, want := range map[string]named{
		"CME_MINI_ES1!, 5 (1).csv":                             {"ES1!", 300, market.BidPrice},
		"BINANCE_BTCUSDT, 1M.csv":                              {"BTCUSDT", 0, market.BidPrice},
		"intraday_5min_IBM.csv":                                {"IBM", 300, market.BidPrice},
		"daily_IBM.csv":                                        {"IBM", 86400, market.BidPrice},
		"ES_H26_1min.txt":                                      {"ESH26", 60, market.BidPrice},
		"AAPL_full_1min_UNADJUSTED.txt":                        {"AAPL", 60, market.BidPrice},
		"AAPL_full_1hour_UNADJUSTED.txt":                       {"AAPL", 3600, market.BidPrice},
		"EURUSD_M15.csv":                                       {"EURUSD", 900, market.BidPrice},
		"EURUSD_H4_202601010000_202602010000.csv":              {"EURUSD", 14400, market.BidPrice},
		"XAUUSD_Daily_202601010000_202602010000.csv":           {"XAUUSD", 86400, market.BidPrice},
		"eurusd-m1-ask-2026-01-01-2026-02-01.csv":              {"EURUSD", 60, market.AskPrice},
		"EURUSD_Candlestick_1_M_ASK_01.01.2026-31.01.2026.csv": {"EURUSD", 60, market.AskPrice},
		"ESM26-CME.txt":                                        {"ESM26", 0, market.BidPrice},
		"ESM26_FUT_CME.txt":                                    {"ESM26", 0, market.BidPrice},
	} {
		file, err := files.Read(t.Context(), strings.NewReader(header), name, limits)
		if err != nil {
			t.Fatal(err)
		}
		s := file.Series[0]
		if diff := cmp.Diff(want, named{s.Symbol, s.Secs, s.PriceKind}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestZipLimit: the limit is for all unpacked files in an archive.
func TestZipLimit(t *testing.T) {
	t.Parallel()
	inner := string(pack("time,open,high,low,close\n" + strings.Repeat("1735828200,10,12,9,11\n", 50))) // 1.1 kB
	packed := packZip(t, map[string]string{"ES.csv.gz": inner, "NQ.csv.gz": inner})
	for _, limit := range []int64{1500, 2500} {
		_, err := files.ReadZip(t.Context(), bytes.NewReader(packed), int64(len(packed)), files.Options{Limits: files.Limits{Bytes: limit, Bars: 1000}})
		var want error
		if limit < 2000 {
			want = files.LimitError{What: "bytes", Limit: limit}
		}
		if !errors.Is(err, want) {
			t.Errorf("with a limit of %d bytes the error is %v", limit, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("EURUSD60.csv", []byte("2023.11.29,12:00,1.36171,1.36183,1.35966,1.36066,3593\n"))
	f.Add("x", newHST(401))
	f.Add("x", newSCID())
	f.Add("x", newDBN(dbnOptions{version: 1}))
	f.Add("x", packZstd(f, newDBN(dbnOptions{version: 2})))
	f.Add("ES, 5.csv", []byte("time,open,high,low,close\n1735828200,10,12,9,11\n"))
	f.Fuzz(func(t *testing.T, name string, content []byte) {
		file, err := files.Read(t.Context(), bytes.NewReader(content), name, files.Options{Limits: files.Limits{Bytes: 1 << 16, Bars: 1000}})
		if err != nil {
			return
		}
		for _, s := range file.Series {
			for block := range s.Blocks() {
				for _, bar := range block.Bars {
					if bar.Check() != nil {
						t.Fatalf("a bar is not valid: %+v", bar)
					}
				}
			}
		}
	})
}
