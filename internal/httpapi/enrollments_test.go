package httpapi_test

import (
	"net/http"
	"testing"
)

// newProgram returns a program of 100,000 with a floor that rises at the end of the day.
func newProgram(rules ...more) more {
	if len(rules) == 0 {
		rules = []more{
			{"kind": "max_loss", "mode": "trailing_eod", "amount": "3000", "lock": more{"offset": 0}},
			{"kind": "daily_loss", "fraction": "0.02", "effect": "pause"},
			{"kind": "profit_target", "amount": 6000},
			{"kind": "min_days", "n": 2, "count": "opening"},
		}
	}
	return more{"firm": "Acme", "name": "Test 100K", "initial_balance": 100000, "day": more{"reset": "17:00", "zone": "America/Chicago"}, "rules": rules}
}

// tradeES adds a trade of one ES contract, opened ten minutes before its close, with a
// result in points of 50.
func (d trader) tradeES(closed string, points float64) {
	d.made("/executions", more{
		"account_id": d.account, "symbol": "ESH6", "instrument_type": "future", "side": "buy", "quantity": 1, "price": 5000, "executed_at": closed + ":00Z",
	})
	d.made("/executions", more{
		"account_id": d.account, "symbol": "ESH6", "instrument_type": "future", "side": "sell", "quantity": 1, "price": 5000 + points, "executed_at": closed + ":30Z",
	})
}

// TestEnrollment enrolls an account, breaches its floor, and decides.
func TestEnrollment(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		made := d.made("/prop-programs", newProgram()).is("version", "1").is("built_in", "false").text("id")
		d.tradeES("2026-03-01T15:00", 500) // before the enrollment
		id := d.made("/enrollments", more{"account_id": d.account, "program_id": made, "started_at": "2026-03-02T00:00:00Z"}).
			is("state", `"active"`).is("starting_balance", "100000").is("program_version", "1").text("id")
		d.tradeES("2026-03-02T22:30", 40) // +2,000
		d.tradeES("2026-03-02T23:30", 10) // +500, a day later in Chicago
		status := "/enrollments/" + id + "/status"
		d.get(status).want(http.StatusOK).holds("", `{"state":"active","balance":102500,"floor":99500,"distance":3000,"breach":null,"open_profit":"unknown"}`).
			holds("today", `{"net":0,"limit":2000,"left":2000}`).holds("target", `{"value":2500,"limit":6000}`).
			holds("rules.0", `{"kind":"max_loss","state":"ok","met":null,"value":102500,"limit":99500,"distance":3000,"evidence":"exact"}`).
			holds("rules.3", `{"kind":"min_days","met":true,"value":2,"limit":2}`).is("next", `[{"kind":"profit_target","missing":3500}]`)
		d.get("/enrollments/"+id+"/days").want(http.StatusOK).wantColumn("day", "2026-03-02", "2026-03-03").wantColumn("net", "2000", "500").
			wantColumn("floor_next", "99000", "99500")
		d.get(status+"?at=2026-03-02T22:45:00Z").want(http.StatusOK).holds("", `{"balance":102000,"floor":97000}`)
		d.tradeES("2026-03-04T15:00", -60) // −3,000 touches the floor
		d.tradeES("2026-03-05T15:00", 100)
		d.get(status).want(http.StatusOK).holds("", `{"state":"failed","balance":99500,"trades_after_breach":1,"is_decided":false}`).
			holds("breach", `{"kind":"max_loss","at":"2026-03-04T15:00:30Z"}`)
		d.get("/enrollments").want(http.StatusOK).is("0.state", `"failed"`)
		d.post("/enrollments/"+id+"/decision", more{"decision": "maybe"}).wantField("decision")
		next := d.post("/enrollments/"+id+"/decision", more{"decision": "reset"}).want(http.StatusOK).is("previous_id", `"`+id+`"`).text("id")
		d.get("/enrollments/"+id).want(http.StatusOK).holds("", `{"state":"failed","ended_at":"2026-03-04T15:00:30Z"}`)
		d.get("/enrollments/"+next+"/status").want(http.StatusOK).holds("", `{"state":"active","balance":105000,"floor":100000}`)
		d.post("/enrollments/"+next+"/decision", more{"decision": "ended"}).wantError(http.StatusConflict, "conflict")
		change := d.get("/history?limit=1").text("0.id")
		d.post("/history/"+change+"/undo", nil).want(http.StatusOK)
		d.get("/enrollments/"+id).want(http.StatusOK).holds("", `{"state":"failed","ended_at":null}`)
		d.get("/enrollments/"+next).wantError(http.StatusNotFound, "not_found")
		d.post("/enrollments/"+id+"/decision", more{"decision": "continue"}).want(http.StatusOK).is("state", `"active"`)
		d.get(status).want(http.StatusOK).holds("", `{"state":"active","balance":104500,"floor":100000}`)
	})
}

