package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

var accountKeys = []string{"id", "name", "broker", "account_type", "base_currency", "starting_balance", "created_at", "updated_at"}

func TestAccounts(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		c := w.setUp()
		c.get("/accounts").want(http.StatusOK).is("", "[]")
		plain := c.made("/accounts", more{"name": "  Main  "}).wantKeys("", accountKeys...).holds("",
			`{"name":"Main","broker":"","account_type":"cash","base_currency":"USD","starting_balance":0,
			"created_at":"2026-03-10T15:04:05Z","updated_at":"2026-03-10T15:04:05Z"}`)
		w.clock.Advance(time.Second)
		full := c.made("/accounts", more{
			"name": "Prop", "broker": " IB ", "account_type": "prop", "base_currency": "eur", "starting_balance": "25000.50",
			"id": "mine", "user_id": "mine", "created_at": "1999-01-01T00:00:00Z", "nonsense": 1,
		}).holds("", `{"name":"Prop","broker":"IB","account_type":"prop","base_currency":"EUR","starting_balance":25000.5}`)
		if full.text("id") == "mine" || !strings.HasPrefix(full.text("created_at"), "2026-03-10") {
			t.Errorf("the request chose what is the server's: %s", full.body)
		}
		w.clock.Advance(time.Second)
		third := c.made("/accounts", more{"name": "Main", "base_currency": "usdt", "starting_balance": -5})
		c.get("/accounts").want(http.StatusOK).wantColumn("id", plain.text("id"), full.text("id"), third.text("id")) // oldest first

		path := "/accounts/" + full.text("id")
		full.wantTag(c.get(path))
		changed := c.put(path, more{"broker": "Saxo"}).want(http.StatusOK).wantKeys("", accountKeys...).holds("",
			`{"name":"Prop","broker":"Saxo","account_type":"prop","base_currency":"EUR","starting_balance":25000.5,
			"created_at":"2026-03-10T15:04:06Z","updated_at":"2026-03-10T15:04:07Z"}`) // what is absent is unchanged
		c.put(path, more{"name": "P", "account_type": "margin", "base_currency": "chf", "starting_balance": 1e3, "broker": nil}).
			want(http.StatusOK).holds("", `{"name":"P","broker":"","account_type":"margin","base_currency":"CHF","starting_balance":1000}`)
		c.put(path, `{}`).want(http.StatusOK).holds("", `{"name":"P"}`).wantSame(c.get(path))
		if changed.tag() == full.tag() {
			t.Error("the tag did not change with the account")
		}
		c.with("If-Match", full.tag()).put(path, `{"name":"Q"}`).wantError(http.StatusPreconditionFailed, "precondition_failed")
		c.with("If-Match", full.tag()).delete(path).wantError(http.StatusPreconditionFailed, "precondition_failed")
		c.with("If-Match", c.get(path).tag()).put(path, `{"name":"P"}`).want(http.StatusOK)
		for _, id := range []string{plain.text("id"), full.text("id"), third.text("id")} {
			c.delete("/accounts/" + id).wantNone()
			c.get("/accounts/"+id).wantError(http.StatusNotFound, "not_found")
			c.delete("/accounts/"+id).wantError(http.StatusNotFound, "not_found")
		}
		c.get("/accounts").want(http.StatusOK).is("", "[]") // the last one may go as well
	})
}

func TestAccountRefusals(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		c := w.setUp()
		path := "/accounts/" + c.made("/accounts", more{"name": "A"}).text("id")
		for _, refused := range []struct {
			field  string
			fields more
		}{
			{"name", more{"name": ""}},
			{"name", more{"name": " \t "}},
			{"name", more{"name": "\u200b"}},
			{"name", more{"name": nil}},
			{"name", more{"name": 7}},
			{"name", more{"name": "a\nb"}},
			{"name", more{"name": strings.Repeat("é", 201)}},
			{"broker", more{"broker": strings.Repeat("x", 201)}},
			{"account_type", more{"account_type": strings.Repeat("x", 201)}},
			{"base_currency", more{"base_currency": "US"}},
			{"base_currency", more{"base_currency": "DOLLAR"}},
			{"base_currency", more{"base_currency": "U$D"}},
			{"base_currency", more{"base_currency": "ÜSD"}},
			{"base_currency", more{"base_currency": 840}},
			{"starting_balance", more{"starting_balance": "much"}},
			{"starting_balance", more{"starting_balance": "1000000000000000"}},
			{"starting_balance", more{"starting_balance": true}},
		} {
			c.post("/accounts", fieldsOf(more{"name": "B"}, refused.fields)).wantField(refused.field)
			c.put(path, refused.fields).wantField(refused.field)
		}
		c.post("/accounts", `{}`).wantField("name")
		c.post("/accounts", `[]`).wantError(http.StatusBadRequest, "bad_request")
		c.post("/accounts", `null`).wantError(http.StatusBadRequest, "bad_request")
		c.post("/accounts", `{"name":"A","name":"B"}`).wantField("name")
		c.raw("POST", "/accounts", "text/plain", []byte(`{"name":"A"}`)).wantError(http.StatusUnsupportedMediaType, "unsupported_media_type")
		c.get("/accounts").want(http.StatusOK).wantColumn("name", "A")
		c.made("/accounts", more{"name": strings.Repeat("é", 200), "base_currency": "1INCH"})
	})
}

