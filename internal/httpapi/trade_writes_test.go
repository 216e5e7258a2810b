package httpapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
)

// newTrade returns the body for a trade with fills written as "buy 100@10", a minute
// apart.
func (d trader) newTrade(symbol string, first int, texts []string, extra ...more) more {
	d.w.t.Helper()
	fills := make([]more, len(texts))
	for i, text := range texts {
		fills[i] = d.order(symbol, text, first+i)
		delete(fills[i], "account_id")
	}
	return fieldsOf(more{"account_id": d.account, "fills": fills}, extra...)
}

func TestAddTrade(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		tag, setup := d.made("/tags", more{"name": "Late"}).text("id"), d.made("/setups", more{"name": "ORB"}).text("id")
		added := d.made("/trades", d.newTrade("A", 0, []string{"buy 100@10", "sell 100@12"}, more{
			"notes": "waited", "tag_ids": []string{tag}, "setup_id": setup, "stop_price": 9, "confidence": 4, "reviewed": true,
		}))
		added.holds("", `[{"symbol":"A","status":"closed","net_pnl":200,"notes":"waited","tag_ids":["`+tag+`"],"setup_ids":["`+setup+`"],
			"initial_risk":100,"initial_risk_derived":true,"r_multiple":2,"confidence":4,"fills":[{"side":"buy"},{"side":"sell"}]}]`)
		added.holds("0", d.trade(added.text("0.id")).json(""))
		added.is("0.added_execution_ids", fmt.Sprintf("[%q,%q]", added.text("0.fills.0.id"), added.text("0.fills.1.id")))

		// A fill crossing zero belongs to two trades; both get the annotations.
		flipped := d.made("/trades", d.newTrade("B", 10, []string{"buy 1@10", "sell 3@11"}, more{"notes": "both"}))
		flipped.holds("", `[{"status":"closed","direction":"long","notes":"both"},{"status":"open","direction":"short","qty_opened":2,"notes":"both"}]`)

		// Fills extending a stored trade change only the sent annotations.
		grown := d.made("/trades", d.newTrade("B", 20, []string{"buy 2@9"}, more{"confidence": 5}))
		grown.holds("", `[{"id":"`+flipped.text("1.id")+`","status":"closed","notes":"both","confidence":5}]`)
		d.made("/trades", d.newTrade("C", 30, []string{"buy 1@1"})).holds("", `[{"symbol":"C","notes":""}]`)
	})
}

// TestAddTradeComparesWithStoredFills follows the rules for POST /executions.
func TestAddTradeComparesWithStoredFills(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		stored := d.fill("A", "buy 1@10", 0)
		trade := stored.text("trade_id")
		again := d.made("/trades", d.newTrade("A", 0, []string{"buy 1@10", "sell 1@11"}, more{"notes": "n"}))
		again.holds("", `[{"id":"`+trade+`","status":"closed","deduped":1,"notes":"n","fills":[{"id":"`+stored.text("id")+`"},{}]}]`)
		again.is("0.added_execution_ids", fmt.Sprintf("[%q]", again.text("0.fills.1.id")))
		d.made("/trades", d.newTrade("A", 0, []string{"buy 1@10", "sell 1@11"})).holds("", `[{"id":"`+trade+`","deduped":2,"execution_count":2,"added_execution_ids":[]}]`)

		// Equal fills in one request are all stored; sent again, each is known.
		twins := d.newTrade("T", 0, []string{"buy 1@10", "buy 1@10"})
		fills, _ := twins["fills"].([]more)
		fills[1]["executed_at"] = fills[0]["executed_at"]
		d.made("/trades", twins).holds("", `[{"qty_opened":2,"execution_count":2}]`)
		d.made("/trades", twins).holds("", `[{"qty_opened":2,"execution_count":2,"deduped":2}]`)
		fills[1]["allow_duplicate"] = true
		d.made("/trades", twins).holds("", `[{"qty_opened":3,"execution_count":3,"deduped":1}]`)

		// External ids: one fill each, and 409 for a different fill.
		named := d.newTrade("E", 0, []string{"buy 1@10", "buy 1@10"})
		fills, _ = named["fills"].([]more)
		fills[1]["executed_at"] = fills[0]["executed_at"]
		fills[0]["external_id"], fills[1]["external_id"] = "x", "x"
		d.made("/trades", named).holds("", `[{"qty_opened":1,"execution_count":1,"deduped":1}]`)
		fills[1]["quantity"] = 2
		d.post("/trades", named).wantError(http.StatusConflict, "conflict")
		fills[0]["external_id"], fills[1]["external_id"] = "y", "y"
		d.post("/trades", named).wantError(http.StatusConflict, "conflict")

		// A stored fill without an id takes over the id, and the repeat is the same fill.
		d.fill("F", "buy 1@10", 0)
		adopted := d.newTrade("F", 0, []string{"buy 1@10", "buy 1@10"})
		fills, _ = adopted["fills"].([]more)
		fills[1]["executed_at"] = fills[0]["executed_at"]
		fills[0]["external_id"], fills[1]["external_id"] = "z", "z"
		d.made("/trades", adopted).holds("", `[{"execution_count":1,"deduped":2,"fills":[{"external_id":"z"}]}]`)
		if n := d.get("/executions").want(http.StatusOK).count(""); n != 7 {
			t.Errorf("%d fills are stored, want 7", n)
		}
	})
}

