package playbook_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/playbook"
)

// long is a missed long with a plan worth 2.5 R.
func long(outcome playbook.Outcome) playbook.MissedChange {
	return playbook.MissedChange{
		Symbol: journal.Some(" aapl "), Direction: journal.Some(playbook.Long), ObservedAt: journal.Some(at("2026-03-02T15:00:00Z")),
		Entry: number("100"), Stop: number("98"), Target: number("105"), Outcome: journal.Some(outcome),
	}
}

func (w *world) missed(change playbook.MissedChange) playbook.Missed {
	w.t.Helper()
	missed, err := w.CreateMissed(w.ctx, w.ann, change)
	must(w.t, err)
	return missed
}

func TestMissedR(t *testing.T) {
	t.Parallel()
	plan := playbook.Missed{MissedValues: playbook.MissedValues{Direction: playbook.Long, Entry: maybe("100"), Stop: maybe("98"), Target: maybe("105")}}
	for outcome, want := range map[playbook.Outcome]string{
		playbook.TargetHit: "2.5", playbook.StoppedOut: "-1", playbook.NoTrigger: "0", playbook.UnknownOutcome: "",
	} {
		plan.Outcome = outcome
		if !plan.R().Equal(maybe(want)) || !plan.PlannedR().Equal(maybe("2.5")) {
			t.Errorf("%s: r %s, planned %s", outcome, plan.R(), plan.PlannedR())
		}
	}
	for name, test := range map[string]struct{ entry, stop, target, want string }{
		"half to even down": {"100", "92", "101", "0.12"}, // 0.125
		"half to even up":   {"100", "92", "103", "0.38"}, // 0.375
		"a third":           {"100", "97", "101", "0.33"},
		"a short":           {"100", "102", "95", "2.5"},
		"no stop":           {"100", "", "105", ""},
		"no target":         {"100", "98", "", ""},
	} {
		m := playbook.Missed{MissedValues: playbook.MissedValues{
			Entry: maybe(test.entry), Stop: maybe(test.stop), Target: maybe(test.target), Outcome: playbook.TargetHit,
		}}
		if !m.PlannedR().Equal(maybe(test.want)) || !m.R().Equal(maybe(test.want)) {
			t.Errorf("%s: planned %s, r %s", name, m.PlannedR(), m.R())
		}
	}
}

func TestMissed(t *testing.T) {
	each(t, func(w *world) {
		created := w.clock.Now()
		setup := w.setup("gap")
		change := long(playbook.TargetHit)
		change.Account, change.Setup, change.Reason, change.Notes = journal.Some(w.annCash), journal.Some(setup), journal.Some(playbook.Away), journal.Some("lunch")
		missed := w.missed(change)
		want := playbook.Missed{
			ID: missed.ID, CreatedAt: created, UpdatedAt: created,
			MissedValues: playbook.MissedValues{
				Account: &w.annCash, Setup: &setup, Symbol: "AAPL", Direction: playbook.Long, ObservedAt: at("2026-03-02T15:00:00Z"),
				Entry: maybe("100"), Stop: maybe("98"), Target: maybe("105"), Reason: playbook.Away, Outcome: playbook.TargetHit, Notes: "lunch",
			},
		}
		if diff := cmp.Diff(want, missed); diff != "" {
			w.t.Fatal(diff)
		}
		w.clock.Advance(time.Minute)
		changed, err := w.ChangeMissed(w.ctx, w.ann, missed.ID, playbook.MissedChange{
			Direction: journal.Some(playbook.Short), Stop: number("102.5"), Target: number("90"), Account: null[journal.AccountID](),
			Setup: null[journal.SetupID](), Reason: null[playbook.Reason](), Outcome: null[playbook.Outcome](), Notes: null[string](),
		}, nil)
		must(w.t, err)
		want.Direction, want.Stop, want.Target, want.Account, want.Setup = playbook.Short, maybe("102.5"), maybe("90"), nil, nil
		want.Reason, want.Outcome, want.Notes, want.UpdatedAt = "", playbook.UnknownOutcome, "", w.clock.Now()
		stored, err := w.MissedTrade(w.ctx, w.ann, missed.ID)
		must(w.t, err)
		for _, got := range []playbook.Missed{changed, stored} {
			if diff := cmp.Diff(want, got); diff != "" {
				w.t.Error(diff)
			}
		}
		must(w.t, w.DeleteMissed(w.ctx, w.ann, missed.ID, nil))
		_, err = w.MissedTrade(w.ctx, w.ann, missed.ID)
		refused(w.t, err, journal.KindNotFound, "")
	})
}

