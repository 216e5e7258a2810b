package metatrader

import (
	"fmt"
	"strings"

	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
)

// account is a statement's account.
type account struct {
	login, name, currency string
	sort                  string // demo, real or contest, and how positions are kept
	mode                  mode
}

// mode is the way in which an account manages positions.
type mode int

const (
	unknownMode mode = iota
	hedging          // many in one symbol
	netting          // one in each symbol
)

// accountText is the value in the account line: the login, and in brackets the currency,
// the server, the account's sort and its mode.
var accountText = lazyregexp.New(`^(\d+)[\s\x{00a0}]*\(([^()]+)\)$`)

// accountIn finds the account line in an MT5 report. Its label may be in any language.
func accountIn(row tabular.Row) (account, bool) {
	for _, cell := range row.Cells {
		if !strings.HasSuffix(cell, ")") { // in most files none does
			continue
		}
		found := accountText().FindStringSubmatch(cell)
		if found == nil {
			continue
		}
		a := account{login: found[1]}
		var sort []string
		for i, word := range strings.Split(strings.ReplaceAll(found[2], "\u00a0", " "), ",") {
			word = strings.TrimSpace(word)
			switch lower := strings.ToLower(word); {
			case i == 0:
				a.currency = word
			case strings.HasPrefix(lower, "hedg"):
				a.mode = hedging
				sort = append(sort, lower)
			case strings.HasPrefix(lower, "nett"), strings.HasPrefix(lower, "exchange"):
				a.mode = netting
				sort = append(sort, lower)
			case i > 1:
				sort = append(sort, lower)
			}
		}
		a.sort = strings.Join(sort, " ")
		return a, isCode(a.currency)
	}
	return account{}, false
}

// isCode reports whether a text is a currency: three letters, or a few more for
// cents and coins.
func isCode(text string) bool {
	return len(text) >= 3 && len(text) <= 5 && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// setAccount sets the statement's account, and warns if its currency differs from the
// target account's.
func (a account) setAccount(r *statement.Reader) {
	name := a.login
	if a.name != "" && a.login != "" {
		name = a.login + " " + a.name
	}
	r.Out.Account = statement.Account{Name: name, Type: a.sort, Currency: a.currency}
	if into := r.Hints.Currency; into != "" && a.currency != "" && !strings.EqualFold(into, a.currency) {
		r.Out.AddWarning(statement.Warning{
			Code: statement.CurrencyNotConverted,
			Text: fmt.Sprintf("The statement is in %s, the account is in %s: its amounts were taken as they are.", a.currency, into),
		})
	}
}
