package crypto

import (
	"strings"

	"fillbook/internal/imports/statement"
)

// cryptocom describes the transactions of the Crypto.com app, in UTC. What is
// exchanged there is priced in the other coin.
func cryptocom() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "Crypto.com", Export: "app transactions", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"Timestamp (UTC)", "Transaction Description", "Currency", "Amount", "To Currency", "To Amount", "Native Currency", "Native Amount", "Transaction Kind"},
		Zone:   utc, NewestFirst: true, Each: cryptocomRow, Done: closeCryptocom,
	}}
}

func cryptocomRow(w *statement.Row) {
	kind := strings.ToLower(w.Text("Transaction Kind"))
	if kind == "" {
		w.Ignore()
		return
	}
	at, c := w.Moment("Timestamp (UTC)"), coins{w.Required("Amount"), strings.ToUpper(w.Text("Currency"))}
	to := coins{w.Decimal("To Amount"), strings.ToUpper(w.Text("To Currency"))}
	native := coins{w.Decimal("Native Amount").Abs(), strings.ToUpper(w.Text("Native Currency"))}
	if w.Failed() {
		return
	}
	l := &remembered(w.Reader()).ledger
	switch {
	case to.coin != "" && !to.amount.IsZero():
		g := l.of(w, w.Cells[0]+"|"+c.coin+"|"+to.coin+"|"+c.amount.String(), "", at)
		g.legs = append(g.legs, coins{c.amount.Abs().Neg(), c.coin}, to)
	case kind == "crypto_wallet_swap_credited" || kind == "crypto_wallet_swap_debited":
		g := l.of(w, w.Cells[0]+"|"+w.Text("Transaction Description"), "", at)
		g.legs = append(g.legs, c)
	case kind == "crypto_purchase" || kind == "recurring_buy_order":
		g := l.of(w, w.Cells[0]+"|"+c.coin, "", at)
		g.base, g.quote = c.coin, native.coin
		g.legs = append(g.legs, c, coins{native.amount.Neg(), native.coin})
	case kind == "card_top_up" && isMoney(c.coin):
		pay(w, "withdrawal", c, at, kind)
	case kind == "card_top_up":
		g := l.of(w, w.Cells[0]+"|"+c.coin, "", at)
		g.base, g.quote = c.coin, native.coin
		g.legs = append(g.legs, c, native)
	case isMoney(c.coin) && (strings.HasSuffix(kind, "deposit") || strings.HasSuffix(kind, "withdrawal")):
		pay(w, inOrOut(c.amount), c, at, kind)
	default:
		leaveOut(w, kind, c.coin)
	}
}

func closeCryptocom(r *statement.Reader) {
	remembered(r).ledger.settle(r, fiatQuotes, func(base, quote string) string { return base + "/" + quote })
	tell(r)
}