// TestEnrollmentRefusals refuses what does not fit together.
func TestEnrollmentRefusals(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		own := d.made("/prop-programs", newProgram()).text("id")
		other := w.addUser(d.client, "other@example.org")
		foreign := other.made("/prop-programs", newProgram()).text("id")
		euro := d.made("/prop-programs", more{"copy_of": own, "currency": "EUR"}).text("id")
		for _, id := range []string{"nothing", foreign, euro} {
			d.post("/enrollments", more{"account_id": d.account, "program_id": id}).wantField("program_id")
		}
		other.post("/enrollments", more{"account_id": d.account, "program_id": foreign}).wantError(http.StatusNotFound, "not_found")
		d.post("/enrollments", more{"account_id": d.account, "program_id": own, "overrides": more{"flat_by": more{"time": "16:00"}}}).wantField("overrides.flat_by")
		d.post("/enrollments", more{"account_id": d.account, "program_id": own, "overrides": more{"max_loss": more{"amount": 0}}}).wantField("overrides.max_loss.amount")
		d.patch("/prop-programs/topstep-combine-50k", more{"name": "x"}).wantError(http.StatusForbidden, "forbidden")
		d.post("/prop-programs", newProgram(more{"kind": "max_loss"})).wantField("rules.0.amount")
		d.post("/prop-programs", newProgram(more{"kind": "min_days", "n": 1, "amount": 1})).wantField("rules.0.amount")
		enrolled := d.made("/enrollments", more{"account_id": d.account, "program_id": own, "overrides": more{"max_loss": more{"amount": 2500}}}).
			is("overrides", `{"max_loss":{"amount":2500}}`).text("id")
		d.get("/enrollments/"+enrolled+"/status").want(http.StatusOK).is("floor", "97500")
		before := d.get("/enrollments/" + enrolled).text("updated_at")
		d.patch("/enrollments/"+enrolled, more{"starting_balance": 100000}).want(http.StatusOK).is("updated_at", `"`+before+`"`)
		d.patch("/enrollments/"+enrolled, more{"started_at": "2026-03-01T00:00:00Z"}).want(http.StatusOK).is("started_at", `"2026-03-01T00:00:00Z"`)
		d.get("/history?limit=1").want(http.StatusOK).holds("0.objects.0", `{"type":"enrollment"}`).is("0.objects.0.fields.0.name", `"started_at"`)
		d.delete("/prop-programs/"+own).wantError(http.StatusConflict, "conflict")
		d.patch("/prop-programs/"+own, more{"rules": []more{{"kind": "max_loss", "amount": 9000}}}).want(http.StatusOK).is("version", "2")
		d.get("/enrollments/"+enrolled+"/status").want(http.StatusOK).is("floor", "97500") // it keeps its version
		d.patch("/enrollments/"+enrolled, more{"ended_at": "2199-01-01T00:00:00Z"}).want(http.StatusOK).is("state", `"closed"`)
		d.delete("/prop-programs/" + own).wantNone()
		other.get("/enrollments/"+enrolled).wantError(http.StatusNotFound, "not_found")
	})
}

