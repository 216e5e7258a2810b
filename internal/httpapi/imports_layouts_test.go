package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestImportLayouts(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		other := d.addAccount("Other")
		const path = "/import-layouts/0a1b"
		d.get("/import-layouts").want(http.StatusOK).is("", "[]")
		d.get(path).wantError(http.StatusNotFound, "not_found")
		d.delete(path).wantError(http.StatusNotFound, "not_found")
		d.with("If-Match", `"x"`).put(path, more{}).wantError(http.StatusPreconditionFailed, "precondition_failed")
		d.put(path, more{}).want(http.StatusOK).
			is("", `{"accounts":[],"column_mapping":null,"date_order":null,"name":"","signature":"0a1b","source_tz":null,"used_at":"2026-03-10T15:04:05Z"}`)
		w.clock.Advance(time.Minute)
		account := more{"file_account": "U1", "account_id": d.account}
		set := d.put(path, more{
			"name": "Broker", "source_tz": "Europe/Berlin", "date_order": "month_first", "column_mapping": more{"symbol": "Name", "side": "=buy"},
			"accounts": []more{account, {"file_account": "", "account_id": other.account}, account},
		}).want(http.StatusOK)
		set.is("", `{"accounts":[{"account_id":"`+d.account+`","file_account":"U1"},{"account_id":"`+other.account+`","file_account":""}],`+
			`"column_mapping":{"side":"=buy","symbol":"Name"},"date_order":"month_first","name":"Broker","signature":"0a1b","source_tz":"Europe/Berlin","used_at":"2026-03-10T15:05:05Z"}`)
		set.wantSame(d.get(path))
		d.get("/import-layouts").want(http.StatusOK).is("0", set.json("")).is("1", "null")
		d.get("/import-layouts?account_id="+other.account).want(http.StatusOK).is("0.signature", `"0a1b"`)
		d.get("/import-layouts?account_id="+unknown()).wantError(http.StatusNotFound, "not_found")

		for field, value := range map[string]any{
			"source_tz": "Nowhere/Town", "date_order": "year_first", "name": strings.Repeat("x", 201), "column_mapping": more{"": "x"},
		} {
			d.put(path, more{field: value}).wantField(field)
		}
		d.put(path, more{"column_mapping": more{"symbol": strings.Repeat("x", 17<<10)}}).wantField("column_mapping")
		d.put("/import-layouts/"+strings.Repeat("x", 201), more{}).wantField("signature")
		d.put(path, more{"accounts": []more{{"account_id": unknown(), "file_account": ""}}}).wantError(http.StatusNotFound, "not_found")
		d.get(path).wantSame(set)
		stranger := w.addUser(d.client, "stranger@example.org")
		stranger.get(path).wantError(http.StatusNotFound, "not_found")
		stranger.put(path, more{"accounts": []more{account}}).wantError(http.StatusNotFound, "not_found")

		d.delete("/accounts/" + other.account).wantNone()
		d.get(path).want(http.StatusOK).is("accounts", `[{"account_id":"`+d.account+`","file_account":"U1"}]`)
		d.with("If-Match", set.tag()).delete(path).wantError(http.StatusPreconditionFailed, "precondition_failed")
		d.delete(path).wantNone()
		d.get("/import-layouts").want(http.StatusOK).is("", "[]")
	})
}

// TestOldestImportLayoutIsDropped stores more layouts than there can be.
func TestOldestImportLayoutIsDropped(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		for i := range 102 {
			w.clock.Advance(time.Second)
			d.put(fmt.Sprintf("/import-layouts/%d", i%101), more{}).want(http.StatusOK) // 0 is used again
		}
		if n := d.get("/import-layouts").want(http.StatusOK).count(""); n != 100 {
			t.Errorf("%d layouts are stored, want 100", n)
		}
		d.get("/import-layouts").want(http.StatusOK).is("0.signature", `"0"`).is("99.signature", `"2"`)
		d.get("/import-layouts/1").wantError(http.StatusNotFound, "not_found")
	})
}

// TestTokenReadsLayoutsOfItsAccounts: an import token sees the layouts used for its
// accounts or for none; it changes none.
func TestTokenReadsLayoutsOfItsAccounts(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		other := d.addAccount("Other")
		store := func(signature string, accounts ...string) {
			list := []more{}
			for _, id := range accounts {
				list = append(list, more{"file_account": "", "account_id": id})
			}
			w.clock.Advance(time.Second)
			d.put("/import-layouts/"+signature, more{"accounts": list}).want(http.StatusOK)
		}
		store("hidden", other.account)
		store("own", d.account)
		store("both", other.account, d.account)
		store("none")
		_, secret := d.mint(more{"name": "agent", "scope": "import", "account_ids": []string{d.account}})
		agent := w.as(secret)
		agent.get("/import-layouts").want(http.StatusOK).wantColumn("signature", "none", "both", "own").
			is("1.accounts", `[{"account_id":"`+d.account+`","file_account":""}]`)
		agent.get("/import-layouts/hidden").wantError(http.StatusNotFound, "not_found")
		agent.get("/import-layouts/own").want(http.StatusOK)
		agent.put("/import-layouts/own", more{}).wantError(http.StatusForbidden, "insufficient_scope")
		_, secret = d.mint(more{"name": "writer", "scope": "write", "account_ids": []string{d.account}})
		w.as(secret).put("/import-layouts/own", more{}).wantError(http.StatusForbidden, "forbidden")
		w.as(secret).delete("/import-layouts/own").wantError(http.StatusForbidden, "forbidden")
	})
}
