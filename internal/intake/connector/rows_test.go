package connector_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/matching"
)

var noon = time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)

func newRows() *connector.Rows {
	return connector.NewRows(connector.Query{From: noon, To: noon.Add(time.Hour), Currency: "USD"}, "Broker")
}

func newFill(at time.Time) statement.Fill {
	return statement.Fill{Symbol: "BTC/USDT", Side: matching.Buy, Quantity: decimal.New(2), Price: decimal.New(100), At: at}
}

func TestRowsCountRecords(t *testing.T) {
	t.Parallel()
	rows := newRows()
	for _, at := range []time.Duration{30 * time.Minute, 0, -time.Nanosecond, time.Hour} {
		record, ok := rows.Start(at.String())
		if !ok {
			t.Fatal("a record is known")
		}
		record.AddFill(newFill(noon.Add(at)), "USDT")
	}
	if _, ok := rows.Start("0s"); ok {
		t.Error("a record came twice")
	}
	record, _ := rows.Start("")
	record.AddFill(newFill(noon), "EUR")
	for _, cash := range []statement.Cash{
		{Type: "deposit", Amount: decimal.New(5), Currency: "USDC", At: noon},
		{Type: "deposit", Amount: decimal.New(5), Currency: "BTC", At: noon},
		{Type: "deposit", Currency: "USD", At: noon},
		{Type: "deposit", Amount: decimal.New(5), Currency: "EUR", At: noon.Add(time.Hour)},
	} {
		record, _ := rows.Start("")
		record.AddCash(cash)
	}
	record, _ = rows.Start("")
	record.Skip(noon, "not a trade")
	record, _ = rows.Start("")
	record.AddFill(statement.Fill{At: noon}, "")
	got := rows.Delivery()
	if s := got.Statement; s.Rows != 8 || len(s.Fills) != 3 || len(s.Cash) != 1 || len(s.Skipped) != 3 || len(s.Problems) != 1 {
		t.Errorf("%d rows: %d fills, %d cash, skipped %v, problems %v", s.Rows, len(s.Fills), len(s.Cash), s.Skipped, s.Problems)
	}
	if first := got.Statement.Fills[0]; !first.At.Equal(noon) || first.Row != 2 {
		t.Errorf("first fill %+v", first)
	}
	if cash := got.Statement.Cash[0]; cash.Currency != "USD" {
		t.Errorf("cash in %s", cash.Currency)
	}
	if len(got.Messages) != 2 || !strings.Contains(got.Messages[0], "EUR") || !strings.Contains(got.Messages[1], "5 BTC") || got.Statement.Fills[1].Details["currency"] != "EUR" {
		t.Errorf("messages %q", got.Messages)
	}
}

func TestZeroFractions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		read func(*connector.Record) time.Time
		want bool
	}{
		"text with zeros":   {func(r *connector.Record) time.Time { return r.Time("2026-01-05T12:00:00.000Z") }, true},
		"text":              {func(r *connector.Record) time.Time { return r.Time("2026-01-05T12:00:00Z") }, false},
		"another fraction":  {func(r *connector.Record) time.Time { return r.Time("2026-01-05T12:00:00.250Z") }, false},
		"milliseconds":      {func(r *connector.Record) time.Time { return r.Millis("1767614400000") }, true},
		"seconds":           {func(r *connector.Record) time.Time { return r.Seconds("1767614400") }, false},
		"seconds and zeros": {func(r *connector.Record) time.Time { return r.Seconds("1767614400.0000") }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			day := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
			rows := connector.NewRows(connector.Query{From: day, To: day.Add(24 * time.Hour)}, "test")
			record, _ := rows.Start("")
			record.AddFill(newFill(c.read(record)), "")
			if fills := rows.Delivery().Statement.Fills; len(fills) != 1 || fills[0].ZeroFraction != c.want {
				t.Errorf("fills %+v", fills)
			}
		})
	}
}

