package parse_test

import (
	"strings"
	"testing"

	"fillbook/internal/intake/parse"
	"fillbook/internal/trading/matching"
)

func TestSideWord(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		side   matching.Side
		effect parse.Effect
		words  string
	}{
		{
			matching.Buy, parse.EffectUnknown,
			"Buy|BUY|buy| Buy|B|Bot|BOT|Bought|Long Buy|Bid|0|C|Köp|KÖP|Kauf|Koop|Achat|Acquisto|Compra|買付|株式現物買|Market buy|Limit buy|BUY - MARKET|" +
				"buy limit|YOU BOUGHT|Advanced Trade Buy|买入|'Buy|Buy\u00a0",
		},
		{
			matching.Sell, parse.EffectUnknown,
			"Sell|SELL| Sell|S|SLD|Sold|Ask|1|V|Sälj|Verkauf|Verkoop|Vente|Vendita|Venda|Venta|売付|株式現物売|Market sell|Stop sell|SELL - LIMIT|sell stop|YOU SOLD",
		},
		{
			matching.Buy, parse.Opening,
			"BUY_TO_OPEN|Buy to Open|Bought To Open|BTO|Trade Buy In|open buy|Open Long|Entry long|Long|L|LONG|信用新規買|YOU BOUGHT OPENING TRANSACTION",
		},
		{
			matching.Sell, parse.Opening,
			"SELL_TO_OPEN|Sell to Open|Sold To Open|STO|SS|Short|Sell short|SELL_SHORT|Sell-Short|Short Sell|short sale|Trade Sell In|open sell|Open Short|Entry short|信用新規売",
		},
		{
			matching.Sell, parse.Closing,
			"SELL_TO_CLOSE|Sell to Close|Sold To Close|STC|Trade Sell Out|close sell|Close Long|Close Long / Sell|Exit long|信用返済売|YOU SOLD CLOSING TRANSACTION",
		},
		{
			matching.Buy, parse.Closing,
			"BUY_TO_CLOSE|Buy to Close|Bought To Close|BTC|BC|Buy to Cover|Cover|COVER|BUY_TO_COVER|Trade Buy Out|close buy|Close Short|Close Short / Buy|Exit short|信用返済買",
		},
	} {
		for word := range strings.SplitSeq(c.words, "|") {
			side, effect, ok := parse.SideWord(word)
			if !ok || side != c.side || effect != c.effect {
				t.Errorf("%q is %s, %d, %v, want %s, %d", word, side, effect, ok, c.side, c.effect)
			}
		}
	}
}

// Only whole words count: a company or a cash row containing one does not.
func TestSideWordDoesNotGuess(t *testing.T) {
	t.Parallel()
	for _, word := range []string{
		"", " ", "-", "--", "2", "00", "Best Buy", "Buy Apple", "Buyback", "sellers", "Sold 1 SCHG", "Deposit", "Dividend", "balance", "credit", "SPL", "OEXP", "D",
		"現引", "現渡", "Buy/Sell", "buy sell", "Funding", strings.Repeat("buy ", 100),
	} {
		if side, effect, ok := parse.SideWord(word); ok || side != "" || effect != parse.EffectUnknown {
			t.Errorf("%q is %s, %d", word, side, effect)
		}
	}
}

func TestLeadingSide(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		side   matching.Side
		effect parse.Effect
		texts  string
	}{
		{matching.Buy, parse.EffectUnknown, "Buy|Buy BTC|Buy Apple|Kauf Xetra|Kauf: 10 Stück SAP|Compra 10 SAN|Achat TOTAL SE|BOT +100 AAPL|YOU BOUGHT TESLA INC|证券买入|买入股票|Acquisto titoli"},
		{matching.Sell, parse.EffectUnknown, "Sell|Sell BTC|Sold 1 SCHG|Verkauf Tradegate|Vente ORANGE|Venta de acciones|SLD -5 NVDA|卖出基金|売付株式"},
		{matching.Sell, parse.Opening, "Sold Short 25 GOOG|Sell Short TSLA|Sell to open 1 SPY|Short"},
		{matching.Buy, parse.Closing, "Bought to cover 25 GOOG|Buy to Close SPY 450C|Buy to cover"},
	} {
		for text := range strings.SplitSeq(c.texts, "|") {
			side, effect, ok := parse.LeadingSide(text)
			if !ok || side != c.side || effect != c.effect {
				t.Errorf("%q is %s, %d, %v, want %s, %d", text, side, effect, ok, c.side, c.effect)
			}
		}
	}
}

// A word that is a side only by itself, another word that begins so, or both sides say
// nothing.
func TestLeadingSideDoesNotGuess(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "-", "Best Buy", "Buyback", "Buy/Sell", "buy sell", "sell / buy", "Long-term gain", "Short interest", "BTC 0.5", "STO Express", "Offer of rights", "B 10", "S&P 500", "C Class",
		"1 share", "0 fees", "Deposit", "sellers", "現引", strings.Repeat("buy ", 100),
	} {
		if side, _, ok := parse.LeadingSide(text); ok {
			t.Errorf("%q is %s", text, side)
		}
	}
}
