package statement_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fillbook/internal/intake/statement"
)

func TestHeaderKey(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"": "", "Symbol": "symbol", "  Open   Price ": "open price", "\ufeffDate": "date", `"Date"`: "date", "“Time”": "time", "Name:": "name", "Account :": "account",
		"Open\u00a0Price": "open price", "Price\n(USD)": "price (usd)", "'Symbol'": "symbol", "GRÖSSE": "grösse", "S / L": "s / l", "約定日": "約定日", ":": "", "Gross Amount ": "gross amount",
		"Numéro d'ordre": "numéro d'ordre",
	} {
		if got := statement.HeaderKey(header); got != want {
			t.Errorf("%q: %q, want %q", header, got, want)
		}
	}
}

func TestSuggestTarget(t *testing.T) {
	t.Parallel()
	for target, headers := range map[statement.Target]string{
		statement.TargetSymbol:     "Symbol|Ticker|TICKER|Instrument|Contract|contractName|Scrip/Contract|Símbolo|Simbolo|Symbole|銘柄|Ativo|Wertpapier|Symbol & Name|\ufeffSymbol|Symbol:",
		statement.TargetSide:       "Side|Buy/Sell|B/S|Buy / Sell|Action|Direction|trade_type|Market pos.|Pos. marché.|Seite|Lado|Sens|Richting|Opening direction|Typ av transaktion|売買区分|Type",
		statement.TargetQuantity:   "Quantity|Qty|qty|Volume|Lots|Units/Lots|No. of shares|filledQty|Filled Qty|Quantity #|Anzahl|Anz.|Quantité|Qté|Cantidad|Quantità|Quantidade|Aantal|Antal|数量|約定数量|Size (qty)|sz",
		statement.TargetPrice:      "Price|Price USD|Price ($)|Price $|avgPrice|Avg Fill Price|T. Price|Price / share|Price per share|Unit price|Kurs|Preis|Prix|Cours|Precio|Prezzo|Preço|Koers|Pris|価格|約定単価|px",
		statement.TargetExecutedAt: "Date/Time|DateTime|date_time|Timestamp|executed_at|Filled Time(UTC+02:00)|FilledAt|Date and time|Fecha y hora|約定日時|Execution date and time",
		statement.TargetDate:       "Date|Trade Date|T/D|Datum|Data|Fecha|Run Date|Activity Date|Date(UTC)|約定日|Data operazione",
		statement.TargetTime:       "Time|Time (UTC)|Exec Time|Uhrzeit|Heure|Hora|Ora|Tijd|Tid|時間|Transaction Time (CET)|Trade Time(UTC+0)|UTC_Time|Update Time (EDT)",
		statement.TargetFees:       "Fees|Fee|Fees ($)|Fees & Comm|Comm/Fee/Tax|Gebühren|Frais|Kosten|Spese|Transactiekosten|Transaction and/or third party fees EUR|Avgifter",
		statement.TargetCommission: "Commission|Commissions|Commision|Commission ($)|Comm in USD|IBCommission|Courtage (SEK)|Kommission|Comisión|Comissão|Commissioni|Commissie|手数料|Brokerage", //nolint:misspell // not English, or a broker's own spelling
		statement.TargetSwap:       "Swap|スワップ|Rollover|Echange", statement.TargetPnL: "Profit|P&L|P/L|PnL|pnl|Gross P&L|Gross AUD|Result (GBP)|Return $|Realized PnL|Resultat|Profitto|損益",
		statement.TargetNetPnL: "Net P&L|Net profit|Net $|Net AUD|Net Return|$ neto|net_pnl", statement.TargetOptionRight: "Call/Put|Put/Call|Call or Put|Option Type",
		statement.TargetStrike: "Strike|Strike Price|Basispreis", statement.TargetExpiry: "Exp|Expiry|Expiration Date|Expire|Vencimiento|Verfall",
		statement.TargetOpenTime:   "Open Time|Opening time (UTC-4)|EnteredAt|Entry time|Open Datetime|opening_time_utc|Heure d'ouverture|Heure d’entrée|Hora de apertura|Open",
		statement.TargetOpenDate:   "Open Date|EntryDateUTC|OpenDateUtc|Opened Date",
		statement.TargetCloseTime:  "Close Time|Closing time (UTC-4)|ExitedAt|Exit time|Heure de clôture|Fechamento",
		statement.TargetOpenPrice:  "Entry Price|Open price|openPrice|Entry|Open Rate|Prix d'entrée",
		statement.TargetClosePrice: "Exit Price|Close price|closePrice|Exit|Closing price|Prix de sortie",
		statement.TargetOrderID:    "Order ID|Order #|orderId",
		statement.TargetExternalID: "Trade ID|trade_id|Exec ID|Fill ID|IBExecID|Deal|Transaction ID", statement.TargetCurrency: "Currency|Währung|Divisa|Currency (Price / share)",
		statement.TargetStopPrice: "S / L|S/L|SL|Stop|stop_price|決済逆指値(S/L)", statement.TargetTargetPrice: "T / P|TP|Target|target_price",
		statement.TargetNotes: "Notes|Comment|Kommentar|コメント", statement.TargetSetup: "Setup|Setups|Strategy|Stratégie", statement.TargetInstrumentType: "Instrument Type|asset_class|SecurityType|Symbol type", //nolint:misspell // not English, or a broker's own spelling
		statement.TargetMultiplier: "Multiplier|Contract size|Point value", statement.TargetAccount: "Account|Konto|Compte|AccountName", statement.TargetStatus: "Status|State|Order status",
		statement.TargetEmotionalState: "Emotional State|emotion|Mood|Stimmung", statement.TargetTradeQuality: "Quality|Trade Quality|Rating|trade_quality",
		statement.TargetReviewedAt: "Reviewed At|reviewed_at|Review Date",
	} {
		for header := range strings.SplitSeq(headers, "|") {
			if got, ok := statement.SuggestTarget(header); !ok || got != target {
				t.Errorf("%q is %q, %v, want %s", header, got, ok, target)
			}
		}
	}
}

