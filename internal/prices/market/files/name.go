package files

import (
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/prices/market"
)

// fileName is the information in a bar file's name.
type fileName struct {
	symbol string
	secs   int64 // the bar length, or 0
	price  market.PriceKind
}

// namePatterns are the file names, the most specific first. The group "symbol" is the
// instrument, "month" a future's month, "minutes" or "period" the bar length.
var namePatterns = []func() *regexp.Regexp{
	lazyregexp.New(`(?i)^dat_(?:ascii|mt|nt|ms)_(?P<symbol>[a-z0-9]+)_(?P<period>m1|t)_`),                                                         // HistData
	lazyregexp.New(`(?i)^(?P<symbol>.+?)\.(?P<price>last|bid|ask)$`),                                                                              // NinjaTrader
	lazyregexp.New(`^(?:[A-Z0-9]+(?:_[A-Z]+)*_)?(?P<symbol>[A-Za-z0-9.!]+), ?(?:(?P<period>[0-9]*[DWHS]?)|[0-9]*M)(?:_.*)?$`),                     // TradingView
	lazyregexp.New(`^(?P<symbol>[A-Z0-9]+)-(?P<period>[0-9]+[smhdw])-[0-9-]+$`),                                                                   // Binance
	lazyregexp.New(`(?i)^(?:intraday_(?P<minutes>[0-9]+)min|(?P<period>daily|weekly|monthly)(?:_adjusted)?)_(?P<symbol>[a-z0-9.\-]+)$`),           // Alpha Vantage
	lazyregexp.New(`(?i)^(?P<symbol>[a-z0-9]+)_(?P<month>[fghjkmnquvxz][0-9]{2})_(?P<minutes>[0-9]+)_?min`),                                       // FirstRate, one contract
	lazyregexp.New(`(?i)^(?P<symbol>[a-z0-9.#]+)_(?P<period>m(?:[1-6]|1[025]|20|30)|h(?:[1-4]|6|8|12)|d1|w1|mn1?|daily|weekly|monthly)(?:_.*)?$`), // MetaTrader 5
	lazyregexp.New(`(?i)^(?P<symbol>[a-z0-9.]+)_(?:full_)?(?P<minutes>[0-9]+)_?min(?:ute)?s?(?:_.*)?$`),                                           // FirstRate
	lazyregexp.New(`(?i)^(?P<symbol>[a-z0-9.]+)_full_(?P<period>1hour|1day)(?:_.*)?$`),                                                            // FirstRate
	lazyregexp.New(`(?i)^(?P<symbol>[a-z0-9.]+)_(?P<minutes>1|5|15|30|60|240|720|1440)$`),                                                         // Kraken
	lazyregexp.New(`^(?P<symbol>[A-Z]{6,12}[a-z.#]*)(?P<minutes>1|5|15|30|60|240|1440|10080)$`),                                                   // MetaTrader 4; shorter ones are futures, as ESH5
	lazyregexp.New(`(?i)^(?P<symbol>[a-z0-9.\-]+?)-(?P<period>(?:mn|[smhd])[0-9]+)-(?:(?P<price>bid|ask)-)?`),                                     // dukascopy-node
	lazyregexp.New(`(?i)^(?P<symbol>[a-z0-9.]+)_candlestick_(?P<period>[0-9]+_[a-z]+)_(?P<price>bid|ask)(?:_.*)?$`),                               // Dukascopy
	lazyregexp.New(`^(?P<symbol>[A-Z0-9]+[FGHJKMNQUVXZ][0-9]{1,2})(?:-|_FUT_)[A-Z]+$`),                                                            // Sierra Chart
}

// periodSeconds are the bar lengths by their letters.
var periodSeconds = map[string]int64{
	"s": 1, "": 60, "m": 60, "min": 60, "h": 60 * 60, "hour": 60 * 60,
	"d": secondsOfDay, "day": secondsOfDay, "daily": secondsOfDay, "w": 7 * secondsOfDay, "weekly": 7 * secondsOfDay,
}

// copyNumber matches the number browsers add to an existing file name.
var copyNumber = lazyregexp.New(` ?\([0-9]+\)$`)

// parseName parses a file's name. A name fitting no pattern is the symbol.
func parseName(name string) fileName {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	for _, ending := range []string{".zst", ".gz", ".zip", ".csv", ".txt", ".hst", ".scid", ".dbn"} {
		if cut := len(base) - len(ending); cut > 0 && strings.EqualFold(base[cut:], ending) {
			base = base[:cut]
		}
	}
	base = copyNumber().ReplaceAllString(base, "")
	for _, pattern := range namePatterns {
		if match := pattern().FindStringSubmatch(base); match != nil {
			return nameOf(pattern(), match)
		}
	}
	return fileName{symbol: cleanSymbol(base)}
}

func nameOf(pattern *regexp.Regexp, match []string) fileName {
	var found fileName
	for i, group := range pattern.SubexpNames() {
		switch group {
		case "symbol":
			found.symbol = cleanSymbol(match[i])
		case "month":
			found.symbol += strings.ToUpper(match[i])
		case "price":
			found.price = map[string]market.PriceKind{"bid": market.BidPrice, "ask": market.AskPrice}[strings.ToLower(match[i])]
		case "minutes":
			n, _ := strconv.ParseInt(match[i], 10, 32)
			found.secs = max(found.secs, n*60)
		case "period":
			found.secs = max(found.secs, parsePeriod(match[i]))
		}
	}
	return found
}

// parsePeriod parses M1, 1m, 1_M, 5, D, 1D and daily; m is minutes, as no file has
// months. It returns 0 for an empty text and for what it does not know.
func parsePeriod(text string) int64 {
	text = strings.ReplaceAll(strings.ToLower(text), "_", "")
	if text == "" {
		return 0
	}
	letters := strings.Trim(text, "0123456789")
	n := int64(1)
	if digits := strings.Trim(text, letters); letters != text && digits != "" {
		n, _ = strconv.ParseInt(digits, 10, 32)
	}
	return n * periodSeconds[letters]
}

// maxSymbol is the maximum symbol length.
const maxSymbol = 64

func cleanSymbol(text string) string {
	text = strings.ToUpper(strings.TrimSpace(text))
	if len(text) > maxSymbol || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return ""
	}
	return text
}
