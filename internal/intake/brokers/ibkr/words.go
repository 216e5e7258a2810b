package ibkr

import (
	"strings"

	"fillbook/internal/intake/statement"
)

// The words in activity statements in the broker's languages: English, German, French,
// Spanish, Italian, Dutch, Portuguese, Russian, Japanese, and Chinese in both scripts.
// Those in German, French, Spanish, Portuguese, Russian and simplified Chinese were seen
// in public importers and their tests. The others are unseen translations; sections and
// columns with other names are recognized by their shape, see shape.go.

// wordTable maps words in lower case to what they mean.
type wordTable map[string]string

// newWordTable makes a table from meanings and their words, separated by bars.
func newWordTable(meanings map[string]string) wordTable {
	table := wordTable{}
	for meaning, words := range meanings {
		table[strings.ToLower(meaning)] = meaning
		for word := range strings.SplitSeq(words, "|") {
			table[word] = meaning
		}
	}
	return table
}

// find returns a word's meaning, empty if it is unknown.
func (t wordTable) find(word string) string { return t[statement.HeaderKey(word)] }

// The sections that are read or left out with a warning. Cash has its own words, see
// cashWords.
const (
	tradeSectionName      = "trades"
	positionSectionName   = "open positions"
	instrumentSectionName = "financial instrument information"
	rateSectionName       = "base currency exchange rate"
	actionSectionName     = "corporate actions"
	transferSectionName   = "transfers"
)

var sectionWords = newWordTable(map[string]string{
	tradeSectionName: "transaktionen|transactions|operaciones|operazioni|transacties|operações|negociações|сделки|取引|交易",
	positionSectionName: "offene positionen|positions ouvertes|posiciones abiertas|posizioni aperte|open posities|openstaande posities|posições abertas|" +
		"открытые позиции|保有ポジション|建玉|未平仓持仓|未平倉持倉|未平倉部位",
	instrumentSectionName: "informationen zum finanzinstrument|informations sur l'instrument financier|informations sur les instruments financiers|" +
		"información de instrumento financiero|informazioni sullo strumento finanziario|informatie over financiële instrumenten|" + //nolint:misspell // Dutch
		"informações do instrumento financeiro|информация о финансовом инструменте|информация о финансовых инструментах|金融商品情報|金融产品信息|金融工具信息|金融產品資訊",
	rateSectionName: "wechselkurs der basiswährung|taux de change de la devise de base|tipo de cambio de divisa base|tasso di cambio della valuta base|" +
		"wisselkoers basisvaluta|taxa de câmbio da moeda base|обменный курс базовой валюты|基本通貨為替レート|基础货币汇率|基礎貨幣匯率",
	actionSectionName: "kapitalmaßnahmen|opérations sur titres|acciones corporativas|operazioni societarie|operazioni sul capitale|bedrijfsacties|" +
		"ações corporativas|eventos corporativos|корпоративные действия|コーポレートアクション|公司行动|公司行動", //nolint:misspell // Portuguese
	transferSectionName: "übertragungen|transferts|transferencias|trasferimenti|overdrachten|transferências|переводы|振替|转账|轉帳", //nolint:misspell // French
})

// factWords are the facts about an account.
var factWords = newWordTable(map[string]string{
	"Account":       "konto|accountid|compte|cuenta|conto|rekening|conta|счет|счёт|口座|账户|帳戶",
	"Base Currency": "basiswährung|devise de base|divisa base|valuta base|valuta di base|basisvaluta|moeda base|базовая валюта|基本通貨|基础货币|基礎貨幣|基本貨幣",
})

// The column names looked up by readers. Symbol and code have the same name in Chinese,
// so their places tell them apart.
var tradeColumnWords = newWordTable(map[string]string{
	"Asset Category": "vermögenswertkategorie|anlagekategorie|catégorie d'actifs|categoría de activo|categoria di asset|categoria asset|" +
		"activacategorie|categoria de ativos|класс актива|資産クラス|资产分类|資產分類|資產類別",
	"Currency":  "währung|devise|divisa|valuta|moeda|валюта|通貨|货币|貨幣",
	"Account":   "konto|compte|cuenta|conto|rekening|conta|счет|счёт|口座|账户|帳戶",
	"Symbol":    "symbole|símbolo|simbolo|symbool|символ|シンボル|銘柄",
	"Date/Time": "datum/zeit|date/heure|fecha/hora|data/ora|datum/tijd|data/hora|дата/время|日付/時刻|日時|日期/时间|日期/時間",
	"Quantity":  "menge|quantité|cantidad|quantità|aantal|hoeveelheid|quantidade|количество|数量|數量",
	"T. Price": "t.-kurs|prix trans.|precio trans.|t. precio|prezzo trans.|prezzo t.|t. prijs|preço neg.|цена транзакции|取引価格|约定价格|交易价格|" +
		"交易價格",
	"Proceeds":       "erlös|produit|produits|productos|proventi|opbrengst|rendimentos|выручка|受取金|收益", //nolint:misspell // Spanish
	"Notional Value": "nominalwert|nominaler wert|valeur notionnelle|valor nocional|valore nozionale|nominale waarde|valor notional|номинальная стоимость|想定元本|面值|名义价值|名義價值",
	"Comm/Fee":       "prov./gebühr|provision/gebühr|comm/tarif|tarifa/com.|comm./tariffa|comm/commissione|comm./kosten|corr/taxa|комиссия/плата|手数料|佣金/税|佣金/稅",
	"Realized P/L": "realisierter g/v|realisierter g&v|p/l réalisé|pyg realizadas|realizado p/g|p/l realizzato|gerealiseerde w/v|p&l realizados|" +
		"реализованная п/у|実現損益|已实现的损益|已實現的損益",
	"Code": "código|codice|код|コード",
})

var cashColumnWords = newWordTable(map[string]string{
	"Currency":    "währung|devise|divisa|valuta|moeda|валюта|通貨|货币|貨幣",
	"Account":     "konto|compte|cuenta|conto|rekening|conta|счет|счёт|口座|账户|帳戶",
	"Date":        "settle date|date/time|datum|abrechnungsdatum|datum/zeit|date de règlement|fecha|fecha de liquidación|data|дата|日付|日期|结算日期|結算日期",
	"Description": "beschreibung|descripción|descrizione|omschrijving|beschrijving|descrição|описание|摘要|描述|說明",
	"Amount":      "betrag|montant|importo|bedrag|valor|сумма|金額|金额",
})

// orderWords are for order rows, executionWords for the trades filling them.
var (
	orderWords     = newWordTable(map[string]string{"Order": "ordre|orden|ordine|ordem|ордер|注文|订单|訂單"})
	executionWords = newWordTable(map[string]string{"Trade": "transaktion|сделка|约定|成交"})
)

// commissionStarts are the beginnings of the commission column, which for currency trades
// has the account's currency in its name: "Comm in USD".
var commissionStarts = []string{"comm", "prov", "corr", "tarifa/com", "комисси", "手数料", "佣金"}
