package statement

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/parse"
)

// Target is what a column can be.
type Target string

// The targets for a list of fills.
const (
	TargetSymbol         Target = "symbol"
	TargetSide           Target = "side"
	TargetQuantity       Target = "quantity"
	TargetPrice          Target = "price"
	TargetExecutedAt     Target = "executed_at"
	TargetDate           Target = "date"
	TargetTime           Target = "time"
	TargetFees           Target = "fees"
	TargetCommission     Target = "commission"
	TargetSwap           Target = "swap"
	TargetInstrumentType Target = "instrument_type"
	TargetOptionRight    Target = "option_right"
	TargetStrike         Target = "strike"
	TargetExpiry         Target = "expiry"
	TargetMultiplier     Target = "multiplier"
	TargetExternalID     Target = "external_id"
	TargetOrderID        Target = "order_id"
	TargetCurrency       Target = "currency"
)

// The targets for files with a row per trade, and for journals.
const (
	TargetOpenTime    Target = "open_time"
	TargetOpenDate    Target = "open_date"
	TargetOpenPrice   Target = "open_price"
	TargetCloseTime   Target = "close_time"
	TargetCloseDate   Target = "close_date"
	TargetClosePrice  Target = "close_price"
	TargetPnL         Target = "pnl"
	TargetNetPnL      Target = "net_pnl"
	TargetTags        Target = "tags"
	TargetSetup       Target = "setup"
	TargetNotes       Target = "notes"
	TargetInitialRisk Target = "initial_risk"
	TargetStopPrice   Target = "stop_price"
	TargetTargetPrice Target = "target_price"
	TargetLastStop    Target = "last_stop"
	TargetStatus      Target = "status"
	TargetAccount     Target = "account"
	TargetMAE         Target = "mae"
	TargetMFE         Target = "mfe"
	TargetConfidence  Target = "confidence"

	TargetEmotionalState Target = "emotional_state"
	TargetTradeQuality   Target = "trade_quality"
	TargetReviewedAt     Target = "reviewed_at"
)

// Targets lists everything a column can be.
func Targets() []Target {
	return append([]Target{
		TargetSymbol, TargetSide, TargetQuantity, TargetPrice, TargetExecutedAt, TargetDate, TargetTime,
		TargetFees, TargetCommission, TargetSwap,
		TargetInstrumentType, TargetOptionRight, TargetStrike, TargetExpiry, TargetMultiplier, TargetExternalID, TargetOrderID, TargetCurrency,
		TargetOpenTime, TargetOpenDate, TargetOpenPrice, TargetCloseTime, TargetCloseDate, TargetClosePrice,
		TargetPnL, TargetNetPnL, TargetTags, TargetSetup, TargetNotes, TargetInitialRisk, TargetStopPrice, TargetTargetPrice, TargetLastStop,
		TargetStatus, TargetAccount, TargetMAE, TargetMFE, TargetConfidence, TargetEmotionalState, TargetTradeQuality, TargetReviewedAt,
	}, furtherTargets...)
}

// HeaderKey returns a column name as names are compared: in lower case, without byte
// order mark and quotes, without a colon at its end, and with single blanks between its
// words.
func HeaderKey(header string) string {
	if isPlainHeader(header) {
		return strings.ToLower(header)
	}
	return normalizeHeader(header)
}

// normalizeHeader is HeaderKey for any name.
func normalizeHeader(header string) string {
	key := strings.Map(func(r rune) rune {
		switch r {
		case '"', '“', '”', '„', '\ufeff', '\u200b':
			return -1
		}
		return unicode.ToLower(r)
	}, header)
	key = strings.Join(strings.Fields(key), " ")
	key = strings.TrimSpace(strings.Trim(key, "'"))
	return strings.TrimSpace(strings.TrimRight(key, ":"))
}

// isPlainHeader reports quickly whether only capitals can distinguish a name from
// its key: it has visible ASCII characters without quotes, single blanks among
// them, and no colon at its end.
func isPlainHeader(name string) bool {
	blank := true // a blank must not be first, last or after another one
	for i := range len(name) {
		switch c := name[i]; {
		case c == ' ' && !blank:
			blank = true
		case '!' <= c && c <= '~' && c != '"' && c != '\'':
			blank = false
		default:
			return false
		}
	}
	return !blank && name[len(name)-1] != ':'
}

// meaning is what a column name says. Among several columns for a target, the lowest rank
// is best: "Fill Price" before "Price".
type meaning struct {
	target Target
	rank   int
}

// meanings are the targetWords as lettersOf writes them.
var meanings = sync.OnceValue(func() map[string]meaning {
	table := map[string]meaning{}
	for target, words := range targetWords {
		for rank, word := range words {
			table[lettersOf(word)] = meaning{target, rank}
		}
	}
	return table
})

// longestHeader is more than any column name takes.
const longestHeader = 200

// meaningOf looks a name up as it is, and then without zone and currency: "Price
// USD" is a price.
func meaningOf(header string) (meaning, bool) {
	if len(header) > longestHeader || strings.Contains(header, "%") {
		return meaning{}, false // a percentage is not the thing itself
	}
	if m, ok := meanings()[lettersOf(header)]; ok {
		return m, true
	}
	core := withoutBrackets(header)
	if m, ok := meanings()[lettersOf(core)]; ok {
		return m, true
	}
	words := slices.DeleteFunc(parse.HeaderWords(core), func(w string) bool { return isCurrency(w) || isZone(w) })
	m, ok := meanings()[lettersOf(strings.Join(words, " "))]
	return m, ok && len(words) > 0
}

var bracketed = lazyregexp.New(`\s*[(\[]([^()\[\]]*)[)\]]`)

// withoutBrackets drops brackets with a zone or a currency, and keeps those that may
// change the meaning: "P&L (R)" is not money.
func withoutBrackets(header string) string {
	return bracketed().ReplaceAllStringFunc(header, func(found string) string {
		inner := strings.TrimSpace(bracketed().FindStringSubmatch(found)[1])
		if inner == "" || isCurrency(inner) || isZone(inner) {
			return ""
		}
		return found
	})
}

func isCurrency(word string) bool {
	return strings.Trim(word, parse.MoneySigns) == "" || slices.Contains(parse.MoneyWords, strings.ToLower(word))
}

func isZone(word string) bool {
	_, ok := parse.FindStatedZone(word)
	return ok
}

// lettersOf keeps a name's letters and digits, in lower case, so "Open Price", open_price
// and openPrice are the same.
func lettersOf(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}