// TestAddTradeIsAllOrNothing: what is refused leaves no fill.
func TestAddTradeIsAllOrNothing(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		two := []string{"buy 1@10", "sell 1@11"}
		change := func(index int, fields more) more {
			body := d.newTrade("A", 0, two)
			fills, _ := body["fills"].([]more)
			fills[index] = fieldsOf(fills[index], fields)
			return body
		}
		without := d.newTrade("A", 0, two)
		delete(without["fills"].([]more)[0], "price")
		for field, body := range map[string]any{
			"tag_ids":          d.newTrade("A", 0, two, more{"tag_ids": []string{unknown()}}),
			"setup_id":         d.newTrade("A", 0, two, more{"setup_id": unknown()}),
			"setup_ids":        d.newTrade("A", 0, two, more{"setup_ids": []string{unknown()}}),
			"confidence":       d.newTrade("A", 0, two, more{"confidence": 6}),
			"stop_price":       d.newTrade("A", 0, two, more{"stop_price": -1}),
			"fills.1.quantity": change(1, more{"quantity": 0}),
			"fills.0.side":     change(0, more{"side": "long"}),
			"fills.1.fees":     change(1, more{"fees": "many"}),
			"fills.0.price":    without,
			"fills":            d.newTrade("A", 0, nil),
			"account_id":       d.newTrade("A", 0, two, more{"account_id": ""}),
		} {
			t.Run(field, func(t *testing.T) { d.in(t).post("/trades", body).wantField(field) })
		}
		d.post("/trades", d.newTrade("A", 0, two, more{"account_id": unknown()})).wantError(http.StatusNotFound, "not_found")
		hers := w.addUser(d.client, "anna@example.org").addAccount("Hers")
		d.post("/trades", d.newTrade("A", 0, two, more{"account_id": hers.account})).wantError(http.StatusNotFound, "not_found")
		hers.get("/executions").is("", "[]")
		d.get("/executions").is("", "[]")
		d.get("/trades/orphans").is("", "[]")
	})
}

func TestAddTradeLimits(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		var texts []string
		for i := range 1000 {
			texts = append(texts, []string{"buy 1@10", "sell 1@11"}[i%2])
		}
		d.post("/trades", d.newTrade("A", 0, append(slices.Clone(texts), "buy 1@10"))).wantField("fills")
		d.get("/executions?limit=1").is("", "[]")
		if n := d.made("/trades", d.newTrade("A", 0, texts, more{"notes": "all"})).count(""); n != 500 {
			d.w.t.Errorf("1000 fills make %d trades, want 500", n)
		}
	})
}