func TestMissedRefusals(t *testing.T) {
	each(t, func(w *world) {
		missed := w.missed(long(playbook.UnknownOutcome))
		foreign, err := w.CreateSetup(w.ctx, w.bob, playbook.SetupChange{Name: journal.Some("his")})
		must(w.t, err)
		for name, test := range map[string]struct {
			field  string
			change playbook.MissedChange
		}{
			"a null symbol":     {"symbol", playbook.MissedChange{Symbol: null[string]()}},
			"a blank symbol":    {"symbol", playbook.MissedChange{Symbol: journal.Some(" ")}},
			"a null direction":  {"direction", playbook.MissedChange{Direction: null[playbook.Direction]()}},
			"a blank direction": {"direction", playbook.MissedChange{Direction: journal.Some(playbook.Direction(""))}},
			"a null instant":    {"observed_at", playbook.MissedChange{ObservedAt: null[time.Time]()}},
			"a price of zero":   {"entry", playbook.MissedChange{Entry: number("0")}},
			"a stop below zero": {"stop", playbook.MissedChange{Stop: number("-1")}},
			"a target of zero":  {"target", playbook.MissedChange{Target: number("0")}},
			"the wrong side":    {"entry", playbook.MissedChange{Direction: journal.Some(playbook.Short)}},
			"a stop at entry":   {"entry", playbook.MissedChange{Stop: number("100")}},
			"a target at entry": {"entry", playbook.MissedChange{Target: number("100")}},
			"another reason":    {"reason", playbook.MissedChange{Reason: journal.Some(playbook.Reason("fear"))}},
			"another outcome":   {"outcome", playbook.MissedChange{Outcome: journal.Some(playbook.Outcome("win"))}},
			"NUL in notes":      {"notes", playbook.MissedChange{Notes: journal.Some("\x00")}},
			"a foreign account": {"account_id", playbook.MissedChange{Account: journal.Some(w.bobCash)}},
			"a foreign setup":   {"setup_id", playbook.MissedChange{Setup: journal.Some(foreign.ID)}},
			"an unknown setup":  {"setup_id", playbook.MissedChange{Setup: journal.Some(journal.SetupID("nope"))}},
		} {
			_, err := w.ChangeMissed(w.ctx, w.ann, missed.ID, test.change, nil)
			if err == nil {
				w.t.Errorf("%s was taken", name)
				continue
			}
			refused(w.t, err, journal.KindInvalid, test.field)
		}
		partial := playbook.MissedChange{Stop: number("100"), Target: null[decimal.Decimal]()}
		_, err = w.ChangeMissed(w.ctx, w.ann, missed.ID, partial, nil)
		must(w.t, err) // only a full plan must make sense

		change := long(playbook.UnknownOutcome)
		change.Account = journal.Some(w.bobCash)
		_, err = w.CreateMissed(w.ctx, w.ann, change)
		refused(w.t, err, journal.KindNotFound, "")
		_, err = w.CreateMissed(w.ctx, w.ann, playbook.MissedChange{Symbol: journal.Some("A"), Direction: journal.Some(playbook.Long)})
		refused(w.t, err, journal.KindInvalid, "observed_at")

		stale := func(playbook.Missed) error { return journal.Stale() }
		_, err = w.ChangeMissed(w.ctx, w.ann, missed.ID, playbook.MissedChange{}, stale)
		refused(w.t, err, journal.KindStale, "")
		refused(w.t, w.DeleteMissed(w.ctx, w.ann, missed.ID, stale), journal.KindStale, "")
		_, err = w.MissedTrade(w.ctx, w.bob, missed.ID)
		refused(w.t, err, journal.KindNotFound, "")
		_, err = w.ChangeMissed(w.ctx, w.bob, missed.ID, playbook.MissedChange{}, nil)
		refused(w.t, err, journal.KindNotFound, "")
		refused(w.t, w.DeleteMissed(w.ctx, w.bob, missed.ID, nil), journal.KindNotFound, "")
	})
}

func TestMissedLists(t *testing.T) {
	each(t, func(w *world) {
		add := func(observed string, account journal.Opt[journal.AccountID]) journal.MissedID {
			change := long(playbook.UnknownOutcome)
			change.ObservedAt, change.Account = journal.Some(at(observed)), account
			return w.missed(change).ID
		}
		none := journal.Opt[journal.AccountID]{}
		a := add("2026-03-01T00:00:00Z", none)
		b := add("2026-03-02T00:00:00Z", journal.Some(w.annCash))
		c := add("2026-03-02T00:00:00Z", none)
		d := add("2026-03-03T00:00:00Z", journal.Some(w.annCash))
		day := at("2026-03-02T00:00:00Z")
		for name, test := range map[string]struct {
			scope journal.Scope
			page  playbook.Page
			want  []journal.MissedID
			total int
		}{
			"all":           {journal.Scope{}, playbook.Page{}, []journal.MissedID{d, c, b, a}, 4},
			"an account":    {journal.Scope{Accounts: []journal.AccountID{w.annCash}}, playbook.Page{}, []journal.MissedID{d, b}, 2},
			"a period":      {journal.Scope{Period: journal.Period{From: &day, To: &day}}, playbook.Page{}, []journal.MissedID{c, b}, 2},
			"a first page":  {journal.Scope{}, playbook.Page{Limit: 2}, []journal.MissedID{d, c}, 4},
			"a second page": {journal.Scope{}, playbook.Page{Limit: 2, After: playbook.Position{At: day, ID: string(c)}}, []journal.MissedID{b, a}, 4},
		} {
			list, total := w.missedTrades(w.ann, test.scope, test.page)
			ids := []journal.MissedID{}
			for _, m := range list {
				ids = append(ids, m.ID)
			}
			if diff := cmp.Diff(test.want, ids); diff != "" || total != test.total {
				w.t.Errorf("%s: total %d, %s", name, total, diff)
			}
		}
		others, _ := w.missedTrades(w.bob, journal.Scope{}, playbook.Page{})
		if len(others) != 0 {
			w.t.Errorf("bob sees %+v", others)
		}
	})
}

