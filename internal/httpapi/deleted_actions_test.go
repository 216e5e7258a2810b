package httpapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fillbook/internal/testkit"
)

// answers are what a journal answers, by path.
type answers map[string]string

// everyAnswer reads everything that depends on trades, their ids and what is written on them.
func (d trader) everyAnswer(t *rapid.T) answers {
	d.w.t.Helper()
	found := answers{}
	read := func(path string) *reply {
		got := d.get(path)
		if got.status != http.StatusOK {
			t.Fatalf("%s answers %d %s", path, got.status, got.body)
		}
		found[path] = string(got.body)
		return got
	}
	for _, path := range []string{
		"/accounts", "/cash-transactions", "/executions", "/exports?format=json", "/exports?format=csv", "/notes", "/positions", "/positions/totals", "/positions/unmatched",
		"/setups", "/symbols", "/tags", "/trades?sort=net_pnl", "/trades?symbol=NEW", "/trades?limit=3", "/trades/orphans",
		"/analytics/behavior", "/analytics/breakdown?by=symbol", "/analytics/breakdown?by=tag", "/analytics/calendar", "/analytics/daily", "/analytics/equity-curve",
		"/analytics/r", "/analytics/summary", "/analytics/summary?unit=strategy", "/analytics/tag-effects",
	} {
		read(path)
	}
	for path, list := range map[string]*reply{"/trades/": read("/trades"), "/strategies/": read("/strategies"), "/notes/": read("/notes")} {
		for i := range list.count("") {
			one := path + list.text(fmt.Sprint(i, ".id"))
			read(one)
			if path == "/trades/" {
				read(one + "/fills")
				read(one + "/attachments")
			}
		}
	}
	return found
}

// drawnFill is the nth fill, a day before or on the day on which actions act.
func (d trader) drawnFill(t *rapid.T, n int) more {
	minute := 30*n + rapid.SampledFrom([]int{0, 0, 1440}).Draw(t, "day") + rapid.IntRange(0, 29).Draw(t, "minute")
	symbol := rapid.SampledFrom([]string{"OLD", "OLD", "OLD", "NEW"}).Draw(t, "symbol")
	text := fmt.Sprint(rapid.SampledFrom([]string{"buy", "sell"}).Draw(t, "side"), " ", rapid.IntRange(1, 6).Draw(t, "quantity"), "@", rapid.IntRange(8, 20).Draw(t, "price"))
	fill := d.order(symbol, text, minute)
	delete(fill, "account_id")
	if rapid.IntRange(0, 4).Draw(t, "type") == 0 {
		fill["instrument_type"], fill["multiplier"] = "option", 100
		fill["details"] = more{"option_right": "call", "strike": rapid.SampledFrom([]string{"10", "20"}).Draw(t, "strike"), "expiry": "2026-06-19"}
	}
	return fill
}

// drawnAction is a corporate action, which may be refused.
func drawnAction(t *rapid.T) more {
	kind := rapid.SampledFrom([]string{"split", "split", "stock_dividend", "rename", "exchange", "spin_off"}).Draw(t, "kind")
	action := more{
		"kind": kind, "symbol": "OLD", "effective_on": rapid.SampledFrom([]string{"2026-01-06", "2026-01-06", "2026-01-05"}).Draw(t, "on"),
		"ratio_new": rapid.SampledFrom([]int{1, 2, 3}).Draw(t, "new"), "ratio_old": rapid.SampledFrom([]int{1, 1, 2}).Draw(t, "old"),
		"applies_to": rapid.SampledFrom([]string{"all", "all", "shares"}).Draw(t, "scope"),
	}
	if kind != "split" && kind != "stock_dividend" {
		action["new_symbol"] = "NEW"
	}
	if kind == "exchange" && rapid.Bool().Draw(t, "pays") {
		action["cash_per_share"] = rapid.IntRange(1, 5).Draw(t, "cash")
	}
	if kind == "spin_off" {
		action["cost_share"] = "0.25"
	}
	return action
}

// annotateSome writes on trades, links cash and notes to them, and types prices.
func (d trader) annotateSome(t *rapid.T) {
	d.w.t.Helper()
	list := d.get("/trades")
	tag, setup := d.made("/tags", more{"name": "gap"}).text("id"), d.made("/setups", more{"name": "Opening range"}).text("id")
	for i, id := range list.column("id") {
		what := rapid.SliceOfNDistinct(rapid.IntRange(0, 7), 0, 6, rapid.ID[int]).Draw(t, "annotations")
		path := "/trades/" + id
		for _, n := range what {
			switch n {
			case 0:
				d.annotate(id, more{"notes": fmt.Sprint("note ", i%3), "initial_risk": 10 + i})
			case 1:
				d.annotate(id, more{"tag_ids": []string{tag}})
			case 2:
				d.annotate(id, more{"setup_id": setup, "confidence": 1 + i%5})
			case 3:
				d.attach(path, fmt.Sprint(i, ".png"), tinyPNG).want(http.StatusCreated)
			case 4:
				d.made("/notes", more{"body": fmt.Sprint("linked ", i), "trade_id": id})
			case 5:
				d.made("/cash-transactions", d.cash("fee", "1", 30+i, more{"trade_id": id}))
			case 6:
				d.annotate(id, more{"reviewed_at": at(3000)})
			case 7:
				if list.text(fmt.Sprint(i, ".status")) == "open" {
					d.put("/positions/"+id+"/mark", more{"price": 12 + i}).want(http.StatusOK)
				}
			}
		}
	}
}

