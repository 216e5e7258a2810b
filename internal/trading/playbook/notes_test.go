package playbook_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"fillbook/internal/base/journal"
	"fillbook/internal/trading/playbook"
)

func (w *world) note(change playbook.NoteChange) playbook.Note {
	w.t.Helper()
	note, err := w.CreateNote(w.ctx, w.ann, change)
	must(w.t, err)
	return note
}

func moment(text string) journal.Opt[playbook.Moment] {
	m, err := playbook.ParseMoment("at", text)
	if err != nil {
		panic(err)
	}
	return journal.Some(m)
}

func TestMoment(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2026-03-10":                       "2026-03-10",
		"2026-03-10T15:04:05Z":             "2026-03-10T15:04:05Z",
		"2026-03-10T15:04:05.123456+02:00": "2026-03-10T13:04:05.123456Z",
	} {
		m, err := playbook.ParseMoment("occurred_at", text)
		must(t, err)
		if m.String() != want {
			t.Errorf("%s comes back as %s", text, m)
		}
	}
	for _, text := range []string{"", "2026-02-30", "2026-03-10T15:04:05", "1969-12-31", "yesterday!"} {
		_, err := playbook.ParseMoment("occurred_at", text)
		refused(t, err, journal.KindInvalid, "occurred_at")
	}
	day := playbook.MomentOf("2026-03-10")
	if !day.At.Equal(at("2026-03-10T00:00:00Z")) || day.Day() != "2026-03-10" {
		t.Errorf("a day is %+v", day)
	}
}

func TestNotes(t *testing.T) {
	each(t, func(w *world) {
		created := w.clock.Now()
		note := w.note(playbook.NoteChange{
			Type: journal.Some(playbook.DailyLog), OccurredAt: moment("2026-03-09"), Title: journal.Some(" Monday "),
			Symbols: journal.Some([]playbook.SymbolNote{{Symbol: "es", Body: "- [x] levels"}}),
			Account: journal.Some(w.annCash), Trade: journal.Some(w.annTrade),
		})
		want := playbook.Note{
			ID: note.ID, CreatedAt: created, UpdatedAt: created,
			NoteValues: playbook.NoteValues{
				Type: playbook.DailyLog, OccurredAt: playbook.MomentOf("2026-03-09"), Title: "Monday",
				Symbols: []playbook.SymbolNote{{Symbol: "ES", Body: "- [x] levels"}},
				Account: &w.annCash, Trade: &w.annTrade,
			},
		}
		if diff := cmp.Diff(want, note, cmpopts.IgnoreUnexported(playbook.Note{})); diff != "" {
			w.t.Fatal(diff)
		}
		w.clock.Advance(time.Minute)
		changed, err := w.ChangeNote(w.ctx, w.ann, note.ID, playbook.NoteChange{
			OccurredAt: moment("2026-03-09T10:00:00Z"), Body: journal.Some("# calm\n"), Symbols: journal.Some([]playbook.SymbolNote{}),
			Account: null[journal.AccountID](),
		}, nil)
		must(w.t, err)
		want.OccurredAt, want.Body, want.Symbols = playbook.Moment{At: at("2026-03-09T10:00:00Z")}, "# calm\n", []playbook.SymbolNote{}
		want.Account, want.UpdatedAt = nil, w.clock.Now()
		stored, err := w.Note(w.ctx, w.ann, note.ID)
		must(w.t, err)
		for _, got := range []playbook.Note{changed, stored} {
			if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(playbook.Note{})); diff != "" {
				w.t.Error(diff)
			}
		}
		changed, err = w.ChangeNote(w.ctx, w.ann, note.ID, playbook.NoteChange{Trade: null[journal.TradeID](), Type: null[playbook.NoteType]()}, nil)
		must(w.t, err)
		if changed.Trade != nil || changed.Type != playbook.PlainNote {
			w.t.Errorf("cleared %+v", changed)
		}
		must(w.t, w.DeleteNote(w.ctx, w.ann, note.ID, nil))
		_, err = w.Note(w.ctx, w.ann, note.ID)
		refused(w.t, err, journal.KindNotFound, "")
	})
}

