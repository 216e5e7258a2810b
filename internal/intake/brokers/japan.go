package brokers

import (
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
	"fillbook/internal/trading/matching"
)

// newJapaneseLayout adds what Japanese brokers' trade histories have in common. They come
// in Shift_JIS and give days without times, and are known from other people's code only.
func newJapaneseLayout(l s.Layout) *s.Layout {
	l.Key, l.Symbol, l.Namer, l.Time = "銘柄コード|約定日", "銘柄コード", nameStock, "約定日"
	l.Currency, l.Currencies = "=JPY", s.CurrencyOfFile
	l.Words, l.Adjust = japaneseWords, adjustJapanese
	return &l
}

// japaneseWords are the words for trades, the most specific first. 現引 takes delivery of
// shares bought on margin, 現渡 delivers shares against those sold short: each closes one
// position and changes another.
var japaneseWords = []s.Word{
	{Kind: s.KindSellClose, Words: "*現引*"},
	{Kind: s.KindBuyClose, Words: "*現渡*"},
	{Kind: s.KindBuyOpen, Words: "*新規買*|*買建*"},
	{Kind: s.KindSellClose, Words: "*返済売*|*売埋*"},
	{Kind: s.KindSellOpen, Words: "*新規売*|*売建*"},
	{Kind: s.KindBuyClose, Words: "*返済買*|*買埋*"},
	{Kind: s.KindMovement, Words: "*入庫*|*出庫*"},
	{Kind: s.KindBuy, Words: "*買*"},
	{Kind: s.KindSell, Words: "*売*"},
}

// Positions kept apart. Shares paid for have no lot.
const (
	lotMarginLong  = "margin long"
	lotMarginShort = "margin short"
)

// adjustJapanese sets a margin fill's lot, and adds a delivery's second fill, which has
// no costs.
func adjustJapanese(w *s.Row, r *s.Record) {
	if r.Kind == s.KindBuyOpen || r.Kind == s.KindSellClose {
		r.Fill.Lot = lotMarginLong
	}
	if r.Kind == s.KindSellOpen || r.Kind == s.KindBuyClose {
		r.Fill.Lot = lotMarginShort
	}
	delivered := *r.Fill
	delivered.Lot, delivered.Commission, delivered.Fees = "", decimal.Zero, decimal.Zero
	switch word := w.Text("取引|取引区分") + w.Text("売買区分"); {
	case strings.Contains(word, "現引"):
		delivered.Side, delivered.Effect = matching.Buy, parse.Opening
		r.Also = []s.Record{{Kind: s.KindBuyOpen, Fill: &delivered}}
	case strings.Contains(word, "現渡"):
		delivered.Side, delivered.Effect = matching.Sell, parse.Closing
		r.Also = []s.Record{{Kind: s.KindSellClose, Fill: &delivered}}
	}
}
