package brokers

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/intake/brokers/brokertest"
	"fillbook/internal/intake/statement"
)

// TestQuestradeJournalRows keeps the rows with which Questrade moves shares between the
// sides of an account: they are no fills, but they do not vanish.
func TestQuestradeJournalRows(t *testing.T) {
	t.Parallel()
	const file = "Transaction Date,Settlement Date,Action,Symbol,Description,Quantity,Price,Gross Amount,Commission,Net Amount,Currency,Account #,Activity Type,Account Type\n" +
		"2026-01-05 12:00:00 AM,2026-01-07 12:00:00 AM,Buy,DLR.TO,GLOBAL X,100,13.5,-1350,-4.95,-1354.95,CAD,1,Trades,TFSA\n" +
		"2026-01-08 12:00:00 AM,2026-01-08 12:00:00 AM,BRW,DLR.TO,TO U S,-100,0,0,0,0,CAD,1,Other,TFSA\n" +
		"2026-01-08 12:00:00 AM,2026-01-08 12:00:00 AM,BRW,DLR.U.TO,FROM CDN,100,0,0,0,0,USD,1,Other,TFSA\n"
	s := brokertest.MustRead(t, []byte(file), statement.Hints{Currency: "CAD"}, tables())
	want := []statement.Skip{{Row: 2, Reason: statement.ReasonSecurities}, {Row: 3, Reason: statement.ReasonSecurities}}
	if diff := cmp.Diff(want, s.Skipped); diff != "" || s.Rows != 3 || len(s.Fills) != 1 {
		t.Errorf("%d rows, %d fills, skipped (-want +got):\n%s", s.Rows, len(s.Fills), diff)
	}
}
