package brokers

import s "fillbook/internal/intake/statement"

// eSmartTrades is e-smart's trade history; see newJapaneseLayout.
var eSmartTrades = s.Preset{
	Broker: "e-smart", Export: "trade history", Evidence: s.Documented, Format: s.Executions, Zone: tokyo, Costs: s.CostsPositive,
	Header: s.Cols("約定日;受渡日;市場;銘柄名;銘柄コード;売買区分;数量;単価"), NewestFirst: true,
	Layout: newJapaneseLayout(s.Layout{Kind: "{取引区分}{売買区分}", Quantity: "数量", Price: "単価", Commission: "手数料", Fees: "諸費用+消費税"}),
}
