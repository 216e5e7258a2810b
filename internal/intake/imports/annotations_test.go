package imports_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"fillbook/internal/backup"
	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/imports"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/playbook"
)

// trips writes a table with finished trades that differ in their tags.
func trips(tags ...string) []byte {
	var b strings.Builder
	b.WriteString("Symbol,Side,Quantity,Open Time,Close Time,Entry Price,Exit Price,Tags\n")
	for i, cell := range tags {
		fmt.Fprintf(&b, "S%d,long,10,2026-01-05T15:00:00Z,2026-01-05T16:00:00Z,100,101,%s\n", i, cell)
	}
	return []byte(b.String())
}

func (b fixture) commit(data []byte) imports.Result {
	b.Helper()
	result, err := b.Imports.Commit(b.Context(), b.by, imports.Upload{FileName: "f.csv", Account: b.account("USD"), Data: data})
	if err != nil {
		b.Fatal(err)
	}
	return result
}

// TestInvalidTagIsReported: each row with it is reported, and all fills are stored.
func TestInvalidTagIsReported(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		result := newFixture(t, d).commit(trips("mistake:", "gap", "mistake:"))
		if result.Inserted != 6 || result.Annotated != 1 || result.ErrorCount != 2 || result.Errors[1].Row != 3 {
			t.Errorf("%+v", result)
		}
	})
}

// TestLongTagIsCutAtASpace: a long name is cut, and a space at its end is not part of it.
func TestLongTagIsCutAtASpace(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		b := newFixture(t, d)
		name := strings.Repeat("x", journal.MaxName-1)
		result := b.commit(trips(name+" and more", name))
		tags, err := b.Playbook.Tags(t.Context(), b.by.UserID)
		if err != nil || result.Annotated != 2 || result.ErrorCount != 0 || len(tags) != 1 || tags[0].Name != name {
			t.Errorf("%+v, tags %+v, %v", result, tags, err)
		}
	})
}

// TestTagAndMistakeOfOneNameBecomeAMistake: a word given both as a tag and as a mistake
// becomes a mistake.
func TestTagAndMistakeOfOneNameBecomeAMistake(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		b := newFixture(t, d)
		var cells []string
		for i := range 12 {
			cells = append(cells, fmt.Sprintf("word %d;mistake:word %d", i, i))
		}
		b.commit(trips(cells...))
		tags, err := b.Playbook.Tags(t.Context(), b.by.UserID)
		if err != nil || len(tags) != len(cells) {
			t.Fatalf("%d tags: %v", len(tags), err)
		}
		for _, tag := range tags {
			if tag.Kind != playbook.MistakeTag {
				t.Errorf("%s is of the kind %s", tag.Name, tag.Kind)
			}
		}
	})
}

// TestAnnotationColumnsAreRead: each annotation can be mapped to a column, and a
// mistake's name keeps its case.
func TestAnnotationColumnsAreRead(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		b := newFixture(t, d)
		file := "Symbol,Side,Quantity,Open Time,Close Time,Entry Price,Exit Price,Mood,Rating,Seen On,Tags,Confidence\n" +
			"AAPL,long,10,2026-01-05T15:00:00Z,2026-01-05T16:00:00Z,100,101,calm,4,2026-01-06T08:00:00Z,Mistake: Chased It,3\n"
		result, err := b.Imports.Commit(t.Context(), b.by, imports.Upload{
			FileName: "f.csv", Account: b.account("USD"), Data: []byte(file), Mapping: map[string]string{"reviewed_at": "Seen On"},
		})
		if err != nil || result.Annotated != 1 || result.ErrorCount != 0 {
			t.Fatalf("%+v, %v", result, err)
		}
		var got playbook.Annotations
		err = b.DB.View(t.Context(), func(tx *db.Tx) error {
			all, err := playbook.LoadAllAnnotations(t.Context(), tx, b.by.UserID)
			for _, m := range all {
				got = m
			}
			return err
		})
		if err != nil || got.EmotionalState != "calm" || got.TradeQuality != 4 || got.Confidence != 3 || got.ReviewedAt == nil ||
			journal.FormatInstant(*got.ReviewedAt) != "2026-01-06T08:00:00Z" {
			t.Errorf("%+v, %v", got, err)
		}
		tags, err := b.Playbook.Tags(t.Context(), b.by.UserID)
		if err != nil || len(tags) != 1 || tags[0].Name != "Chased It" || tags[0].Kind != playbook.MistakeTag {
			t.Errorf("tags %+v, %v", tags, err)
		}
	})
}

