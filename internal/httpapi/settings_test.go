package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestChecklistTemplate(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		built := owner.get("/settings/checklist-template").want(http.StatusOK)
		set := owner.put("/settings/checklist-template", `{"items":["b"," a "]}`).want(http.StatusOK).is("", `{"items":["b","a"]}`)
		if owner.get("/settings/checklist-template").tag() != set.tag() || set.tag() == built.tag() {
			t.Error("the tag does not follow the template")
		}
		owner.with("If-Match", built.tag()).put("/settings/checklist-template", `{"items":["c"]}`).wantError(http.StatusPreconditionFailed, "precondition_failed")
		owner.with("If-Match", set.tag()).put("/settings/checklist-template", `{"items":["c"]}`).want(http.StatusOK)
		for _, body := range []string{`{}`, `{"items":null}`, `{"items":"x"}`, `{"items":[""]}`, `{"items":["` + strings.Repeat("x", 201) + `"]}`} {
			owner.put("/settings/checklist-template", body).wantField("items")
		}
		owner.put("/settings/checklist-template", `{"items":[5]}`).wantField("items.0")
		owner.get("/settings/checklist-template").want(http.StatusOK).is("", `{"items":["c"]}`)
		w.addUser(owner, "other@example.org").get("/settings/checklist-template").want(http.StatusOK).is("", built.json(""))
	})
}

// TestInstrumentSettings set a contract's multiplier in one account.
func TestInstrumentSettings(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		other := d.addAccount("Other")
		path := "/settings/instruments?account_id=" + d.account
		empty := d.get(path).want(http.StatusOK).is("", `{"account_id":"`+d.account+`","instruments":[]}`)
		before := d.fill("QQQQQZ5", "buy 1@1", 0, more{"instrument_type": "future"}).is("multiplier", "1")
		put := func(instruments string) *reply {
			return d.put("/settings/instruments", `{"account_id":"`+d.account+`","instruments":`+instruments+`}`)
		}
		set := put(`[{"root":"qqqqq","multiplier":"12.5","tick_size":0.25},{"root":"ES","multiplier":5},{"root":"XAUUSD","multiplier":100,"tick_size":null}]`).want(http.StatusOK).
			is("instruments", `[{"multiplier":5,"root":"ES","tick_size":null},{"multiplier":12.5,"root":"QQQQQ","tick_size":0.25},{"multiplier":100,"root":"XAUUSD","tick_size":null}]`)
		set.wantSame(d.get(path))
		made := d.fill("QQQQQZ5", "buy 1@1", 1, more{"instrument_type": "future"}).is("multiplier", "12.5")
		if made.value("warnings") != nil {
			t.Errorf("warned of a known multiplier: %s", made.body)
		}
		d.fill("ESH26", "buy 1@1", 1, more{"instrument_type": "future"}).is("multiplier", "5")
		d.fill("XAUUSD", "buy 1@1", 1, more{"instrument_type": "cfd"}).is("multiplier", "100")
		other.fill("ESH26", "buy 1@1", 1, more{"instrument_type": "future"}).is("multiplier", "50")
		d.get("/executions/"+before.text("id")).is("multiplier", "1") // what is stored stays

		d.with("If-Match", empty.tag()).put("/settings/instruments", `{"account_id":"`+d.account+`","instruments":[]}`).wantError(http.StatusPreconditionFailed, "precondition_failed")
		for _, refused := range []struct{ instruments, field string }{
			{`[{"root":"","multiplier":1}]`, "root"},
			{`[{"root":"A","multiplier":0}]`, "multiplier"},
			{`[{"root":"A","multiplier":-1}]`, "multiplier"},
			{`[{"root":"A"}]`, "multiplier"},
			{`[{"multiplier":1}]`, "root"},
			{`[{"root":"A","multiplier":1},{"root":"a","multiplier":2}]`, "root"},
			{`[{"root":"A","multiplier":1,"tick_size":0}]`, "tick_size"},
			{`[{"root":"A","multiplier":"x"}]`, "instruments.0.multiplier"},
			{`"x"`, "instruments"},
			{`null`, "instruments"},
		} {
			put(refused.instruments).wantField(refused.field)
		}
		d.put("/settings/instruments", `{"account_id":"`+d.account+`"}`).wantField("instruments") // nothing is lost by leaving it out
		d.get(path).want(http.StatusOK).wantSame(set)
		put(`[]`).want(http.StatusOK).is("instruments", "[]")
		d.fill("ESH26", "buy 1@1", 2, more{"instrument_type": "future"}).is("multiplier", "50")
		d.get("/settings/instruments").wantField("account_id")
		d.get(path + "&account_id=" + other.account).wantField("account_id") // one account at a time
		d.put("/settings/instruments", `{"instruments":[]}`).wantField("account_id")
		d.get("/settings/instruments?account_id="+unknown()).wantError(http.StatusNotFound, "not_found")
		d.put("/settings/instruments", `{"account_id":"`+unknown()+`","instruments":[]}`).wantError(http.StatusNotFound, "not_found")
	})
}

func TestJournalSettings(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		const path = "/settings/journal"
		empty := owner.get(path).want(http.StatusOK).is("", `{"breakeven_tolerance":null,"timezone":null}`)
		owner.put(path, `{"timezone":"Europe/Berlin"}`).want(http.StatusOK).is("", `{"breakeven_tolerance":null,"timezone":"Europe/Berlin"}`)
		set := owner.put(path, `{"breakeven_tolerance":{"r":0.10}}`).want(http.StatusOK).is("", `{"breakeven_tolerance":{"r":0.10},"timezone":"Europe/Berlin"}`)
		set.wantSame(owner.get(path))
		owner.with("If-Match", empty.tag()).put(path, `{"timezone":null}`).wantError(http.StatusPreconditionFailed, "precondition_failed")
		owner.with("If-Match", set.tag()).put(path, `{}`).want(http.StatusOK).wantSame(set)
		for _, zone := range []string{`""`, `"Local"`, `"Berlin"`, `"+02:00"`, `"../etc/passwd"`, `5`} {
			owner.put(path, `{"timezone":`+zone+`,"breakeven_tolerance":7}`).wantField("timezone")
		}
		owner.get(path).wantSame(set)
		w.addUser(owner, "other@example.org").get(path).want(http.StatusOK).is("", empty.json(""))
		owner.put(path, `{"breakeven_tolerance":null,"timezone":null}`).want(http.StatusOK).is("", empty.json(""))

		// Two simultaneous changes to a new user's settings are both kept.
		third := w.addUser(owner, "third@example.org")
		replies := atOnce(2, func(i int) *reply {
			return third.put(path, []string{`{"timezone":"UTC"}`, `{"breakeven_tolerance":1}`}[i])
		})
		for _, r := range replies {
			r.want(http.StatusOK)
		}
		third.get(path).want(http.StatusOK).is("", `{"breakeven_tolerance":1,"timezone":"UTC"}`)
		_, secret := owner.mint(more{"name": "reader", "scope": "read"})
		w.as(secret).get(path).want(http.StatusOK)
		w.as(secret).put(path, `{}`).wantError(http.StatusForbidden, "insufficient_scope")
	})
}
