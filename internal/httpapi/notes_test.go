package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

var noteKeys = []string{"id", "type", "occurred_at", "title", "body", "symbols", "account_id", "trade_id", "by_app", "created_at", "updated_at"}

func TestNotes(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		trade := d.roundTrip("A")
		d.get("/notes").want(http.StatusOK).is("", "[]")
		plain := d.made("/notes", `{"body":"  # As typed\n"}`).wantKeys("", noteKeys...).holds("", `{"type":"note","title":"","body":"  # As typed\n","symbols":[],
			"account_id":null,"trade_id":null,"occurred_at":"2026-03-10T15:04:05Z","created_at":"2026-03-10T15:04:05Z","updated_at":"2026-03-10T15:04:05Z"}`)
		// A day stays a day and an instant an instant.
		day := d.made("/notes", `{"type":"daily_log","body":"b","occurred_at":"2026-02-28"}`).is("occurred_at", `"2026-02-28"`)
		d.get("/notes/"+day.text("id")).want(http.StatusOK).is("occurred_at", `"2026-02-28"`)
		d.made("/notes", `{"type":"weekly_review","body":"b","occurred_at":"2026-02-28T23:30:00.5-05:00"}`).is("occurred_at", `"2026-03-01T04:30:00.5Z"`)
		// A daily log may have symbols and no body.
		log := d.made("/notes", `{"type":"daily_log","symbols":[{"symbol":" spy ","body":"held"},{"symbol":"ES"}],"occurred_at":"2026-03-02"}`).
			holds("", `{"body":"","symbols":[{"symbol":"SPY","body":"held"},{"symbol":"ES","body":""}]}`)
		full := d.made("/notes", more{
			"type": "note", "title": " T ", "body": "b", "symbols": []more{{"symbol": "A", "body": "x"}}, "account_id": d.account, "trade_id": trade,
			"occurred_at": at(0), "id": "mine", "created_at": at(0),
		}).holds("", `{"title":"T","account_id":"`+d.account+`","trade_id":"`+trade+`","occurred_at":"`+at(0)+`","created_at":"2026-03-10T15:04:05Z"}`)

		// Newest first; a day counts as its midnight in UTC.
		d.get("/notes").want(http.StatusOK).wantKeys("0", noteKeys...).
			wantColumn("occurred_at", "2026-03-10T15:04:05Z", "2026-03-02", "2026-03-01T04:30:00.5Z", "2026-02-28", at(0))
		d.get("/notes?from=2026-02-28T00:00:00Z&to=2026-02-28T00:00:00Z").want(http.StatusOK).wantColumn("id", day.text("id"))
		d.get("/notes?from=2026-02-28T00:00:00.000001Z&to=2026-03-01T23:59:59Z").want(http.StatusOK).wantColumn("type", "weekly_review")
		d.get("/notes?account_id="+d.account).want(http.StatusOK).wantColumn("id", full.text("id"))

		w.clock.Advance(time.Minute)
		path := "/notes/" + full.text("id")
		for _, change := range []struct{ fields, want string }{
			{`{}`, `{"title":"T","body":"b","symbols":[{"symbol":"A","body":"x"}]}`},
			{`{"title":"New"}`, `{"title":"New","body":"b","trade_id":"` + trade + `","updated_at":"2026-03-10T15:05:05Z","created_at":"2026-03-10T15:04:05Z"}`},
			{`{"occurred_at":"2024-02-29"}`, `{"occurred_at":"2024-02-29"}`},
			{`{"occurred_at":"2024-02-29T00:00:00Z"}`, `{"occurred_at":"2024-02-29T00:00:00Z"}`},
			{`{"account_id":null,"trade_id":null,"title":null}`, `{"account_id":null,"trade_id":null,"title":""}`},
			{`{"trade_id":"` + trade + `"}`, `{"trade_id":"` + trade + `"}`},
			{`{"type":"daily_log","body":""}`, `{"type":"daily_log","body":"","symbols":[{"symbol":"A","body":"x"}]}`},
			{`{"symbols":[],"body":"c"}`, `{"symbols":[],"body":"c"}`},
		} {
			answer := d.patch(path, change.fields).want(http.StatusOK).wantKeys("", noteKeys...).holds("", change.want)
			answer.wantSame(d.get(path))
		}
		d.with("If-Match", full.tag()).patch(path, `{"body":"x"}`).wantError(http.StatusPreconditionFailed, "precondition_failed")
		d.with("If-Match", full.tag()).delete(path).wantError(http.StatusPreconditionFailed, "precondition_failed")
		d.with("If-Match", d.get(path).tag()).delete(path).wantNone()
		for _, r := range []*reply{d.get(path), d.patch(path, `{"body":"x"}`), d.delete(path)} {
			r.wantError(http.StatusNotFound, "not_found")
		}
		// A note outlives its trade.
		d.patch("/notes/"+plain.text("id"), more{"trade_id": trade}).want(http.StatusOK)
		d.delete("/trades/" + trade).wantNone()
		d.get("/notes/"+plain.text("id")).want(http.StatusOK).is("trade_id", "null")
		d.delete("/notes/" + log.text("id")).wantNone()
		if n := d.get("/notes").count(""); n != 3 {
			t.Errorf("%d notes are left", n)
		}
	})
}

