package statement

// targetWords are column names in English, German, French, Spanish, Dutch, Italian,
// Portuguese, Swedish and Japanese, best first: if two columns could be the fill price,
// the name further in front wins. Signs and blanks in the names do not count.
//
// What is missing here is missing on purpose. Order, position and row numbers are no fill
// ids: two fills may share them, and would be taken for one. Limit and order prices are
// no fill prices.
var targetWords = map[Target][]string{
	TargetSymbol: {
		"symbol", "ticker", "ticker symbol", "instrument symbol", "trading symbol", "contract", "contract name", "instrument",
		"symb", "symbol id", "symbol & name", "stock symbol", "pair", "pairs", "trading pair", "futures trading pair", "currency pair", "futures",
		"símbolo", "simbolo", "symbole", "symbool", "instrumento", "strumento", "wertpapier", "ativo", "activo", "titre", "titolo", "valeur",
		"värdepapper", "värdepapper beskrivning", "outil", "銘柄コード", "銘柄", "シンボル", "交易品种", "символ",
		"scrip", "scrip contract", "security", "stock", "stock code", "item", "coin", "epic", "market name", "product", "produkt",
		"produit", "producto", "produto", "prodotto", "underlying asset", "asset", "underlying", //nolint:misspell // not English, or a broker's own spelling
		"stock ticker", "ticker code", "security code", "share code", "asx code", "instrument code", "código de negociação", "papel", "codice titolo", "kortnamn", "walor", "papier",
		"証券コード", "コード", "证券代码", "股票代码", "代码", "合约", "交易对", "тикер", "инструмент",
		"isin", "code isin", "isin code", "codice isin", "código isin", "isin kod", "wkn", "código", "codigo", "codice", "code",
	},
	TargetSide: {
		"side", "buy/sell", "sell/buy", "b/s", "s/b", "buy or sell", "bought/sold", "sold/bought", "order side", "trade side", "opening direction", "entry buy/sell",
		"direction", "dir", "long/short", "l/s", "market pos", "market position", "trade type", "action", "trans code", "transaction type",
		"activity type", "closing direction",
		"seite", "richtung", "kauf/verkauf", "k/v", "sens", "achat/vente", "lado", "dirección", "dirección de apertura", "compra/venta", "c/v",
		"direção", "compra/venda", "direzione", "acquisto/vendita", "richting", "koop/verkoop", "riktning", "köp/sälj", "pos marché",
		"売買", "売買区分", "kierunek", "операция", "направление", "køb/salg", "kjøp/salg", "handel", "smer", "操作", "买卖方向", "买卖标志", "取引", "取引区分", "タイプ", "tipo operazione", "tipo de operación", "tipo operação", "typ av transaktion", "transactietype",
		"verkauf/kauf", "vente/achat", "venta/compra", "venda/compra", "vendita/acquisto", "verkoop/koop", "sälj/köp",
		"activity", "trans", "way", "vorgang", "transaktionstyp", "transaktionsart", "transaktion", "geschäftsart", "buchungsart",
		"operación", "operacion", "operazione", "operação", "operacao", "opération", "mouvement", "movimiento", "movimento", "transactie",
		"transaction", "operation", "typ", "tipo", "type",
	},
	TargetQuantity: {
		"filled qty", "filled quantity", "fill qty", "fill quantity", "qty filled", "quantity filled", "qty done", "executed qty", "executed quantity",
		"filled volume", "filled amount", "executed amount", "erfüllungsmenge", "約定数量", "filled", "executed",
		"cum qty", "cumulative qty", "cumulative quantity", "exec qty", "qty executed", "quantity executed", "filled shares", "executed shares",
		"traded qty", "traded quantity", "ausgeführte menge", "ausgeführte stück", "quantité exécutée", "cantidad ejecutada", "quantità eseguita",
		"quantidade executada", "uitgevoerd aantal", "closing quantity", "open volume", "volume d'ouverture", "fill size",
		"quantity", "qty", "no of shares", "number of shares", "shares", "contracts", "lots", "lot", "units/lots", "units", "trade volume lots",
		"volume", "size", "size qty", "position size", "quantity transacted", "trade quantity", "sz", "vol",
		"menge", "stück", "stücke", "stk", "anzahl", "anz", "volumen", "quantité", "qté", "nombre", "cantidad", "cantidad de cierre", "número",
		"títulos", "quantità", "quantidade", "qtd", "qtde", "volumi", "aantal", "hoeveelheid", "antal", "volym", "数量", "取引数量", "取引量", "ロット",
		"交易量", "обем", "objem", "liczba", "ilość", "počet", "количество", "määrä", "antall", "成交数量", "amount",
	},
	TargetPrice: {
		"fill price", "avg fill price", "average fill price", "filled avg price", "avg filled price", "average filled price", "filled price",
		"execution price", "exec price", "execute price", "executed price", "price done", "avg fill", "trade price", "traded price", "t price",
		"transaction price", "avg price", "average price", "price", "unit price", "price per share", "price/share", "price per unit",
		"price at transaction", "durchschnittlicher erfüllungspreis", "約定単価", "約定価格", "約定値段", "px",
		"kurs", "preis", "ausführungskurs", "prix", "cours", "precio", "prezzo", "preço", "preços", "koers", "prijs", "pris", "価格", "単価", "价位",
		"цена", "cena", "hinta", "курс", "成交价格", "成交均价", "rate", "level",
	},
	TargetExecutedAt: {
		"executed at", "when", "unix time", "unix timestamp", "timestamp ms", "time ms", "datetime utc", "дата и время", "execution date and time", "execution datetime", "exec date time", "filled at", "filled time", "fill time", "fill datetime",
		"date/time", "date and time", "timestamp", "trade datetime", "created at",
		"datum/zeit", "datum/uhrzeit", "datum und uhrzeit", "zeitstempel", "zeitpunkt", "date et heure", "date/heure", "fecha y hora", "fecha/hora",
		"data e ora", "data/ora", "data e hora", "data/hora", "datum en tijd", "datum/tijd", "datum och tid", "tidpunkt", "約定日時", "日時", "取引日時",
	},
	TargetDate: {
		"date", "trade date", "exec date", "execution date", "t/d", "activity/trade date", "activity date", "transaction date", "run date",
		"order date", "deal date",
		"datum", "handelsdatum", "handelstag", "ausführungsdatum", "buchungstag", "date d'opération", "date d'exécution", "date de transaction",
		"fecha", "fecha operación", "fecha de operación", "fecha de ejecución", "data", "data operazione", "data da operação", "data do negócio",
		"transactiedatum", "affärsdag", "affärsdatum", "transaktionsdatum", "約定日", "取引日", "日付", "дата", "dato", "handelsdato", "päivämäärä", "kauppapäivä", "data transakcji", "datum obchodu", "成交日期", "дата сделки",
	},
	TargetTime: {
		"exec time", "execution time", "order execution time", "trade time", "transaction time", "deal time", "time",
		"ausführungszeit", "uhrzeit", "zeit", "heure", "heure d'exécution", "hora", "hora de ejecución", "ora", "tijd", "tid", "klockslag",
		"約定時刻", "約定時間", "czas", "tidspunkt", "время", "成交时间", "時間", "時刻", "时间", "време", "čas", "update time", "status time", "status zeit", "order time",
	},
	TargetFees: {
		"fees", "fee", "total fees", "trading fee", "trading fees", "transaction fee", "transaction fees", "fee paid", "fees paid", "fees & comm",
		"fees and comm", "commissions & fees", "commission & fees", "comm/fee", "comm/fee/tax", "misc fees", "costs", "charges", "other fees",
		"fees and/or spread", "transaction and/or third party fees", "transaction costs", "exchange fee", "route fee", "regulatory fees", "taxes",
		"gebühr", "gebühren", "entgelt", "kosten", "spesen", "transaktionskosten", "transaktionskost", "frais", "frais de transaction",
		"frais de courtage et/ou de parties", "gastos", "tasas", "costes", "costes de transaccion y/o externos", "transactiekosten", "spese", "costi", //nolint:misspell // not English, or a broker's own spelling
		"tasse", "taxas", "custos", "custos de transação e/ou taxas de terceiros", "avgift", "avgifter", "kostnad", "手数料/諸経費等", "諸経費",
	},
	TargetCommission: {
		"commission", "commissions", "commision", "comm", "commission amount", "commission fee", "ib commission", "brokerage", //nolint:misspell // not English, or a broker's own spelling
		"broker commission", "brokerage fee", "comm in",
		"kommission", "kommissionen", "provision", "ordergebühr", "courtage", "commission de courtage", "comisión", "comision", "comisiones", //nolint:misspell // not English, or a broker's own spelling
		"corretaje", "commissione", "commissioni", "comissão", "comissao", "comissões", "corretagem", "commissie", "provisie", "手数料", "手续费",
		"комисиона", "komisia",
	},
	TargetSwap: {
		"swap", "swaps", "rollover", "swap fee", "overnight fee", "overnight", "funding fee", "financing", "finanzierung", "échange", "echange", "スワップ",
		"库存费", "суап",
	},
	TargetInstrumentType: {
		"instrument type", "asset class", "asset category", "asset type", "security type", "sec type", "symbol type", "product type", "trade asset type",
		"instrumenttyp", "wertpapierart", "anlageklasse", "type d'instrument", "classe d'actif", "tipo de instrumento", "tipo de activo",
		"tipo strumento", "tipo di strumento", "tipo de ativo", "type instrument", "soort", "värdepapperstyp", "商品種別",
	},
	TargetOptionRight: {
		"call/put", "put/call", "call or put", "put or call", "option type", "option right", "right", "c/p", "p/c", "optionstyp", "optionsart",
		"type d'option", "tipo de opción", "tipo di opzione", "tipo opzione", "tipo de opção", "optietype", "optionstype",
	},
	TargetStrike: {
		"strike", "strike price", "exercise price", "basispreis", "ausübungspreis", "prix d'exercice", "precio de ejercicio", "prezzo di esercizio",
		"preço de exercício", "uitoefenprijs", "lösenpris", "権利行使価格", "行使価格",
	},
	TargetExpiry: {
		"expiry", "expiration", "expiration date", "expiry date", "exp", "exp date", "expire", "expires", "maturity", "maturity date",
		"verfall", "verfallsdatum", "verfalldatum", "verfallstag", "fälligkeit", "échéance", "date d'échéance", "vencimiento", "fecha de vencimiento",
		"scadenza", "data di scadenza", "vencimento", "data de vencimento", "expiratie", "expiratiedatum", "vervaldatum", "förfallodag",
		"förfallodatum", "lösendag", "限月", "満期日",
	},
	TargetMultiplier: {
		"multiplier", "contract multiplier", "contract size", "point value", "pointcost", "multiplikator", "kontraktgröße", "multiplicateur",
		"multiplicador", "moltiplicatore", "vermenigvuldiger", "kontraktstorlek", "乗数",
	},
	TargetExternalID: {
		"external id", "execution id", "exec id", "ibexecid", "fill id", "trade id", "deal id", "deal", "transaction id", "trasaction id", "txid",
		"ausführungsnummer", "transaktionsnummer", "id de transaction", "id de transacción", "id transazione", "id da transação",
		"transactie id", "transaktions id", "約定番号",
	},
	TargetOrderID: {
		"order id", "order no", "order number", "order #", "order ref", "ib order id", "brokerage order id", "auftragsnummer", "ordernummer",
		"numéro d'ordre", "id de orden", "id ordine", "id da ordem", "注文番号",
	},
	TargetCurrency: {
		"currency", "ccy", "trade currency", "price currency", "currency price/share", "instrument currency", "currency primary",
		"währung", "handelswährung", "devise", "divisa", "moneda", "moeda", "valuta", "munt", "transaktionsvaluta", "通貨",
	},
	TargetOpenTime: {
		"open time", "opening time", "opened at", "open datetime", "open date and time", "entry time", "entered at", "entry datetime",
		"opened", "position opening time", "open timestamp", "open",
		"eröffnungszeit", "öffnungszeit", "einstiegszeit", "heure d'ouverture", "heure d'entrée", "hora de apertura", "hora de entrada",
		"orario di apertura", "ora di apertura", "ora apertura", "abertura", "hora de abertura", "openingstijd", "öppningstid", "新規約定日時", "建日時",
		"време на отваряне",
	},
	TargetOpenDate: {
		"open date", "opened date", "opening date", "entry date", "date opened", "acquired date", "date acquired", "eröffnungsdatum", "einstiegsdatum",
		"date d'ouverture", "date d'entrée", "fecha de apertura", "fecha de entrada", "data di apertura", "data apertura", "data de abertura",
		"data de entrada", "openingsdatum", "öppningsdatum", "新規約定日", "建日",
	},
	TargetOpenPrice: {
		"open price", "opening price", "entry price", "avg entry price", "average entry price", "avg entry", "price in", "entry", "open rate", "open level",
		"eröffnungskurs", "eröffnungspreis", "einstiegskurs", "einstiegspreis", "prix d'ouverture", "prix d'entrée", "precio de apertura",
		"precio de entrada", "prezzo di apertura", "prezzo apertura", "prezzo di entrata", "preço de abertura", "preço de entrada", "openingskoers",
		"openingsprijs", "ingångskurs", "öppningskurs", "新規約定値", "建単価", "建値",
	},
	TargetCloseTime: {
		"close time", "closing time", "closed at", "close datetime", "close date and time", "exit time", "exited at", "exit datetime",
		"closed", "position closing time", "close timestamp", "close",
		"schließzeit", "schlusszeit", "ausstiegszeit", "heure de clôture", "heure de fermeture", "heure de sortie", "hora de cierre", "hora de salida",
		"orario di chiusura", "ora di chiusura", "ora chiusura", "fechamento", "hora de fechamento", "sluitingstijd", "stängningstid", "決済約定日時",
		"決済日時",
	},
	TargetCloseDate: {
		"close date", "closed date", "closing date", "exit date", "date closed", "date sold", "schließdatum", "ausstiegsdatum", "date de clôture",
		"date de fermeture", "date de sortie", "fecha de cierre", "fecha de salida", "data di chiusura", "data chiusura", "data de fechamento",
		"data de saída", "sluitingsdatum", "stängningsdatum", "決済約定日", "決済日",
	},
	TargetClosePrice: {
		"close price", "closing price", "exit price", "avg exit price", "average exit price", "avg exit", "price out", "exit", "close rate", "close level",
		"schlusskurs", "schließkurs", "ausstiegskurs", "ausstiegspreis", "prix de clôture", "prix de fermeture", "prix de sortie", "precio de cierre",
		"precio de salida", "prezzo di chiusura", "prezzo chiusura", "prezzo di uscita", "preço de fechamento", "preço de saída", "slotkoers",
		"sluitingsprijs", "utgångskurs", "stängningskurs", "決済約定値", "決済値", "決済単価",
	},
	TargetPnL: {
		"gross p&l", "gross pnl", "gross profit", "gross", "p&l", "pnl", "pl amount", "realized p&l",
		"realized pnl", "realised pnl", "realised p&l", "realized profit", "closed p&l", "closed pnl", "closing pnl", "trade p&l", "profit",
		"profit/loss", "profit and loss", "gain/loss", "gain", "result", "return", "fifo pnl realized",
		"gewinn/verlust", "guv", "g/v", "gewinn", "ergebnis", "résultat", "gain/perte", "plus-value", "beneficio", "ganancia", "ganancia/pérdida",
		"resultado", "risultato", "profitto", "profitto/perdita", "utile/perdita", "lucro", "lucro/prejuízo", "winst", "winst/verlies", "resultaat",
		"resultat", "vinst", "vinst/förlust", "損益", "決済損益", "受渡金額/決済損益", "盈利", "печалба", "zisk",
	},
	TargetNetPnL: {
		"net p&l", "net pnl", "net profit", "net return", "net", "net result", "net profit/loss", "netto", "nettogewinn", "nettoergebnis",
		"résultat net", "profit net", "neto", "beneficio neto", "resultado neto", "netto risultato", "utile netto", "profitto netto", "lucro líquido",
		"resultado líquido", "nettoresultaat", "nettoresultat", "純損益",
	},
	TargetTags:        {"tags", "tag", "labels", "schlagwörter", "étiquettes", "etiquetas", "etichette", "taggar", "タグ"},
	TargetSetup:       {"setup", "setups", "playbook", "strategy", "strategie", "stratégie", "estrategia", "strategia", "estratégia", "strategi", "戦略"}, //nolint:misspell // not English, or a broker's own spelling
	TargetNotes:       noteWords,
	TargetInitialRisk: {"initial risk", "risk", "risk amount", "planned risk", "risiko", "risque", "riesgo", "rischio", "risco", "risk belopp", "リスク"},
	TargetStopPrice: {
		"stop loss", "stop loss price", "s/l", "stop", "initial stop", "stop price", "決済逆指値 s/l", "決済逆指値",
	},
	TargetLastStop: {"last stop", "last stop price", "final stop"},
	TargetTargetPrice: {
		"take profit", "take profit price", "t/p", "target", "profit target", "target price", "kursziel", "objectif", "objetivo", "obiettivo",
		"決済指値 t/p", "決済指値",
	},
	TargetStatus: {
		"order status", "order state", "status", "trade status", "state", "zustand", "auftragsstatus", "statut", "état", "estado", "stato",
		"stato ordine", "estado de la orden", "tila", "状況", "状態", "注文状況",
	},
	TargetAccount: {
		"account", "account name", "account number", "account id", "client account id", "portfolio", "konto", "kontonummer", "depot", "compte",
		"cuenta", "conto", "conta", "rekening", "口座",
	},
	TargetMAE:        {"mae", "position mae", "max adverse excursion", "maximum adverse excursion"},
	TargetMFE:        {"mfe", "position mfe", "max favorable excursion", "max favourable excursion", "maximum favorable excursion"},
	TargetConfidence: {"confidence", "conviction", "vertrauen", "confiance", "confianza", "fiducia", "confiança"},
	TargetEmotionalState: {
		"emotional state", "emotion", "emotions", "mood", "feeling", "psychology", "stimmung", "gefühl", "émotion", "humeur", "emoción", "estado de ánimo",
		"emozione", "umore", "emoção", "humor", "emotie", "stemming", "känsla",
	},
	TargetTradeQuality: {
		"trade quality", "quality", "trade rating", "rating", "trade grade", "grade", "qualität", "bewertung", "qualité", "note du trade", "calidad", "calificación",
		"qualità", "valutazione", "qualidade", "avaliação", "kwaliteit", "beoordeling", "kvalitet", "betyg",
	},
	TargetReviewedAt: {"reviewed at", "reviewed on", "review date", "date reviewed", "review time", "überprüft am", "revisado el", "revisado em"},
}

var noteWords = []string{
	"notes", "note", "trade notes", "comment", "comments", "remark", "remarks", "journal", "notizen", "notiz", "kommentar", "bemerkung",
	"bemerkungen", "commentaire", "commentaires", "comentario", "comentarios", "notas", "commento", "commenti", "comentário", "comentários",
	"opmerking", "opmerkingen", "anteckning", "anteckningar", "コメント", "备注", "注释", "коментар",
}
