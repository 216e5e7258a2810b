package brokers

import (
	"slices"
	"strings"

	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
)

// krakenOld are the old names of coins, with an X before them, and of the
// currencies of states, with a Z.
var krakenOld = strings.Fields("XXBT XETH XLTC XXRP XXLM XXDG XETC XREP XMLN XXMR XZEC XICN XNMC XXVN ZUSD ZEUR ZGBP ZCAD ZJPY ZAUD ZKRW ZCHF")

// krakenQuotes are what Kraken prices coins in.
var krakenQuotes = strings.Fields("USD EUR GBP CAD JPY AUD CHF USDT USDC DAI PYUSD XBT ETH DOT")

// nameKrakenCoin returns the common name of a coin. A part after a point says where
// it is kept: DOT.S is staked.
func nameKrakenCoin(asset string) string {
	asset = strings.ToUpper(strings.TrimSpace(asset))
	if base, _, ok := strings.Cut(asset, "."); ok && base != "" {
		asset = base
	}
	if slices.Contains(krakenOld, asset) {
		asset = asset[1:]
	}
	switch asset {
	case "XBT":
		return "BTC"
	case "XDG":
		return "DOGE"
	}
	return asset
}

// splitKrakenPair cuts a pair, such as XXBTZUSD, XBTUSD, XTZUSD or XBT/USD. An old
// name at the end counts only after another of four letters.
func splitKrakenPair(pair string) (base, quote string) {
	pair = strings.ToUpper(strings.TrimSpace(pair))
	if len(pair) == 8 && slices.Contains(krakenOld, pair[4:]) {
		return nameKrakenCoin(pair[:4]), nameKrakenCoin(pair[4:])
	}
	if strings.Contains(pair, "/") {
		base, quote = statement.SplitPair(pair)
	} else {
		base, quote = statement.SplitPairBy(pair, krakenQuotes)
	}
	return nameKrakenCoin(base), nameKrakenCoin(quote)
}

// krakenTrades has the ids that the ledgers have too, so that both give the same
// fills.
var krakenTrades = statement.Preset{
	Broker: "Kraken", Export: "trades", Evidence: statement.Documented, Format: statement.Executions, Zone: utc, Costs: statement.CostsPositive,
	Header: statement.Cols("txid;ordertxid;pair;time;type;ordertype;price;cost;fee;vol"),
	Layout: &statement.Layout{
		Coins: true, Symbol: "pair", Namer: nameKrakenPair, Side: "type", Time: "time", Quantity: "vol", Price: "price", Fees: "fee", ID: "txid",
	},
}

// nameKrakenPair builds a pair from the name of its market.
func nameKrakenPair(symbol, _ string) statement.Instrument {
	base, quote := splitKrakenPair(symbol)
	return statement.Instrument{Symbol: joinKrakenPair(base, quote), Type: instruments.TypeCrypto, Base: base, Quote: quote}
}

func joinKrakenPair(base, quote string) string {
	if quote == "" {
		return base
	}
	return base + "/" + quote
}

// krakenLedgers have one row for each coin of a trade. Deposits are there twice,
// the first time without an id, before they have arrived.
var krakenLedgers = statement.Preset{
	Broker: "Kraken", Export: "ledgers", Evidence: statement.RealFile, Format: statement.Executions, Zone: utc, Costs: statement.CostsPositive,
	Header: statement.Cols("txid;refid;time;type;aclass;asset;amount;fee;balance"),
	Layout: &statement.Layout{
		Coins: true, CoinName: nameKrakenCoin, Only: []statement.Condition{{Col: "txid", Words: "?*", Reason: "it has not arrived yet; another row has it"}},
		Kind: "{type} {subtype}", Time: "time", Amount: "amount", Currency: "asset", Fees: "fee", CashFees: statement.CashFeesSubtracted,
		Symbol: "{@base}/{@quote}", ID: "refid", Note: "type", Join: []statement.Join{{By: "refid", As: statement.JoinLegs, Fiat: true}},
		Words: []statement.Word{
			{Kind: statement.KindInternal, Words: "staking *allocation*|earn *allocation*|dividend *allocation*|reward *allocation*|transfer ?*"},
			{Kind: statement.KindLeg, Words: "trade*|spend*|receive*"},
			{Kind: statement.KindTransfer, Words: "deposit*|withdrawal*"},
			{Kind: statement.KindInterest, Words: "staking*|earn*|dividend*|reward*"},
			{Kind: statement.KindFee, Words: "rollover*"},
			{Kind: statement.KindResult, Words: "margin*|settled*"},
			{Kind: statement.KindAdjustment, Words: "transfer"},
			{Kind: statement.KindMovement, Words: "*"},
		},
	},
}