// TestPayoutsOfAnEnrollment: the balance falls by the gross amount when a payout is paid.
func TestPayoutsOfAnEnrollment(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		p := newProgram(more{"kind": "max_loss", "amount": 3000}, more{"kind": "payout", "min_amount": 500, "buffer": 100, "floor": "to_initial"})
		p["phase"] = "funded"
		own := d.made("/prop-programs", p).text("id")
		id := d.made("/enrollments", more{"account_id": d.account, "program_id": own, "started_at": "2026-03-02T00:00:00Z"}).text("id")
		d.tradeES("2026-03-02T15:00", 40)
		status := "/enrollments/" + id + "/status"
		d.get(status).want(http.StatusOK).holds("rules.1", `{"kind":"payout","state":"ok","met":true,"value":1900}`)
		payouts := "/enrollments/" + id + "/payouts"
		payout := d.made(payouts, more{"gross": 1000, "trader_share": 800}).is("paid_at", "null").text("id")
		d.get(status).want(http.StatusOK).holds("", `{"balance":102000,"floor":97000}`)
		d.patch(payouts+"/"+payout, more{"paid_at": "2026-03-04T12:00:00Z"}).want(http.StatusOK)
		d.get(status).want(http.StatusOK).holds("", `{"balance":101000,"floor":100000,"received":800}`)
		d.post(payouts, more{"gross": 0}).wantField("gross")
		d.post(payouts, more{"gross": 1, "trader_share": 2}).wantField("trader_share")
		d.made("/enrollments/"+id+"/costs", more{"amount": "150.5", "kind": "reset"})
		d.made("/enrollments/"+id+"/snapshots", more{"floor": 100100, "at": "2026-03-05T12:00:00Z"})
		d.get(status).want(http.StatusOK).holds("", `{"balance":101000,"costs":150.5,"earned":649.5}`).is("rules.0.used", "0.6667").holds("snapshot", `{"floor":100100,"equity":null}`)
		d.delete(payouts + "/" + payout).wantNone()
		d.get(payouts).want(http.StatusOK).is("", "[]")
		d.made("/cash-transactions", more{"account_id": d.account, "type": "fee", "amount": 30, "occurred_at": "2026-03-06T12:00:00Z"})
		d.made("/cash-transactions", more{"account_id": d.account, "type": "deposit", "amount": 5000, "occurred_at": "2026-03-06T12:00:00Z"})
		d.get(status).want(http.StatusOK).is("balance", "101970")
	})
}

// TestProgramIsSimulated: every day with an opening begins an attempt.
func TestProgramIsSimulated(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		own := d.made("/prop-programs", newProgram(more{"kind": "max_loss", "amount": 1000}, more{"kind": "profit_target", "amount": 1000})).text("id")
		path := "/enrollments/simulate?program_id=" + own
		d.get(path).want(http.StatusOK).holds("", `{"attempts":0,"passed":{"count":0,"share":null},"resampled":null}`)
		d.tradeES("2026-03-02T15:00", 12)  // +600
		d.tradeES("2026-03-03T15:00", -24) // −1,200
		d.tradeES("2026-03-04T15:00", 30)  // +1,500
		d.get(path).want(http.StatusOK).holds("", `{"attempts":3,"passed":{"count":1},"unfinished":{"count":1}}`).
			holds("failed", `{"count":1,"by_rule":{"max_loss":1}}`).holds("resampled", `{"draws":1000,"attempts":3000}`)
		d.get(path+"&to=2026-03-03").want(http.StatusOK).holds("", `{"attempts":2,"passed":{"count":0,"share":0}}`)
		d.get(path+"&from=2026-03-04&account_id="+d.account).want(http.StatusOK).holds("", `{"attempts":1,"passed":{"count":1,"share":1},"resampled":null}`)
		d.get(path + "&from=2026-03-04&to=2026-03-02").wantField("from")
		d.get(path + "&from=tomorrow").wantField("from")
		d.get("/enrollments/simulate?program_id=nothing").wantField("program_id")
		d.get("/enrollments/simulate").wantField("program_id")
		d.get(path+"&account_id=nothing").wantError(http.StatusNotFound, "not_found")
	})
}

