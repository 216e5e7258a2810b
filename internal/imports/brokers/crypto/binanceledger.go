package crypto

import (
	"strings"

	"fillbook/internal/imports/statement"
)

// operation says what a row of Binance's statement is.
type operation int

const (
	opUnknown operation = iota
	opTrade
	opFee
	opInOut
	opInterest
	opFunding
	opResult
	opInside // between wallets of one owner
)

// binanceOperations are the words that Binance uses, in lower case. Those that
// only move coins into a savings product and back are known by a part; see
// [binanceOperation].
var binanceOperations = map[string]operation{
	"buy": opTrade, "sell": opTrade, "transaction related": opTrade, "transaction buy": opTrade, "transaction spend": opTrade,
	"transaction sold": opTrade, "transaction revenue": opTrade, "binance convert": opTrade, "convert": opTrade,
	"small assets exchange bnb": opTrade, "large otc trading": opTrade, "otc trading": opTrade, "auto-invest transaction": opTrade,
	"fee": opFee, "transaction fee": opFee,
	"deposit": opInOut, "withdraw": opInOut, "withdrawal": opInOut, "fiat deposit": opInOut, "fiat withdraw": opInOut,
	"fiat withdrawal": opInOut, "buy crypto": opInOut, "send": opInOut, "receive": opInOut, "p2p trading": opInOut,
	"funding fee": opFunding, "realized profit and loss": opResult, "realize profit and loss": opResult,
	"insurance fund": opResult, "insurance clear": opResult,
	"cash voucher distribution": opInterest, "distribution": opInterest, "referral kickback": opInterest, "commission rebate": opInterest,
	"eth 2.0 staking": opInside, "main and funding account transfer": opInside,
}

func binanceOperation(word string) operation {
	word = strings.ToLower(strings.TrimSpace(word))
	if op, ok := binanceOperations[word]; ok {
		return op
	}
	has := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(word, p) {
				return true
			}
		}
		return false
	}
	switch {
	case has("interest", "reward", "airdrop"):
		return opInterest
	case has("transfer", "subscription", "redemption", "purchase"):
		return opInside
	}
	return opUnknown
}

// binanceEntry reads a row of the statement. Trades are one row for each coin,
// and only the second tells what belongs together.
func binanceEntry(w *statement.Row) {
	word := w.Text("Operation")
	if word == "" {
		w.Ignore()
		return
	}
	at, c, account := w.Moment("UTC_Time|Time|Time(UTC)"), coins{w.Required("Change"), strings.ToUpper(w.Text("Coin"))}, w.Text("Account")
	if c.coin == "" {
		w.Fail("There is no value in column Coin.")
	}
	if w.Failed() {
		return
	}
	m, op := remembered(w.Reader()), binanceOperation(word)
	if op == opFee && strings.Contains(strings.ToLower(account), "futures") {
		op = opResult
	}
	switch op {
	case opTrade:
		g := m.ledger.of(w, account+at.At.String(), "", at)
		g.legs = append(g.legs, c)
	case opFee:
		g := m.ledger.of(w, account+at.At.String(), "", at)
		g.costs = append(g.costs, coins{c.amount.Neg(), c.coin})
	case opResult:
		addResult(w, c)
	case opInOut:
		pay(w, inOrOut(c.amount), c, at, word)
	case opInterest, opFunding:
		pay(w, "interest", c, at, word)
	case opInside:
		w.Skip(reasonInside)
	case opUnknown:
		leaveOut(w, strings.ToLower(word), c.coin)
	}
}

func closeBinanceLedger(r *statement.Reader) {
	remembered(r).ledger.settle(r, quotes, func(base, quote string) string { return base + quote })
	tell(r)
}

// binanceFutureEntry reads a row of the futures wallet. Results and commissions
// come with the fills of the futures trades.
func binanceFutureEntry(w *statement.Row) {
	kind := strings.ToUpper(w.Text("type"))
	if kind == "" {
		w.Ignore()
		return
	}
	at, c := w.Moment("Date(UTC)|Time(UTC)"), coins{w.Required("Amount"), strings.ToUpper(w.Text("Asset"))}
	note := strings.TrimSpace(kind + " " + w.Text("Symbol"))
	if w.Failed() {
		return
	}
	switch kind {
	case "REALIZED_PNL", "COMMISSION":
		addResult(w, c)
	case "TRANSFER", "INTERNAL_TRANSFER", "CROSS_COLLATERAL_TRANSFER", "STRATEGY_UMFUTURES_TRANSFER":
		pay(w, inOrOut(c.amount), c, at, note)
	case "FUNDING_FEE":
		pay(w, "interest", c, at, note)
	default:
		pay(w, "adjustment", c, at, note)
	}
}
