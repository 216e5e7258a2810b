package playbook_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/playbook"
)

func TestAnnotate(t *testing.T) {
	each(t, func(w *world) {
		late, early := w.tag("late"), w.tag("early")
		gap, range15 := w.setup("gap"), w.setup("range")
		now := w.clock.Now()
		annotations := w.annotate(w.annTrade, playbook.AnnotationChange{
			ValueChange: playbook.ValueChange{
				Notes:       journal.Some("held too long"),
				InitialRisk: number("100.50"), StopPrice: number("-2"),
				TargetPrice: number("0"), MAE: number("-30"), MFE: number("80.25"), EmotionalState: journal.Some(" calm "),
				Confidence: journal.Some(5), TradeQuality: journal.Some(1),
			},
			Tags: journal.Some([]journal.TagID{late, early, late}), Setups: journal.Some([]journal.SetupID{range15, gap}), Reviewed: journal.Some(true),
		})
		want := playbook.Annotations{
			Trade: w.annTrade, Account: w.annCash, UpdatedAt: now, AnnotationValues: playbook.AnnotationValues{
				Notes: "held too long", InitialRisk: decimal.Of(decimal.Must("100.5")),
				StopPrice: decimal.Of(decimal.New(-2)), TargetPrice: decimal.Of(decimal.Zero), MAE: decimal.Of(decimal.New(-30)),
				MFE: decimal.Of(decimal.Must("80.25")), EmotionalState: "calm", Confidence: 5, TradeQuality: 1, ReviewedAt: &now,
			},
			Tags: []journal.TagID{early, late}, Setups: []journal.SetupID{range15, gap},
		}
		for _, got := range []playbook.Annotations{annotations, w.annotations(w.annTrade)} {
			if diff := cmp.Diff(want, got); diff != "" {
				w.t.Error(diff)
			}
		}
		w.clock.Advance(time.Hour)
		annotations = w.annotate(w.annTrade, playbook.AnnotationChange{
			ValueChange: playbook.ValueChange{
				Notes: null[string](), StopPrice: null[decimal.Decimal](),
				Confidence: null[int](), EmotionalState: null[string](),
			},
			Tags: journal.Some([]journal.TagID{early}), Setup: journal.Some(gap), Reviewed: journal.Some(true),
		})
		want.Notes, want.Tags, want.Setups, want.StopPrice = "", []journal.TagID{early}, []journal.SetupID{gap}, decimal.Null{}
		want.Confidence, want.EmotionalState, want.UpdatedAt = 0, "", w.clock.Now() // reviewed_at stays the first
		if diff := cmp.Diff(want, annotations); diff != "" {
			w.t.Error(diff)
		}
		annotations = w.annotate(w.annTrade, playbook.AnnotationChange{
			ValueChange: playbook.ValueChange{
				InitialRisk: null[decimal.Decimal](), TargetPrice: null[decimal.Decimal](),
				MAE: null[decimal.Decimal](), MFE: null[decimal.Decimal](), TradeQuality: null[int](),
			},
			Tags: null[[]journal.TagID](), Setup: null[journal.SetupID](), Reviewed: journal.Some(false),
		})
		if diff := cmp.Diff(playbook.Annotations{Trade: w.annTrade, Account: w.annCash, UpdatedAt: w.clock.Now()}, annotations); diff != "" {
			w.t.Error(diff)
		}
		if !slices.Equal(w.annotated, []journal.TradeID{w.annTrade, w.annTrade, w.annTrade}) {
			w.t.Errorf("the hook was called with %v", w.annotated)
		}
	})
}

