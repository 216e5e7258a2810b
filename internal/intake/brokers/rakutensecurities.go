package brokers

import s "fillbook/internal/intake/statement"

// rakutenTrades is Rakuten Securities' trade history; see newJapaneseLayout.
var rakutenTrades = s.Preset{
	Broker: "Rakuten Securities", Export: "trade history", Evidence: s.Documented, Format: s.Executions, Zone: tokyo, Costs: s.CostsPositive,
	Header: s.Cols("約定日;銘柄コード;銘柄名;取引区分;売買区分;数量［株］|数量[株];単価［円］|単価[円]"), NewestFirst: true,
	Layout: newJapaneseLayout(s.Layout{
		Kind: "{取引区分}{売買区分}", Quantity: "数量［株］|数量[株]", Price: "単価［円］|単価[円]",
		Commission: "手数料［円］|手数料[円]", Fees: "税金等［円］|税金等[円]+諸費用［円］|諸費用[円]",
	}),
}