func TestSuggestTargetIsSilent(t *testing.T) {
	t.Parallel()
	for _, header := range []string{
		"", " ", "$", "USD", "UTC", "(UTC)", "Gross P&L (%)", "Return %", "PNL%", "Net PnL %", "Gross P&L (t)", "P&L (R)", "Profit (ticks)", "Gross P/L,ticks", "Limit price", "Limit Preis",
		"Order price", "Settlement Date", "Settle Date", "Value Date", "Position ID", "Ticket", "ID", "Trade #", "Trade number", "Reference", "Balance", "Balance AUD",
		"Currency (Result)", "Exchange rate", "Time-in-Force", "TradeDuration", "Placing time", "Name", "Description", "Leverage", "Margin", "_tickSize", "GST", "Price MAE", "Best Exit",
		strings.Repeat("price ", 100),
	} {
		if got, ok := statement.SuggestTarget(header); ok {
			t.Errorf("%q is %s", header, got)
		}
	}
}

// The expectation lists target=header#n, the nth with that name, 1 left out.
func TestSuggestMapping(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ header, want string }{
		"MetaTrader positions": {
			"Time,Position,Symbol,Type,Volume,Price,S / L,T / P,Time,Price,Commission,Swap,Profit",
			"open_time=Time symbol=Symbol side=Type quantity=Volume open_price=Price stop_price=S / L target_price=T / P close_time=Time#2 close_price=Price#2 commission=Commission swap=Swap pnl=Profit",
		},
		"Japanese deals with one label for two costs": {
			"時間,約定,銘柄,タイプ,数量,価格,手数料,手数料,スワップ,損益",
			"executed_at=時間 symbol=銘柄 side=タイプ quantity=数量 price=価格 commission=手数料 fees=手数料#2 swap=スワップ pnl=損益",
		},
		"open and close as times": {
			"Ticket,Open,Type,Volume,Symbol,Price,SL,TP,Close,Price,Swap,Commissions,Profit",
			"open_time=Open side=Type quantity=Volume symbol=Symbol open_price=Price stop_price=SL target_price=TP close_time=Close close_price=Price#2 swap=Swap commission=Commissions pnl=Profit",
		},
		"open and close as prices": {
			"Date,Symbol,Side,Qty,Open,Close,Profit",
			"executed_at=Date symbol=Symbol side=Side quantity=Qty open_price=Open close_price=Close pnl=Profit",
		},
		"a price and a close price": {
			"Open Time,Type,Size,Symbol,Price,Close Time,Close Price,Profit",
			"open_time=Open Time side=Type quantity=Size symbol=Symbol open_price=Price close_time=Close Time close_price=Close Price pnl=Profit",
		},
		"dates and times of both ends": {
			"Symbol,Size,Open Date,Close Date,Open Time,Close Time,Entry Price,Exit Price,Return $,Return %,Side",
			"symbol=Symbol quantity=Size open_date=Open Date close_date=Close Date open_time=Open Time close_time=Close Time open_price=Entry Price close_price=Exit Price pnl=Return $ side=Side",
		},
		"only dates of both ends": {
			"Symbol,Side,Quantity,Open Price,Close Price,Open Date,Close Date,PnL",
			"symbol=Symbol side=Side quantity=Quantity open_price=Open Price close_price=Close Price open_time=Open Date close_time=Close Date pnl=PnL",
		},
		"the date of a journal is the end of the trade": {
			"Date,Symbol,Status,Side,Qty,Entry,Exit,Return ($),Return (%),Open Date,Tags,Setup,Confidence,Target,Stop,Notes",
			"close_time=Date symbol=Symbol status=Status side=Side quantity=Qty open_price=Entry close_price=Exit pnl=Return ($) open_time=Open Date tags=Tags setup=Setup confidence=Confidence target_price=Target stop_price=Stop notes=Notes",
		},
		"one date for a whole trade": {
			"Date,Time,Pair,Direction,Lot,Entry,Exit,SL,TP,PnL",
			"date=Date time=Time symbol=Pair side=Direction quantity=Lot open_price=Entry close_price=Exit stop_price=SL target_price=TP pnl=PnL",
		},
		"only the end of a trade": {
			"Symbol,Opening direction,Closing time (UTC-4),Entry price,Closing price,Closing Quantity,Net AUD",
			"symbol=Symbol side=Opening direction close_time=Closing time (UTC-4) open_price=Entry price close_price=Closing price quantity=Closing Quantity net_pnl=Net AUD",
		},
		"a moment next to the start of a trade": {
			"Timestamp,Symbol,Qty,Open Time,Entry,Exit", "close_time=Timestamp symbol=Symbol quantity=Qty open_time=Open Time open_price=Entry close_price=Exit",
		},
		"a date and a time next to the start of a trade": {
			"Date,Time,Symbol,Qty,Open Date,Entry,Exit",
			"close_date=Date close_time=Time symbol=Symbol quantity=Qty open_time=Open Date open_price=Entry close_price=Exit",
		},
		"a time next to the end of a trade": {
			"Time,Symbol,Qty,Price,Close Time,Close Price", "open_time=Time symbol=Symbol quantity=Qty open_price=Price close_time=Close Time close_price=Close Price",
		},
		"two dates of one name": {
			"Symbol,Qty,Date,Price,Date,Price", "symbol=Symbol quantity=Qty open_time=Date open_price=Price close_time=Date#2 close_price=Price#2",
		},
		"a date and a time": {
			"Date,Time,Symbol,Buy/Sell,Quantity,Price,Expiration,Strike,Call/Put,Commission,Fees",
			"date=Date time=Time symbol=Symbol side=Buy/Sell quantity=Quantity price=Price expiry=Expiration strike=Strike option_right=Call/Put commission=Commission fees=Fees",
		},
		"a date alone": {
			"Date,Action,Symbol,Description,Quantity,Price,Fees & Comm,Amount",
			"executed_at=Date side=Action symbol=Symbol quantity=Quantity price=Price fees=Fees & Comm",
		},
		"a time alone":                       {"Time,Symbol,Side,Price,Qty", "executed_at=Time symbol=Symbol side=Side price=Price quantity=Qty"},
		"a moment beats its date":            {"datetime,date,symbol,shares,price,type", "executed_at=datetime symbol=symbol quantity=shares price=price side=type"},
		"the execution time beats the order": {"Symbol,Side,Qty,Price,Order Time,Exec Time", "symbol=Symbol side=Side quantity=Qty price=Price executed_at=Exec Time"},
		"fills beat orders": {
			"B/S,Contract,Product,avgPrice,Fill Time,Timestamp,Date,Quantity,Type,Limit Price,Stop Price,Filled Qty,Avg Fill Price",
			"side=B/S symbol=Contract executed_at=Fill Time quantity=Filled Qty price=Avg Fill Price",
		},
		"the closing of an order is its fill": {
			"Symbol,Side,Type,Quantity,Limit price,Stop price,Fill price,Status,Placing time,Closing time",
			"symbol=Symbol side=Side quantity=Quantity price=Fill price status=Status executed_at=Closing time",
		},
		"Dutch":      {"Datum,Tijd,Product,ISIN,Aantal,Koers,Transactiekosten", "date=Datum time=Tijd symbol=Product quantity=Aantal price=Koers fees=Transactiekosten"},
		"Swedish":    {"Datum,Konto,Typ av transaktion,Värdepapper/beskrivning,Antal,Kurs,Belopp,Courtage (SEK),Resultat", "executed_at=Datum account=Konto side=Typ av transaktion symbol=Värdepapper/beskrivning quantity=Antal price=Kurs commission=Courtage (SEK) pnl=Resultat"},
		"Spanish":    {"Fecha,Hora,Símbolo,Lado,Cantidad,Precio,Comisión", "date=Fecha time=Hora symbol=Símbolo side=Lado quantity=Cantidad price=Precio commission=Comisión"},
		"Portuguese": {"Data,Hora,Ativo,Lado,Quantidade,Preço,Corretagem", "date=Data time=Hora symbol=Ativo side=Lado quantity=Quantidade price=Preço commission=Corretagem"},
		"Italian":    {"Ora,Simbolo,Tipo,Volume,Prezzo,Ora,Prezzo,Profitto", "open_time=Ora symbol=Simbolo side=Tipo quantity=Volume open_price=Prezzo close_time=Ora#2 close_price=Prezzo#2 pnl=Profitto"},
		"French":     {"Instrument,Pos. marché.,Qté,Prix d'entrée,Prix de sortie,Heure d'entrée,Heure de sortie,Profit", "symbol=Instrument side=Pos. marché. quantity=Qté open_price=Prix d'entrée close_price=Prix de sortie open_time=Heure d'entrée close_time=Heure de sortie pnl=Profit"},
		"German":     {"Symbol,Seite,Typ,Anz.,Limit Preis,Erfüllungsmenge,Durchschnittlicher Erfüllungspreis,Kommission,Status,Status Zeit", "symbol=Symbol side=Seite quantity=Erfüllungsmenge price=Durchschnittlicher Erfüllungspreis commission=Kommission status=Status executed_at=Status Zeit"},
		"our own":    {"symbol,side,quantity,price,executed_at,fees,commission,external_id", "symbol=symbol side=side quantity=quantity price=price executed_at=executed_at fees=fees commission=commission external_id=external_id"},
		"nothing":    {"foo,bar,,baz", ""},
		"no columns": {"", ""},
	} {
		headers := strings.Split(c.header, ",")
		got := named(headers, statement.SuggestMapping(headers))
		if want := wanted(c.want); !maps.Equal(got, want) {
			t.Errorf("%s:\n got %v\nwant %v", name, got, want)
		}
	}
}

