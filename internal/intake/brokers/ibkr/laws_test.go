package ibkr

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fillbook/internal/intake/brokers/brokertest"
	"fillbook/internal/intake/statement"
)

// flexTrade is a trade in a query, as XML and CSV.
type flexTrade struct {
	symbol, class, at, quantity, price, commission, side, code, id string
}

func drawTrade(t *rapid.T) flexTrade {
	quantity := rapid.IntRange(1, 5000).Draw(t, "quantity")
	side := rapid.SampledFrom([]string{"BUY", "SELL"}).Draw(t, "side")
	if side == "SELL" {
		quantity = -quantity
	}
	kind := rapid.SampledFrom([][2]string{{"STK", "ACME"}, {"OPT", "ACME  260320C00022500"}, {"FUT", "MESM6"}, {"CASH", "EUR.USD"}}).Draw(t, "kind")
	return flexTrade{
		class: kind[0], symbol: kind[1], quantity: fmt.Sprint(quantity), side: side,
		at: fmt.Sprintf("202603%02d;%02d%02d%02d", rapid.IntRange(10, 28).Draw(t, "day"), rapid.IntRange(0, 23).Draw(t, "hour"),
			rapid.IntRange(0, 59).Draw(t, "minute"), rapid.IntRange(0, 59).Draw(t, "second")),
		price:      fmt.Sprintf("%d.%02d", rapid.IntRange(0, 9999).Draw(t, "price"), rapid.IntRange(0, 99).Draw(t, "cents")),
		commission: fmt.Sprintf("-%d.%03d", rapid.IntRange(0, 9).Draw(t, "commission"), rapid.IntRange(0, 999).Draw(t, "mills")),
		code:       rapid.SampledFrom([]string{"", "O", "C", "C;O", "O;P"}).Draw(t, "code"),
		id:         fmt.Sprintf("0000%04x.01", rapid.IntRange(0, 0xffff).Draw(t, "id")),
	}
}

// A query tells the same whether it was made as XML or as CSV, and whether the
// rows have codes before them.
func TestQueriesTellTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trades := rapid.SliceOfN(rapid.Custom(drawTrade), 1, 12).Draw(t, "trades")
		var xml, plain, coded strings.Builder
		xml.WriteString(`<FlexQueryResponse><FlexStatement accountId="U1"><Trades>`)
		const header = "AssetClass,Symbol,DateTime,Quantity,TradePrice,IBCommission,Buy/Sell,Notes/Codes,IBExecID,LevelOfDetail,ClientAccountID\n"
		plain.WriteString(header)
		coded.WriteString("BOF,U1,Q\nBOS,TRNT,Trades\nHEADER,TRNT," + header)
		for _, f := range trades {
			fmt.Fprintf(&xml, `<Trade accountId="U1" assetCategory="%s" symbol="%s" dateTime="%s" quantity="%s" tradePrice="%s" ibCommission="%s" buySell="%s" notes="%s" ibExecID="%s" levelOfDetail="EXECUTION"/>`,
				f.class, f.symbol, f.at, f.quantity, f.price, f.commission, f.side, f.code, f.id)
			line := strings.Join([]string{f.class, f.symbol, f.at, f.quantity, f.price, f.commission, f.side, f.code, f.id, "EXECUTION", "U1"}, ",")
			plain.WriteString(line + "\n")
			coded.WriteString("DATA,TRNT," + line + "\n")
		}
		xml.WriteString(`</Trades></FlexStatement></FlexQueryResponse>`)
		coded.WriteString("EOS,TRNT\nEOF,U1\n")
		want := facts(t, xml.String())
		for _, text := range []string{plain.String(), coded.String()} {
			if diff := cmp.Diff(want, facts(t, text)); diff != "" {
				t.Fatalf("(-xml +csv):\n%s", diff)
			}
		}
	})
}

// facts renders what is read after the lines about detection.
func facts(t *rapid.T, text string) string {
	rendered, _ := brokertest.Read([]byte(text), statement.Hints{}, Presets())
	_, rest, ok := strings.Cut(rendered, "\naccount ")
	if !ok {
		t.Fatalf("not read: %s", rendered)
	}
	return rest
}

func FuzzPresets(f *testing.F) {
	brokertest.Fuzz(f, Presets(),
		"Symbol,Date/Time,Quantity,Price\nACME,20260105;093000,100,15\n",
		"Statement,Header,Field Name,Field Value\nTrades,Header,DataDiscriminator,Asset Category,Currency,Symbol,Date/Time,Quantity,T. Price,C. Price,Proceeds,Comm/Fee,Code\nTrades,Data,Order,Stocks,USD,A,\"2026-01-05, 09:30:00\",1,2,2,-2,-1,Ca\nTrades\n",
		"Statement,Header,Field Name,Field Value\nTransaction History,Header,Date,Account,Description,Transaction Type,Symbol,Quantity,Price,Gross Amount ,Commission,Net Amount\nTransaction History,Data,2026-01-05,U1,x,Buy,A,1,2,-2,-1,-3\n",
		"BOF,U1\nHEADER,CTRN,ClientAccountID,Type,Amount,SettleDate,Description\nDATA,CTRN,U1,Dividends,3,20260105,x\n",
		`<a><FlexStatement b="1"/><Trade symbol="A" quantity="-1" tradePrice="0" notes="Ca" putCall="C" dateTime="20260105;093000"/><CashTransaction type="x" amount="1"/></a>`,
	)
}
