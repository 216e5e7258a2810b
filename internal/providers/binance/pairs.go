package binance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"fillbook/internal/base/remote"
	"fillbook/internal/intake/statement"
)

// quotes are the coins with which an account's coins are tried.
var quotes = []string{"USDT", "USDC", "FDUSD", "BTC", "ETH", "BNB", "EUR"}

// normalize returns a pair's name as Binance writes it: BTC/USDT is BTCUSDT.
func normalize(symbol string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return unicode.ToUpper(c)
		}
		return -1
	}, symbol)
}

// addWords adds words to a list that is kept, in order and each once.
func (r *spotRun) addWords(key string, words ...string) {
	list := append(strings.Fields(r.kept[key]), words...)
	list = slices.DeleteFunc(list, func(word string) bool { return word == "" || strings.ContainsAny(word, " \t\r\n") })
	slices.Sort(list)
	r.kept[key] = strings.Join(slices.Compact(list), " ")
}

// findPairs finds the pairs whose fills are fetched: those the user entered, or else coin
// pairs the account has or had.
func (r *spotRun) findPairs(ctx context.Context, _ string) (string, error) {
	delete(r.kept, pairsKey)
	delete(r.kept, triedKey)
	if entered := r.session.Value(symbolsField); entered != "" {
		for symbol := range strings.SplitSeq(entered, ",") {
			r.addWords(pairsKey, normalize(symbol))
		}
		return "", nil
	}
	found, err := loadAccount(ctx, r.session)
	if err != nil {
		return "", err
	}
	for _, balance := range found.Balances {
		r.addWords(coinsKey, normalize(balance.Coin))
	}
	for _, symbol := range r.query.Symbols {
		r.addWords(coinsKey, normalize(statement.NamePair(symbol, "").Base))
	}
	return "", r.guessPairs(ctx)
}

// guessPairs chooses Binance's pairs among those with known coins.
func (r *spotRun) guessPairs(ctx context.Context) error {
	var prices *[]struct {
		Symbol string `json:"symbol"`
	}
	err := r.session.Fetch(ctx, remote.Request{Address: "https://" + mainHost + pricesPath, Classify: classify}, &prices)
	isListed := !errors.Is(err, remote.ErrNotFound)
	if err != nil && isListed {
		return err
	}
	if prices == nil && isListed {
		return remote.Malformed("it has no list of pairs")
	}
	wanted := map[string]bool{}
	for coin := range strings.FieldsSeq(r.kept[coinsKey]) {
		for _, quote := range quotes {
			wanted[coin+quote] = true
		}
	}
	for _, symbol := range r.query.Symbols {
		wanted[normalize(symbol)] = true
	}
	if !isListed { // each is tried
		r.addWords(pairsKey, slices.Collect(maps.Keys(wanted))...)
		r.kept[triedKey] = "yes"
		r.reportPairs()
		return nil
	}
	var list []string
	for _, price := range *prices {
		if wanted[price.Symbol] {
			list = append(list, price.Symbol)
		}
	}
	r.addWords(pairsKey, list...)
	r.reportPairs()
	return nil
}

// reportPairs names the guessed pairs.
func (r *spotRun) reportPairs() {
	const most = 100
	list := strings.Fields(r.kept[pairsKey])
	switch {
	case len(list) == 0:
		r.rows.AddMessage("No pairs were found that you may have traded. Enter your pairs in the connection.")
		return
	case len(list) > most:
		list = append(list[:most:most], fmt.Sprintf("and %d more", len(list)-most))
	}
	r.rows.AddMessage("Fills were fetched for these pairs only: %s. If you traded others, enter your pairs in the connection.", strings.Join(list, ", "))
}
