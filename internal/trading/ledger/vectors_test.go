package ledger_test

import (
	"errors"
	"slices"
	"testing"

	"fillbook/internal/base/journal"
)

func asError(err error) *journal.Error {
	var e *journal.Error
	errors.As(err, &e)
	return e
}

// TestWorkedVectors are the examples worked by hand, each entered one by one,
// in reverse order of arrival, and as one import: the trades are the same.
func TestWorkedVectors(t *testing.T) {
	type example = struct{ fills, want string }
	eachCase(t, map[string]example{
		"round trip long":  {"buy 100 10; sell 100 12", "long 100 net 200"},
		"round trip short": {"sell 50 20; buy 50 18", "short 50 net 100"},
		"scale in":         {"buy 100 10; buy 100 20; sell 200 25", "long 200 net 2000"},
		"scale out":        {"buy 100 10; sell 40 12; sell 60 14", "long 100 net 320"},
		"flip":             {"buy 100 10; sell 150 12; buy 50 11", "long 100 net 200; short 50 net 50"},
		"flip with costs":  {"buy 100 10; sell 300 11 fees=9; buy 200 10", "long 100 net 97; short 200 net 194"},
		"future":           {"buy 2 5000 symbol=ESZ5 type=future; sell 2 5010 symbol=ESZ5 type=future", "long 2 net 1000"},
		"exact decimals":   {"buy 0.1 1; buy 0.2 1; sell 0.3 1.1", "long 0.3 net 0.03"},
		"forex":            {"buy 100000 1.09312 symbol=EURUSD type=forex; sell 100000 1.09415 symbol=EURUSD type=forex", "long 100000 net 103"},
		"still open":       {"buy 100 10; sell 40 12 fees=2", "long 100 open 60 realized 78"},
		"stated result":    {"buy 1 150 symbol=USDJPY type=forex; sell 1 151 symbol=USDJPY type=forex stated=6.62", "long 1 net 6.62"},
	}, func(t *testing.T, d *fixture, v example) {
		d.add(v.fills)
		d.expectTrades(v.want)

		d.account = d.newAccount(d.owner, "USD")
		fills := orders(t, v.fills)
		for _, in := range slices.Backward(fills) {
			_, err := d.ledger.AddExecution(t.Context(), d.owner, d.account, in)
			must(t, err)
		}
		if got := summary(d.tradesOf(d.account)); got != v.want {
			t.Errorf("in reverse: %s", got)
		}

		d.account = d.newAccount(d.owner, "USD")
		d.insert("", fills...)
		if got := summary(d.tradesOf(d.account)); got != v.want {
			t.Errorf("as an import: %s", got)
		}
		d.sound()
	})
}
