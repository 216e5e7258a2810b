package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestTags(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		d := owner.addAccount("Main")
		d.get("/tags").want(http.StatusOK).is("", "[]")
		keys := []string{"id", "name", "color", "description", "kind", "created_at", "trades"}
		late := d.made("/tags", more{"name": "  Late entry "}).wantKeys("", keys...).
			holds("", `{"name":"Late entry","color":"","description":"","kind":"custom","created_at":"2026-03-10T15:04:05Z"}`)
		chased := d.made("/tags", more{"name": "chased", "color": "#FFAA00", "description": "ran after it", "kind": "mistake", "id": "mine"}).
			holds("", `{"name":"chased","color":"#ffaa00","description":"ran after it","kind":"mistake"}`)
		accent := d.made("/tags", more{"name": "Überhastet"})
		d.get("/tags").want(http.StatusOK).wantKeys("0", keys...).wantColumn("name", "chased", "Late entry", "Überhastet") // by name

		// A name is taken in any case, and at once free for another user.
		for _, name := range []string{"Late entry", "LATE ENTRY", " late entry ", "ÜBERHASTET", "überhastet"} {
			d.post("/tags", more{"name": name}).wantError(http.StatusConflict, "conflict")
			d.patch("/tags/"+chased.text("id"), more{"name": name}).wantError(http.StatusConflict, "conflict")
		}
		w.addUser(owner, "other@example.org").made("/tags", more{"name": "late entry"})
		path := "/tags/" + late.text("id")
		d.patch(path, more{"name": "LATE ENTRY"}).want(http.StatusOK).wantKeys("", keys...).holds("", `{"name":"LATE ENTRY"}`) // its own name
		d.patch(path, `{"color":"#0f0"}`).want(http.StatusOK).holds("", `{"name":"LATE ENTRY","color":"#0f0","kind":"custom"}`)
		d.patch(path, `{"color":null,"description":"d","kind":"mistake"}`).want(http.StatusOK).holds("", `{"color":"","description":"d","kind":"mistake"}`)
		for _, refused := range []struct {
			field string
			value any
		}{
			{"name", ""},
			{"name", " "},
			{"name", nil},
			{"name", 5},
			{"name", strings.Repeat("x", 201)},
			{"kind", "good"},
			{"kind", 1},
			{"color", 7},
			{"description", 7},
			{"description", strings.Repeat("x", 256<<10+1)},
		} {
			d.post("/tags", fieldsOf(more{"name": "New"}, more{refused.field: refused.value})).wantField(refused.field)
			d.patch(path, more{refused.field: refused.value}).wantField(refused.field)
		}
		d.post("/tags", `{}`).wantField("name")

		// A tag in use takes its links along.
		trade := d.roundTrip("A")
		d.annotate(trade, more{"tag_ids": []string{late.text("id"), accent.text("id")}, "notes": "n"})
		d.get("/tags").want(http.StatusOK).wantColumn("trades", "0", "1", "1")
		d.with("If-Match", late.tag()).delete(path).wantError(http.StatusPreconditionFailed, "precondition_failed")
		d.delete(path).wantNone()
		d.delete(path).wantError(http.StatusNotFound, "not_found")
		d.patch(path, `{"color":""}`).wantError(http.StatusNotFound, "not_found")
		d.trade(trade).holds("", `{"tags":[{"name":"Überhastet"}],"tag_ids":["`+accent.text("id")+`"],"notes":"n"}`)
		d.get("/trades?tag_id="+late.text("id")).want(http.StatusOK).is("", "[]")
		d.made("/tags", more{"name": "Late Entry"}) // the name is free again
	})
}

// TestTagsAreMerged: every trade with the merged tag has the other one afterwards, once,
// and so do saved views. Nothing changes if either tag is unknown.
func TestTagsAreMerged(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		old, into := d.made("/tags", more{"name": "fomo", "kind": "mistake"}).text("id"), d.made("/tags", more{"name": "FOMO entry"}).text("id")
		both, one, none := d.roundTrip("A"), d.roundTrip("B"), d.roundTrip("C")
		d.annotate(both, more{"tag_ids": []string{old, into}})
		d.annotate(one, more{"tag_ids": []string{old}, "notes": "kept"})
		d.annotate(none, more{"tag_ids": []string{}})
		view := d.made("/views", more{"name": "Chased", "filter": more{"tag_id": into + "," + old, "side": "long"}}).text("id")
		other := d.made("/views", more{"name": "Long", "filter": more{"side": "long"}})
		d.get("/analytics/breakdown?by=tag").want(http.StatusOK) // cached before the merge

		d.post("/tags/"+old+"/merge", more{"into": "unknown"}).wantField("into")
		d.post("/tags/"+old+"/merge", more{"into": old}).wantField("into")
		d.post("/tags/unknown/merge", more{"into": into}).wantError(http.StatusNotFound, "not_found")
		foreign := w.addUser(d.client, "other@example.org")
		foreign.post("/tags/"+old+"/merge", more{"into": into}).wantError(http.StatusNotFound, "not_found")
		mine := foreign.made("/tags", more{"name": "mine"}).text("id")
		foreign.post("/tags/"+mine+"/merge", more{"into": into}).wantField("into")
		d.get("/tags").want(http.StatusOK).wantColumn("trades", "2", "1")

		d.post("/tags/"+old+"/merge", more{"into": into}).want(http.StatusOK).holds("", `{"id":"`+into+`","name":"FOMO entry","trades":2}`)
		d.get("/tags").want(http.StatusOK).wantColumn("id", into)
		d.trade(both).holds("", `{"tag_ids":["`+into+`"]}`)
		d.trade(one).holds("", `{"tag_ids":["`+into+`"],"notes":"kept"}`)
		d.trade(none).holds("", `{"tag_ids":[]}`)
		d.get("/views/"+view).want(http.StatusOK).holds("", `{"filter":{"tag_id":"`+into+`","side":"long"}}`)
		d.get("/views/"+other.text("id")).want(http.StatusOK).holds("", `{"filter":{"side":"long"}}`)
		d.get("/trades?tag_id="+into).want(http.StatusOK).wantColumn("id", one, both)
		d.get("/analytics/breakdown?by=tag").want(http.StatusOK).wantColumn("trades", "2", "1")
	})
}

