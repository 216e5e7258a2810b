package matching

import (
	"cmp"
	"slices"
)

// Identity is a trade that was stored before a regrouping: its id, the fills it
// held (each once), and where it began.
type Identity struct {
	ID    string
	Fills []string
	First Position
}

// Reconciliation tells what became of the old identities. Each of them is in
// exactly one place: kept by a new trade, merged into one, or orphaned.
type Reconciliation struct {
	// Kept holds, for each new trade by index, the old id it goes on with, or ""
	// for a trade without an ancestor, which needs a fresh id.
	Kept []string
	// Merged lists the old trades that live on inside a trade of another id, in
	// the order in which they began; what was written on them moves there.
	Merged []Merge
	// Orphans lists the old trades none of whose fills is left, in the order in
	// which they began.
	Orphans []string
}

// Merge says that the old trade From is now a part of the new trade at index Into.
type Merge struct {
	From string
	Into int
}

// Reconcile gives the trades of a regrouping their identities. Of all pairs of an
// old and a new trade, the one that shares most fills settles first, ties going to
// the earliest new and then the earliest old trade; each trade settles once. So an
// identity follows most of its fills, falls back to a smaller piece of itself when
// a stronger claimant took the greatest, and is merged into the trade with most of
// its fills when every piece is taken. Nothing is orphaned while a fill survives.
//
// The outcome does not depend on the order of the arguments, beyond the indexes
// it speaks in. Trades of several streams may be reconciled together, which is how
// a fill that moved to another symbol takes its trade's notes along.
func Reconcile(old []Identity, regrouped []Trade) Reconciliation {
	claims := findClaims(old, regrouped)
	slices.SortFunc(claims, func(a, b claim) int {
		return cmp.Or(
			cmp.Compare(b.shared, a.shared),
			compareTrades(&regrouped[a.heir], &regrouped[b.heir]),
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

// addUnclaimed reports the identities that no new trade goes on with: merged into
// the trade that has most of their fills, or orphaned where there is none.
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

// claim is a pair of an old and a new trade, by index, that have fills in common.
type claim struct {
	old, heir, shared int
}

// findClaims finds every such pair. It looks at each fill once, so its cost is
// that of the trades touched and not of old trades times new ones.
func findClaims(old []Identity, regrouped []Trade) []claim {
	holders := make(map[string][]int)
	for i, identity := range old {
		for _, fill := range identity.Fills {
			holders[fill] = append(holders[fill], i)
		}
	}
	var claims []claim
	for n := range regrouped {
		shared := make(map[int]int)
		for _, part := range regrouped[n].Parts {
			for _, i := range holders[part.FillID] {
				shared[i]++
			}
		}
		for i, count := range shared {
			claims = append(claims, claim{old: i, heir: n, shared: count})
		}
	}
	return claims
}

// sortByFirst returns the indexes of the identities, earliest first.
func sortByFirst(old []Identity) []int {
	order := make([]int, len(old))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return compareIdentities(old[a], old[b]) })
	return order
}

func compareIdentities(a, b Identity) int {
	return cmp.Or(a.First.Compare(b.First), cmp.Compare(a.ID, b.ID))
}

// compareTrades orders by beginning. A fill opens at most one trade, so the id of
// the first fill settles what the position leaves open.
func compareTrades(a, b *Trade) int {
	return cmp.Or(a.First.Compare(b.First), cmp.Compare(a.Parts[0].FillID, b.Parts[0].FillID))
}
