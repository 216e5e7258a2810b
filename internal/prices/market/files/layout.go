package files

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/prices/market"
)

// layout is how a program or vendor writes bars.
type layout struct {
	name string
	// header are names required in the header, in lower case without brackets, or nil if
	// the layout has none.
	header []string
	// columns are the column roles in a layout without a header, in order.
	columns []role
	// file is a pattern for the file's name, or nil.
	file func() *regexp.Regexp
	// accepts checks the first data row, if the header does not decide.
	accepts func(first row) bool

	zone       string // the zone for times without an offset, or empty if unknown
	stamp      market.Stamp
	stampKnown bool
	price      market.PriceKind
	volume     market.VolumeKind
	ticks      bool // rows are trades or quotes, not bars
	// localUnix means numbers since 1970 count by the broker's clock.
	localUnix bool
	// nanoPrices means prices may be integers with nine decimals, as in the vendor's
	// binary files.
	nanoPrices bool
	// datesAreDays means midnight with an offset is read as its date: yfinance.
	datesAreDays bool
}

// role is what a column contains.
type role int

const (
	ignored role = iota
	timeColumn
	clockColumn // the time, if it has its own column
	openColumn
	highColumn
	lowColumn
	closeColumn
	volumeColumn
	tickVolumeColumn
	symbolColumn
	periodColumn // the bar length: Stooq
	recordColumn // the record kind: Databento
	priceColumn  // a tick's price
)

// roleNames are the column names in headers.
var roleNames = map[string]role{
	"time": timeColumn, "date": timeColumn, "datetime": timeColumn, "timestamp": timeColumn, "gmt time": timeColumn,
	"local time": timeColumn, "open_time": timeColumn, "window_start": timeColumn, "ts_event": timeColumn,
	"open": openColumn, "high": highColumn, "low": lowColumn, "close": closeColumn, "last": closeColumn,
	"volume": volumeColumn, "vol": volumeColumn, "real_volume": volumeColumn,
	"tickvol": tickVolumeColumn, "tick_volume": tickVolumeColumn,
	"ticker": symbolColumn, "symbol": symbolColumn, "per": periodColumn, "rtype": recordColumn,
}

const (
	newYorkZone = "America/New_York"
	estAllYear  = "-05:00"
)

var (
	ohlcv      = []role{timeColumn, openColumn, highColumn, lowColumn, closeColumn, volumeColumn}
	ohlc       = ohlcv[:5]
	clockOHLCV = []role{timeColumn, clockColumn, openColumn, highColumn, lowColumn, closeColumn, volumeColumn}
	nameOfMT4  = lazyregexp.New(`(?i)dat_mt_`)
	ascii      = lazyregexp.New(`(?i)dat_ascii_`)
	ninja      = lazyregexp.New(`(?i)\.(last|bid|ask)\.txt$`)
)

