package parse

import "fillbook/internal/trading/matching"

// WordSet makes a word table.
func WordSet(words ...string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}

// sideWords are the words with one meaning.
type sideWords struct {
	sideMeaning
	words []string
}

// sideMeaning is what a word says about a fill.
type sideMeaning struct {
	side   matching.Side
	effect Effect
}

// sideMeanings has the meanings by word.
var sideMeanings = func() map[string]sideMeaning {
	meanings := map[string]sideMeaning{}
	for _, list := range allSideWords {
		for _, word := range list.words {
			meanings[word] = list.sideMeaning
		}
	}
	return meanings
}()

// allSideWords are the words for buying and selling, in sideKey form. 0 and 1 are one
// platform's action numbers; c and v are compra and venda.
var allSideWords = []sideWords{
	{sideMeaning{matching.Buy, EffectUnknown}, []string{
		"buy", "b", "bot", "bought", "long buy", "bid", "0", "c", "purchase", "purchased", "you bought",
		"buy market", "buy limit", "buy stop", "buy stop limit", "market buy", "limit buy", "stop buy", "stop limit buy",
		"advanced trade buy", "trade buy", "order buy",
		"kauf", "kaufen", "gekauft", "ankauf", "koop", "kopen", "gekocht", "aankoop", "achat", "acheter", "acheté",
		"acquisto", "acquista", "acquistato", "compra", "comprar", "comprado", "comprada",
		"köp", "köpt", "kjøp", "kjøpt", "køb", "købt", "osto", "kupno", "kup", "nákup", "koupě", "покупка", "купля",
		"買付", "買い", "買", "現物買", "株式現物買", "买入", "买", "買入", "買進", "证券买入", "證券買入", "股票买入", "担保品买入", "融资买入",
	}},
	{sideMeaning{matching.Sell, EffectUnknown}, []string{
		"sell", "s", "sld", "sold", "ask", "1", "v", "sale", "offer", "you sold", "long sell",
		"sell market", "sell limit", "sell stop", "sell stop limit", "market sell", "limit sell", "stop sell", "stop limit sell",
		"advanced trade sell", "trade sell", "order sell",
		"verkauf", "verkaufen", "verkauft", "verkoop", "verkopen", "verkocht", "vente", "vendre", "vendu",
		"vendita", "vendi", "venduto", "venta", "vender", "vendido", "vendida", "venda",
		"sälj", "sålt", "salg", "solgt", "sælg", "myynti", "sprzedaż", "sprzedaj", "prodej", "продажа",
		"売付", "売り", "売", "現物売", "株式現物売", "卖出", "卖", "賣出", "证券卖出", "證券賣出", "股票卖出", "担保品卖出",
	}},
	{sideMeaning{matching.Buy, Opening}, []string{
		"buy to open", "bought to open", "bto", "buy open", "buy opening", "open buy", "trade buy in", "buy in",
		"you bought opening transaction", "long", "l", "open long", "open long buy", "buy open long", "entry long", "long entry", "buy long",
		"kauf zur eröffnung", "kauf opening", "compra apertura", "achat ouverture",
		"信用新規買", "新規買", "買建", "开多", "開多",
	}},
	{sideMeaning{matching.Sell, Opening}, []string{
		"sell to open", "sold to open", "sto", "sell open", "sell opening", "open sell", "trade sell in", "sell in",
		"you sold opening transaction", "ss", "sse", "short", "sell short", "sold short", "short sell", "short sale", "sellshort", "shortsell",
		"shrt", "sell short exempt", "you sold short sale", "open short", "open short sell", "sell open short", "entry short", "short entry",
		"verkauf zur eröffnung", "verkauf opening", "leerverkauf", "venta apertura", "vente ouverture", "vente à découvert",
		"vendita allo scoperto", "venda a descoberto", "blankning",
		"信用新規売", "新規売", "売建", "开空", "開空", "融券卖出",
	}},
	{sideMeaning{matching.Sell, Closing}, []string{
		"sell to close", "sold to close", "stc", "sell close", "sell closing", "close sell", "trade sell out", "sell out",
		"you sold closing transaction", "close long", "close long sell", "sell close long", "exit long", "long exit",
		"verkauf zur schließung", "verkauf zur schliessung", "verkauf closing", "venta cierre", "vente clôture",
		"信用返済売", "返済売", "売埋", "平多", "卖券还款",
	}},
	{sideMeaning{matching.Buy, Closing}, []string{
		"buy to close", "bought to close", "btc", "buy close", "buy closing", "close buy", "trade buy out", "buy out",
		"you bought closing transaction", "bc", "buy to cover", "bought to cover", "buy cover", "cover", "buytocover", "short cover",
		"cover short", "you bought short cover", "close short", "close short buy", "buy close short", "exit short", "short exit",
		"kauf zur schließung", "kauf zur schliessung", "kauf closing", "compra cierre", "achat clôture",
		"信用返済買", "返済買", "買埋", "平空", "买券还券",
	}},
}

// weakSideWords are sides only as a whole cell: "Long-term gain", "Offer of rights" and
// "BTC 0.5" are none.
var weakSideWords = WordSet("long", "short", "bid", "ask", "offer", "cover", "sto", "btc", "ss", "sse", "bc")