func TestNoteDefaults(t *testing.T) {
	each(t, func(w *world) {
		plain := w.note(playbook.NoteChange{Body: journal.Some("x"), OccurredAt: null[playbook.Moment]()})
		if plain.Type != playbook.PlainNote || plain.OccurredAt != (playbook.Moment{At: w.clock.Now()}) {
			w.t.Errorf("a plain note is %+v", plain)
		}
		log := w.note(playbook.NoteChange{Type: journal.Some(playbook.WeeklyReview), Body: journal.Some("x")})
		if log.OccurredAt.String() != "2026-03-10" {
			w.t.Errorf("a review is of %s", log.OccurredAt)
		}
	})
}

func TestNoteLists(t *testing.T) {
	each(t, func(w *world) {
		add := func(occurred string, kind playbook.NoteType, trade journal.Opt[journal.TradeID]) journal.NoteID {
			return w.note(playbook.NoteChange{OccurredAt: moment(occurred), Type: journal.Some(kind), Body: journal.Some("x"), Trade: trade}).ID
		}
		a := add("2026-03-02T00:00:00Z", playbook.PlainNote, journal.Opt[journal.TradeID]{})
		b := add("2026-03-02", playbook.DailyLog, journal.Opt[journal.TradeID]{})
		c := add("2026-03-01T23:59:59Z", playbook.PlainNote, journal.Some(w.annTrade))
		d := add("2026-03-05", playbook.WeeklyReview, journal.Opt[journal.TradeID]{})
		from, to := at("2026-03-02T00:00:00Z"), at("2026-03-04T00:00:00Z")
		for name, test := range map[string]struct {
			filter playbook.NoteFilter
			page   playbook.Page
			want   []journal.NoteID
			total  int
		}{
			"all":           {playbook.NoteFilter{}, playbook.Page{}, []journal.NoteID{d, b, a, c}, 4},
			"a period":      {playbook.NoteFilter{Period: journal.Period{From: &from, To: &to}}, playbook.Page{}, []journal.NoteID{b, a}, 2},
			"types":         {playbook.NoteFilter{Types: []playbook.NoteType{playbook.DailyLog, playbook.WeeklyReview}}, playbook.Page{}, []journal.NoteID{d, b}, 2},
			"a trade":       {playbook.NoteFilter{Trade: w.annTrade}, playbook.Page{}, []journal.NoteID{c}, 1},
			"an account":    {playbook.NoteFilter{Account: []journal.AccountID{w.annCash}}, playbook.Page{}, []journal.NoteID{}, 0},
			"a first page":  {playbook.NoteFilter{}, playbook.Page{Limit: 2}, []journal.NoteID{d, b}, 4},
			"a second page": {playbook.NoteFilter{}, playbook.Page{Limit: 2, After: playbook.Position{At: from, ID: string(b)}}, []journal.NoteID{a, c}, 4},
		} {
			notes, total := w.notes(w.ann, test.filter, test.page)
			ids := []journal.NoteID{}
			for _, note := range notes {
				ids = append(ids, note.ID)
			}
			if diff := cmp.Diff(test.want, ids); diff != "" || total != test.total {
				w.t.Errorf("%s: total %d, %s", name, total, diff)
			}
		}
		others, total := w.notes(w.bob, playbook.NoteFilter{}, playbook.Page{})
		if len(others) != 0 || total != 0 {
			w.t.Errorf("bob sees %+v", others)
		}
	})
}