func TestAnnotationsRefused(t *testing.T) {
	each(t, func(w *world) {
		foreignTag, err := w.CreateTag(w.ctx, w.bob, playbook.TagChange{Name: journal.Some("his")})
		must(w.t, err)
		foreignSetup, err := w.CreateSetup(w.ctx, w.bob, playbook.SetupChange{Name: journal.Some("his")})
		must(w.t, err)
		gap := w.setup("gap")
		w.annotate(w.annTrade, playbook.AnnotationChange{ValueChange: playbook.ValueChange{Notes: journal.Some("kept")}, Setup: journal.Some(gap)})
		for name, test := range map[string]struct {
			field  string
			change playbook.AnnotationChange
		}{
			"a foreign tag":       {"tag_ids", playbook.AnnotationChange{Tags: journal.Some([]journal.TagID{foreignTag.ID})}},
			"an unknown tag":      {"tag_ids", playbook.AnnotationChange{Tags: journal.Some([]journal.TagID{"nope"})}},
			"a foreign setup":     {"setup_ids", playbook.AnnotationChange{Setups: journal.Some([]journal.SetupID{gap, foreignSetup.ID})}},
			"the foreign setup":   {"setup_id", playbook.AnnotationChange{Setup: journal.Some(foreignSetup.ID)}},
			"two ways at odds":    {"setup_id", playbook.AnnotationChange{Setup: journal.Some(gap), Setups: journal.Some([]journal.SetupID{})}},
			"no confidence":       {"confidence", playbook.AnnotationChange{ValueChange: playbook.ValueChange{Confidence: journal.Some(0)}}},
			"too much confidence": {"confidence", playbook.AnnotationChange{ValueChange: playbook.ValueChange{Confidence: journal.Some(6)}}},
			"a bad rating":        {"trade_quality", playbook.AnnotationChange{ValueChange: playbook.ValueChange{TradeQuality: journal.Some(-1)}}},
			"no risk":             {"initial_risk", playbook.AnnotationChange{ValueChange: playbook.ValueChange{InitialRisk: number("0")}}},
			"long notes":          {"notes", playbook.AnnotationChange{ValueChange: playbook.ValueChange{Notes: journal.Some(strings.Repeat("x", journal.MaxNoteBytes+1))}}},
			"a long state":        {"emotional_state", playbook.AnnotationChange{ValueChange: playbook.ValueChange{EmotionalState: journal.Some(strings.Repeat("x", 201))}}},
			"too many tags":       {"tag_ids", playbook.AnnotationChange{Tags: journal.Some(make([]journal.TagID, 101))}},
		} {
			_, err := w.Annotate(w.ctx, w.ann, w.annTrade, test.change, nil)
			if err == nil {
				w.t.Errorf("%s was taken", name)
				continue
			}
			refused(w.t, err, journal.KindInvalid, test.field)
		}
		_, err = w.Annotate(w.ctx, w.ann, w.bobTrade, playbook.AnnotationChange{ValueChange: playbook.ValueChange{Notes: journal.Some("x")}}, nil)
		refused(w.t, err, journal.KindNotFound, "")
		_, err = w.Annotate(w.ctx, w.ann, w.annTrade, playbook.AnnotationChange{ValueChange: playbook.ValueChange{Notes: journal.Some("x")}}, func(_ *db.Tx, stored playbook.Annotations, _ *playbook.AnnotationChange) error {
			if stored.Notes != "kept" {
				w.t.Errorf("the check sees %+v", stored)
			}
			return journal.Stale()
		})
		refused(w.t, err, journal.KindStale, "")
		annotations := w.annotations(w.annTrade)
		if annotations.Notes != "kept" || !slices.Equal(annotations.Setups, []journal.SetupID{gap}) {
			w.t.Errorf("after refusals the annotations are %+v", annotations)
		}
		others, err := w.LoadAnnotations(w.ctx, w.bob, []journal.TradeID{w.annTrade})
		must(w.t, err)
		if len(others) != 0 {
			w.t.Errorf("bob sees %+v", others)
		}
	})
}

// TestParallelMarks lets writers for different fields meet on one unannotated trade: none
// may undo another.
func TestParallelAnnotations(t *testing.T) {
	each(t, func(w *world) {
		var wait sync.WaitGroup
		for _, change := range []playbook.AnnotationChange{
			{ValueChange: playbook.ValueChange{Notes: journal.Some("n")}},
			{ValueChange: playbook.ValueChange{Confidence: journal.Some(3)}},
			{ValueChange: playbook.ValueChange{InitialRisk: number("7")}},
			{ValueChange: playbook.ValueChange{EmotionalState: journal.Some("calm")}},
			{ValueChange: playbook.ValueChange{MAE: number("1")}},
			{ValueChange: playbook.ValueChange{MFE: number("2")}},
		} {
			wait.Go(func() {
				if _, err := w.Annotate(w.ctx, w.ann, w.annTrade, change, nil); err != nil {
					w.t.Error(err)
				}
			})
		}
		wait.Wait()
		m := w.annotations(w.annTrade)
		if m.Notes != "n" || m.Confidence != 3 || !m.InitialRisk.Valid || m.EmotionalState != "calm" || !m.MAE.Valid || !m.MFE.Valid {
			w.t.Errorf("the annotations are %+v", m)
		}
	})
}

// TestManyMarks reads lists that are longer than one statement can name.
func TestManyAnnotations(t *testing.T) {
	each(t, func(w *world) {
		tag := w.tag("t")
		var trades []journal.TradeID
		var given []playbook.Annotations
		for i := range 5000 {
			trades = append(trades, journal.NewID[journal.TradeID]())
			if i%100 == 0 {
				given = append(given, playbook.Annotations{
					Trade: trades[i], Account: w.annCash, AnnotationValues: playbook.AnnotationValues{Notes: fmt.Sprint(i)}, Tags: []journal.TagID{tag},
				})
			}
		}
		w.update(func(tx *db.Tx) error {
			changed, err := playbook.MergeAnnotations(w.ctx, tx, w.ann, w.clock.Now(), given)
			if err == nil && len(changed) != len(given) {
				err = fmt.Errorf("%d changed", len(changed))
			}
			return err
		})
		for _, length := range []int{0, 1, 700, 3000, 5000} {
			annotations, err := w.LoadAnnotations(w.ctx, w.ann, trades[:length])
			must(w.t, err)
			if want := (length + 99) / 100; len(annotations) != want {
				w.t.Errorf("%d of %d trades have annotations, want %d", len(annotations), length, want)
			}
			for i := 0; i < length; i += 100 {
				if m := annotations[trades[i]]; m.Notes != fmt.Sprint(i) || len(m.Tags) != 1 {
					w.t.Fatalf("trade %d has %+v", i, m)
				}
			}
		}
	})
}

