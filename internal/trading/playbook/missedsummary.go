package playbook

import (
	"cmp"
	"context"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// MissedSummary is what not trading has cost and spared, in R.
type MissedSummary struct {
	MissedFigures
	Outcomes MissedOutcomes
	// Unpriced counts target hits without a full plan, which have no R.
	Unpriced int
	// AvgR is a scored miss's net R; absent if none.
	AvgR     decimal.Null
	ByReason []MissedGroup
	BySetup  []MissedGroup
}

// MissedFigures are the sums over some missed trades.
type MissedFigures struct {
	Count int
	// Scored counts the misses whose R is known.
	Scored int
	// RLeft is the R left on the table: target hits at their planned R.
	RLeft decimal.Decimal
	// RAvoided is the R that stop-outs would have cost, above zero.
	RAvoided decimal.Decimal
	// NetR is RLeft − RAvoided.
	NetR decimal.Decimal
}

// MissedOutcomes counts by outcome.
type MissedOutcomes struct {
	Unknown, Target, Stop, NoTrigger int
}

// MissedGroup has the figures for one reason or setup. The key is empty for misses
// without one; only setups have a name.
type MissedGroup struct {
	Key  string
	Name string
	MissedFigures
}

// ReadMissedSummary summarizes a scope's missed trades.
func ReadMissedSummary(ctx context.Context, tx *db.Tx, owner journal.UserID, scope journal.Scope) (MissedSummary, error) {
	list, err := ListMissed(ctx, tx, owner, scope, Page{})
	if err != nil {
		return MissedSummary{}, err
	}
	setups, err := ListSetups(ctx, tx, owner)
	if err != nil {
		return MissedSummary{}, err
	}
	names := make(map[journal.SetupID]string, len(setups))
	for _, setup := range setups {
		names[setup.ID] = setup.Name
	}
	return SummarizeMissed(list, names), nil
}

// SummarizeMissed computes a summary. names are the setups' names.
func SummarizeMissed(list []Missed, names map[journal.SetupID]string) MissedSummary {
	var summary MissedSummary
	reasons, setups := map[string]*MissedGroup{}, map[string]*MissedGroup{}
	for _, m := range list {
		summary.add(m)
		summary.Outcomes.add(m.Outcome)
		if m.Outcome == TargetHit && !m.R().Valid {
			summary.Unpriced++
		}
		group(reasons, string(m.Reason), "").add(m)
		var setup journal.SetupID
		if m.Setup != nil {
			setup = *m.Setup
		}
		group(setups, string(setup), names[setup]).add(m)
	}
	if summary.Scored > 0 {
		summary.AvgR = ratio(summary.NetR, decimal.New(int64(summary.Scored)))
	}
	summary.ByReason, summary.BySetup = ranked(reasons), ranked(setups)
	return summary
}

func group(groups map[string]*MissedGroup, key, name string) *MissedGroup {
	if groups[key] == nil {
		groups[key] = &MissedGroup{Key: key, Name: name}
	}
	return groups[key]
}

func (f *MissedFigures) add(m Missed) {
	f.Count++
	r := m.R()
	if !r.Valid {
		return
	}
	f.Scored++
	if r.Decimal.Sign() > 0 {
		f.RLeft = f.RLeft.Add(r.Decimal)
	} else {
		f.RAvoided = f.RAvoided.Sub(r.Decimal)
	}
	f.NetR = f.NetR.Add(r.Decimal)
}

func (o *MissedOutcomes) add(outcome Outcome) {
	switch outcome {
	case UnknownOutcome:
		o.Unknown++
	case TargetHit:
		o.Target++
	case StoppedOut:
		o.Stop++
	case NoTrigger:
		o.NoTrigger++
	}
}

// ranked lists groups by how much they matter, then by key.
func ranked(groups map[string]*MissedGroup) []MissedGroup {
	list := make([]MissedGroup, 0, len(groups))
	for _, g := range groups {
		list = append(list, *g)
	}
	slices.SortFunc(list, func(a, b MissedGroup) int {
		return cmp.Or(b.NetR.Abs().Cmp(a.NetR.Abs()), cmp.Compare(a.Key, b.Key))
	})
	return list
}
