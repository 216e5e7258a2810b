package statement

import (
	"slices"
	"strings"

	"fillbook/internal/intake/parse"
	"fillbook/internal/trading/matching"
)

// Kind is a row's kind in an account history.
type Kind string

// The kinds for trades. The side of KindTrade follows from a sign. KindSplit is one side
// of a split or an exchange of securities, booked as a sale and a purchase at one
// instant. Ended options are closed at a price of zero.
const (
	KindTrade      Kind = "trade"
	KindSplit      Kind = "split"
	KindBuy        Kind = "buy"
	KindSell       Kind = "sell"
	KindBuyOpen    Kind = "buy_open"
	KindBuyClose   Kind = "buy_close"
	KindSellOpen   Kind = "sell_open"
	KindSellClose  Kind = "sell_close"
	KindExpiry     Kind = "expiry"
	KindAssignment Kind = "assignment"
	KindExercise   Kind = "exercise"
)

// The kinds for cash. KindTransfer is a deposit or a withdrawal, as its sign says.
// KindExchange is one side of changing money.
const (
	KindDividend    Kind = "dividend"
	KindWithholding Kind = "withholding"
	KindTax         Kind = "tax"
	KindInterest    Kind = "interest"
	KindFee         Kind = "fee"
	KindDeposit     Kind = "deposit"
	KindWithdrawal  Kind = "withdrawal"
	KindTransfer    Kind = "transfer"
	KindAdjustment  Kind = "adjustment"
	KindExchange    Kind = "exchange"
)

// The kinds for rows in a trade: a coin in it, and its fee. See [Join].
const (
	KindLeg    Kind = "leg"
	KindLegFee Kind = "leg_fee"
)

// The kinds for rows with nothing to import: securities moved without a trade, a
// corporate action that may be paid in cash, money between the owner's own accounts,
// contract results also stated by fills, unfilled orders, repetitions, rows the user
// chose to ignore, and rows without data.
const (
	KindMovement        Kind = "movement"
	KindInternal        Kind = "internal"
	KindCorporateAction Kind = "corporate_action"
	KindResult          Kind = "result"
	KindNotFilled       Kind = "not_filled"
	KindRepeated        Kind = "repeated"
	KindIgnored         Kind = "ignore"
	KindNotData         Kind = "not_data"
)

// kindUnknown is the kind for an unknown word.
const kindUnknown Kind = ""

// Kinds lists the kinds a user can choose for an unknown word.
func Kinds() []Kind {
	return []Kind{
		KindDeposit, KindWithdrawal, KindTransfer, KindFee, KindInterest, KindDividend, KindWithholding, KindTax, KindAdjustment, KindIgnored,
	}
}

// Word maps words to a kind. Words are separated by bars and written in lower
// case with single blanks; * matches any text and ? one character.
type Word struct {
	Kind  Kind
	Words string
}

// FindKind returns the kind for the first word matching a text, or none.
func FindKind(words []Word, text string) Kind {
	kind, _ := newWordTable(words).find(WordKey(text))
	return kind
}

// direction returns a kind's side and effect, if it says both.
func (k Kind) direction() (side matching.Side, effect parse.Effect, ok bool) {
	switch k { //nolint:exhaustive // the others have no side
	case KindBuy:
		return matching.Buy, parse.EffectUnknown, true
	case KindSell:
		return matching.Sell, parse.EffectUnknown, true
	case KindBuyOpen:
		return matching.Buy, parse.Opening, true
	case KindBuyClose:
		return matching.Buy, parse.Closing, true
	case KindSellOpen:
		return matching.Sell, parse.Opening, true
	case KindSellClose:
		return matching.Sell, parse.Closing, true
	}
	return "", parse.EffectUnknown, false
}

// kindOfSide returns the kind for a trade with that side and effect.
func kindOfSide(side matching.Side, effect parse.Effect) Kind {
	kinds := [...]Kind{parse.EffectUnknown: KindSell, parse.Opening: KindSellOpen, parse.Closing: KindSellClose}
	if side == matching.Buy {
		kinds = [...]Kind{parse.EffectUnknown: KindBuy, parse.Opening: KindBuyOpen, parse.Closing: KindBuyClose}
	}
	return kinds[effect]
}

// isTrade reports whether rows with this kind are fills.
func (k Kind) isTrade() bool {
	_, _, sided := k.direction()
	return sided || k == KindTrade || k == KindSplit
}

// isEnding reports whether rows with this kind end an option.
func (k Kind) isEnding() bool { return k == KindExpiry || k == KindAssignment || k == KindExercise }

// isCash reports whether rows with this kind move money without a fill.
func (k Kind) isCash() bool {
	switch k { //nolint:exhaustive // the others are not cash
	case KindDividend, KindWithholding, KindTax, KindInterest, KindFee, KindDeposit, KindWithdrawal, KindTransfer, KindAdjustment, KindExchange:
		return true
	}
	return false
}

// wordTable finds the kind for a word. It is built once for a table.
type wordTable struct {
	exact    map[string]wordMatch
	patterns []wordPattern
}

type wordMatch struct {
	kind Kind
	rank int
}

type wordPattern struct {
	wordMatch
	pattern string
}

func newWordTable(words []Word) *wordTable {
	t := &wordTable{exact: map[string]wordMatch{}}
	rank := 0
	for _, w := range words {
		for word := range strings.SplitSeq(w.Words, "|") {
			rank++
			match := wordMatch{w.Kind, rank}
			if strings.ContainsAny(word, "*?") {
				t.patterns = append(t.patterns, wordPattern{match, word})
				continue
			}
			if _, known := t.exact[word]; !known {
				t.exact[word] = match
			}
		}
	}
	return t
}

// find returns the kind for the first word matching a text.
func (t *wordTable) find(text string) (Kind, bool) {
	best, found := t.exact[text]
	for _, p := range t.patterns {
		if found && p.rank > best.rank {
			break
		}
		if matchWord(p.pattern, text) {
			return p.kind, true
		}
	}
	return best.kind, found
}

// WordKey returns a word in the form in which words are compared and stored: lower
// case with single blanks.
func WordKey(text string) string {
	return strings.Join(strings.Fields(strings.ToLower(parse.TrimCell(text))), " ")
}

// matchWord reports whether a text fits a pattern. It needs time in proportion
// to both lengths at most, whatever they hold.
func matchWord(pattern, text string) bool {
	p, t := []rune(pattern), []rune(text)
	i, j, star, mark := 0, 0, -1, 0
	for j < len(t) {
		switch {
		case i < len(p) && p[i] == '*':
			star, mark = i, j
			i++
		case i < len(p) && (p[i] == '?' || p[i] == t[j]):
			i++
			j++
		case star >= 0:
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(string(p[i:]), "*") == ""
}

// matchesAny reports whether a text fits any pattern in a list.
func matchesAny(patterns, text string) bool {
	text = WordKey(text)
	for pattern := range strings.SplitSeq(patterns, "|") {
		if matchWord(pattern, text) {
			return true
		}
	}
	return false
}

// FindCashKind returns a cash row's kind by parts of its text, or none; see cashWords.
func FindCashKind(text string) Kind {
	text = strings.ToLower(text)
	for _, w := range cashWords {
		if slices.ContainsFunc(w.parts, func(part string) bool { return strings.Contains(text, part) }) {
			return w.kind
		}
	}
	return kindUnknown
}
