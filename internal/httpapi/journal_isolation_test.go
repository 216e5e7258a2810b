package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
)

// journalLists are what a user can read without naming a record.
var journalLists = []string{
	"/accounts", "/executions", "/trades", "/trades/orphans", "/cash-transactions", "/notes", "/tags", "/setups", "/missed-trades",
	"/missed-trades/summary", "/routines", "/routines/day/2026-03-10", "/routines/history", "/settings/checklist-template",
}

// everything creates a journal with a record of each kind and returns the ids by kind.
func everything(d trader) map[string]string {
	trade := d.roundTrip("A")
	lost := d.fill("LOST", "buy 1@1", 0)
	d.annotate(lost.text("trade_id"), more{"notes": "secret"})
	d.delete("/executions/" + lost.text("id")).wantNone()
	id := map[string]string{
		"account": d.account, "trade": trade, "execution": d.trade(trade).text("fills.0.id"), "orphan": lost.text("trade_id"),
		"cash": d.made("/cash-transactions", d.cash("fee", "1", 0)).text("id"),
		"note": d.made("/notes", more{"body": "secret", "account_id": d.account}).text("id"), "tag": d.made("/tags", more{"name": "secret"}).text("id"),
		"setup": d.made("/setups", more{"name": "secret"}).text("id"), "missed": d.made("/missed-trades", miss(more{"account_id": d.account})).text("id"),
		"routine":    d.item("secret", "pre", everyDay, "2026-03-10"),
		"attachment": d.attach("/trades/"+trade, "a.png", tinyPNG).want(http.StatusCreated).text("id"),
	}
	d.attach("/notes/"+id["note"], "a.png", tinyPNG).want(http.StatusCreated)
	d.annotate(trade, more{"tag_ids": []string{id["tag"]}, "setup_id": id["setup"], "notes": "secret"})
	return id
}

