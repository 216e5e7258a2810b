package instruments

import (
	"fmt"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/lazyregexp"
)

// Priced is an instrument of the journal whose prices are looked up.
type Priced struct {
	Symbol string
	// Type may be empty if it is not known.
	Type string
	// Right, Strike and Expiry are an option's contract, if the symbol is not the whole
	// contract.
	Right  Right
	Strike decimal.Null
	Expiry journal.Day
}

// PriceKeys returns the name of an instrument's prices that all its notations share,
// at the time of a fill: NQZ26, NQ 12-26, NQZ6 and /NQZ26 have the same. The fallbacks
// are names of prices that are similar, the best first: those of the continuous
// contract of a future. The caller must compare one with the fills. A future
// without a month has the continuous contract as its own.
func (p Priced) PriceKeys(at time.Time) (own string, fallbacks []string) {
	if p.Type == TypeOption || p.Right != "" {
		return p.optionKey(), nil
	}
	plain := plainKey(p.Symbol)
	contract, ok := ParseFuture(p.Symbol)
	if !ok || p.Type != TypeFuture && (p.Type != "" || !contract.Explicit) {
		if contract := OptionContract(p.Symbol); contract != "" && p.Type == "" {
			return optionPrefix + contract, nil
		}
		return plain, nil
	}
	root := contract.Root.Symbol
	if contract.Delivery.Month == 0 {
		return continuousKey(root), []string{root}
	}
	return deliveryKey(root, contract.Delivery, at), []string{continuousKey(root), root}
}

// SeriesKey returns the name of the prices of a series with that symbol, whose last bar
// is at the given time. What the instrument is must follow from the symbol.
func SeriesKey(symbol string, at time.Time) string {
	own, _ := Priced{Symbol: symbol}.PriceKeys(at)
	return own
}

// FutureRoot returns a future's root for which all contracts of the root may be compared:
// for a symbol naming no month.
func (p Priced) FutureRoot() (root string, ok bool) {
	contract, ok := ParseFuture(p.Symbol)
	ok = ok && contract.Delivery.Month == 0 && (p.Type == TypeFuture || p.Type == "" && contract.Explicit)
	return contract.Root.Symbol, ok
}

// KeyRoot returns the root of a name that PriceKeys returned for a contract of a
// future, and whether it is one.
func KeyRoot(key string) (root string, ok bool) {
	rest, ok := strings.CutPrefix(key, futurePrefix)
	root, _, hasMonth := strings.Cut(rest, " ")
	return root, ok && hasMonth
}

const futurePrefix = "future "

func continuousKey(root string) string { return futurePrefix + root }

func deliveryKey(root string, d Delivery, at time.Time) string {
	return fmt.Sprintf("%s%s %04d-%02d", futurePrefix, root, d.YearAt(at), d.Month)
}

// YearAt returns the delivery's year for a contract that traded at a time. If the symbol
// has only one digit it is the next such year.
func (d Delivery) YearAt(at time.Time) int {
	if !d.OneDigit {
		return d.Year
	}
	year := at.Year() - at.Year()%10 + d.Year
	if year < at.Year() || year == at.Year() && d.Month < at.Month() {
		year += 10
	}
	return year
}

// optionKey returns the name of an option's prices.
func (p Priced) optionKey() string {
	if contract := OptionContract(p.Symbol); contract != "" {
		return optionPrefix + contract
	}
	if p.Right == "" || !p.Strike.Valid || p.Expiry == "" {
		return optionPrefix + plainKey(p.Symbol)
	}
	return optionPrefix + contractText(Option{Root: plainKey(p.Symbol), Right: p.Right, Strike: p.Strike.Decimal, Expiry: p.Expiry})
}

const optionPrefix = "option "

func contractText(o Option) string {
	return fmt.Sprintf("%s %s %s %s", o.Root, o.Expiry, o.Right, o.Strike)
}

// OptionContract returns the contract of a series with that symbol, such as
// SPXW 2026-12-18 call 5000, or an empty text if it is no option.
func OptionContract(symbol string) string {
	option, ok := ParseOption(strings.TrimPrefix(strings.ToUpper(symbol), "O:"))
	if contract, isFuture := ParseFuture(symbol); !ok || isFuture && contract.Explicit {
		return ""
	}
	return contractText(option)
}

var (
	// shareClass is a share's class: BRK-B, BRK/B, BRK B.
	shareClass = lazyregexp.New(`^([A-Z]{1,5})[-/ _]([A-Z])$`)
	// pair is two currencies: EUR/USD, BTC-USDT, EUR_USD.
	pair = lazyregexp.New(`^([A-Z0-9]{2,10})[-/_ ]([A-Z]{3,5})$`)
)

// plainKey returns a symbol without what platforms add to it: an exchange before a
// colon, the country of an American share, and the separator of a pair.
func plainKey(symbol string) string {
	text := strings.ToUpper(strings.TrimSpace(symbol))
	if _, after, ok := strings.Cut(text, ":"); ok && after != "" {
		text = after
	}
	text = strings.TrimSuffix(text, ".US")
	if parts := shareClass().FindStringSubmatch(text); parts != nil {
		return parts[1] + "." + parts[2]
	}
	if parts := pair().FindStringSubmatch(text); parts != nil {
		return parts[1] + parts[2]
	}
	return text
}
