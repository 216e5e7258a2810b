package crypto

import (
	"regexp"
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/matching"
)

// coinbase describes the transaction history of Coinbase, and the fills and the
// ledger of Coinbase Pro.
func coinbase() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "Coinbase", Export: "transactions", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"Timestamp", "Transaction Type", "Asset", "Quantity Transacted", "Price Currency|Spot Price Currency", "Subtotal", "Notes"},
		Zone:   utc, NewestFirst: true, Costs: statement.CostsPositive, Each: coinbaseRow, Done: tell,
		Columns: columns("Asset", "Transaction Type", "Timestamp", "Quantity Transacted", "Price at Transaction|Spot Price at Transaction", "Fees and/or Spread|Fees", "ID"),
	}, &coinbaseProFills, &coinbaseProLedger}
}

const (
	coinbasePrice = "Price at Transaction|Spot Price at Transaction"
	coinbaseTotal = "Total (inclusive of fees and/or spread)|Total (inclusive of fees)|Total"
	coinbaseFees  = "Fees and/or Spread|Fees"
)

// coinbaseRow reads a transaction. The coin alone is the symbol: the currency
// beside it is that of the owner, whatever the market was.
func coinbaseRow(w *statement.Row) {
	word := w.Text("Transaction Type")
	if word == "" {
		w.Ignore()
		return
	}
	kind := strings.ToLower(word)
	coin, quantity := strings.ToUpper(w.Text("Asset")), w.Required("Quantity Transacted")
	at := w.Moment("Timestamp")
	side, _, isSide := statement.SideWord(strings.Replace(kind, "advance trade", "advanced trade", 1))
	switch {
	case w.Failed():
	case isSide:
		coinbaseTrade(w, coin, side, quantity, at)
	case kind == "convert":
		coinbaseConvert(w, coin, quantity.Abs(), at)
	case isMoney(coin) && (strings.Contains(kind, "deposit") || strings.Contains(kind, "withdrawal")):
		if strings.Contains(kind, "withdrawal") {
			quantity = quantity.Abs().Neg()
		}
		pay(w, inOrOut(quantity), coins{quantity, coin}, at, word)
	case strings.Contains(kind, "income") || strings.Contains(kind, "reward") || strings.Contains(kind, "interest"):
		pay(w, "interest", coins{quantity, coin}, at, word)
	case kind == "send" || kind == "receive":
		pay(w, inOrOut(quantity), coins{quantity, coin}, at, word)
	default:
		leaveOut(w, kind, coin)
	}
}

func coinbaseTrade(w *statement.Row, coin string, side matching.Side, quantity decimal.Decimal, at statement.Moment) {
	d := deal{
		symbol: coin, base: coin, quote: coinbaseCurrency(w), side: side, quantity: quantity, price: w.Required(coinbasePrice),
		at: at, id: w.Text("ID"), costs: []coins{{amount: w.Cost(coinbaseFees)}},
	}
	if total := w.Null(coinbaseTotal); total.Valid {
		d.flow = decimal.Of(total.Decimal.Abs())
		if side == matching.Buy {
			d.flow = decimal.Of(total.Decimal.Abs().Neg())
		}
	}
	d.emit(w)
}

func coinbaseCurrency(w *statement.Row) string {
	return strings.ToUpper(w.Text("Price Currency|Spot Price Currency"))
}

// converted is what the notes say of a conversion.
var converted = regexp.MustCompile(`^Converted ([\d.,]+) (\S+) to ([\d.,]+) (\S+)$`)

// coinbaseConvert reads a conversion as the sale of one coin and the purchase of
// the other. What is lost between the two is the spread, a cost of the sale.
func coinbaseConvert(w *statement.Row, coin string, quantity decimal.Decimal, at statement.Moment) {
	found := converted.FindStringSubmatch(strings.TrimSpace(w.Text("Notes")))
	if found == nil {
		w.Fail("Notes: %q does not say what was converted into what.", w.Text("Notes"))
		return
	}
	got, err := statement.Number(found[3], statement.Point)
	if err != nil || got.Sign() <= 0 {
		w.Fail("Notes: %q does not say what was converted into what.", w.Text("Notes"))
		return
	}
	gross, net := w.Required(coinbaseTotal).Abs(), w.Required("Subtotal").Abs()
	worth, spread := decimal.Min(gross, net), gross.Sub(net).Abs()
	if quantity.IsZero() {
		w.Fail("The quantity of %s is zero.", coin)
		return
	}
	sold := deal{
		symbol: coin, base: coin, quote: coinbaseCurrency(w), side: matching.Sell, quantity: quantity, at: at,
		price: worth.Add(spread).DivRound(quantity, decimal.MaxDecimals), costs: []coins{{amount: spread}},
	}
	bought := deal{
		symbol: found[4], base: strings.ToUpper(found[4]), quote: sold.quote, side: matching.Buy, quantity: got, at: at,
		price: worth.DivRound(got, decimal.MaxDecimals),
	}
	if id := w.Text("ID"); id != "" {
		sold.id, bought.id = id+"/from", id+"/to"
	}
	sold.emit(w)
	bought.emit(w)
}

var coinbaseProFills = statement.Preset{
	Broker: "Coinbase Pro", Export: "fills", Evidence: statement.Documented, Format: statement.Executions, Zone: utc, Costs: statement.CostsPositive,
	Header: statement.Cols("portfolio;trade id;product;side;created at;size;size unit;price;fee;total"),
	Layout: &statement.Layout{
		Coins: true, Symbol: "product", Side: "side", Time: "created at", Quantity: "size", Price: "price", Amount: "total",
		Fees: "fee", FeesCurrency: "price/fee/total unit", ID: "trade id", Hidden: statement.Hidden{Into: statement.CostFees},
	},
}

// coinbaseProLedger has one row for each coin of a trade and one for its fee; they
// share its id.
var coinbaseProLedger = statement.Preset{
	Broker: "Coinbase Pro", Export: "account ledger", Evidence: statement.SampleFile, Format: statement.Executions, Zone: utc,
	Header: statement.Cols("portfolio;type;time|Timestamp;amount;balance;amount/balance unit;transfer id;trade id;order id"),
	Layout: &statement.Layout{
		Coins: true, Key: "type", Kind: "{type} {trade id}", Time: "time|Timestamp", Amount: "amount", Currency: "amount/balance unit",
		Symbol: "{@base}-{@quote}", ID: "trade id", Note: "type", Join: []statement.Join{{By: "trade id", As: statement.JoinLegs, Fiat: true}},
		Words: []statement.Word{
			{Kind: statement.KindLeg, Words: "match ?*|conversion ?*"},
			{Kind: statement.KindLegFee, Words: "fee ?*"},
			{Kind: statement.KindTransfer, Words: "deposit*|withdrawal*"},
			{Kind: statement.KindFee, Words: "fee"},
			{Kind: statement.KindAdjustment, Words: "rebate*"},
			{Kind: statement.KindMovement, Words: "*"},
		},
	},
}