// TestRecordsOfOthersAreNotFound: every call naming another user's record is answered,
// byte for byte, as if there were no such record.
func TestRecordsOfOthersAreNotFound(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp() // also an owner sees only what is theirs
		mine := owner.addAccount("Mine")
		id := everything(w.addUser(owner, "anna@example.org").addAccount("Hers"))
		anna := w.as(w.logIn("anna@example.org", passwordOf("anna@example.org")).text("access_token"))
		own := everything(mine)
		before := map[string]string{}
		for _, path := range journalLists {
			before[path] = string(anna.get(path).want(http.StatusOK).body)
		}
		calls := []struct{ kind, method, path string }{
			{"account", "GET", "/accounts/ID"},
			{"account", "PUT", "/accounts/ID"},
			{"account", "DELETE", "/accounts/ID"},
			{"account", "GET", "/settings/instruments?account_id=ID"},
			{"execution", "GET", "/executions/ID"},
			{"execution", "PATCH", "/executions/ID"},
			{"execution", "DELETE", "/executions/ID"},
			{"trade", "GET", "/trades/ID"},
			{"trade", "PATCH", "/trades/ID"},
			{"trade", "DELETE", "/trades/ID"},
			{"trade", "GET", "/trades/ID/attachments"},
			{"trade", "FORM", "/trades/ID"},
			{"trade", "GET", "/notes?trade_id=ID"},
			{"orphan", "GET", "/trades/ID"},
			{"orphan", "PATCH", "/trades/ID"},
			{"orphan", "DELETE", "/trades/orphans/ID"},
			{"orphan", "POST", "/trades/orphans/ID/adopt"},
			{"orphan", "FORM", "/trades/ID"},
			{"cash", "GET", "/cash-transactions/ID"},
			{"cash", "PUT", "/cash-transactions/ID"},
			{"cash", "DELETE", "/cash-transactions/ID"},
			{"note", "GET", "/notes/ID"},
			{"note", "PATCH", "/notes/ID"},
			{"note", "DELETE", "/notes/ID"},
			{"note", "GET", "/notes/ID/attachments"},
			{"note", "FORM", "/notes/ID"},
			{"tag", "PATCH", "/tags/ID"},
			{"tag", "DELETE", "/tags/ID"},
			{"tag", "GET", "/trades?tag_id=ID"},
			{"setup", "GET", "/setups/ID"},
			{"setup", "PATCH", "/setups/ID"},
			{"setup", "DELETE", "/setups/ID"},
			{"setup", "GET", "/trades?setup_id=ID"},
			{"missed", "GET", "/missed-trades/ID"},
			{"missed", "PUT", "/missed-trades/ID"},
			{"missed", "DELETE", "/missed-trades/ID"},
			{"routine", "PATCH", "/routines/ID"},
			{"routine", "DELETE", "/routines/ID?day=2026-03-10"},
			{"routine", "PUT", "/routines/day/2026-03-10/items/ID"},
			{"attachment", "GET", "/attachments/ID"},
			{"attachment", "DELETE", "/attachments/ID"},
		}
		bodies := []any{ // valid ones, and some refused by the domain
			more{"name": "x", "title": "x", "notes": "x", "body": "x", "price": 1, "amount": 1, "done": true, "trade_id": own["trade"]},
			more{"stage": "post", "weekdays": []int{1}, "symbol": "X", "quantity": 5},
			more{},
			more{"name": "", "symbol": "", "confidence": 9, "stage": "x", "type": "x", "quantity": -1},
			more{"name": "secret", "base_currency": "EUR"},
		}
		for _, call := range calls {
			ask := func(c *client, id string) []*reply {
				path := strings.ReplaceAll(call.path, "ID", id)
				switch call.method {
				case "FORM":
					return []*reply{c.attach(path, "a.png", tinyPNG)}
				case "GET", "DELETE":
					return []*reply{c.do(call.method, path, nil), c.with("If-Match", `"x"`).do(call.method, path, nil)}
				}
				var replies []*reply
				for _, body := range bodies {
					replies = append(replies, c.do(call.method, path, body), c.with("If-Match", `"x"`).do(call.method, path, body))
				}
				return replies
			}
			foreign, nobodys := ask(mine.client, id[call.kind]), ask(mine.client, unknown())
			for i := range foreign {
				foreign[i].wantSame(nobodys[i])
				if !strings.Contains(call.path, "?t") && !strings.Contains(call.path, "?s") && foreign[i].status != http.StatusNotFound && foreign[i].status != http.StatusBadRequest {
					t.Errorf("%s %s of another user answers %d", call.method, call.path, foreign[i].status)
				}
			}
			if foreign[0].status != http.StatusNotFound && !strings.Contains(call.path, "?t") && !strings.Contains(call.path, "?s") {
				t.Errorf("%s %s of another user answers %d %s", call.method, call.path, foreign[0].status, foreign[0].body)
			}
		}
		for _, path := range journalLists {
			if after := string(anna.get(path).want(http.StatusOK).body); after != before[path] {
				t.Errorf("%s was %s and is %s", path, before[path], after)
			}
			for kind, secret := range id {
				if strings.Contains(string(mine.get(path).want(http.StatusOK).body), secret) {
					t.Errorf("%s shows the %s of another user", path, kind)
				}
			}
		}
	})
}