func TestAddTradeNeedsARightToWrite(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		body := d.newTrade("A", 0, []string{"buy 1@10"})
		_, secret := d.mint(more{"name": "reader", "scope": "read"})
		w.as(secret).post("/trades", body).wantError(http.StatusForbidden, "insufficient_scope")
		w.as(secret).patch("/trades", more{"ids": []string{unknown()}, "set": more{"notes": "x"}}).wantError(http.StatusForbidden, "insufficient_scope")
		w.anonymous().post("/trades", body).wantError(http.StatusUnauthorized, "unauthorized")
		w.anonymous().patch("/trades", more{"ids": []string{unknown()}, "set": more{"notes": "x"}}).wantError(http.StatusUnauthorized, "unauthorized")
		_, secret = d.mint(more{"name": "writer", "scope": "full"})
		w.as(secret).post("/trades", body).want(http.StatusCreated)
	})
}

func TestAddTradeWithAnIdempotencyKey(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		body := d.newTrade("A", 0, []string{"buy 1@10"}, more{"notes": "first"})
		first := d.keyed("k").post("/trades", body).want(http.StatusCreated)
		d.annotate(first.text("0.id"), more{"notes": "edited"})
		if again := d.keyed("k").post("/trades", body).want(http.StatusCreated); string(again.body) != string(first.body) {
			t.Errorf("the repeated answer is %s", again.body)
		}
		d.trade(first.text("0.id")).holds("", `{"notes":"edited"}`)
		d.keyed("k").post("/trades", d.newTrade("B", 0, []string{"buy 1@10"})).wantError(http.StatusConflict, "conflict")
	})
}

// TestParallelNewTrades: equal requests at once store their fills once.
func TestParallelNewTrades(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		replies := atOnce(8, func(i int) *reply {
			return d.post("/trades", d.newTrade("A", 0, []string{"buy 2@10", "sell 2@11"}, more{"notes": fmt.Sprint(i)}))
		})
		if count := tally(replies); count[http.StatusCreated] != 8 {
			t.Fatalf("the requests were answered %v", count)
		}
		deduped := 0
		for i, r := range replies { // each answer is from its own transaction
			r.holds("", fmt.Sprintf(`[{"id":%q,"execution_count":2,"net_pnl":2,"notes":"%d"}]`, replies[0].text("0.id"), i))
			if r.text("0.deduped") == "2" {
				deduped++
			}
		}
		if deduped != 7 {
			t.Errorf("%d requests found the fills stored, want 7", deduped)
		}
	})
}

// TestParallelAnnotationsAnswerWithTheirOwn: a PATCH answers with its own values, not
// with a later write's.
func TestParallelAnnotationsAnswerWithTheirOwn(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		trade := d.roundTrip("A")
		for i, r := range atOnce(16, func(i int) *reply { return d.patch("/trades/"+trade, more{"notes": fmt.Sprint(i)}) }) {
			r.want(http.StatusOK).holds("", fmt.Sprintf(`{"notes":"%d"}`, i))
		}
	})
}

