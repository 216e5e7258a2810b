package matching

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
)

// newTestTrade returns a trade with these fill ids, which are numbers; the first is also
// its start.
func newTestTrade(ids []string) Trade {
	first, _ := strconv.ParseInt(ids[0], 10, 64)
	t := Trade{First: Position{At: first}}
	for _, id := range ids {
		t.Parts = append(t.Parts, Part{FillID: id})
	}
	return t
}

// formatReconciliation formats a reconciliation in one line: each new trade's id, merges,
// and orphans.
func formatReconciliation(r Reconciliation) string {
	words := slices.Clone(r.Kept)
	for i, id := range words {
		if id == "" {
			words[i] = "new"
		}
	}
	for _, m := range r.Merged {
		words = append(words, fmt.Sprintf("%s>%d", m.From, m.Into))
	}
	for _, id := range r.Orphans {
		words = append(words, "gone:"+id)
	}
	return strings.Join(words, " ")
}

func TestReconcile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, old, regrouped, want string }{
		{"unchanged", "1 2, 3 4", "1 2, 3 4", "a b"},
		{"first fills", "", "1 2", "new"},
		{"all deleted", "1 2, 3 4", "", "gone:a gone:b"},
		{"opening fill deleted", "1 2 3", "2 3", "a"},
		{"older fill imported", "2 3", "1 2 3", "a"},
		{"older trade imported", "3 4", "1 2, 3 4", "new a"},
		{"split, greater part", "1 2 3", "1, 2 3", "new a"},
		{"split, tie to the earliest", "1 2", "1, 2", "a new"},
		{"joined, most fills", "1 2, 3 4 5", "1 2 3 4 5", "b a>0"},
		{"joined, tie to the earliest", "1 2, 3 4", "1 2 3 4", "a b>0"},
		{"three joined", "1, 2 3, 4", "1 2 3 4", "b a>0 c>0"},
		{"joined and one gone", "1 2, 3 4, 5 6", "1 2 3", "a b>0 gone:c"},
		{"crossing fill survives its trade", "1 2, 2 3", "2 3", "b a>0"},
		{"boundary moved", "1 2 3, 4 5 6", "1 2, 3 4 5 6", "a b"},
		{"falls back to a smaller piece", "1 2, 3 4 5", "1 2 3 4 5, 2", "b a"},
		{"loses everywhere", "1 2 3, 4 5 6 7, 8 9", "1 2 4 5 6 7, 3 8 9", "b c a>0"},
		{"swapped fills", "1 2 3, 4 5 6", "1 5 6, 2 3 4", "b a"},
	} {
		var old []Identity
		for i, ids := range parseGroups(c.old) {
			old = append(old, Identity{ID: string(rune('a' + i)), Fills: ids, First: newTestTrade(ids).First})
		}
		var regrouped []Trade
		for _, ids := range parseGroups(c.regrouped) {
			regrouped = append(regrouped, newTestTrade(ids))
		}
		if got := formatReconciliation(Reconcile(old, regrouped)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func parseGroups(text string) (groups [][]string) {
	for group := range strings.SplitSeq(text, ",") {
		if ids := strings.Fields(group); len(ids) > 0 {
			groups = append(groups, ids)
		}
	}
	return groups
}

// newIdentities returns identities whose ids do not sort like the trades.
func newIdentities(trades []Trade) []Identity {
	var out []Identity
	for i, trade := range trades {
		identity := Identity{ID: fmt.Sprintf("t%d", (i*7)%97), First: trade.First}
		for _, p := range trade.Parts {
			identity.Fills = append(identity.Fills, p.FillID)
		}
		out = append(out, identity)
	}
	return out
}

// anyChange draws what a user or an import does to a stream: some fills vanish,
// some change their quantity or instant, some are new.
func anyChange(t *rapid.T, fills []Fill) []Fill {
	var after []Fill
	for _, f := range fills {
		switch rapid.IntRange(0, 9).Draw(t, "fate") {
		case 0:
			continue
		case 1:
			f.Quantity = f.Quantity.Add(decimal.New(1))
		case 2:
			f.At = rapid.Int64Range(0, 60).Draw(t, "new instant")
		case 3:
			added := f
			added.ID, added.Seq = f.ID+"+", f.Seq+1000
			after = append(after, added)
		}
		after = append(after, f)
	}
	slices.SortFunc(after, CompareFills)
	return after
}

// anyRegrouping draws either a changed stream or random fill sets.
func anyRegrouping(t *rapid.T) ([]Identity, []Trade) {
	if rapid.Bool().Draw(t, "real") {
		fills := anyFills(false).Draw(t, "fills")
		return newIdentities(Group(fills, Head{})), Group(anyChange(t, fills), Head{})
	}
	sets := func(name string) (trades []Trade) {
		set := rapid.SliceOfNDistinct(rapid.IntRange(0, 12), 1, 6, rapid.ID[int])
		for _, numbers := range rapid.SliceOfNDistinct(set, 0, 6, func(s []int) int { return s[0] }).Draw(t, name) {
			var ids []string
			for _, n := range numbers {
				ids = append(ids, strconv.Itoa(n))
			}
			trades = append(trades, newTestTrade(ids))
		}
		return trades
	}
	return newIdentities(sets("old")), sets("new")
}

func sharedFills(identity Identity, trade Trade) (n int) {
	for _, p := range trade.Parts {
		if slices.Contains(identity.Fills, p.FillID) {
			n++
		}
	}
	return n
}

// TestReconcileLosesNothing: each old id is kept, merged or orphaned exactly
// once, and correctly.
func TestReconcileLosesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		old, regrouped := anyRegrouping(t)
		r := Reconcile(old, regrouped)
		for _, identity := range old {
			most := 0
			for _, trade := range regrouped {
				most = max(most, sharedFills(identity, trade))
			}
			uses := 0
			for i, id := range r.Kept {
				if id == identity.ID {
					uses++
					if sharedFills(identity, regrouped[i]) == 0 {
						t.Fatalf("%s is kept by a trade without a common fill", id)
					}
				}
			}
			for _, m := range r.Merged {
				if m.From == identity.ID {
					uses++
					if r.Kept[m.Into] == "" || sharedFills(identity, regrouped[m.Into]) != most {
						t.Fatalf("%s is merged into trade %d, %q", m.From, m.Into, r.Kept[m.Into])
					}
				}
			}
			if slices.Contains(r.Orphans, identity.ID) != (most == 0) {
				t.Fatalf("%s shares %d fills, orphans are %v", identity.ID, most, r.Orphans)
			}
			if uses != min(most, 1) {
				t.Fatalf("%s is kept or merged %d times", identity.ID, uses)
			}
		}
		if len(r.Kept) != len(regrouped) {
			t.Fatalf("%d trades, %d identities", len(regrouped), len(r.Kept))
		}
	})
}

