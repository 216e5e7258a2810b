package brokers

import (
	"strings"
	"testing"

	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
)

func TestDegiroTradeText(t *testing.T) {
	for text, want := range map[string]string{
		"Koop 1 @ 33,9 USD":                         "|Koop|1|33,9|USD",
		"Compra 6 WORLD A@49,785 EUR (IE00FICT003)": "|Compra|6|49,785|EUR",
		"Kauf 1.200 zu je 3 WORLD @ 2,5 EUR":        "|Kauf|1.200|2,5|EUR",
		"PRODUCTWIJZIGING : Koop 500 @ 0,039 EUR":   "PRODUCTWIJZIGING|Koop|500|0,039|EUR",
		"Fonds: Vente 1\u202f046,3825 @ 0,9854 EUR": "Fonds|Vente|1\u202f046,3825|0,9854|EUR",
		"Dividend": "", "Koop van niets": "",
	} {
		got := ""
		if found := degiroTrade().FindStringSubmatch(text); found != nil {
			got = strings.Join(found[1:], "|")
		}
		if got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestXTBType(t *testing.T) {
	for symbol, want := range map[string]string{"HAZL.US": "stock", "EURUSD": "forex", "US500": "cfd", "GOLD": "cfd", "US30.CASH": "cfd"} {
		if got := nameXTB(symbol, "").Type; got != want {
			t.Errorf("%s is %s, want %s", symbol, got, want)
		}
	}
}

// book makes a workbook file from sheets of lines with bars.
func book(sheets ...string) tabular.File {
	file := tabular.File{Kind: tabular.XLSX}
	for _, sheet := range sheets {
		var table tabular.Table
		for i, line := range strings.Split(strings.TrimSpace(sheet), "\n") {
			table.Rows = append(table.Rows, tabular.Row{Line: i + 1, Cells: strings.Split(line, "|")})
		}
		file.Tables = append(file.Tables, table)
	}
	return file
}

func readBook(t *testing.T, file tabular.File) *statement.Statement {
	t.Helper()
	found, ok := statement.Detect(file, tables())
	if !ok {
		t.Fatal("no preset fits")
	}
	s, err := statement.Read(file, found, statement.Hints{})
	if err != nil || len(s.Problems) > 0 {
		t.Fatal(err, s.Problems)
	}
	return s
}

// TestXTBWorkbook takes trades from the positions and only money from the
// operations, though both tell the trade.
func TestXTBWorkbook(t *testing.T) {
	s := readBook(t, book(`|Account
|Position|Symbol|Type|Volume|Open time|Open price|Close time|Close price|SL|TP|Commission|Swap|Rollover|Gross P/L|Comment
|11|HAZL.US|BUY|3|23.07.2024 16:35:00|120.00|25.07.2024 17:00:00|126.00|0|0|0|0|0|16.50|
|Total||||||||||0|0|0|16.50|`,
		`|Cash
|ID|Type|Time|Comment|Symbol|Amount
|2|Stocks/ETF sale|25.07.2024 17:00:00|CLOSE BUY 3 @ 126.00|HAZL.US|345
|1|Deposit|20.07.2024 17:00:00|a bank||1000
|3|Profit/Loss (FX/CFD)|25.07.2024 17:00:00|Profit of position #11|GOLD|2
||||||1345`))
	if len(s.Fills) != 2 || len(s.Cash) != 1 || s.Cash[0].Type != "deposit" || s.Rows != 4 {
		t.Errorf("%d fills, %d cash, %d rows: %+v", len(s.Fills), len(s.Cash), s.Rows, s.Cash)
	}
}

// TestEToroWorkbook takes closed trades from the positions with symbols from the
// activity, and open ones from the activity.
func TestEToroWorkbook(t *testing.T) {
	s := readBook(t, book(`Position ID|Action|Amount|Units|Open Date|Close Date|Leverage|Spread|Profit|Open Rate|Close Rate
9003|Buy Hazel|49.88|0.25|09/01/2024 15:37:16|16/01/2024 20:08:09|1|0.00|11.39|199.52|245.08`,
		`Date|Type|Details|Amount|Units|Realized Equity Change|Realized Equity|Balance|Position ID|Asset type|NWA
09/01/2024 15:37:16|Open Position|HAZL/USD|49.88|0.25|0.00|1|1|9003|Stocks|0
10/01/2024 15:37:16|Open Position|ALDR/USD|20|2|0.00|1|1|9004|Stocks|0
16/01/2024 20:08:09|Position closed|HAZL/USD|61.27|0.25|11.39|1|1|9003|Stocks|0
17/01/2024 00:10:33|Dividend|ALDR/USD|0.17|-|0.17|1|1|9004|Stocks|0`))
	var got []string
	for _, f := range s.Fills {
		got = append(got, f.ID+" "+f.Symbol)
	}
	if want := "9003/open HAZL, 9004/open ALDR, 9003/close HAZL"; strings.Join(got, ", ") != want || len(s.Cash) != 1 {
		t.Errorf("got %q and %d cash, want %q", got, len(s.Cash), want)
	}
}

// TestDegiroWords checks what DEGIRO's descriptions mean in its languages. An unknown
// word must not be a cost.
func TestDegiroWords(t *testing.T) {
	t.Parallel()
	for want, texts := range map[statement.Kind][]string{
		statement.KindExchange: {
			"Valuta Creditering", "Valuta Debitering", "FX Credit", "FX Debit", "FX Withdrawal", "Währungswechsel (Einbuchung)",
			"Währungswechsel (Ausbuchung)", "WÃ¤hrungswechsel (Ausbuchung)", "Opération de change - Crédit", "Operation de change - Débit",
			"Ingreso Cambio de Divisa", "Retirada Cambio de Divisa", "Credito FX", "Prelievo FX", "Crédito de divisa", "CrÃ©dito de divisa",
			"Levantamento de divisa", "FX vyúčtování konverze měny",
		},
		statement.KindDividend: {
			"Dividend", "Dividende", "Dividendo", "Dividenda", "Dividendbelasting", "Dividendensteuer", "Impôts sur dividende",
			"Imposto sobre dividendo", "Daň z dividendy", "Fund Distribution",
		},
		statement.KindWithholding: {"Quellensteuer", "Retención del dividendo", "Ritenuta sul dividendo"},
		statement.KindFee: {
			"DEGIRO Transactiekosten en/of kosten van derden", "DEGIRO Transaction and/or third party fees",
			"DEGIRO Transaktionsgebühren und/oder Fremdkosten", "Frais DEGIRO de courtage et/ou de parties tierces",
			"Costes de transacción y/o externos de DEGIRO", "DEGIRO costi di transazione e/o di terze parti",
			"Comissões de transação DEGIRO e/ou taxas de terceiros", "DEGIRO Aansluitingskosten 2024 (Nasdaq - NDQ)",
			"Frais de connexion aux places boursières 2024", "Costi di connessione alla borsa 2024", "Custo de Conectividade DEGIRO 2024",
			"DEGIRO poplatek za Obchodování 2025", "Comisión de conectividad con el mercado 2024", "London/Dublin Stamp Duty",
		},
		statement.KindInterest: {"Flatex Interest Income", "Rente", "Zinsen", "Intérêts", "Intereses", "Interessi", "Juros"},
		statement.KindTransfer: {
			"iDEAL Deposit", "flatex Storting", "flatex Einzahlung", "Dépôt flatex", "Versement de fonds", "Ingreso", "Deposito flatex", "Vklad",
			"flatex Withdrawal", "flatex terugstorting", "Auszahlung", "Retrait de fonds", "Prelievo flatex",
		},
		statement.KindRepeated: {
			"Degiro Cash Sweep Transfer", "Overboeking naar uw geldrekening bij flatexDEGIRO Bank: 0,92 EUR",
			"Transferir a su Cuenta de Efectivo en flatexDEGIRO Bank: 51,18 EUR", "Überweisung auf Ihr Geldkonto bei der flatexDEGIRO Bank: 277.14 CHF",
			"Reservation iDEAL / Sofort Deposit", "Reservierung SOFORT Einzahlung", "Prenotazione deposito iDEAL", "Processed Flatex Withdrawal",
		},
		statement.KindAdjustment: {"DEGIRO courtesy", "DEGIRO Verrekening Promotie", "Transactiebelasting Belgie", "Variation Fonds Monétaires (EUR)", "Capital Return"},
		"":                       {"Zork", "Cancellazione"},
	} {
		for _, text := range texts {
			if got := statement.FindCashKind(text); got != want {
				t.Errorf("%q is of kind %q, want %q", text, got, want)
			}
		}
	}
}
