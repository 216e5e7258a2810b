package matching

import (
	"cmp"
	"slices"
)

// Identity is a trade stored before a regrouping: its id, its fills (each once), and its
// start.
type Identity struct {
	ID    string
	Fills []string
	First Position
	// Anchor names what opened the trade. A new trade with the same anchor continues it,
	// whatever fills it has. Empty for none.
	Anchor string
	// IsRestored reports that an undo gives the trade its id again: it comes before others
	// with as many of a new trade's fills.
	IsRestored bool
}

// Reconciliation reports what happens to the old identities. Each is kept by a new trade,
// merged into one, or orphaned.
type Reconciliation struct {
	// Kept is, for each new trade by index, the old id it keeps, or "" for a trade
	// needing a new id.
	Kept []string
	// Merged are the old trades now in a trade with another id, ordered by their start;
	// their annotations move there.
	Merged []Merge
	// Orphans are the old trades without any remaining fill, ordered by their start.
	Orphans []string
}

// Merge is an old trade, From, now in the new trade at index Into.
type Merge struct {
	From string
	Into int
}

// Reconcile assigns identities to a regrouping's trades. The pair with an old and a new
// trade that shares most fills is matched first, ties going to the earliest new trade, then
// to a restored old one, then to the earliest; each trade is matched once. So an identity
// follows most of its fills, falls back to a trade with fewer if the first is taken, and is
// merged into the trade with most of its fills if all are taken. No identity is orphaned
// while it has a fill.
//
// An identity with an anchor belongs to the new trade with the same one.
//
// A new trade's skipped fills count as shared with the old trade with the same start.
//
// The result does not depend on argument order, except for the indexes in it. Trades in
// several streams may be reconciled together: so a fill that moved to another symbol
// keeps its trade's annotations.
func Reconcile(old []Identity, regrouped []Trade) Reconciliation {
	claims := findClaims(old, regrouped)
	slices.SortFunc(claims, func(a, b claim) int {
		return cmp.Or(
			cmp.Compare(b.shared, a.shared),
			compareTrades(&regrouped[a.heir], &regrouped[b.heir]),
			compareRestored(old[a.old], old[b.old]),
			compareIdentities(old[a.old], old[b.old]),
		)
	})
	out := Reconciliation{Kept: make([]string, len(regrouped))}
	settled := make([]bool, len(old))
	taken := make([]bool, len(regrouped))
	best := make(map[int]int, len(old))
	for _, c := range claims {
		if _, seen := best[c.old]; !seen {
			best[c.old] = c.heir
		}
		if !settled[c.old] && !taken[c.heir] {
			settled[c.old], taken[c.heir] = true, true
			out.Kept[c.heir] = old[c.old].ID
		}
	}
	out.addUnclaimed(old, settled, best)
	return out
}

// addUnclaimed adds the identities no new trade keeps: merged into the trade with most of
// their fills, or orphaned if none.
func (r *Reconciliation) addUnclaimed(old []Identity, settled []bool, best map[int]int) {
	for _, i := range sortByFirst(old) {
		if settled[i] {
			continue
		}
		if into, survives := best[i]; survives {
			r.Merged = append(r.Merged, Merge{From: old[i].ID, Into: into})
		} else {
			r.Orphans = append(r.Orphans, old[i].ID)
		}
	}
}

// claim is an old and a new trade, by index, with common fills.
type claim struct {
	old, heir, shared int
}

// anchorWeight is more fills than two trades share.
const anchorWeight = 1 << 40

// findClaims returns every such pair. It visits each fill
// once, so its cost is not old trades times new ones.
func findClaims(old []Identity, regrouped []Trade) []claim {
	parts := 0
	for n := range regrouped {
		parts += len(regrouped[n].Parts)
	}
	holders := make(map[string][]int, parts)
	starts := make(map[Position]int, len(old))
	anchored := map[string]int{}
	for i, identity := range old {
		starts[identity.First] = i
		if identity.Anchor != "" {
			anchored[identity.Anchor] = i
		}
		for _, fill := range identity.Fills {
			holders[fill] = append(holders[fill], i)
		}
	}
	claims := make([]claim, 0, len(old)+len(regrouped))
	shared := map[int]int{} // a new trade's fills by old trade
	for n := range regrouped {
		clear(shared)
		for _, part := range regrouped[n].Parts {
			for _, i := range holders[part.FillID] {
				shared[i]++
			}
		}
		if i, found := starts[regrouped[n].First]; found && regrouped[n].Skipped > 0 {
			shared[i] += regrouped[n].Skipped
		}
		if i, found := anchored[regrouped[n].Anchor]; found {
			shared[i] += anchorWeight
		}
		for i, count := range shared {
			claims = append(claims, claim{old: i, heir: n, shared: count})
		}
	}
	return claims
}

// sortByFirst returns the identities' indexes, earliest first.
func sortByFirst(old []Identity) []int {
	order := make([]int, len(old))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return compareIdentities(old[a], old[b]) })
	return order
}

// compareRestored orders restored identities before others.
func compareRestored(a, b Identity) int {
	switch {
	case a.IsRestored == b.IsRestored:
		return 0
	case a.IsRestored:
		return -1
	}
	return 1
}

func compareIdentities(a, b Identity) int {
	return cmp.Or(a.First.Compare(b.First), cmp.Compare(a.ID, b.ID))
}

// compareTrades orders trades by their start. A fill opens at most one trade, so the
// first fill's id breaks ties.
func compareTrades(a, b *Trade) int {
	return cmp.Or(a.First.Compare(b.First), cmp.Compare(a.firstFillID(), b.firstFillID()))
}

// firstFillID returns the opening fill's id, or an empty text if that was skipped.
func (t *Trade) firstFillID() string {
	if t.Skipped > 0 || len(t.Parts) == 0 {
		return ""
	}
	return t.Parts[0].FillID
}