// TestReconcileFollowsMostFills: no old and new trade share more fills with each other
// than each does with the partner it got.
func TestReconcileFollowsMostFills(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		old, regrouped := anyRegrouping(t)
		kept := Reconcile(old, regrouped).Kept
		heirOf, ownerOf := map[string]int{}, make([]int, len(regrouped))
		for i, id := range kept {
			for _, identity := range old {
				if id == identity.ID {
					ownerOf[i] = sharedFills(identity, regrouped[i])
					heirOf[id] = ownerOf[i]
				}
			}
		}
		for _, identity := range old {
			for i, trade := range regrouped {
				if n := sharedFills(identity, trade); n > heirOf[identity.ID] && n > ownerOf[i] {
					t.Fatalf("%s and trade %d share %d fills but were not matched", identity.ID, i, n)
				}
			}
		}
	})
}

func TestReconcileDoesNotDependOnOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		old, regrouped := anyRegrouping(t)
		order := make([]int, len(regrouped))
		for i := range order {
			order[i] = i
		}
		order = rapid.Permutation(order).Draw(t, "order")
		var shuffled []Trade
		for _, i := range order {
			shuffled = append(shuffled, regrouped[i])
		}
		want := Reconcile(old, regrouped)
		got := Reconcile(rapid.Permutation(old).Draw(t, "old"), shuffled)
		back := Reconciliation{Kept: make([]string, len(regrouped)), Orphans: got.Orphans}
		for at, i := range order {
			back.Kept[i] = got.Kept[at]
		}
		for _, m := range got.Merged {
			back.Merged = append(back.Merged, Merge{m.From, order[m.Into]})
		}
		if diff := gocmp.Diff(want, back); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestReconcileKeepsAnUnchangedStream(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		trades := Group(anyFills(true).Draw(t, "fills"), Head{})
		old := newIdentities(trades)
		r := Reconcile(old, trades)
		for i, id := range r.Kept {
			if id != old[i].ID {
				t.Fatalf("trade %d was %s and became %q", i, old[i].ID, id)
			}
		}
	})
}

func TestPositionsOrderByInstantThenArrival(t *testing.T) {
	t.Parallel()
	sorted := []Fill{{At: 1, Seq: 9, ID: "z"}, {At: 2, Seq: 1, ID: "b"}, {At: 2, Seq: 2, ID: "a"}, {At: 2, Seq: 2, ID: "c"}}
	for i, a := range sorted {
		for j, b := range sorted {
			if got, want := CompareFills(a, b), cmp.Compare(i, j); got != want {
				t.Errorf("CompareFills(%v, %v) = %d, want %d", a, b, got, want)
			}
		}
	}
}

// TestReconcileRestored prefers a trade whose id an undo restores only among equals.
func TestReconcileRestored(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		older, restored []string
		want            string
	}{
		{[]string{"1", "2"}, []string{"1", "2"}, "b a>0"},
		{[]string{"1", "2"}, []string{"2"}, "a b>0"},
	} {
		old := []Identity{
			{ID: "a", First: Position{At: 1}, Fills: c.older},
			{ID: "b", First: Position{At: 2}, Fills: c.restored, IsRestored: true},
		}
		if is := formatReconciliation(Reconcile(old, []Trade{newTestTrade([]string{"1", "2"})})); is != c.want {
			t.Errorf("%v and, restored, %v: %s, want %s", c.older, c.restored, is, c.want)
		}
	}
}