func TestChargeCoins(t *testing.T) {
	t.Parallel()
	pair := statement.NamePair("BTC/USDT", "")
	contract := statement.NewCoinContract("BTCUSDT", "BTC", "USDT")
	for _, c := range []struct {
		of     statement.Instrument
		coin   string
		amount string
		want   string
	}{
		{pair, "USDT", "0.5", "2 fees 0.5 map[]"},
		{pair, "usdc", "-0.5", "2 fees -0.5 map[]"},
		{pair, "BTC", "0.01", "1.99 fees 1 map[fee:0.01 BTC]"},
		{contract, "BTC", "0.01", "2 fees 1 map[]"},
		{pair, "BNB", "0.01", "2 fees 0 map[fee:0.01 BNB]"},
	} {
		rows := newRows()
		record, _ := rows.Start("")
		fill := newFill(noon)
		record.ChargeCoins(&fill, c.of, decimal.Must(c.amount), c.coin)
		record.AddFill(fill, "USDT")
		if got := fmt.Sprint(fill.Quantity, " fees ", fill.Fees, " ", fill.Details); got != c.want || !fill.FeesKnown {
			t.Errorf("%s %s: %s, want %s", c.amount, c.coin, got, c.want)
		}
		if messages := rows.Delivery().Messages; (len(messages) > 0) != (c.coin == "BNB") {
			t.Errorf("%s: messages %q", c.coin, messages)
		}
	}
}

func TestRecordValues(t *testing.T) {
	t.Parallel()
	for name, read := range map[string]func(*connector.Record){
		"price":                   func(r *connector.Record) { r.Decimal("price", "") },
		"fee that is not a":       func(r *connector.Record) { r.Optional("fee", "much") },
		"no time that":            func(r *connector.Record) { r.Time("yesterday") },
		"time that can be":        func(r *connector.Record) { r.Millis("-1") },
		"no time that can":        func(r *connector.Record) { r.Seconds("99999999999999") },
		"has a time that is not ": func(r *connector.Record) { r.Millis("x") },
	} {
		rows := newRows()
		record, _ := rows.Start("")
		read(record)
		record.AddFill(newFill(noon), "")
		record.AddCash(statement.Cash{Amount: decimal.New(1), At: noon})
		s := rows.Delivery().Statement
		if len(s.Problems) != 1 || !strings.Contains(s.Problems[0].Message, name) || len(s.Fills)+len(s.Cash) > 0 || s.Rows != 1 {
			t.Errorf("%s: %+v", name, s.Problems)
		}
	}
	record, _ := newRows().Start("")
	if at := record.Millis("1767323045678"); at.Format(time.RFC3339Nano) != "2026-01-02T03:04:05.678Z" || record.Failed() {
		t.Error(at)
	}
	if at := record.Seconds("1767323045.6789"); at.Format(time.RFC3339Nano) != "2026-01-02T03:04:05.6789Z" || record.Failed() {
		t.Error(at)
	}
	if at := record.Time("2026-01-05T09:33:09.5-05:00"); at.Format(time.RFC3339Nano) != "2026-01-05T14:33:09.5Z" {
		t.Error(at)
	}
	if !record.Optional("fee", remote.Number("")).IsZero() || record.Failed() {
		t.Error("a number that may be missing")
	}
}

func TestCallMatches(t *testing.T) {
	t.Parallel()
	call := connector.Call{Method: http.MethodGet, Path: "/v3/accounts/*/summary"}
	for target, want := range map[string]bool{
		"/v3/accounts/001-1/summary": true, "/v3/accounts/001-1/summary?x=1": true, "/v3/accounts/1/2/summary": false, "/v3/accounts/1/orders": false,
	} {
		if got := call.Matches(httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, nil)); got != want {
			t.Errorf("%s: %v", target, got)
		}
	}
	if call.Matches(httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v3/accounts/1/summary", nil)) {
		t.Error("another method matches")
	}
}
