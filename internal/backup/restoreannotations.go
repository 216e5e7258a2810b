package backup

import (
	"slices"
	"strings"
	"unicode/utf8"

	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/playbook"
)

// findTrades finds the trade for each annotation: the one with most of its fills now. In
// an empty journal it is the original trade; among other fills, trades may have merged.
func (r *ledgerRestorer) findTrades(b *restoredBundle) error {
	known, err := r.tradesOfKnown(b)
	if err != nil {
		return err
	}
	trades := make([]journal.TradeID, len(b.Trades))
	for i, a := range b.Trades {
		votes := map[journal.TradeID]int{}
		for n, place := range a.Fills {
			in := b.tradesAt(place, known)
			if len(in) == 0 {
				continue
			}
			// A fill crossing zero is in two trades: it is the first in the trade it
			// opens and never the first in the trade it closes.
			trade := in[0]
			if n == 0 {
				trade = in[len(in)-1]
			}
			if votes[trade]++; votes[trade] > votes[trades[i]] {
				trades[i] = trade
			}
		}
		if trades[i] == "" {
			r.problem("Trade", i, journal.Invalid("None of its fills could be restored."))
		}
	}
	b.trades = trades
	return nil
}

// tradesOfKnown looks up the trades of annotated fills that were already stored.
func (r *ledgerRestorer) tradesOfKnown(b *restoredBundle) (map[journal.ExecutionID][]journal.TradeID, error) {
	var ids []journal.ExecutionID
	for _, a := range b.Trades {
		for _, place := range a.Fills {
			if place >= 0 && place < len(b.fills) && b.fills[place].Duplicate {
				ids = append(ids, b.fills[place].ID)
			}
		}
	}
	slices.Sort(ids)
	return ledger.TradesByExecution(r.ctx, r.tx, r.Owner, slices.Compact(ids))
}

// tradesAt returns a fill's trades, in time order.
func (b *restoredBundle) tradesAt(place int, known map[journal.ExecutionID][]journal.TradeID) []journal.TradeID {
	if place < 0 || place >= len(b.fills) {
		return nil
	}
	if outcome := b.fills[place]; !outcome.Duplicate {
		return outcome.Trades
	}
	return known[b.fills[place].ID]
}

// trade returns the trade at a place in the account's list, or nil.
func (b *restoredBundle) trade(place int) *journal.TradeID { return elementAt(b.trades, place) }

func elementAt(list []journal.TradeID, place int) *journal.TradeID {
	if place < 0 || place >= len(list) || list[place] == "" {
		return nil
	}
	return &list[place]
}

// restoreAnnotations merges the file's annotations into the trades.
func (r *playbookRestorer) restoreAnnotations() error {
	for _, b := range r.bundles {
		var list []playbook.Annotations
		for i, a := range b.Trades {
			trade := b.trade(i)
			if trade == nil || a.isEmpty() {
				continue
			}
			annotations, err := r.toAnnotations(a.Annotations, *trade, b.target.account.ID, r.priceRule(b.Bundle, a))
			if err != nil {
				if err := r.accept("Trade", i, err); err != nil {
					return err
				}
				continue
			}
			list = append(list, annotations)
		}
		if len(list) == 0 {
			continue
		}
		changed, err := playbook.MergeAnnotations(r.ctx, r.tx, r.Owner, r.now, list)
		if err != nil {
			return err
		}
		r.result.Annotated += len(changed)
		if err := r.touch(b, changed); err != nil {
			return err
		}
	}
	return nil
}

// touch raises the revision of trades with only changed annotations: figures depend on
// those too.
func (r *playbookRestorer) touch(b *restoredBundle, trades []journal.TradeID) error {
	trades = slices.DeleteFunc(trades, func(id journal.TradeID) bool { return b.changed[id] })
	if len(trades) == 0 {
		return nil
	}
	return ledger.TouchTrades(r.ctx, r.tx, r.Owner, b.target.account.ID, trades...)
}

