package brokers

import (
	"strings"
	"testing"

	"fillbook/internal/intake/brokers/brokertest"
	"fillbook/internal/intake/statement"
)

// TestAccountsOfEveryRow reads files in which only a cash row, a skipped row or a row
// without a configured account column belongs to a second account.
func TestAccountsOfEveryRow(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"cash rows of a Flex query": `ClientAccountID,CurrencyPrimary,Symbol,DateTime,Quantity,TradePrice,IBCommission,IBExecID
ONE,USD,ACME,20260105;093000,10,20,-1,e1
ClientAccountID,CurrencyPrimary,Type,Amount,Description,SettleDate
TWO,USD,Dividends,5,ACME,20260106
`,
		"FlexStatement elements": `<FlexQueryResponse><FlexStatements><FlexStatement accountId="ONE"><Trades>
<Trade symbol="ACME" quantity="10" tradePrice="20" dateTime="20260105;093000" ibExecID="e1"/></Trades></FlexStatement>
<FlexStatement accountId="TWO"><CashTransactions><CashTransaction type="Dividends" amount="5" currency="USD" dateTime="20260106"/></CashTransactions>
</FlexStatement></FlexStatements></FlexQueryResponse>`,
		"cash section of an activity statement": `Statement,Header,Field Name,Field Value
Trades,Header,DataDiscriminator,Account,Asset Category,Currency,Symbol,Date/Time,Quantity,T. Price,Proceeds,Comm/Fee,Code
Trades,Data,Order,ONE,Stocks,USD,ACME,"2026-01-05, 09:30:00",10,20,-200,-1,O
Dividends,Header,Currency,Account,Date,Description,Amount
Dividends,Data,USD,TWO,2026-01-06,ACME,5
`,
		"skipped rows of an activity statement": `Statement,Header,Field Name,Field Value
Trades,Header,DataDiscriminator,Account,Asset Category,Currency,Symbol,Date/Time,Quantity,T. Price,Proceeds,Comm/Fee,Code
Trades,Data,Order,ONE,Stocks,USD,ACME,"2026-01-05, 09:30:00",10,20,-200,-1,O
Corporate Actions,Header,Asset Category,Currency,Account,Report Date,Date/Time,Description,Quantity
Corporate Actions,Data,Stocks,USD,TWO,2026-01-06,2026-01-06,ACME split,5
`,
		"Avanza": `Datum;Konto;Typ av transaktion;Värdepapper/beskrivning;Antal;Kurs;Belopp;Transaktionsvaluta;Courtage (SEK);Valutakurs;Instrumentvaluta;ISIN;Resultat
2026-01-05;ONE;Köp;Lind;10;20;-200;SEK;0;;SEK;SE0000000001;
2026-01-06;TWO;Insättning;;;;500;SEK;;;;;
`,
		"Questrade": `Transaction Date,Settlement Date,Action,Symbol,Description,Quantity,Price,Gross Amount,Commission,Net Amount,Currency,Account #,Activity Type,Account Type
2026-01-05 12:00:00 AM,2026-01-06 12:00:00 AM,Buy,ACME,ACME INC,10,20,-200,0,-200,USD,ONE,Trades,Margin
2026-01-06 12:00:00 AM,2026-01-06 12:00:00 AM,CON,,DEPOSIT,0,0,0,0,500,USD,TWO,Deposits,Margin
`,
		"Tradovate Cash History": `Account,Transaction ID,Timestamp,Date,Delta,Amount,Cash Change Type,Currency,Contract
ONE,1,01/05/2026 09:30:00,2026-01-05,500,500,Fund Transaction,USD,
TWO,2,01/06/2026 09:30:00,2026-01-06,500,500,Fund Transaction,USD,
`,
		"KuCoin": `UID,Account Type,Order ID,Symbol,Side,Order Type,Avg. Filled Price,Filled Amount,Filled Volume,Filled Volume (USDT),Filled Time(UTC+02:00),Fee,Tax,Maker/Taker,Fee Currency
ONE,mainAccount,k2,ADA-USDT,SELL,LIMIT,0.75,99.9,74.925,74.925,2026-04-02 14:00:00,0.074925,,MAKER,USDT
TWO,mainAccount,k0,ADA-USDT,BUY,LIMIT,0,0,0,0,2026-04-01 11:00:00,0,,TAKER,ADA
`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := brokertest.MustRead(t, []byte(text), statement.Hints{Currency: "USD"}, All())
			checkTwoAccounts(t, s)
		})
	}
}

// TestAccountOfCashTable reads a Fillbook workbook whose second account has cash only.
func TestAccountOfCashTable(t *testing.T) {
	t.Parallel()
	tab := func(text string) string { return strings.ReplaceAll(text, ",", "\t") }
	s := brokertest.MustRead(t, asiaWorkbook(t,
		tab("Account,Executed At,Symbol,Type,Side,Quantity,Price,Fees,Commission,Multiplier,Stated P&L,Currency,Option Right,Strike,Expiry,Lot,External Id\n"+
			"ONE,2026-01-05T09:30:00Z,ACME,stock,buy,10,20,0,0,1,,USD,,,,,\n"),
		tab("Account,Occurred At,Type,Amount,Currency,Note\nTWO,2026-01-06T09:30:00Z,deposit,500,USD,\n"),
	), statement.Hints{Currency: "USD"}, All())
	checkTwoAccounts(t, s)
}

func checkTwoAccounts(t *testing.T, s *statement.Statement) {
	t.Helper()
	if len(s.Problems) > 0 {
		t.Errorf("problems %v", s.Problems)
	}
	for _, w := range s.Warnings {
		if strings.HasPrefix(w.Text, "The file holds 2 accounts (ONE, TWO)") {
			return
		}
	}
	t.Errorf("no warning of two accounts in %v, account %q", s.Warnings, s.Account.Name)
}