func TestMissedSummary(t *testing.T) {
	each(t, func(w *world) {
		gap, fade := w.setup("Gap"), w.setup("Fade")
		add := func(outcome playbook.Outcome, reason playbook.Reason, setup journal.SetupID, plan bool) {
			change := long(outcome)
			change.Reason = journal.Some(reason)
			if setup != "" {
				change.Setup = journal.Some(setup)
			}
			if !plan {
				change.Target = journal.Opt[decimal.Decimal]{}
			}
			w.missed(change)
		}
		add(playbook.TargetHit, playbook.Hesitated, gap, true)
		add(playbook.StoppedOut, playbook.Hesitated, fade, true)
		add(playbook.StoppedOut, playbook.Rules, fade, false)
		add(playbook.NoTrigger, playbook.Away, "", true)
		add(playbook.UnknownOutcome, "", gap, true)
		add(playbook.TargetHit, "", "", false) // unpriced
		summary := w.missedSummary(w.ann)
		figures := func(count, scored int, left, avoided, net string) playbook.MissedFigures {
			return playbook.MissedFigures{Count: count, Scored: scored, RLeft: decimal.Must(left), RAvoided: decimal.Must(avoided), NetR: decimal.Must(net)}
		}
		want := playbook.MissedSummary{
			MissedFigures: figures(6, 4, "2.5", "2", "0.5"),
			Outcomes:      playbook.MissedOutcomes{Unknown: 1, Target: 2, Stop: 2, NoTrigger: 1},
			Unpriced:      1, AvgR: maybe("0.125"),
			ByReason: []playbook.MissedGroup{
				{Key: "hesitated", MissedFigures: figures(2, 2, "2.5", "1", "1.5")},
				{Key: "rules", MissedFigures: figures(1, 1, "0", "1", "-1")},
				{Key: "", MissedFigures: figures(2, 0, "0", "0", "0")},
				{Key: "away", MissedFigures: figures(1, 1, "0", "0", "0")},
			},
			BySetup: []playbook.MissedGroup{
				{Key: string(gap), Name: "Gap", MissedFigures: figures(2, 1, "2.5", "0", "2.5")},
				{Key: string(fade), Name: "Fade", MissedFigures: figures(2, 2, "0", "2", "-2")},
				{Key: "", MissedFigures: figures(2, 1, "0", "0", "0")},
			},
		}
		if diff := cmp.Diff(want, summary); diff != "" {
			w.t.Error(diff)
		}
		empty := w.missedSummary(w.bob)
		if diff := cmp.Diff(playbook.MissedSummary{ByReason: []playbook.MissedGroup{}, BySetup: []playbook.MissedGroup{}}, empty); diff != "" {
			w.t.Error(diff)
		}
	})
}

// TestRestoreMissedTwice adds a missed trade once, and fills its empty fields later.
func TestRestoreMissedTwice(t *testing.T) {
	each(t, func(w *world) {
		restore := func(notes string) playbook.MissedOutcome {
			missed, err := playbook.NewMissed(playbook.MissedChange{
				Symbol: journal.Some("AAPL"), Direction: journal.Some(playbook.Long), ObservedAt: journal.Some(w.clock.Now()), Notes: journal.Some(notes),
			}, w.clock.Now())
			must(w.t, err)
			outcomes, err := db.Get(w.ctx, w.db.Update, func(tx *db.Tx) ([]playbook.MissedOutcome, error) {
				return playbook.RestoreMissed(w.ctx, tx, w.ann, w.clock.Now(), []playbook.Missed{missed})
			})
			must(w.t, err)
			return outcomes[0]
		}
		first := restore("")
		if again := restore(""); !first.Added || again.Added || again.Changed || again.ID != first.ID {
			w.t.Errorf("restored %+v, then %+v", first, again)
		}
		if filled := restore("late"); filled.Added || !filled.Changed || filled.ID != first.ID {
			w.t.Errorf("restored with notes: %+v", filled)
		}
		stored, err := w.MissedTrade(w.ctx, w.ann, first.ID)
		must(w.t, err)
		if stored.Notes != "late" {
			w.t.Errorf("the notes are %q", stored.Notes)
		}
	})
}
