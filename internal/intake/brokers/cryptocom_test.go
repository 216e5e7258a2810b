package brokers

import (
	"testing"

	"fillbook/internal/intake/brokers/brokertest"
	"fillbook/internal/intake/statement"
)

// TestPurchasesOfOneSecond checks that two purchases of one coin in the same second are
// one fill, with both quantities.
func TestPurchasesOfOneSecond(t *testing.T) {
	t.Parallel()
	const file = "Timestamp (UTC),Transaction Description,Currency,Amount,To Currency,To Amount,Native Currency,Native Amount,Native Amount (in USD),Transaction Kind\n" +
		"2026-01-05 10:00:00,Buy BTC,BTC,0.1,,,USD,5000,5000,crypto_purchase\n" +
		"2026-01-05 10:00:00,Buy BTC,BTC,0.3,,,USD,15000,15000,crypto_purchase\n"
	s := brokertest.MustRead(t, []byte(file), statement.Hints{Currency: "USD"}, tables())
	if len(s.Fills) != 1 || s.Fills[0].Quantity.String() != "0.4" || s.Fills[0].Price.String() != "50000" || s.Joined[2] != 1 {
		t.Errorf("read %d fills from %d rows, joined %v, want one of 0.4 at 50000", len(s.Fills), s.Rows, s.Joined)
	}
}
