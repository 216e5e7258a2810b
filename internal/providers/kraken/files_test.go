package kraken

import (
	"fmt"
	"slices"
	"testing"

	"fillbook/internal/intake/brokers"
	"fillbook/internal/intake/brokers/brokertest"
	"fillbook/internal/intake/statement"
	"fillbook/internal/providers/connectortest"
)

// Files of Kraken with records that the server of the tests has.
const (
	tradesFile = `"txid","ordertxid","pair","time","type","ordertype","price","cost","fee","vol","margin","misc","ledgers"
"TAAAAA-1","O-1","XXBTZUSD","2026-01-02 01:00:00.1234","buy","limit",60000.0,6000.0,15.6,0.1,0.0,"","L2,L3"
"TAAAAA-2","O-1","XBT/USD","2026-01-02 02:00:00.5","sell","limit",62000.0,6200.0,16.12,0.1,1240.0,"",""
"TAAAAA-4","O-1","XXDGXXBT","2026-01-03 01:00:00","buy","limit",0.000002,0.002,0.000005,1000,0.0,"",""
"TZZZZZ-5","O-1","XBTUSDT","2026-01-04 02:00:00","sell","limit",61000,1220,1,0.02,0.0,"",""
`
	ledgersFile = `"txid","refid","time","type","subtype","aclass","asset","amount","fee","balance"
"L1","Q1","2026-01-02 00:16:40","deposit","","currency","ZUSD",10000.0,0.0,10000.0
"L4","R1","2026-01-02 02:13:20","rollover","","currency","ZUSD",0.0,0.25,3984.15
"L5","M1","2026-01-02 02:30:00","margin","","currency","ZUSD",12.5,1.0,3995.65
"L6","S1","2026-01-02 02:46:40","spend","","currency","ZEUR",-99.0,1.0,0
"L7","S1","2026-01-02 02:46:40","receive","","currency","SOL",0.5,0.0,0.5
"L8","S2","2026-01-02 05:33:20","spend","","currency","SOL",-0.25,0.0,0.25
"L9","S2","2026-01-02 05:33:20","receive","","currency","USDT",50,0.0,50
"LA","K1","2026-01-02 08:20:00","staking","","currency","DOT.S",0.005,0.0,4.0
"LB","W1","2026-01-02 11:06:40","withdrawal","","currency","ZUSD",-1000.0,5.0,2990.65
"LC","X1","2026-01-02 13:53:20","transfer","spottostaking","currency","DOT",-1.0,0.0,3.0
"LD","X2","2026-01-02 16:40:00","transfer","","currency","ZUSD",3,0.0,3.0
"LE","E1","2026-01-02 19:26:40","earn","reward","currency","USDC",0.1,0.0,3.0
`
)

// describeRecords returns what makes fills and cash the same, whatever they come from.
func describeRecords(s *statement.Statement) (lines []string) {
	for _, f := range s.Fills {
		lines = append(lines, fmt.Sprint(f.ID, " ", f.At.UTC(), " ", f.Side, f.Quantity, f.Type, f.Symbol, " ", f.Price, " ", f.Fees, f.FeesKnown))
	}
	for _, c := range s.Cash {
		lines = append(lines, fmt.Sprint(c.At.UTC(), " ", c.Type, c.Amount, c.Currency, c.Note))
	}
	return lines
}

// TestFilesAgree checks that a file has the same fills and cash as the connection, so that
// both can be used for one account.
func TestFilesAgree(t *testing.T) {
	t.Parallel()
	list := newCase(newServer()).MustFetch(t)
	fetched := describeRecords(list[0].Statement)
	for name, file := range map[string]string{"trades": tradesFile, "ledgers": ledgersFile} {
		read := brokertest.MustRead(t, []byte(file), statement.Hints{Currency: "USD"}, brokers.All())
		lines := describeRecords(read)
		if len(lines) < 4 {
			t.Errorf("the %s have few records: %q", name, lines)
		}
		for _, line := range lines {
			if !slices.Contains(fetched, line) {
				t.Errorf("the connection does not have this record of the %s: %s\n%s", name, line, connectortest.Describe(list))
			}
		}
	}
}