func TestAnnotateTrades(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		var tags, setups []string
		for _, name := range []string{"a", "b", "c"} {
			tags = append(tags, d.made("/tags", more{"name": name}).text("id"))
			setups = append(setups, d.made("/setups", more{"name": name}).text("id"))
		}
		one, two, three := d.roundTrip("A"), d.roundTrip("B"), d.client.addAccount("Second").roundTrip("C")
		d.annotate(one, more{"notes": "mine", "tag_ids": tags[:2], "setup_ids": setups[:2], "stop_price": 9})

		// The report names each trade once, in request order.
		d.patch("/trades", more{"ids": []string{three, one, three}, "set": more{"confidence": 3, "reviewed": true}}).want(http.StatusOK).
			is("", `{"trades":[{"changed":true,"id":"`+three+`"},{"changed":true,"id":"`+one+`"}],"unchanged":0,"updated":2}`)
		d.trade(one).holds("", `{"notes":"mine","confidence":3,"stop_price":9}`)
		d.trade(two).holds("", `{"confidence":null,"reviewed_at":null}`)

		// A trade already having the values is not changed, nor its ETag.
		before := d.trade(one)
		w.clock.Advance(60_000_000_000)
		d.patch("/trades", more{"ids": []string{one, two}, "set": more{"confidence": 3, "reviewed": true}}).want(http.StatusOK).
			holds("", `{"updated":1,"unchanged":1,"trades":[{"changed":false},{"changed":true}]}`)
		d.trade(one).wantTag(before)

		// Tags and setups are removed and added beside the remaining ones.
		d.patch("/trades", more{
			"ids": []string{one, two}, "add_tag_ids": tags[1:], "remove_tag_ids": tags[:1], "add_setup_ids": setups[2:], "remove_setup_ids": setups[:1],
		}).want(http.StatusOK).holds("", `{"updated":2}`)
		d.trade(one).holds("", fmt.Sprintf(`{"tag_ids":[%q,%q],"setup_ids":[%q,%q],"notes":"mine"}`, tags[1], tags[2], setups[1], setups[2]))
		d.trade(two).holds("", fmt.Sprintf(`{"tag_ids":[%q,%q],"setup_ids":[%q]}`, tags[1], tags[2], setups[2]))
		d.patch("/trades", more{"ids": []string{one, two}, "set": more{"tag_ids": []string{tags[2], tags[1]}}}).want(http.StatusOK).
			holds("", `{"updated":0,"unchanged":2}`)

		// set comes first; null and [] clear.
		d.patch("/trades", more{
			"ids": []string{one}, "set": more{"tag_ids": []string{}, "setup_ids": []string{}, "notes": nil, "stop_price": nil, "reviewed": false}, "add_tag_ids": tags[:1],
		}).want(http.StatusOK)
		d.trade(one).holds("", `{"tag_ids":["`+tags[0]+`"],"setup_ids":[],"notes":"","stop_price":null,"reviewed_at":null}`)

		// Cached figures follow.
		d.get("/analytics/r?account_id="+d.account).want(http.StatusOK).holds("", `{"trades_with_r":0}`)
		d.patch("/trades", more{"ids": []string{one, two}, "set": more{"initial_risk": 100}}).want(http.StatusOK)
		d.get("/analytics/r?account_id="+d.account).want(http.StatusOK).holds("", `{"trades_with_r":2,"total_r":4}`)
	})
}

// TestAnnotateTradesIsAllOrNothing refuses a request and changes no trade.
func TestAnnotateTradesIsAllOrNothing(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		one, two := d.roundTrip("A"), d.roundTrip("B")
		future := d.fill("F", "buy 1@-1", 0, more{"instrument_type": "future", "multiplier": 1}).text("trade_id")
		hers := w.addUser(d.client, "anna@example.org").addAccount("Hers")
		foreign, foreignTag := hers.roundTrip("A"), hers.made("/tags", more{"name": "x"}).text("id")
		tag := d.made("/tags", more{"name": "t"}).text("id")
		before := []*reply{d.get("/trades"), hers.get("/trades")}
		ids := []string{one, two}
		for _, bad := range []struct {
			field string
			body  more
		}{
			{"ids", more{"set": more{"notes": "x"}}},
			{"ids", more{"ids": []string{}, "set": more{"notes": "x"}}},
			{"ids", more{"ids": slices.Repeat([]string{one}, 1001), "set": more{"notes": "x"}}},
			{"set", more{"ids": ids}},
			{"set", more{"ids": ids, "set": nil, "add_tag_ids": []string{tag}}},
			{"set", more{"ids": ids, "set": more{}, "add_tag_ids": []string{}}},
			{"set.confidence", more{"ids": ids, "set": more{"confidence": 6}}},
			{"set.initial_risk", more{"ids": ids, "set": more{"initial_risk": 0}}},
			{"set.stop_price", more{"ids": []string{future, one}, "set": more{"stop_price": -2}}},
			{"set.tag_ids", more{"ids": ids, "set": more{"tag_ids": []string{unknown()}}}},
			{"set.setup_id", more{"ids": ids, "set": more{"setup_id": unknown()}}},
			{"set.setup_ids", more{"ids": ids, "set": more{"setup_ids": []string{unknown()}}}},
			{"add_tag_ids", more{"ids": ids, "set": more{"notes": "x"}, "add_tag_ids": []string{foreignTag}}},
			{"remove_tag_ids", more{"ids": ids, "remove_tag_ids": []string{unknown()}}},
			{"remove_tag_ids", more{"ids": ids, "add_tag_ids": []string{tag}, "remove_tag_ids": []string{tag}}},
			{"add_setup_ids", more{"ids": ids, "add_setup_ids": []string{unknown()}}},
			{"remove_setup_ids", more{"ids": ids, "remove_setup_ids": []string{unknown()}}},
			{"set.notes", more{"ids": ids, "set": more{"notes": 5}}},
		} {
			d.patch("/trades", bad.body).wantField(bad.field)
		}
		for _, id := range []string{unknown(), foreign, ""} {
			d.patch("/trades", more{"ids": []string{one, id, two}, "set": more{"notes": "x"}}).wantError(http.StatusNotFound, "not_found")
		}
		for i, after := range []*reply{d.get("/trades"), hers.get("/trades")} {
			after.wantSame(before[i])
		}
		d.patch("/trades", more{"ids": []string{future}, "set": more{"stop_price": -2}}).want(http.StatusOK).holds("", `{"updated":1}`)
	})
}