// TestNotesAreSearched finds notes by word beginnings, like the trade filter, page by
// page.
func TestNotesAreSearched(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		for i, note := range []string{
			`{"title":"Gap up","body":"chased the OPEN"}`, `{"body":"gap filled, no risk"}`, `{"body":"nothing"}`,
			`{"type":"daily_log","symbols":[{"symbol":"SPY","body":"gap held"}]}`, `{"body":"Größe: ſtop at 5%"}`, `{"body":"agape, reopen"}`,
		} {
			d.made("/notes", strings.Replace(note, "{", `{"occurred_at":"`+at(i)+`",`, 1))
		}
		for query, want := range map[string][]string{
			"gap": {at(3), at(1), at(0)}, "GAP+op": {at(0)}, "spy": {at(3)}, "GRÖß": {at(4)}, "stop": {at(4)}, "RISK": {at(1)}, "5": {at(4)}, "ap": nil,
			"gap+nothing": nil, "gap&type=daily_log": {at(3)},
		} {
			d.get("/notes?q="+query).want(http.StatusOK).wantColumn("occurred_at", want...)
		}
		first := d.get("/notes?q=gap&limit=2").want(http.StatusOK).wantColumn("occurred_at", at(3), at(1))
		if total := first.header.Get("X-Total-Count"); total != "3" {
			t.Errorf("%s notes in all", total)
		}
		d.get(strings.TrimPrefix(nextOf(first), "/api/v1")).want(http.StatusOK).wantColumn("occurred_at", at(0))
		d.get("/notes?q=%2B").wantField("q")
	})
}

func TestNoteRefusals(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		path := "/notes/" + d.made("/notes", more{"body": "kept"}).text("id")
		for _, body := range []string{
			`{}`, `{"title":"t"}`, `{"body":""}`, `{"body":" \n "}`, `{"body":null}`, `{"type":"weekly_review","symbols":[{"symbol":"A","body":"x"}]}`,
			`{"symbols":[{"symbol":"A","body":"x"}]}`, `{"type":"daily_log"}`, `{"type":"daily_log","symbols":[]}`,
		} {
			d.post("/notes", body).wantField("body")
		}
		for _, refused := range []struct {
			field  string
			values []any
		}{
			{"type", []any{"diary", 5}},
			{"occurred_at", []any{"", "2026-02-30", "2023-02-29", "2026-1-5", "2026-01-05 10:00", "2026-01-05T10:00:00", "1969-12-31", "2200-01-01", 5}},
			{"title", []any{5, strings.Repeat("x", 201), "a\nb"}},
			{"body", []any{5, strings.Repeat("x", 256<<10+1), "\x1b[31m"}},
			{"symbols", []any{"A", []more{{"symbol": ""}}, []more{{"body": "x"}}, []more{{"symbol": strings.Repeat("x", 65)}}}},
			{"trade_id", []any{unknown(), 5}},
		} {
			for _, value := range refused.values {
				d.post("/notes", fieldsOf(more{"body": "b"}, more{refused.field: value})).wantField(refused.field)
				d.patch(path, more{refused.field: value}).wantField(refused.field)
			}
		}
		d.patch(path, `{"body":null}`).wantField("body")
		d.patch(path, `{"occurred_at":null}`).wantField("occurred_at")
		d.post("/notes", more{"body": "b", "account_id": unknown()}).wantError(http.StatusNotFound, "not_found") // when creating
		d.patch(path, more{"account_id": unknown()}).wantField("account_id")
		d.get("/notes?type=diary").wantField("type")
		d.get("/notes").want(http.StatusOK).wantColumn("body", "kept")
		d.made("/notes", more{"body": strings.Repeat("é", 128<<10)})
	})
}
