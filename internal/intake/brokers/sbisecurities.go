package brokers

import s "fillbook/internal/intake/statement"

// sbiTrades is SBI Securities' trade history; see newJapaneseLayout.
var sbiTrades = s.Preset{
	Broker: "SBI Securities", Export: "trade history", Evidence: s.Documented, Format: s.Executions, Zone: tokyo, Costs: s.CostsPositive,
	Header: s.Cols("約定日;銘柄コード;取引;約定数量;約定単価;受渡金額/決済損益"), NewestFirst: true,
	Layout: newJapaneseLayout(s.Layout{Kind: "取引", Quantity: "約定数量", Price: "約定単価", Commission: "手数料/諸経費等|手数料等", Fees: "税額"}),
}
