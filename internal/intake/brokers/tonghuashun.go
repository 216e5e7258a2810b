package brokers

import s "fillbook/internal/intake/statement"

// tonghuashunTrades is the settlement list (交割单) or the list of fills that Chinese
// brokers such as Huatai export from their own program or from Tonghuashun, in GBK. The
// names of columns differ a little; kinds are the same.
var tonghuashunTrades = s.Preset{
	Broker: "Huatai / Tonghuashun", Export: "settlement list", Evidence: s.SampleFile, Format: s.Executions, Zone: shanghai, Costs: s.CostsPositive,
	Header: s.Cols(chineseDay + ";证券代码;" + chineseKind + ";成交数量;" + chinesePrice), Units: true,
	Layout: &s.Layout{
		Key: chineseKind, Kind: chineseKind, Symbol: "证券代码", Namer: nameStock, Name: "证券名称|证券简称|股票名称", Date: chineseDay, Clock: "成交时间|发生时间",
		Quantity: "成交数量", Price: chinesePrice, Amount: "发生金额|清算金额|收付金额", Gross: "成交金额", CashAmount: "发生金额|清算金额|收付金额|成交金额",
		Commission: "手续费|佣金|净佣金", Fees: "印花税+过户费+其他费用|其他费|其他杂费|其它费用+结算费+经手费+证管费+规费",
		Currency: "=CNY", Currencies: s.CurrencyOfFile, ID: "成交编号|成交序号", Account: "资金账号|资金帐号", Note: "{" + chineseKind + "} {证券名称|证券简称}",
		Words: chineseWords,
	},
}

const (
	chineseDay   = "成交日期|发生日期|交割日期|业务日期|交收日期"
	chineseKind  = "操作|业务名称|买卖标志|摘要|业务标志|交易类别|买卖方向"
	chinesePrice = "成交均价|成交价格|成交价"
)

// chineseWords are the kinds of rows. A reverse repo (回购) lends money for some days and
// returns it with interest; both rows are adjustments, whose sum is the interest.
var chineseWords = []s.Word{
	{Kind: s.KindNotFilled, Words: "*撤单*|*废单*|*已撤*|*未成交*|*申报*|*配号*"},
	{Kind: s.KindAdjustment, Words: "*回购*|*购回*|*拆出*"},
	{Kind: s.KindWithholding, Words: "*红利税*|*股息*税*|*扣税*|*利息税*"},
	{Kind: s.KindMovement, Words: "*红股*|*送股*|*转增*|*托管*|*指定*|*新股入*|*中签*|*转股*|*担保品*|*股份*"},
	{Kind: s.KindDividend, Words: "*红利*|*股息*|*派息*|*分红*|*兑息*"},
	{Kind: s.KindInterest, Words: "*利息*|*结息*"},
	{Kind: s.KindDeposit, Words: "*银行转证券*|*银证转入*|*银行转存*|*资金存入*|*转入*"},
	{Kind: s.KindWithdrawal, Words: "*证券转银行*|*银证转出*|*银行转取*|*资金取出*|*转出*"},
	{Kind: s.KindSellOpen, Words: "*融券卖出*"},
	{Kind: s.KindBuyClose, Words: "*买券还券*"},
	{Kind: s.KindBuy, Words: "*买入*|买|b|*申购*"},
	{Kind: s.KindSell, Words: "*卖出*|卖|s|*赎回*"},
	{Kind: s.KindFee, Words: "*费*"},
	{Kind: s.KindTax, Words: "*税*"},
}