// TestTagEffects: a tag costs what its trades made less than the others, and agrees with
// comparing its trades with the rest.
func TestTagEffects(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		chased := d.made("/tags", more{"name": "Chased", "kind": "mistake"}).text("id")
		calm := d.made("/tags", more{"name": "Calm"}).text("id")
		const day = 24 * 60
		for i, exit := range []string{"12", "13", "8", "9", "11"} {
			id := d.fill("A"+itoa(i), "buy 10@10", i*day, more{"fees": 0}).text("trade_id")
			d.fill("A"+itoa(i), "sell 10@"+exit, i*day+30)
			tags := []string{calm}
			if i == 2 || i == 3 {
				tags = append(tags, chased)
			}
			d.annotate(id, more{"tag_ids": tags, "initial_risk": 10})
		}
		// With it -20 and -10, without it 20, 30 and 10: -15 less 20, twice.
		effects := d.get("/analytics/tag-effects").want(http.StatusOK).wantColumn("name", "Chased", "Calm")
		effects.holds("0", `{"tag_id":"`+chased+`","kind":"mistake","difference":-35,"total":-70,"difference_r":-3.5,"total_r":-7,"p_value":null,
			"with":{"trades":2,"net_pnl":-30,"avg_trade":-15,"avg_r":-1.5,"trades_with_r":2},"without":{"trades":3,"net_pnl":60,"avg_trade":20}}`)
		effects.holds("1", `{"difference":null,"total":null,"total_r":null,"without":{"trades":0,"net_pnl":0}}`)
		compared := d.get("/analytics/compare?against=rest&tag_id=" + chased).want(http.StatusOK)
		effects.is("0.interval", compared.json("difference.interval")).is("0.difference", compared.text("difference.expectancy"))
		d.get("/analytics/tag-effects?kind=custom").want(http.StatusOK).wantColumn("name", "Calm")
		d.get("/analytics/tag-effects?kind=mistake&symbol=A2,A0").want(http.StatusOK).wantColumn("total", "-40")
		d.get("/analytics/tag-effects?kind=good").wantField("kind")
		d.get("/analytics/tag-effects?pnl_basis=realized").wantField("pnl_basis")
		w.addUser(d.client, "other@example.org").get("/analytics/tag-effects").want(http.StatusOK).is("", "[]")
	})
}

// TestTotalsFollowAnnotations counts the trades of a filter after each kind of write to
// annotations, so a number kept for too long is seen.
func TestTotalsFollowAnnotations(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		tag, other := d.made("/tags", more{"name": "gap"}).text("id"), d.made("/tags", more{"name": "fade"}).text("id")
		setup := d.made("/setups", more{"name": "open"}).text("id")
		first, second := d.roundTrip("A"), d.roundTrip("B")
		want := func(after string, totals ...string) {
			t.Helper()
			for range 2 { // the second time it is kept
				for i, filter := range []string{"tag_id=" + tag, "tag_id=" + tag + "," + other, "setup_id=" + setup, "reviewed=true"} {
					if got := d.get("/trades?limit=1&" + filter).want(http.StatusOK).header.Get("X-Total-Count"); got != totals[i] {
						t.Errorf("after %s: %s trades with %s, want %s", after, got, filter, totals[i])
					}
				}
			}
		}
		want("nothing", "0", "0", "0", "0")
		d.annotate(first, more{"tag_ids": []string{tag}, "setup_ids": []string{setup}})
		want("a trade's annotations", "1", "1", "1", "0")
		change := d.patch("/trades", more{"ids": []string{first, second}, "add_tag_ids": []string{other}, "add_setup_ids": []string{setup}, "set": more{"reviewed": true}}).
			want(http.StatusOK).header.Get("X-Change-Id")
		want("annotations of several trades", "1", "2", "2", "2")
		d.post("/history/"+change+"/undo", nil).want(http.StatusOK)
		want("their undo", "1", "1", "1", "0")
		d.annotate(second, more{"tag_ids": []string{other}})
		d.post("/tags/"+other+"/merge", more{"into": tag}).want(http.StatusOK)
		want("merging tags", "2", "2", "1", "0")
		d.delete("/setups/" + setup).wantNone()
		want("deleting the setup", "2", "2", "0", "0")
		d.delete("/trades/" + second).wantNone()
		want("deleting a trade", "1", "1", "0", "0")
		d.delete("/tags/" + tag).wantNone()
		want("deleting the tag", "0", "0", "0", "0")
	})
}
