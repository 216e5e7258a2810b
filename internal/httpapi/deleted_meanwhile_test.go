package httpapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// lateBody runs a function before its first byte is read, which is after the request
// was authenticated.
type lateBody struct {
	before func()
	io.Reader
}

func (b *lateBody) Read(p []byte) (int, error) {
	if b.before != nil {
		before := b.before
		b.before = nil
		before()
	}
	return b.Reader.Read(p)
}

// sendLate sends a JSON body and calls before when the server begins to read it.
func (c *client) sendLate(method, path string, body any, before func()) *reply {
	c.w.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		c.w.t.Fatal(err)
	}
	request := httptest.NewRequest(method, "/api/v1"+path, &lateBody{before, bytes.NewReader(text)})
	request.ContentLength = int64(len(text))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+c.token)
	recorder := httptest.NewRecorder()
	c.w.handler.ServeHTTP(recorder, request)
	return &reply{t: c.w.t, call: method + " " + path, status: recorder.Code, header: recorder.Header(), body: recorder.Body.Bytes()}
}

// TestDeletedDuringAWrite deletes the caller, or the account in the body, after
// authentication, in every operation with a JSON body.
func TestDeletedDuringAWrite(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		fill := more{"symbol": "X", "side": "buy", "quantity": 1, "price": 1, "executed_at": at(3)}
		calls, unauthorized := 0, 0
		readDescription(t, w.api).eachOperation(func(method, path string, operation object) {
			path, isAPI := strings.CutPrefix(path, "/api/v1")
			content := child(child(operation, "requestBody"), "content")
			if !isAPI || operation["security"] == nil || content["application/json"] == nil || strings.HasPrefix(path, "/auth") || strings.HasPrefix(path, "/me/") {
				return
			}
			for _, deleted := range []string{"user", "account"} {
				calls++
				email := fmt.Sprintf("user%d@example.org", calls)
				user := w.addUser(owner, email)
				d := user.addAccount("Main")
				trade := d.fill("AAA", "buy 1@1", 0).text("trade_id")
				body := fieldsOf(fill, more{
					"account_id": d.account, "fills": []more{fill}, "amount": 1, "occurred_at": at(3), "body": "x", "direction": "long", "observed_at": at(3),
					"name": "x", "instruments": []more{{"root": "AB", "multiplier": 2}}, "items": []string{"x"}, "title": "x", "stage": "pre", "type": "fee",
					"timezone": "UTC", "accounts": []more{{"file_account": "", "account_id": d.account}}, "theme": "x", "ids": []string{trade}, "bars_symbol": "Y",
					"set": more{"notes": "x"}, "notes": "x", "done": true, "weekdays": []int{1},
				})
				if strings.HasPrefix(path, "/notes") {
					body["type"] = "note"
				}
				remove := func() { owner.delete("/admin/users/" + owner.userID(email)).wantNone() }
				if deleted == "account" {
					remove = func() { d.delete("/accounts/" + d.account).wantNone() }
				}
				filled := strings.NewReplacer("/trades/{id}", "/trades/"+trade, "/accounts/{id}", "/accounts/"+d.account, "{id}", unknown(), "{day}", "2026-03-10", "{signature}", "0a").Replace(path)
				got := user.sendLate(method, filled, body, remove)
				if got.status >= http.StatusInternalServerError || deleted == "user" && got.status < 300 {
					t.Errorf("%s after the %s was deleted: %d %s", got.call, deleted, got.status, got.body)
				}
				if got.status == http.StatusUnauthorized {
					unauthorized++
				}
			}
		})
		if calls < 60 || unauthorized < 5 {
			t.Errorf("only %d calls, %d of them 401", calls, unauthorized)
		}
	}, shareLinksOn)
}

// TestMixedCurrenciesInExports: named accounts must share a currency, as in lists; files
// with all accounts need not.
func TestMixedCurrenciesInExports(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.roundTrip("AAA")
		euro := d.client.addAccount("Euro", more{"base_currency": "EUR"})
		euro.roundTrip("BBB")
		for _, query := range []string{
			"json", "zip", "csv", "xlsx", "csv&rows=executions", "csv&outcome=win", "xlsx&pnl_min=1", "csv&rows=realized-gains",
			"xlsx&rows=realized-gains", "csv&rows=realized-gains&outcome=win",
		} {
			d.get("/exports?format=" + query).want(http.StatusOK)
			if !strings.Contains(query, "json") && !strings.Contains(query, "zip") {
				d.get("/exports?format="+query+"&account_id="+d.account+","+euro.account).
					wantError(http.StatusBadRequest, "mixed_currencies").wantShape()
			}
		}
	})
}

// TestFailureBeforeTheFirstByte breaks the journal's tables: each route answers with a
// status and a JSON error, also when streaming.
func TestFailureBeforeTheFirstByte(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		d.roundTrip("AAA")
		for _, table := range []string{"accounts", "trades", "executions", "notes", "tags", "setups", "missed_trades", "views", "import_batches", "attachments", "preferences", "routine_items", "cash_transactions"} {
			w.exec(`ALTER TABLE ` + table + ` RENAME TO broken_` + table)
		}
		faults := 0
		check := func(path string) {
			got := d.get(path)
			if got.status == http.StatusInternalServerError {
				faults++
				got.wantShape()
			}
		}
		readDescription(t, w.api).eachOperation(func(method, path string, operation object) {
			if path, isAPI := strings.CutPrefix(path, "/api/v1"); isAPI && method == http.MethodGet && operation["security"] != nil {
				check(strings.NewReplacer("{id}", unknown(), "{day}", "2026-03-10", "{signature}", "0a").Replace(path))
			}
		})
		for _, format := range []string{"json", "zip", "csv", "xlsx", "csv&rows=executions", "csv&rows=realized-gains"} {
			d.get("/exports?format="+format).wantError(http.StatusInternalServerError, "internal").wantShape()
		}
		if faults < 20 {
			t.Errorf("only %d routes failed", faults)
		}
	})
}