// layouts are all text layouts. The first that fits is taken, so those with more names in
// the header come first.
var layouts = []layout{
	{name: "Binance", header: []string{"open_time", "open", "high", "low", "close", "volume", "close_time"}, zone: "UTC", stampKnown: true},
	{name: "Databento", header: []string{"ts_event", "rtype", "open", "high", "low", "close", "volume"}, zone: "UTC", stampKnown: true, nanoPrices: true},
	{name: "Massive", header: []string{"ticker", "window_start", "open", "close", "high", "low"}, zone: "UTC", stampKnown: true},
	{name: "Stooq", header: []string{"ticker", "per", "date", "time", "open", "high", "low", "close"}, zone: "Europe/Warsaw"},
	{name: "MetaTrader 5", header: []string{"date", "open", "high", "low", "close", "tickvol", "vol"}, stampKnown: true, price: market.BidPrice},
	{name: "MetaTrader 5 (Python)", header: []string{"time", "open", "high", "low", "close", "tick_volume"}, stampKnown: true, price: market.BidPrice, localUnix: true},
	{name: "Sierra Chart", header: []string{"date", "time", "open", "high", "low", "last", "volume"}, stampKnown: true},
	{name: "Interactive Brokers", header: []string{"date", "open", "high", "low", "close", "average", "barcount"}, stampKnown: true},
	{name: "yfinance", header: []string{"open", "high", "low", "close", "dividends", "stock splits"}, stampKnown: true, datesAreDays: true},
	{name: "yfinance", header: []string{"datetime", "open", "high", "low", "close"}, stampKnown: true, datesAreDays: true},
	{name: "Yahoo", header: []string{"date", "open", "high", "low", "close", "adj close"}, stampKnown: true},
	{name: "Visual Chart", header: []string{"date", "time", "open", "high", "low", "close"}, stamp: market.CloseStamp, stampKnown: true},
	{name: "Dukascopy", header: []string{"gmt time", "open", "high", "low", "close"}, zone: "UTC", stampKnown: true, price: market.BidPrice},
	{name: "Dukascopy", header: []string{"local time", "open", "high", "low", "close"}, stampKnown: true, price: market.BidPrice},
	{name: "Dukascopy", header: []string{"timestamp", "open", "high", "low", "close"}, accepts: isUnix, stampKnown: true, price: market.BidPrice},
	{name: "FirstRate Data", header: []string{"timestamp", "open", "high", "low", "close"}, zone: newYorkZone, stampKnown: true},
	{name: "TradingView", header: []string{"time", "open", "high", "low", "close"}, stampKnown: true},
	{name: "Stooq", header: []string{"date", "open", "high", "low", "close"}, stampKnown: true},

	{name: "Binance", columns: append(append([]role{}, ohlcv...), make([]role, 6)...), accepts: isUnix, zone: "UTC", stampKnown: true},
	{name: "Kraken", columns: append(append([]role{}, ohlcv...), ignored), accepts: isUnix, zone: "UTC", stampKnown: true},
	{name: "HistData", columns: ohlcv, file: ascii, accepts: isCompact, zone: estAllYear, stampKnown: true, price: market.BidPrice},
	{name: "HistData", columns: clockOHLCV, file: nameOfMT4, accepts: hasDotDate, zone: estAllYear, stampKnown: true, price: market.BidPrice},
	{name: "HistData ticks", columns: []role{timeColumn, priceColumn, ignored, ignored}, file: ascii, zone: estAllYear, price: market.BidPrice, ticks: true},
	{name: "NinjaTrader", columns: ohlcv, file: ninja, accepts: isCompact, zone: "UTC", stamp: market.CloseStamp, stampKnown: true},
	{name: "NinjaTrader ticks", columns: []role{timeColumn, priceColumn, ignored, ignored, volumeColumn}, file: ninja, zone: "UTC", ticks: true},
	{name: "NinjaTrader ticks", columns: []role{timeColumn, priceColumn, volumeColumn}, file: ninja, zone: "UTC", ticks: true},
	{name: "MetaTrader 4", columns: clockOHLCV, accepts: hasDotDate, stampKnown: true, price: market.BidPrice, volume: market.TickVolume},
	{name: "Kibot", columns: clockOHLCV, accepts: hasSlashDate, zone: newYorkZone, stampKnown: true},
	{name: "Kibot", columns: ohlcv, accepts: hasSlashDate, zone: newYorkZone, stampKnown: true},
	{name: "NinjaTrader or HistData", columns: ohlcv, accepts: isCompact},
	{name: "FirstRate Data", columns: ohlcv, accepts: hasDashDate, zone: newYorkZone, stampKnown: true},
	{name: "FirstRate Data", columns: ohlc, accepts: hasDashDate, zone: newYorkZone, stampKnown: true},
}

func isUnix(first row) bool {
	_, ok := parseUnix(first.cell(0))
	return ok
}

// isCompact accepts 20250131 and 20250131 093000.
func isCompact(first row) bool {
	date, _ := cutClock(first.cell(0))
	_, ok := atoi(date)
	return ok && len(date) == 8
}

func hasDotDate(first row) bool   { return hasSeparator(first, '.') }
func hasSlashDate(first row) bool { return hasSeparator(first, '/') }
func hasDashDate(first row) bool  { return hasSeparator(first, '-') }

func hasSeparator(first row, separator byte) bool {
	cell := first.cell(0)
	return len(cell) >= 8 && (cell[2] == separator || cell[1] == separator || cell[4] == separator)
}

// loadZone returns a layout's zone, or nil if it has none. The names are constants in the
// table, which a test loads.
func loadZone(name string) *time.Location {
	switch name {
	case "":
		return nil
	case estAllYear:
		return time.FixedZone(estAllYear, -5*60*60)
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		panic("files: zone of a layout: " + err.Error())
	}
	return zone
}

// fits reports whether a file with the name, header and first row has the layout.
func (l layout) fits(name string, header []string, first row) bool {
	if l.file != nil && !l.file().MatchString(path.Base(name)) {
		return false
	}
	if (l.header == nil) != (header == nil) || l.header == nil && len(l.columns) != first.len() {
		return false
	}
	for _, want := range l.header {
		if !slices.Contains(header, want) {
			return false
		}
	}
	return l.accepts == nil || l.accepts(first)
}

// normalizeName returns a column name in lower case, without brackets, quotes and
// surrounding blanks.
func normalizeName(text string) string {
	return strings.ToLower(strings.Trim(strings.TrimSpace(text), `<>" `))
}

// assignRoles returns the role of each column in a header. A repeated name, as in
// TradingView's exports, belongs to the first column.
func assignRoles(header []string) []role {
	roles := make([]role, len(header))
	taken := map[role]bool{}
	for i, name := range header {
		found := roleNames[name]
		if found == timeColumn && taken[timeColumn] {
			found = clockColumn
		}
		if found == ignored || taken[found] {
			continue
		}
		roles[i], taken[found] = found, true
	}
	return roles
}