// TestDeletedActionRestoresEveryAnswer draws journals with annotations, records corporate
// actions, changes some, and deletes them: every answer is as before, byte for byte, with the
// ids of trades.
func TestDeletedActionRestoresEveryAnswer(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner, users := w.setUp(), 0
		rapid.Check(w.t, testkit.LimitChecks(roundsOn(w), func(r *rapid.T) {
			users++
			d := w.addUser(owner, fmt.Sprintf("user%d@example.org", users)).addAccount("Main")
			for n := range rapid.IntRange(2, 10).Draw(r, "fills") {
				fill := d.drawnFill(r, n)
				fill["account_id"] = d.account
				d.made("/executions", fill)
			}
			d.annotateSome(r)
			before := d.everyAnswer(r)
			var recorded []string
			for range rapid.IntRange(1, 3).Draw(r, "actions") {
				if got := d.post("/corporate-actions", drawnAction(r)); got.status == http.StatusCreated {
					recorded = append(recorded, "/corporate-actions/"+got.text("id"))
				}
			}
			for _, path := range recorded {
				if rapid.IntRange(0, 3).Draw(r, "change") == 0 {
					d.patch(path, more{"ratio_new": rapid.IntRange(1, 4).Draw(r, "changed ratio")})
				}
			}
			for _, path := range rapid.Permutation(recorded).Draw(r, "order") {
				d.delete(path).want(http.StatusNoContent)
			}
			compareAnswers(r, before, d.everyAnswer(r))
		}))
	})
}

func compareAnswers(t *rapid.T, before, after answers) {
	var differences []string
	for path, body := range before {
		if after[path] != body {
			differences = append(differences, path+"\n"+cmp.Diff(body, after[path]))
		}
	}
	for path := range after {
		if _, known := before[path]; !known {
			differences = append(differences, path+" is new")
		}
	}
	slices.Sort(differences)
	if len(differences) > 0 {
		t.Fatalf("%d answers differ:\n%s", len(differences), strings.Join(differences, "\n"))
	}
}

// TestEditsStayWithJoinedTrades: what the user changed on a joined trade stays there when the
// action is deleted; the rest is as it was.
func TestEditsStayWithJoinedTrades(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		held := d.fill("OLD", "buy 10@100", 0).text("trade_id")
		short := d.fill("OLD", "sell 20@60", 1440).text("trade_ids.1")
		gap, late := d.made("/tags", more{"name": "gap"}).text("id"), d.made("/tags", more{"name": "late"}).text("id")
		d.annotate(held, more{"notes": "held", "tag_ids": []string{gap}})
		d.annotate(short, more{"notes": "short", "tag_ids": []string{late}, "emotional_state": "calm", "confidence": 4})
		note := d.made("/notes", more{"body": "b", "trade_id": short}).text("id")
		cash := d.made("/cash-transactions", d.cash("fee", "1", 1500, more{"trade_id": short})).text("id")
		split := "/corporate-actions/" + d.made("/corporate-actions", more{"kind": "split", "symbol": "OLD", "ratio_new": 2, "effective_on": "2026-01-06"}).text("id")
		d.get("/trades").want(http.StatusOK).holds("", `[{"id": "`+held+`", "notes": "held\n\n---\n\nshort", "emotional_state": "calm", "confidence": 4, "net_pnl": 200}]`)
		d.get("/notes/"+note).is("trade_id", `"`+held+`"`)
		d.get("/cash-transactions/"+cash).is("trade_id", `"`+held+`"`)
		d.annotate(held, more{"notes": "held\n\n---\n\nshort\n\n---\n\nafter the split", "confidence": 2})
		deleted := d.delete(split).want(http.StatusNoContent)
		apart := func() {
			t.Helper()
			d.trade(held).holds("", `{"notes": "held\n\n---\n\nafter the split", "tag_ids": ["`+gap+`"], "emotional_state": "", "confidence": 2}`)
			d.trade(short).holds("", `{"notes": "short", "tag_ids": ["`+late+`"], "emotional_state": "calm", "confidence": 4, "qty_opened": 10}`)
			d.get("/notes/"+note).is("trade_id", `"`+short+`"`)
			d.get("/cash-transactions/"+cash).is("trade_id", `"`+short+`"`)
		}
		apart()
		undone := d.post("/history/"+deleted.changeOf()+"/undo", nil).want(http.StatusOK)
		d.get("/trades").want(http.StatusOK).holds("", `[{"id": "`+held+`", "notes": "held\n\n---\n\nshort\n\n---\n\nafter the split", "confidence": 2}]`)
		d.post("/history/"+undone.changeOf()+"/undo", nil).want(http.StatusOK)
		apart()
		w.checkInstallation()
	})
}
