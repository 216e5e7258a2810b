package brokers

import (
	"maps"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/matching"
)

// coinbaseTransactions has the coin alone as the symbol: the currency beside it is the
// owner's, whatever the market was. A conversion is two fills.
var coinbaseTransactions = statement.Preset{
	Broker: "Coinbase", Export: "transactions", Evidence: statement.SampleFile, Format: statement.Executions, Zone: utc, NewestFirst: true,
	Header: statement.Cols("Timestamp;Transaction Type;Asset;Quantity Transacted;Price Currency|Spot Price Currency;Subtotal;Notes"),
	Costs:  statement.CostsPositive,
	Layout: &statement.Layout{
		Coins: true, Kind: "Transaction Type", Symbol: "Asset", Namer: statement.NameCoin, Time: "Timestamp", Quantity: "Quantity Transacted",
		Price: "Price at Transaction|Spot Price at Transaction", PriceCurrency: "Price Currency|Spot Price Currency", Amount: coinbaseTotal,
		Unsigned: true, Fees: "Fees and/or Spread|Fees", HiddenCosts: statement.CostFees, CashAmount: "Quantity Transacted",
		Currency: "Asset", Note: "Transaction Type", ID: "ID", Adjust: adjustCoinbase,
		Parse: []statement.Pattern{{In: "Notes", Re: lazyregexp.New(`^Converted [\d.,]+ \S+ to (?P<got>[\d.,]+) (?P<coin>\S+)$`)}},
		Words: []statement.Word{
			{Kind: statement.KindBuy, Words: "buy|advanced trade buy|advance trade buy"},
			{Kind: statement.KindSell, Words: "sell|advanced trade sell|advance trade sell|convert"},
			{Kind: statement.KindWithdrawal, Words: "*withdrawal*"},
			{Kind: statement.KindDeposit, Words: "*deposit*"},
			{Kind: statement.KindInterest, Words: "*income*|*reward*|*interest*"},
			{Kind: statement.KindTransfer, Words: "send|receive"},
			{Kind: statement.KindMovement, Words: "*"},
		},
	},
}

const coinbaseTotal = "Total (inclusive of fees and/or spread)|Total (inclusive of fees)|Total"

// adjustCoinbase turns a conversion into the sale of one coin and the purchase of the
// other. The difference is the spread, a cost of the sale.
func adjustCoinbase(w *statement.Row, record *statement.Record) {
	sold := record.Fill
	if sold == nil || !strings.EqualFold(w.Text("Transaction Type"), "convert") {
		return
	}
	got, err := parse.Number(w.Text("@got"), parse.Point)
	if err != nil || got.Sign() <= 0 {
		w.Fail("Notes: %q does not say what was converted into what.", w.Text("Notes"))
		return
	}
	gross, net := w.Required(coinbaseTotal).Abs(), w.Required("Subtotal").Abs()
	bought := *sold
	bought.Details = maps.Clone(sold.Details)
	bought.Symbol, bought.Side, bought.Quantity = strings.ToUpper(w.Text("@coin")), matching.Buy, got
	bought.Price, bought.Fees, bought.StatedCashFlow = decimal.Min(gross, net).DivRound(got, decimal.MaxDecimals), decimal.Zero, decimal.Null{}
	sold.Price, sold.Fees = decimal.Max(gross, net).DivRound(sold.Quantity, decimal.MaxDecimals), gross.Sub(net).Abs()
	sold.StatedCashFlow = decimal.Null{}
	if sold.ID != "" {
		sold.ID, bought.ID = sold.ID+"/from", sold.ID+"/to"
	}
	record.Also = append(record.Also, statement.Record{Kind: statement.KindBuy, Fill: &bought})
}

// coinbaseOldTransactions are reports until 2021, with lines about the owner on top.
// Column names begin with the owner's currency. Reports from 2018 have days only, and no
// fees: they follow from the amount.
var coinbaseOldTransactions = statement.Preset{
	Broker: "Coinbase", Export: "transactions until 2021", Evidence: statement.Documented, Format: statement.Executions, Zone: utc,
	Header: statement.Cols("Timestamp;Transaction Type;Asset;Quantity Transacted;" + coinbaseOld("Spot Price at Transaction") + ";Notes"),
	Order:  parse.MonthFirst, Costs: statement.CostsPositive,
	Layout: &statement.Layout{
		Coins: true, Kind: "Transaction Type", Symbol: "Asset", Namer: statement.NameCoin, Time: "Timestamp", Quantity: "Quantity Transacted",
		Price: coinbaseOld("Spot Price at Transaction"), PriceCurrency: "@currency", Unsigned: true,
		Amount: coinbaseOld("Total (inclusive of fees)", "Amount Transacted (Inclusive of Coinbase Fees)"), Fees: coinbaseOld("Fees"),
		HiddenCosts: statement.CostFees, CashAmount: "Quantity Transacted", Currency: "Asset", Note: "Transaction Type",
		Prepare: prepareCoinbaseOld,
		Words: []statement.Word{
			{Kind: statement.KindTransfer, Words: "send|receive"},
			{Kind: statement.KindInterest, Words: "*income*|*reward*|coinbase earn"},
			{Kind: statement.KindMovement, Words: "paid for an order|convert"},
		},
	},
}

// coinbaseOldCurrencies are owners' currencies.
var coinbaseOldCurrencies = strings.Fields("USD EUR GBP CAD AUD")

// coinbaseOld returns the column names in any currency.
func coinbaseOld(names ...string) string {
	var all []string
	for _, name := range names {
		for _, currency := range coinbaseOldCurrencies {
			all = append(all, currency+" "+name)
		}
	}
	return strings.Join(all, "|")
}

// prepareCoinbaseOld finds the currency in the column names.
func prepareCoinbaseOld(w *statement.Row) {
	for _, currency := range coinbaseOldCurrencies {
		if w.Reader().Has(currency + " Spot Price at Transaction") {
			w.Set("currency", currency)
		}
	}
}