// TestParallelBulkAnnotations across two accounts, named in opposite orders,
// do not wait for each other forever, and each is whole.
func TestParallelBulkAnnotations(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		second := d.client.addAccount("Second")
		var ids []string
		for i := range 10 {
			ids = append(ids, d.fill("A"+itoa(i), "buy 1@1", i).text("trade_id"), second.fill("B"+itoa(i), "buy 1@1", i).text("trade_id"))
		}
		backwards := slices.Clone(ids)
		slices.Reverse(backwards)
		replies := atOnce(12, func(i int) *reply {
			return d.patch("/trades", more{"ids": [][]string{ids, backwards}[i%2], "set": more{"notes": fmt.Sprint(i)}})
		})
		if count := tally(replies); count[http.StatusOK] != len(replies) {
			t.Fatalf("the requests were answered %v", count)
		}
		notes := d.get("/trades").want(http.StatusOK).column("notes")
		if notes = slices.Compact(notes); len(notes) != 1 {
			t.Errorf("the trades have the notes of several requests: %v", notes)
		}
	})
}

// TestTradePreview: the preview has the write's result, and writes nothing.
func TestTradePreview(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		fill := func(side, quantity, price string, minute int) more {
			return more{"symbol": "AAA", "side": side, "quantity": quantity, "price": price, "executed_at": at(minute), "fees": "0.5"}
		}
		send := func(path string, fills ...more) *reply {
			return d.post(path, more{"account_id": d.account, "fills": fills})
		}
		const preview = "/trades/preview"
		send(preview, fill("buy", "100", "10", 0), fill("sell", "100", "12.5", 5)).want(http.StatusOK).
			holds("", `{"net_pnl":249,"new_trades":1,"changed_trades":0,"open_trades":0,"duplicates":0}`)
		d.get("/trades").want(http.StatusOK).is("", "[]")
		send("/trades", fill("buy", "100", "10", 0)).want(http.StatusCreated)
		send(preview, fill("buy", "100", "10", 0)).want(http.StatusOK).holds("", `{"net_pnl":0,"new_trades":0,"duplicates":1}`)
		// A partial exit: 40 × 2 - 0.5 - 40 % of the entry fee.
		send(preview, fill("sell", "40", "12", 5)).want(http.StatusOK).holds("", `{"net_pnl":79.3,"new_trades":0,"changed_trades":1,"open_trades":1}`)
		written := send("/trades", fill("sell", "40", "12", 5)).want(http.StatusCreated)
		written.is("0.realized_pnl", "79.3")
		send(preview, fill("sell", "0", "12", 5)).wantField("fills.0.quantity")
		send(preview).wantField("fills")
		d.post(preview, more{"fills": []more{fill("sell", "1", "12", 5)}}).wantField("account_id")
		other := w.addUser(d.client, "other@example.org")
		other.post(preview, more{"account_id": d.account, "fills": []more{fill("buy", "1", "1", 0)}}).wantError(http.StatusNotFound, "not_found")
	})
}
