package asia

import (
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
	"fillbook/internal/matching"
)

// tokyo is the zone of the Japanese exchanges.
const tokyo = "Asia/Tokyo"

// japan reads the trade histories of three Japanese brokers. They come in
// Shift_JIS, give days without times, and are known from other people's code
// only.
func japan() []*statement.Preset {
	day := func(broker string, header []string, c japaneseColumns) *statement.Preset {
		return &statement.Preset{
			Broker: broker, Export: "trade history", Evidence: statement.Documented, Format: statement.Executions,
			Header: header, Zone: tokyo, Costs: statement.CostsPositive, NewestFirst: true,
			Each: c.read, Done: func(r *statement.Reader) { in(r, "JPY") },
		}
	}
	return []*statement.Preset{
		day("SBI Securities", []string{"約定日", "銘柄コード", "取引", "約定数量", "約定単価", "受渡金額/決済損益"}, japaneseColumns{
			kind: []string{"取引"}, quantity: "約定数量", price: "約定単価", commission: "手数料/諸経費等|手数料等", fees: []string{"税額"},
		}),
		day("Rakuten Securities", []string{"約定日", "銘柄コード", "銘柄名", "取引区分", "売買区分", "数量［株］|数量[株]", "単価［円］|単価[円]"}, japaneseColumns{
			kind: []string{"取引区分", "売買区分"}, quantity: "数量［株］|数量[株]", price: "単価［円］|単価[円]",
			commission: "手数料［円］|手数料[円]", fees: []string{"税金等［円］|税金等[円]", "諸費用［円］|諸費用[円]"},
		}),
		day("e-smart", []string{"約定日", "受渡日", "市場", "銘柄名", "銘柄コード", "売買区分", "数量", "単価"}, japaneseColumns{
			kind: []string{"取引区分", "売買区分"}, quantity: "数量", price: "単価", commission: "手数料", fees: []string{"諸費用", "消費税"},
		}),
	}
}

// japaneseColumns says where a trade is in a row.
type japaneseColumns struct {
	kind                        []string // columns that together say what it was
	quantity, price, commission string
	fees                        []string
}

// Positions that are kept apart. Shares that were paid for have no lot.
const (
	paidFor     = ""
	marginLong  = "margin long"
	marginShort = "margin short"
)

// leg is what a row does to one position.
type leg struct {
	lot    string
	side   matching.Side
	effect statement.Effect
}

// japaneseTrades are the words for trades, the telling ones first. 現引 takes
// delivery of shares that were bought on margin, 現渡 delivers shares against
// those that were sold short: each closes one position and changes another.
var japaneseTrades = []struct {
	words []string
	legs  []leg
}{
	{[]string{"現引"}, []leg{{marginLong, matching.Sell, statement.Closing}, {paidFor, matching.Buy, statement.Opening}}},
	{[]string{"現渡"}, []leg{{marginShort, matching.Buy, statement.Closing}, {paidFor, matching.Sell, statement.Closing}}},
	{[]string{"新規買", "買建"}, []leg{{marginLong, matching.Buy, statement.Opening}}},
	{[]string{"返済売", "売埋"}, []leg{{marginLong, matching.Sell, statement.Closing}}},
	{[]string{"新規売", "売建"}, []leg{{marginShort, matching.Sell, statement.Opening}}},
	{[]string{"返済買", "買埋"}, []leg{{marginShort, matching.Buy, statement.Closing}}},
	{[]string{"入庫", "出庫"}, nil},
	{[]string{"買"}, []leg{{paidFor, matching.Buy, statement.EffectUnknown}}},
	{[]string{"売"}, []leg{{paidFor, matching.Sell, statement.EffectUnknown}}},
}

// legsOf finds what a row does. It answers false for words that are not known.
func legsOf(text string) ([]leg, bool) {
	for _, trade := range japaneseTrades {
		for _, word := range trade.words {
			if strings.Contains(text, word) {
				return trade.legs, true
			}
		}
	}
	return nil, false
}

// read reads a row. Its costs go with the first position that it changes.
func (c japaneseColumns) read(w *statement.Row) {
	code := w.Text("銘柄コード")
	if code == "" && w.Text("約定日") == "" {
		w.Ignore()
		return
	}
	var text strings.Builder
	for _, column := range c.kind {
		text.WriteString(w.Text(column))
	}
	legs, known := legsOf(text.String())
	if !known || len(legs) == 0 {
		w.Reader().Out.Warn("Rows of the sort %q were left out: they are no trades.", text.String())
		w.Skip("it is not a trade")
		return
	}
	at := w.Moment("約定日")
	f := statement.Fill{
		Symbol: strings.ToUpper(code), Type: instruments.TypeStock, Quantity: w.Required(c.quantity), Price: w.Required(c.price),
		Commission: w.Cost(c.commission), Fees: w.Cost(c.fees...), At: at.At, DateOnly: at.DateOnly,
	}
	for _, leg := range legs {
		f.Lot, f.Side, f.Effect = leg.lot, leg.side, leg.effect
		w.Fill(f)
		f.Commission, f.Fees = decimal.Zero, decimal.Zero
	}
}
