package crypto

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
)

// memory is what the rows of a file leave for its end.
type memory struct {
	// fees are those in coins that have no price here.
	fees map[string]decimal.Decimal
	// left are the kinds of rows that moved coins without a trade, and the coins.
	left map[string]map[string]bool
	// results adds up by coin what contracts made or cost, in files that do not
	// have the fills.
	results map[string]decimal.Decimal
	ledger  ledger
	clocks  map[string]*statement.Clock // by the zone that a row names
}

func remembered(r *statement.Reader) *memory {
	if m, ok := r.Memory.(*memory); ok {
		return m
	}
	m := &memory{
		fees: map[string]decimal.Decimal{}, left: map[string]map[string]bool{}, results: map[string]decimal.Decimal{},
		ledger: ledger{groups: map[string]*group{}}, clocks: map[string]*statement.Clock{},
	}
	r.Memory = m
	return m
}

// clock returns the clock of a zone, which remembers the row before.
func (m *memory) clock(zone string) (*statement.Clock, error) {
	if c := m.clocks[zone]; c != nil {
		return c, nil
	}
	z, err := statement.LoadZone(zone)
	if err != nil {
		return nil, fmt.Errorf("the time zone %q is not known", zone)
	}
	c := statement.NewClock(z, statement.DateOrderUnknown)
	m.clocks[zone] = c
	return c, nil
}

func (m *memory) unpriced(c coins) { m.fees[c.coin] = m.fees[c.coin].Add(c.amount) }

// leaveOut skips a row that is no trade and no cash, and notes its kind.
func leaveOut(w *statement.Row, kind, coin string) {
	w.Skip("it moves coins without a trade")
	m := remembered(w.Reader())
	if m.left[kind] == nil {
		m.left[kind] = map[string]bool{}
	}
	m.left[kind][coin] = true
}

// addResult skips a row with a result or a fee of a contract, whose fills other
// files have, and adds it up.
func addResult(w *statement.Row, c coins) {
	w.Skip("results and fees of contracts come with their fills")
	m := remembered(w.Reader())
	m.results[c.coin] = m.results[c.coin].Add(c.amount)
}

// tell closes a file: it says what could not be taken.
func tell(r *statement.Reader) {
	m := remembered(r)
	if len(m.fees) > 0 {
		r.Out.Warn("Fees in other coins than those of the pair (%s in all) are kept beside their fills but are not counted, as the file has no rate for them.",
			listed(m.fees))
	}
	for _, kind := range slices.Sorted(maps.Keys(m.left)) {
		r.Out.Warn("Rows of the kind %q were left out, as they move coins without a trade: %s. Where they changed your position, enter the change by hand.",
			kind, strings.Join(slices.Sorted(maps.Keys(m.left[kind])), ", "))
	}
	if len(m.results) > 0 {
		r.Out.Warn("Results and fees of contracts (%s in all) were left out, as this file has no fills of them: import the trade history of the contracts too.",
			listed(m.results))
	}
}

// listed writes amounts by coin.
func listed(amounts map[string]decimal.Decimal) string {
	var list []string
	for _, coin := range slices.Sorted(maps.Keys(amounts)) {
		list = append(list, fmt.Sprintf("%s %s", amounts[coin], coin))
	}
	return strings.Join(list, ", ")
}

// pay emits cash, if what moved is money; other coins are left out. In the
// account's own money or one that adds up with it, it is in the account's.
func pay(w *statement.Row, kind string, c coins, at statement.Moment, note string) {
	if w.Failed() || c.amount.IsZero() {
		w.Skip(statement.ReasonNoAmount)
		return
	}
	coin, account := strings.ToUpper(c.coin), strings.ToUpper(w.Reader().Hints.Currency)
	switch {
	case coin == "":
	case account != "" && sameMoney(coin, account):
		coin = account
	case !isMoney(coin):
		leaveOut(w, strings.ToLower(note), coin)
		return
	}
	w.Money(statement.Cash{Type: kind, Amount: c.amount, Currency: coin, At: at.At, Note: note})
}

// payFee emits the fee of a row that is cash itself, if it has one.
func payFee(w *statement.Row, fee coins, at statement.Moment, kind string) {
	if !fee.amount.IsZero() {
		pay(w, "fee", coins{fee.amount.Neg(), fee.coin}, at, kind+" fee")
	}
}

// inOrOut is a deposit or a withdrawal by its sign.
func inOrOut(amount decimal.Decimal) string {
	if amount.Sign() < 0 {
		return "withdrawal"
	}
	return "deposit"
}

// reasonInside is why rows between wallets of one owner are skipped.
const reasonInside = "it moves coins between the owner's own wallets"