// TestForeignReferences: another user's record in a body is refused like an unknown one.
func TestForeignReferences(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		mine := owner.addAccount("Mine")
		id := everything(w.addUser(owner, "anna@example.org").addAccount("Hers"))
		own := everything(mine)
		for _, c := range []struct {
			kind, method, path string
			body               more // ID is replaced by the record id
			field              string
		}{
			{"account", "POST", "/executions", mine.order("A", "buy 1@1", 9, more{"account_id": "ID"}), ""},
			{"account", "POST", "/cash-transactions", mine.cash("fee", "1", 0, more{"account_id": "ID"}), ""},
			{"account", "POST", "/notes", more{"body": "b", "account_id": "ID"}, ""},
			{"account", "POST", "/missed-trades", miss(more{"account_id": "ID"}), ""},
			{"account", "PUT", "/settings/instruments", more{"account_id": "ID", "instruments": []more{}}, ""},
			{"account", "PATCH", "/notes/" + own["note"], more{"account_id": "ID"}, "account_id"},
			{"account", "PUT", "/missed-trades/" + own["missed"], more{"account_id": "ID"}, "account_id"},
			{"trade", "POST", "/cash-transactions", mine.cash("fee", "1", 0, more{"trade_id": "ID"}), "trade_id"},
			{"trade", "PUT", "/cash-transactions/" + own["cash"], more{"trade_id": "ID"}, "trade_id"},
			{"trade", "POST", "/notes", more{"body": "b", "trade_id": "ID"}, "trade_id"},
			{"trade", "PATCH", "/notes/" + own["note"], more{"trade_id": "ID"}, "trade_id"},
			{"trade", "POST", "/trades/orphans/" + own["orphan"] + "/adopt", more{"trade_id": "ID"}, "trade_id"},
			{"orphan", "POST", "/notes", more{"body": "b", "trade_id": "ID"}, "trade_id"},
			{"tag", "PATCH", "/trades/" + own["trade"], more{"tag_ids": []string{own["tag"], "ID"}}, "tag_ids"},
			{"setup", "PATCH", "/trades/" + own["trade"], more{"setup_ids": []string{own["setup"], "ID"}}, "setup_ids"},
			{"setup", "PATCH", "/trades/" + own["trade"], more{"setup_id": "ID"}, "setup_id"},
			{"setup", "POST", "/missed-trades", miss(more{"setup_id": "ID"}), "setup_id"},
			{"setup", "PUT", "/missed-trades/" + own["missed"], more{"setup_id": "ID"}, "setup_id"},
			{"routine", "PUT", "/routines/order", more{"ids": []string{own["routine"], "ID"}}, ""},
		} {
			foreign := mine.do(c.method, c.path, withRouteName(c.body, id[c.kind]))
			foreign.wantSame(mine.do(c.method, c.path, withRouteName(c.body, unknown())))
			if c.field == "" {
				foreign.wantError(http.StatusNotFound, "not_found")
			} else {
				foreign.wantField(c.field)
			}
		}
		mine.get("/trades/"+own["trade"]).want(http.StatusOK).holds("", `{"tag_ids":["`+own["tag"]+`"],"setup_ids":["`+own["setup"]+`"]}`)
	})
}

// withRouteName puts an id where the body has ID.
func withRouteName(body more, id string) more {
	out := more{}
	for field, value := range body {
		switch v := value.(type) {
		case string:
			value = strings.ReplaceAll(v, "ID", id)
		case []string:
			list := []string{}
			for _, item := range v {
				list = append(list, strings.ReplaceAll(item, "ID", id))
			}
			value = list
		}
		out[field] = value
	}
	return out
}

// TestTheJournalNeedsACredential for every call.
func TestTheJournalNeedsACredential(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		id := everything(d)
		for _, path := range append([]string{
			"/accounts/" + id["account"], "/executions/" + id["execution"], "/trades/" + id["trade"], "/attachments/" + id["attachment"], "/notes/" + id["note"], "/trades?status=x",
		}, journalLists...) {
			w.anonymous().get(path).wantError(http.StatusUnauthorized, "unauthorized")
		}
		w.anonymous().post("/executions", d.order("A", "buy 1@1", 0)).wantError(http.StatusUnauthorized, "unauthorized")
		w.anonymous().delete("/accounts/"+d.account).wantError(http.StatusUnauthorized, "unauthorized")
		_, token := d.mint(map[string]any{"name": "reader", "scope": "read"})
		reader := trader{w.as(token), d.account}
		for _, path := range journalLists {
			reader.get(path).want(http.StatusOK)
		}
		for _, r := range []*reply{
			reader.post("/executions", d.order("A", "buy 1@1", 0)), reader.patch("/trades/"+id["trade"], `{}`), reader.delete("/trades/" + id["trade"]),
			reader.put("/accounts/"+d.account, `{}`), reader.attach("/trades/"+id["trade"], "a.png", tinyPNG),
		} {
			r.wantError(http.StatusForbidden, "insufficient_scope")
		}
	})
}