// named writes a mapping with column names.
func named(headers []string, mapping map[statement.Target]int) map[string]string {
	names := map[string]string{}
	for target, i := range mapping {
		name := headers[i]
		if slices.Index(headers, name) < i {
			name += "#2"
		}
		names[string(target)] = name
	}
	return names
}

// wanted reads target=header pairs; headers may have blanks.
func wanted(text string) map[string]string {
	names := map[string]string{}
	last := ""
	for word := range strings.FieldsSeq(text) {
		if target, header, ok := strings.Cut(word, "="); ok {
			names[target], last = header, target
			continue
		}
		names[last] += " " + word
	}
	return names
}

// Whatever the header, no column has two targets, and a whole moment is never
// suggested next to its parts.
func TestSuggestedMappingIsValid(t *testing.T) {
	t.Parallel()
	words := []string{
		"Date", "Time", "Timestamp", "Open", "Close", "Open Time", "Close Time", "Open Date", "Close Date", "Price", "Open Price", "Exit", "Entry", "Fill Price", "Qty", "Symbol",
		"Side", "Type", "手数料", "Commission", "Fee", "Stop Price", "Limit Price", "Profit", "foo", "",
	}
	rapid.Check(t, func(t *rapid.T) {
		headers := rapid.SliceOfN(rapid.SampledFrom(words), 0, 14).Draw(t, "headers")
		mapping := statement.SuggestMapping(headers)
		columns := map[int]statement.Target{}
		for target, i := range mapping {
			if i < 0 || i >= len(headers) || !slices.Contains(statement.Targets(), target) {
				t.Fatalf("%v: %s is column %d", headers, target, i)
			}
			if other, taken := columns[i]; taken {
				t.Fatalf("%v: column %d is %s and %s", headers, i, target, other)
			}
			columns[i] = target
		}
		has := func(target statement.Target) bool { _, ok := mapping[target]; return ok }
		if has(statement.TargetExecutedAt) && (has(statement.TargetDate) || has(statement.TargetTime)) || has(statement.TargetDate) != has(statement.TargetTime) {
			t.Fatalf("%v: moment and parts in %v", headers, mapping)
		}
		if has(statement.TargetPrice) && (has(statement.TargetOpenPrice) || has(statement.TargetClosePrice)) {
			t.Fatalf("%v: one price and two in %v", headers, mapping)
		}
	})
}

// FuzzSuggestMapping checks that any header gets suggestions without a panic, each for an
// existing column.
func FuzzSuggestMapping(f *testing.F) {
	f.Add("Date|Time|Symbol|Side|Qty|Price")
	f.Add("Date (GST)|Profit (EST)|")
	f.Fuzz(func(t *testing.T, header string) {
		names := strings.Split(header, "|")
		for target, column := range statement.SuggestMapping(names) {
			if column < 0 || column >= len(names) {
				t.Fatalf("%q: %s is suggested for column %d", header, target, column)
			}
		}
	})
}