// toAnnotations converts and validates the values for the playbook. Notes and lists may
// be longer than a person may type, because merged trades keep everything.
func (r *playbookRestorer) toAnnotations(in Annotations, trade journal.TradeID, account journal.AccountID, rule playbook.PriceRule) (playbook.Annotations, error) {
	annotations := playbook.Annotations{Trade: trade, Account: account, AnnotationValues: in.AnnotationValues}
	err := annotations.Check(rule)
	if err != nil {
		return playbook.Annotations{}, err
	}
	if err := checkLong("notes", in.Notes); err != nil {
		return playbook.Annotations{}, err
	}
	if annotations.Tags, err = findEach(in.Tags, r.tags.find); err != nil {
		return playbook.Annotations{}, err
	}
	if annotations.Setups, err = findEach(in.Setups, r.setups.find); err != nil {
		return playbook.Annotations{}, err
	}
	ticks := make([]playbook.RuleTick, len(in.Rules))
	for i, rule := range in.Rules {
		ticks[i] = playbook.RuleTick{Rule: rule.Rule, State: rule.State}
		if ticks[i].Setup, err = r.setups.find(rule.Setup); err != nil {
			return playbook.Annotations{}, err
		}
	}
	annotations.Rules, err = playbook.NewRules(ticks)
	return annotations, err
}

// priceRule returns the rule for an annotation's prices, from the instrument of its
// fills. A file with valid checksums holds stored values, which may be older than the
// rule.
func (r *playbookRestorer) priceRule(b *Bundle, a TradeAnnotations) playbook.PriceRule {
	if r.Document.isVerified {
		return playbook.PricesAnyNumber
	}
	for _, place := range a.Fills {
		if place >= 0 && place < len(b.Executions) {
			return playbook.PriceRuleOf(strings.ToLower(b.Executions[place].InstrumentType))
		}
	}
	return playbook.PricesAboveZero
}

// findEach finds the records with the names, each once.
func findEach[T comparable](names []string, find func(string) (T, error)) (ids []T, err error) {
	seen := map[T]bool{}
	for _, name := range names {
		id, err := find(name)
		if err != nil {
			return nil, err
		}
		if !seen[id] {
			ids = append(ids, id)
		}
		seen[id] = true
	}
	return ids, nil
}

// checkLong is [journal.Prose] for a longer text.
func checkLong(field, text string) error {
	for len(text) > 0 {
		end := min(len(text), journal.MaxNoteBytes)
		for end < len(text) && end > 1 && !utf8.RuneStart(text[end]) {
			end--
		}
		if _, err := journal.CheckText(field, text[:end]); err != nil {
			return err
		}
		text = text[end:]
	}
	return nil
}

// restoreOrphans restores annotations whose trades are gone.
func (r *playbookRestorer) restoreOrphans() error {
	for _, b := range r.bundles {
		if b.target.account.ID == "" {
			continue
		}
		list, places, err := convertRows(r.restorer, "Orphan", slices.All(b.Orphans), func(in Orphan) (playbook.StoredOrphan, error) {
			return r.toOrphan(in, b.target.account.ID)
		})
		if err != nil {
			return err
		}
		restored, err := playbook.RestoreOrphans(r.ctx, r.tx, r.Owner, b.target.account.ID, list)
		if err != nil {
			return err
		}
		b.orphans = make([]journal.TradeID, len(b.Orphans))
		for i, done := range restored {
			b.orphans[places[i]] = done.ID
		}
		n, err := countChanged(r.restorer, "Orphan", restored, places)
		if err != nil {
			return err
		}
		r.result.Orphans += n
	}
	return nil
}

func (r *playbookRestorer) toOrphan(in Orphan, account journal.AccountID) (playbook.StoredOrphan, error) {
	// The file does not name an orphan's instrument.
	annotations, err := r.toAnnotations(in.Annotations, "", account, playbook.PricesAnyNumber)
	if err != nil {
		return playbook.StoredOrphan{}, err
	}
	out := playbook.StoredOrphan{FillKeys: in.FillKeys}
	out.Annotations, out.OrphanedAt = annotations, in.OrphanedAt.instantOr(r.now)
	if out.Symbol, err = journal.CleanName("symbol", in.Symbol); err != nil {
		return playbook.StoredOrphan{}, err
	}
	if !in.OpenedAt.IsZero() {
		out.OpenedAt = &in.OpenedAt.Time
	}
	return out, nil
}
