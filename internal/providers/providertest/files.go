package providertest

import (
	"fmt"
	"slices"
	"testing"

	"fillbook/internal/intake/brokers"
	"fillbook/internal/intake/brokers/brokertest"
	"fillbook/internal/intake/statement"
)

// TestFile checks that the first delivery has the fills and cash of one of the broker's
// files, so both can be used for one account. The file has some records.
func (c FillCase) TestFile(t *testing.T, file string, records int) {
	t.Helper()
	list := c.MustFetch(t)
	fetched := describeRecords(list[0].Statement)
	read := describeRecords(brokertest.MustRead(t, []byte(file), statement.Hints{Currency: c.Query.Currency}, brokers.All()))
	if len(read) != records {
		t.Errorf("the file has %d records: %q", len(read), read)
	}
	for _, line := range read {
		if !slices.Contains(fetched, line) {
			t.Errorf("the connection does not have this record: %s\n%s", line, Describe(list))
		}
	}
}

// describeRecords returns what makes fills and cash the same, whatever they come from.
func describeRecords(s *statement.Statement) (lines []string) {
	for _, f := range s.Fills {
		lines = append(lines, fmt.Sprint(f.ID, " ", f.At.UTC(), " ", f.Side, f.Quantity, f.Type, f.Symbol, f.Expiry, f.Strike, f.Right, " ",
			f.Price, " ", f.Multiplier, " ", f.Fees, f.FeesKnown, " ", f.StatedPnL, " ", f.Details["currency"]))
	}
	for _, c := range s.Cash {
		lines = append(lines, fmt.Sprint(c.At.UTC(), " ", c.Type, c.Amount, c.Currency, c.Note))
	}
	return lines
}