// TestEnrollmentsAreRestored restores a backup into another journal twice.
func TestEnrollmentsAreRestored(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		own := d.made("/prop-programs", newProgram()).text("id")
		id := d.made("/enrollments", more{
			"account_id": d.account, "program_id": own, "started_at": "2026-03-02T00:00:00Z", "overrides": more{"max_loss": more{"amount": "2500.5"}},
		}).text("id")
		d.made("/enrollments/"+id+"/payouts", more{"gross": 10, "paid_at": "2026-03-03T00:00:00Z"})
		d.tradeES("2026-03-04T15:00", -60)
		d.post("/enrollments/"+id+"/decision", more{"decision": "reset"}).want(http.StatusOK)
		document := d.get("/exports?format=json").want(http.StatusOK).body
		second := w.addUser(d.client, "second@example.org")
		for range 2 {
			second.form("/imports/commit", part{"file", "backup.json", string(document)}).want(http.StatusOK)
			second.get("/enrollments").want(http.StatusOK).wantColumn("state", "active", "failed")
		}
		list := second.get("/enrollments")
		if list.text("0.previous_id") != list.text("1.id") {
			t.Error("the reset enrollment does not name the one before it")
		}
		was, is := d.get("/enrollments/"+id+"/days"), second.get("/enrollments/"+list.text("1.id")+"/days")
		if string(was.body) != string(is.body) {
			t.Errorf("%s became %s", was.body, is.body)
		}
	})
}

// TestDeletedAccountsKeepTheirEnrollments: they go with their account and come back with it.
func TestDeletedAccountsKeepTheirEnrollments(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		other := d.addAccount("Other")
		id := d.made("/enrollments", more{"account_id": other.account, "program_id": "topstep-combine-50k"}).text("id")
		_, secret := d.mint(more{"name": "limited", "scope": "write", "account_ids": []string{d.account}})
		limited := w.as(secret)
		limited.get("/enrollments").want(http.StatusOK).is("", "[]")
		limited.get("/enrollments/"+id+"/status").wantError(http.StatusNotFound, "not_found")
		limited.post("/enrollments", more{"account_id": other.account, "program_id": "topstep-combine-50k"}).wantError(http.StatusNotFound, "not_found")
		d.delete("/accounts/" + other.account).wantNone()
		d.get("/enrollments").want(http.StatusOK).is("", "[]")
		d.post("/history/"+d.get("/history?limit=1").text("0.id")+"/undo", nil).want(http.StatusOK)
		d.get("/enrollments/"+id).want(http.StatusOK).is("state", `"active"`)
	})
}

// TestBarsBoundTheOpenProfit: bars of every trade bound the open profit; without them, a
// floor that follows it is unknown.
func TestBarsBoundTheOpenProfit(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		program := d.made("/prop-programs", newProgram(more{"kind": "max_loss", "mode": "trailing_intraday", "amount": 3000})).text("id")
		id := d.made("/enrollments", more{"account_id": d.account, "program_id": program, "started_at": "2026-01-05T00:00:00Z"}).text("id")
		status := "/enrollments/" + id + "/status"
		d.fillAt("ESH6", 2, "102")
		d.made("/executions", more{
			"account_id": d.account, "symbol": "ESH6", "instrument_type": "future", "side": "sell", "quantity": 1, "price": 110,
			"executed_at": "2026-01-05T14:40:20Z",
		})
		d.get(status).want(http.StatusOK).holds("", `{"open_profit":"unknown","balance":100400}`).
			holds("rules.0", `{"state":"unknown","evidence":"not_evaluated","limit":97400}`)
		bars := d.sendBars("/commit", "ESH6.csv", barFile(30)).want(http.StatusOK).text("import_batch_id")
		d.get(status).want(http.StatusOK).is("open_profit", `"bounded"`).holds("rules.0", `{"state":"ok","evidence":"bounded","limit":97400}`)
		d.get("/enrollments/"+id+"/days").want(http.StatusOK).is("0.floor", "97400")
		d.get(status+"?at=2026-01-05T14:35:00Z").want(http.StatusOK).is("open_profit", `"unknown"`)
		d.delete("/bars/imports/" + bars).wantNone()
		d.get(status).want(http.StatusOK).is("open_profit", `"unknown"`)
	})
}
