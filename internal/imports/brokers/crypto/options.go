package crypto

import (
	"regexp"
	"strings"
	"time"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
	"fillbook/internal/journal"
)

// optionText is how exchanges name options: BTC-27JUN25-100000-C, with the coin
// of settlement behind it or, after an underscore, behind the first coin; some
// write the day in figures, and a d for the point of the strike.
var optionText = regexp.MustCompile(`^([A-Z0-9]+)(?:[-_]USDC?)?-(\d{1,2}[A-Z]{3}\d{2}|\d{6})-(\d+(?:[.D]\d+)?)-([CP])(?:-[A-Z]+)?$`)

// nameOption makes a fill one in an option, if that is what its symbol says. One
// contract is one coin.
func nameOption(f *statement.Fill) {
	found := optionText.FindStringSubmatch(f.Symbol)
	if found == nil {
		return
	}
	layout := "2Jan06"
	if len(found[2]) == 6 && strings.Trim(found[2], "0123456789") == "" {
		layout = "060102"
	}
	expiry, err := time.Parse(layout, found[2])
	if err != nil {
		return
	}
	strike, err := decimal.Parse(strings.Replace(found[3], "D", ".", 1))
	if err != nil {
		return
	}
	f.Symbol, f.Type, f.Right = found[1], instruments.TypeOption, "call"
	if found[4] == "P" {
		f.Right = "put"
	}
	f.Strike, f.Expiry = decimal.Of(strike), journal.Day(expiry.Format(time.DateOnly))
}