func TestMergeAnnotations(t *testing.T) {
	each(t, func(w *world) {
		a, b := w.tag("a"), w.tag("b")
		gap := w.setup("gap")
		other := w.trade(w.ann, w.annCash)
		w.annotate(w.annTrade, playbook.AnnotationChange{ValueChange: playbook.ValueChange{Notes: journal.Some("mine"), Confidence: journal.Some(2)}, Tags: journal.Some([]journal.TagID{b})})
		merge := func() []journal.TradeID {
			given, err := playbook.NewAnnotations(w.annTrade, w.annCash, playbook.AnnotationChange{
				ValueChange: playbook.ValueChange{Notes: journal.Some("from the file"), Confidence: journal.Some(5), InitialRisk: number("10")},
				Tags:        journal.Some([]journal.TagID{a}), Setup: journal.Some(gap),
			}, playbook.PricesAboveZero, w.clock.Now())
			must(w.t, err)
			var changed []journal.TradeID
			w.update(func(tx *db.Tx) (err error) {
				changed, err = playbook.MergeAnnotations(w.ctx, tx, w.ann, w.clock.Now(), []playbook.Annotations{
					given,
					{Trade: other, Account: w.annCash, AnnotationValues: playbook.AnnotationValues{Notes: "one"}},
					{Trade: other, Account: w.annCash, AnnotationValues: playbook.AnnotationValues{Notes: "two"}},
					{Trade: w.trade(w.ann, w.annCash), Account: w.annCash},
				})
				return err
			})
			return changed
		}
		if changed := merge(); !slices.Equal(changed, []journal.TradeID{w.annTrade, other}) {
			w.t.Errorf("changed %v", changed)
		}
		want := playbook.Annotations{
			Trade: w.annTrade, Account: w.annCash, AnnotationValues: playbook.AnnotationValues{
				Notes: "mine\n\n---\n\nfrom the file", Confidence: 2, InitialRisk: decimal.Of(decimal.New(10)),
			},
			Tags: []journal.TagID{a, b}, Setups: []journal.SetupID{gap},
		}
		if diff := cmp.Diff(want, w.annotations(w.annTrade), cmpopts.IgnoreFields(playbook.Annotations{}, "UpdatedAt")); diff != "" {
			w.t.Error(diff)
		}
		if notes := w.annotations(other).Notes; notes != "one\n\n---\n\ntwo" {
			w.t.Errorf("two annotations of one trade give %q", notes)
		}
		if changed := merge(); len(changed) != 0 {
			w.t.Errorf("the second time changed %v", changed)
		}
		_, err := playbook.NewAnnotations(other, w.annCash, playbook.AnnotationChange{ValueChange: playbook.ValueChange{Confidence: journal.Some(9)}}, playbook.PricesAboveZero, w.clock.Now())
		refused(w.t, err, journal.KindInvalid, "confidence")
	})
}

// TestTradeFilters uses the conditions the way a query over trades does.
func TestTradeFilters(t *testing.T) {
	each(t, func(w *world) {
		a, b := w.tag("a"), w.tag("b")
		gap := w.setup("gap")
		second, third := w.trade(w.ann, w.annCash), w.trade(w.ann, w.annCash)
		w.annotate(w.annTrade, playbook.AnnotationChange{Tags: journal.Some([]journal.TagID{a, b})})
		w.annotate(second, playbook.AnnotationChange{Tags: journal.Some([]journal.TagID{b}), Setup: journal.Some(gap)})
		w.annotate(third, playbook.AnnotationChange{ValueChange: playbook.ValueChange{Notes: journal.Some("plain")}})
		query := func(condition func(args *[]any) string) []journal.TradeID {
			var list []journal.TradeID
			args := []any{w.annCash}
			must(w.t, w.db.View(w.ctx, func(tx *db.Tx) (err error) {
				list, err = db.List(w.ctx, tx, db.Single[journal.TradeID], `SELECT trade_id FROM trade_annotations WHERE account_id = $1 AND trade_id `+condition(&args)+` ORDER BY trade_id`, args...)
				return err
			}))
			return list
		}
		hasTag := func(owner journal.UserID, ids ...journal.TagID) []journal.TradeID {
			return query(func(args *[]any) string { return playbook.HasTag(args, owner, ids) })
		}
		for name, test := range map[string]struct{ got, want []journal.TradeID }{
			"one tag":         {hasTag(w.ann, a), []journal.TradeID{w.annTrade}},
			"either tag":      {hasTag(w.ann, a, b), []journal.TradeID{w.annTrade, second}},
			"no tag":          {hasTag(w.ann), []journal.TradeID{}},
			"as another user": {hasTag(w.bob, a), []journal.TradeID{}},
			"a setup": {query(func(args *[]any) string {
				return playbook.HasSetup(args, w.ann, []journal.SetupID{gap})
			}), []journal.TradeID{second}},
		} {
			if !slices.Equal(test.got, test.want) {
				w.t.Errorf("%s: %v, want %v", name, test.got, test.want)
			}
		}
	})
}
