package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

var cashKeys = []string{"id", "account_id", "type", "amount", "currency", "occurred_at", "note", "trade_id", "import_batch_id", "created_at"}

// cash returns the body for a cash transaction.
func (d trader) cash(kind, amount string, minute int, extra ...more) more {
	return fieldsOf(more{"account_id": d.account, "type": kind, "amount": json.Number(amount), "occurred_at": at(minute)}, extra...)
}

func TestCash(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		d.get("/cash-transactions").want(http.StatusOK).is("", "[]")
		// The sign follows the type; a charge keeps the sent sign.
		for _, c := range []struct{ kind, sent, stored string }{
			{"deposit", "100", "100"},
			{"deposit", "-100", "100"},
			{"withdrawal", "100", "-100"},
			{"withdrawal", "-100", "-100"},
			{"fee", "2.5", "-2.5"},
			{"fee", "-2.5", "-2.5"},
			{"dividend", "1.10", "1.1"},
			{"dividend", "-1.1", "-1.1"},
			{"interest", "3", "3"},
			{"interest", "-3", "-3"},
			{"adjustment", "4", "4"},
			{"adjustment", "-4", "-4"},
			{"fee", "0", "0"},
		} {
			made := d.made("/cash-transactions", d.cash(c.kind, c.sent, 0)).wantKeys("", cashKeys...).is("amount", c.stored).is("type", `"`+c.kind+`"`)
			d.get("/cash-transactions/"+made.text("id")).want(http.StatusOK).wantKeys("", cashKeys...).is("amount", c.stored)
		}
		made := d.made("/cash-transactions", d.cash("deposit", "0.000000000000000001", 5, more{"currency": "usd", "note": " as typed\n", "id": "mine", "import_batch_id": "mine"})).
			holds("", `{"account_id":"`+d.account+`","amount":0.000000000000000001,"currency":"USD","note":" as typed\n","trade_id":null,
			"import_batch_id":null,"occurred_at":"`+at(5)+`","created_at":"2026-03-10T15:04:05Z"}`)
		path := "/cash-transactions/" + made.text("id")
		for _, change := range []struct{ fields, want string }{
			{`{}`, `{"type":"deposit","amount":0.000000000000000001,"note":" as typed\n"}`},
			{`{"amount":"-7"}`, `{"type":"deposit","amount":7}`},
			{`{"type":"withdrawal"}`, `{"type":"withdrawal","amount":-7}`}, // the sign follows
			{`{"type":"deposit"}`, `{"amount":7}`},
			{`{"type":"dividend","amount":-2}`, `{"type":"dividend","amount":-2}`},
			{`{"type":"fee"}`, `{"amount":-2}`},
			{`{"occurred_at":"2026-01-06T00:00:00+01:00"}`, `{"occurred_at":"2026-01-05T23:00:00Z","amount":-2}`},
			{`{"note":null,"currency":null}`, `{"note":"","currency":"USD"}`},
			{`{"account_id":"` + unknown() + `","id":"x"}`, `{"account_id":"` + d.account + `"}`}, // a row stays in its account
		} {
			d.put(path, change.fields).want(http.StatusOK).wantKeys("", cashKeys...).holds("", change.want).wantSame(d.get(path))
		}
		d.with("If-Match", made.tag()).put(path, `{"amount":1}`).wantError(http.StatusPreconditionFailed, "precondition_failed")
		d.with("If-Match", made.tag()).delete(path).wantError(http.StatusPreconditionFailed, "precondition_failed")
		d.with("If-Match", d.get(path).tag()).delete(path).wantNone()
		d.get(path).wantError(http.StatusNotFound, "not_found")
		d.put(path, `{"amount":1}`).wantError(http.StatusNotFound, "not_found")
		d.delete(path).wantError(http.StatusNotFound, "not_found")
		// Equal rows are all kept: money may move twice a day.
		first, second := d.made("/cash-transactions", d.cash("fee", "1", 1)), d.made("/cash-transactions", d.cash("fee", "1", 1))
		if first.text("id") == second.text("id") {
			t.Error("the second of two equal rows was dropped")
		}
	})
}

func TestCashOrder(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		for _, minute := range []int{5, 1, 9, 3} {
			d.made("/cash-transactions", d.cash("fee", "1", minute))
		}
		d.get("/cash-transactions").want(http.StatusOK).wantColumn("occurred_at", at(1), at(3), at(5), at(9))
	})
}

func TestCashRefusals(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		other := d.addAccount("Other")
		path := "/cash-transactions/" + d.made("/cash-transactions", d.cash("fee", "1", 0)).text("id")
		for _, field := range []string{"account_id", "type", "amount", "occurred_at"} {
			body := d.cash("fee", "1", 0)
			body[field] = nil
			d.post("/cash-transactions", body).wantField(field)
			if field != "account_id" {
				d.put(path, more{field: nil}).wantField(field)
			}
			delete(body, field)
			d.post("/cash-transactions", body).wantField(field)
		}
		for _, refused := range []struct {
			field  string
			values []any
		}{
			{"type", []any{"", "gift", 1}},
			{"amount", []any{"x", "1e31", true, "0.1234567890123456789"}},
			{"currency", []any{"EUR", "dollars", 5}},
			{"occurred_at", []any{"2026-01-05", "x", "2200-01-01T00:00:00Z"}},
			{"note", []any{5, strings.Repeat("x", 256<<10+1)}},
			{"trade_id", []any{unknown(), 5, "", other.roundTrip("A")}}, // nor another account's trade
		} {
			for _, value := range refused.values {
				d.post("/cash-transactions", d.cash("fee", "1", 0, more{refused.field: value})).wantField(refused.field)
				d.put(path, more{refused.field: value}).wantField(refused.field)
			}
		}
		d.post("/cash-transactions", d.cash("fee", "1", 0, more{"account_id": unknown()})).wantError(http.StatusNotFound, "not_found")
		if n := d.get("/cash-transactions").count(""); n != 1 {
			d.w.t.Errorf("%d rows are stored", n)
		}
	})
}

// TestDividendsOfATrade count in its total, and only they.
func TestDividendsOfATrade(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		trade := d.fill("A", "buy 100@10", 0).text("trade_id")
		var rows []string
		for _, row := range []more{
			d.cash("dividend", "12.34", 1), d.cash("dividend", "-2.34", 2), d.cash("fee", "5", 3), d.cash("interest", "7", 4), d.cash("deposit", "100", 5),
		} {
			row["trade_id"] = trade
			rows = append(rows, d.made("/cash-transactions", row).is("trade_id", `"`+trade+`"`).text("id"))
		}
		d.made("/cash-transactions", d.cash("dividend", "1000", 1)) // without a trade
		d.trade(trade).holds("", `{"dividend_total":10,"total_pnl":null,"net_pnl":null}`)
		d.fill("A", "sell 100@12", 6)
		d.trade(trade).holds("", `{"dividend_total":10,"net_pnl":200,"total_pnl":210}`)
		d.put("/cash-transactions/"+rows[0], `{"trade_id":null}`).want(http.StatusOK).is("trade_id", "null")
		d.trade(trade).holds("", `{"dividend_total":-2.34,"total_pnl":197.66}`)
		d.delete("/cash-transactions/" + rows[1]).wantNone()
		d.trade(trade).holds("", `{"dividend_total":0,"total_pnl":200}`)
		// The row outlives its trade, without the link.
		d.delete("/trades/" + trade).wantNone()
		d.get("/cash-transactions/"+rows[2]).want(http.StatusOK).holds("", `{"amount":-5,"trade_id":null}`)
	})
}