// TestBaseCurrency: the currency is fixed once the account has money in it.
func TestBaseCurrency(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		path := "/accounts/" + d.account
		d.put(path, more{"base_currency": "EUR"}).want(http.StatusOK)
		for _, hold := range []func() string{
			func() string { return "/executions/" + d.fill("A", "buy 1@1", 0).text("id") },
			func() string {
				return "/cash-transactions/" + d.made("/cash-transactions", more{"account_id": d.account, "type": "deposit", "amount": 1, "occurred_at": at(0)}).text("id")
			},
		} {
			held := hold()
			d.put(path, more{"base_currency": "USD", "name": "Other"}).wantError(http.StatusConflict, "conflict")
			d.get(path).holds("", `{"base_currency":"EUR","name":"Main"}`)
			d.put(path, more{"base_currency": "eur", "name": "Same"}).want(http.StatusOK).holds("", `{"name":"Same"}`)
			d.put(path, more{"name": "Main", "starting_balance": 5}).want(http.StatusOK)
			d.delete(held).wantNone()
			d.put(path, more{"base_currency": "GBP"}).want(http.StatusOK)
			d.put(path, more{"base_currency": "EUR"}).want(http.StatusOK)
		}
	})
}

// TestDeletingAnAccountDeletesItsRecords but notes and missed trades stay.
func TestDeletingAnAccountDeletesItsRecords(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		other := d.addAccount("Other")
		kept := other.roundTrip("KEPT")
		trade := d.roundTrip("GONE")
		fill := d.trade(trade).text("fills.0.id")
		cash := d.made("/cash-transactions", more{"account_id": d.account, "type": "dividend", "amount": 1, "occurred_at": at(0), "trade_id": trade}).text("id")
		note := d.made("/notes", more{"body": "b", "account_id": d.account, "trade_id": trade}).text("id")
		missed := d.made("/missed-trades", more{"symbol": "M", "direction": "long", "observed_at": at(0), "account_id": d.account}).text("id")
		tag := d.made("/tags", more{"name": "T"}).text("id")
		d.annotate(trade, more{"notes": "n", "tag_ids": []string{tag}})
		d.put("/settings/instruments", more{"account_id": d.account, "instruments": []more{{"root": "ZZ", "multiplier": 7}}}).want(http.StatusOK)
		orphaned := d.fill("ORPHAN", "buy 1@1", 5)
		d.annotate(orphaned.text("trade_id"), more{"notes": "lost"})
		d.delete("/executions/" + orphaned.text("id")).wantNone()

		d.delete("/accounts/" + d.account).wantNone()
		for _, path := range []string{
			"/trades/" + trade, "/executions/" + fill, "/cash-transactions/" + cash, "/settings/instruments?account_id=" + d.account,
			"/trades?account_id=" + d.account, "/executions?account_id=" + d.account,
		} {
			d.get(path).wantError(http.StatusNotFound, "not_found")
		}
		d.get("/notes/"+note).want(http.StatusOK).holds("", `{"body":"b","account_id":null,"trade_id":null}`)
		d.get("/missed-trades/"+missed).want(http.StatusOK).holds("", `{"symbol":"M","account_id":null}`)
		d.get("/trades/orphans").want(http.StatusOK).is("", "[]")
		d.get("/cash-transactions").want(http.StatusOK).is("", "[]")
		d.get("/trades").want(http.StatusOK).wantColumn("id", kept)
		d.get("/tags").want(http.StatusOK).wantColumn("id", tag)
		// A new account starts again, whatever numbers the old one had.
		fresh := d.addAccount("Fresh")
		fresh.fill("GONE", "buy 1@1", 0)
		fresh.trades("GONE").holds("", `[{"notes":"","tags":[],"status":"open"}]`)
	})
}