// TestPricesOfFilesFollowTheRule: a negative stop or target is allowed for a future, and
// an error for a share. The preview equals the commit, and the row's other annotations
// are kept.
func TestPricesOfFilesFollowTheRule(t *testing.T) {
	t.Parallel()
	const head = "Account,Symbol,Type,Side,Status,Quantity,Open Time,Close Time,Entry Price,Exit Price,Multiplier,Gross P&L,Net P&L,Emotional State,Stop,Target,Notes\n"
	row := func(symbol, kind, prices string) string {
		return "A," + symbol + "," + kind + ",long,closed,1,2026-01-05T15:00:00Z,2026-01-05T16:00:00Z,10,11,1,1,1,," + prices + ",kept\n"
	}
	ours := head + row("CLK0", "future", "-37.63,0") + row("AAPL", "stock", "-5,12") + row("MSFT", "stock", "9,0")
	mapped := "Symbol,Type,Side,Quantity,Open Time,Close Time,Entry Price,Exit Price,Stop,Target,Notes\n" +
		"CLK0,future,long,1,2026-01-05T15:00:00Z,2026-01-05T16:00:00Z,10,11,-37.63,0,kept\n" +
		"AAPL,stock,long,1,2026-01-05T15:00:00Z,2026-01-05T16:00:00Z,10,11,-5,12,kept\n" +
		"MSFT,stock,long,1,2026-01-05T15:00:00Z,2026-01-05T16:00:00Z,10,11,0,0,kept\n"
	for name, c := range map[string]struct {
		file   string
		errors []int
		want   []string
	}{
		"our own table": {ours, []int{2, 3}, []string{"-37.63 0", "null 12", "9 null"}},
		"a mapped file": {mapped, []int{2}, []string{"-37.63 null", "null 12", "null null"}}, // 0 means none there
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
				b := newFixture(t, d)
				up := imports.Upload{FileName: "f.csv", Account: b.account("USD"), Data: []byte(c.file)}
				preview, err := b.Imports.Inspect(t.Context(), b.by.UserID, up)
				if err != nil {
					t.Fatal(err)
				}
				result, err := b.Imports.Commit(t.Context(), b.by, up)
				if err != nil || result.Inserted != 6 || result.Annotated != 3 {
					t.Fatalf("%+v, %v", result, err)
				}
				var rows []int
				for _, p := range result.Errors {
					rows = append(rows, p.Row)
				}
				if !slices.Equal(rows, c.errors) || !slices.Equal(preview.Errors, result.Errors) {
					t.Errorf("the preview has %+v, the commit %+v", preview.Errors, result.Errors)
				}
				if got := b.plans(); !slices.Equal(got, c.want) {
					t.Errorf("stops and targets %q, want %q", got, c.want)
				}
			})
		})
	}
}

// plans lists stop and target for the annotated trades in CLK0, AAPL and MSFT.
func (b fixture) plans() (list []string) {
	b.Helper()
	err := b.DB.View(b.Context(), func(tx *db.Tx) error {
		annotations, err := playbook.LoadAllAnnotations(b.Context(), tx, b.by.UserID)
		if err != nil {
			return err
		}
		for _, symbol := range []string{"CLK0", "AAPL", "MSFT"} {
			query := ledger.TradeQuery{Symbols: []string{symbol}}
			err := ledger.EachTrade(b.Context(), tx, b.by.UserID, query, func(t ledger.Trade) error {
				if m := annotations[t.ID]; m.Notes == "kept" {
					list = append(list, fmt.Sprintf("%s %s", m.StopPrice, m.TargetPrice))
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return list
}

// TestTagsOfOurExportAreRestored: tags with separators and mistakes survive our own trade
// table.
func TestTagsOfOurExportAreRestored(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		b := newFixture(t, d)
		owner := b.by.UserID
		want := map[string]playbook.TagKind{
			"gap, up": playbook.CustomTag, "a; b|c": playbook.MistakeTag, "mistake: none": playbook.CustomTag, "emotion: calm": playbook.CustomTag,
		}
		var ids []journal.TagID
		for name, kind := range want {
			tag, err := b.Playbook.CreateTag(t.Context(), owner, playbook.TagChange{Name: journal.Some(name), Kind: journal.Some(kind)})
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, tag.ID)
		}
		b.commit(trips("")) // one trade
		trade := b.onlyTrade()
		if _, err := b.Playbook.Annotate(t.Context(), owner, trade, playbook.AnnotationChange{Tags: journal.Some(ids)}, nil); err != nil {
			t.Fatal(err)
		}
		var table bytes.Buffer
		err := d.View(t.Context(), func(tx *db.Tx) error {
			_, err := backup.Write(t.Context(), tx, b.Playbook, backup.Request{Owner: owner, Format: backup.CSV}, &table)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		other := newFixture(t, testkit.Open(t, d.Engine()))
		other.commit(table.Bytes())
		tags, err := other.Playbook.Tags(t.Context(), other.by.UserID)
		got := map[string]playbook.TagKind{}
		for _, tag := range tags {
			got[tag.Name] = tag.Kind
		}
		if err != nil || !maps.Equal(got, want) {
			t.Errorf("tags %v, want %v: %v", got, want, err)
		}
	})
}

func (b fixture) onlyTrade() (id journal.TradeID) {
	b.Helper()
	err := b.DB.View(b.Context(), func(tx *db.Tx) error {
		return ledger.EachTrade(b.Context(), tx, b.by.UserID, ledger.TradeQuery{}, func(t ledger.Trade) error { id = t.ID; return nil })
	})
	if err != nil {
		b.Fatal(err)
	}
	return id
}
