package deribit

import (
	"fmt"
	"slices"
	"testing"

	"fillbook/internal/intake/brokers"
	"fillbook/internal/intake/brokers/brokertest"
	"fillbook/internal/intake/statement"
	"fillbook/internal/providers/connectortest"
)

// logFile is a transaction log of Deribit with records that the server of the tests has.
const logFile = `ID,UserSeq,Date,Instrument,Type,Side,Amount,Base Amount,Position,Price,Mark Price,Index Price,Cash Flow,Funding,Fee Rate,Fee Charged,Fee Balance,Change,Balance,Equity,Trade ID,Order ID,Info,Note
8,8,2026-01-05 00:00:00,SOL_USDC-PERPETUAL,trade,open buy,10,10,10,150,150,150,0,0,0.0005,0.5,0,-0.5,1.1,1.1,USDC-1,,,
7,7,2026-01-04 00:00:00,ETH-PERPETUAL,trade,open buy,1,1,1,3000,3000,3000,0,0,0,0,0,0,1.1,1.1,ETH-34066,,,
6,6,2026-01-03 00:00:00,BTC-PERPETUAL,trade,close sell,400,400,600,101000,101000,101000,0.0000396,0,0.0005,0.00000198,0,0.00003762,1.1,1.1,48004,o4,,
5,5,2026-01-02 07:00:00,BTC-PERPETUAL,trade,open buy,1000,1000,1000,100000,100000,100000,0,0,0.0005,-0.000001,0,0.000001,1.1,1.1,48003,o3,,
4,4,2026-01-02 05:00:00,,correction,,,,,,,,,,,,,0.75,500,500,,,,USDC
3,3,2026-01-02 03:00:00,SOL_USDC-PERPETUAL,settlement,,0,0,10,151,151,151,0,-0.2,,0,0,-0.2,1.1,1.1,,,,
2,2,2026-01-02 02:00:00,BTC-27JUN26-100000-C,trade,close sell,0.5,0.5,0,0.06,0.06,100000,0.03,0,,0.00015,0,0.02985,1.1,1.1,48002,o2,,
1,1,2026-01-02 01:00:00,BTC-27JUN26-100000-C,trade,open buy,0.5,0.5,0.5,0.05,0.05,100000,-0.025,0,,0.00015,0,-0.02515,1.0,1.0,48001,o1,,
`

// describeRecords returns what makes fills and cash the same, whatever they come from.
func describeRecords(s *statement.Statement) (lines []string) {
	for _, f := range s.Fills {
		lines = append(lines, fmt.Sprint(f.ID, " ", f.At.UTC(), " ", f.Side, f.Quantity, f.Type, f.Symbol, f.Expiry, f.Strike, f.Right, " ",
			f.Price, " ", f.Multiplier, " ", f.Fees, " ", f.StatedPnL, " ", f.Details["currency"]))
	}
	for _, c := range s.Cash {
		lines = append(lines, fmt.Sprint(c.At.UTC(), " ", c.Type, c.Amount, c.Currency, c.Note))
	}
	return lines
}

// TestFileAgrees checks that a file has the same fills and cash as the connection, so that
// both can be used for one account.
func TestFileAgrees(t *testing.T) {
	t.Parallel()
	list := newCase(newServer()).MustFetch(t)
	fetched := describeRecords(list[0].Statement)
	read := describeRecords(brokertest.MustRead(t, []byte(logFile), statement.Hints{Currency: "USD"}, brokers.All()))
	if len(read) != 8 {
		t.Errorf("the file has the records %q", read)
	}
	for _, line := range read {
		if !slices.Contains(fetched, line) {
			t.Errorf("the connection does not have this record: %s\n%s", line, connectortest.Describe(list))
		}
	}
}
