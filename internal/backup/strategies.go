package backup

import (
	"slices"

	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/trading/strategies"
	"fillbook/internal/trading/strategybook"
)

// Strategy is a decision about trades, and what was written on them together. The trades
// are found by the keys of their fills.
type Strategy struct {
	Underlying string              `json:"underlying"`
	State      strategies.State    `json:"state"`
	Kind       strategies.Kind     `json:"kind,omitzero"`
	Evidence   strategies.Evidence `json:"evidence,omitzero"`
	Name       string              `json:"name,omitzero"`
	Members    [][]string          `json:"members"` // the keys of each trade
	Annotations
	CreatedAt Instant `json:"created_at,omitzero"`
}

func (e *exporter) writeStrategies(a ledger.Account) error {
	return e.list("strategies", func() error {
		return strategybook.EachRecord(e.ctx, e.tx, e.owner, a.ID, func(r strategybook.Record) error {
			out := Strategy{
				Underlying: r.Underlying, State: r.State, Kind: r.Kind, Evidence: r.Evidence, Name: r.Name, Members: [][]string{},
				Annotations: e.annotations(playbook.Annotations{AnnotationValues: r.Values, Tags: e.knownTags(r.Tags), Setups: e.knownSetups(r.Setups)}),
				CreatedAt:   Instant{r.CreatedAt},
			}
			for _, m := range r.Members {
				out.Members = append(out.Members, m.Keys)
			}
			return e.element(out)
		})
	})
}

// knownTags returns the tags that still exist.
func (e *exporter) knownTags(ids []journal.TagID) []journal.TagID {
	return slices.DeleteFunc(slices.Clone(ids), func(id journal.TagID) bool { return e.tagNames[id] == "" })
}

// knownSetups returns the setups that still exist.
func (e *exporter) knownSetups(ids []journal.SetupID) []journal.SetupID {
	return slices.DeleteFunc(slices.Clone(ids), func(id journal.SetupID) bool { return e.named[id] == "" })
}

// restoreStrategies adds the decisions about fills without a stored one.
func (r *playbookRestorer) restoreStrategies() error {
	for _, b := range r.bundles {
		account := b.target.account.ID
		if account == "" {
			continue
		}
		list, places, err := convertRows(r.restorer, "Strategy", slices.All(b.Strategies), r.toStrategy)
		if err != nil {
			return err
		}
		added, refusals, err := strategybook.Restore(r.ctx, r.tx, r.Owner, account, r.now, list)
		if err != nil {
			return err
		}
		r.result.Strategies += added
		if err := r.acceptAll("Strategy", places, refusals); err != nil {
			return err
		}
	}
	return nil
}

func (r *playbookRestorer) toStrategy(in Strategy) (strategybook.Record, error) {
	written, err := r.toAnnotations(in.Annotations, "", "", playbook.PricesAnyNumber)
	if err != nil {
		return strategybook.Record{}, err
	}
	out := strategybook.Record{
		Underlying: in.Underlying, State: in.State, Kind: in.Kind, Evidence: in.Evidence, Name: in.Name, Values: written.AnnotationValues,
		Tags: written.Tags, Setups: written.Setups, CreatedAt: in.CreatedAt.instantOr(r.now),
	}
	for _, keys := range in.Members {
		out.Members = append(out.Members, strategies.Decided{Keys: keys})
	}
	return out, nil
}