func TestNoteRefusals(t *testing.T) {
	each(t, func(w *world) {
		note := w.note(playbook.NoteChange{Body: journal.Some("kept")})
		for name, test := range map[string]struct {
			field  string
			change playbook.NoteChange
		}{
			"no body":            {"body", playbook.NoteChange{Body: journal.Some(" \n\u200b")}},
			"a null body":        {"body", playbook.NoteChange{Body: null[string]()}},
			"an empty log":       {"body", playbook.NoteChange{Body: journal.Some(""), Type: journal.Some(playbook.DailyLog)}},
			"an unknown type":    {"type", playbook.NoteChange{Type: journal.Some(playbook.NoteType("essay"))}},
			"no moment":          {"occurred_at", playbook.NoteChange{OccurredAt: null[playbook.Moment]()}},
			"a long title":       {"title", playbook.NoteChange{Title: journal.Some(strings.Repeat("x", 201))}},
			"a long body":        {"body", playbook.NoteChange{Body: journal.Some(strings.Repeat("x", journal.MaxNoteBytes+1))}},
			"an empty symbol":    {"symbols", playbook.NoteChange{Symbols: journal.Some([]playbook.SymbolNote{{Symbol: " "}})}},
			"a symbol with NUL":  {"symbols", playbook.NoteChange{Symbols: journal.Some([]playbook.SymbolNote{{Symbol: "A", Body: "\x00"}})}},
			"too many symbols":   {"symbols", playbook.NoteChange{Symbols: journal.Some(make([]playbook.SymbolNote, 201))}},
			"a foreign account":  {"account_id", playbook.NoteChange{Account: journal.Some(w.bobCash)}},
			"an unknown account": {"account_id", playbook.NoteChange{Account: journal.Some(journal.AccountID("nope"))}},
			"a foreign trade":    {"trade_id", playbook.NoteChange{Trade: journal.Some(w.bobTrade)}},
		} {
			_, err := w.ChangeNote(w.ctx, w.ann, note.ID, test.change, nil)
			if err == nil {
				w.t.Errorf("%s was taken", name)
				continue
			}
			refused(w.t, err, journal.KindInvalid, test.field)
		}
		half := playbook.SymbolNote{Symbol: "A", Body: strings.Repeat("x", journal.MaxNoteBytes/2+1)}
		_, err := w.ChangeNote(w.ctx, w.ann, note.ID, playbook.NoteChange{Symbols: journal.Some([]playbook.SymbolNote{half, half})}, nil)
		refused(w.t, err, journal.KindInvalid, "symbols")
		_, err = w.CreateNote(w.ctx, w.ann, playbook.NoteChange{})
		refused(w.t, err, journal.KindInvalid, "body")
		_, err = w.CreateNote(w.ctx, w.ann, playbook.NoteChange{Body: journal.Some("x"), Account: journal.Some(w.bobCash)})
		refused(w.t, err, journal.KindNotFound, "")
		_, err = w.CreateNote(w.ctx, w.ann, playbook.NoteChange{Body: journal.Some("x"), Trade: journal.Some(w.bobTrade)})
		refused(w.t, err, journal.KindInvalid, "trade_id")

		stale := func(playbook.Note) error { return journal.Stale() }
		_, err = w.ChangeNote(w.ctx, w.ann, note.ID, playbook.NoteChange{}, stale)
		refused(w.t, err, journal.KindStale, "")
		refused(w.t, w.DeleteNote(w.ctx, w.ann, note.ID, stale), journal.KindStale, "")
		_, err = w.Note(w.ctx, w.bob, note.ID)
		refused(w.t, err, journal.KindNotFound, "")
		_, err = w.ChangeNote(w.ctx, w.bob, note.ID, playbook.NoteChange{}, nil)
		refused(w.t, err, journal.KindNotFound, "")
		refused(w.t, w.DeleteNote(w.ctx, w.bob, note.ID, nil), journal.KindNotFound, "")
		stored, err := w.Note(w.ctx, w.ann, note.ID)
		must(w.t, err)
		if diff := cmp.Diff(note.Body, stored.Body); diff != "" {
			w.t.Error(diff)
		}
	})
}
