package backup

import (
	"fmt"
	"slices"
	"strings"

	"fillbook/internal/base/fields"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/playbook"
)

// nameTable maps names in the file to the user's records.
type nameTable[ID any] struct {
	ids     map[string]ID
	refused map[string]error
}

func newNameTable[ID any]() nameTable[ID] { return nameTable[ID]{map[string]ID{}, map[string]error{}} }

// add adds the result for a name. A name with a record keeps it.
func (t nameTable[ID]) add(name string, done playbook.Restored[ID]) {
	if done.Err == nil {
		t.ids[name] = done.ID
	} else {
		t.refused[name] = done.Err
	}
}

func (t nameTable[ID]) find(name string) (ID, error) {
	id, known := t.ids[name]
	if !known {
		return id, t.refused[name]
	}
	return id, nil
}

// missing returns the names without a record, each once.
func (t nameTable[ID]) missing(names []string) (list []string) {
	seen := map[string]bool{}
	for _, name := range names {
		if _, known := t.ids[name]; !known && !seen[name] {
			seen[name] = true
			list = append(list, name)
		}
	}
	return list
}

// countChanged counts a section's created or changed records and reports the refused
// ones. places are their places in the section, nil for the whole section.
func countChanged[ID any](r *restorer, what string, list []playbook.Restored[ID], places []int) (n int, err error) {
	for i, done := range list {
		place := i
		if places != nil {
			place = places[i]
		}
		if err := r.accept(what, place, done.Err); err != nil {
			return n, err
		}
		if done.Changed {
			n++
		}
	}
	return n, nil
}

// restoreNamed stores the records listed in a section, then those used without being
// listed, adds both to the table, and counts the new and changed ones.
func restoreNamed[ID, Record any](
	r *restorer, what string, table nameTable[ID], listed []Record, used []string,
	nameOf func(Record) string, newNamed func(name string) Record, store func([]Record) ([]playbook.Restored[ID], error),
) (n int, err error) {
	stored, err := store(listed)
	if err != nil {
		return 0, err
	}
	for i, done := range stored {
		table.add(nameOf(listed[i]), done)
	}
	if n, err = countChanged(r, what, stored, nil); err != nil {
		return n, err
	}
	names := table.missing(used)
	added := make([]Record, len(names))
	for i, name := range names {
		added[i] = newNamed(name)
	}
	stored, err = store(added)
	for i, done := range stored {
		table.add(names[i], done)
		if done.Changed {
			n++
		}
	}
	return n, err
}

// restoreTags restores the file's tags, and those used without being listed.
func (r *playbookRestorer) restoreTags() (err error) {
	list := make([]playbook.NewTag, len(r.Document.Tags))
	for i, tag := range r.Document.Tags {
		list[i] = playbook.NewTag{CreatedAt: tag.CreatedAt.instantOr(r.now), TagChange: playbook.TagChange{
			Name: journal.Some(tag.Name), Color: journal.Some(tag.Color), Description: journal.Some(tag.Description),
			Kind: journal.Some(playbook.TagKind(tag.Kind)),
		}}
	}
	r.result.Tags, err = restoreNamed(r.restorer, "Tag", r.tags, list, r.usedTags(),
		func(t playbook.NewTag) string { return t.Name.Value },
		func(name string) playbook.NewTag {
			return playbook.NewTag{TagChange: playbook.TagChange{Name: journal.Some(name)}, CreatedAt: r.now}
		},
		func(list []playbook.NewTag) ([]playbook.Restored[journal.TagID], error) {
			return playbook.EnsureTags(r.ctx, r.tx, r.Owner, list)
		})
	return err
}

// eachUsed calls fn with the restored annotations.
func (r *playbookRestorer) eachUsed(fn func(*Annotations)) {
	for _, b := range r.bundles {
		for i := range b.Trades {
			if b.trade(i) != nil {
				fn(&b.Trades[i].Annotations)
			}
		}
		for i := range b.Orphans {
			fn(&b.Orphans[i].Annotations)
		}
		for i := range b.Strategies {
			fn(&b.Strategies[i].Annotations)
		}
	}
}

func (r *playbookRestorer) usedTags() (names []string) {
	r.eachUsed(func(a *Annotations) { names = append(names, a.Tags...) })
	for _, view := range r.Document.Views {
		names = append(names, view.Tags...)
	}
	for _, rule := range r.Document.TradingRules {
		names = append(names, rule.Tags...)
	}
	return names
}

func (r *playbookRestorer) usedSetups() (names []string) {
	r.eachUsed(func(a *Annotations) {
		names = append(names, a.Setups...)
		for _, rule := range a.Rules {
			names = append(names, rule.Setup)
		}
	})
	for _, missed := range r.Document.Missed {
		if missed.Setup != "" {
			names = append(names, missed.Setup)
		}
	}
	for _, view := range r.Document.Views {
		names = append(names, view.Setups...)
	}
	for _, rule := range r.Document.TradingRules {
		names = append(names, rule.Setups...)
	}
	return names
}

// restoreSetups creates or changes the file's setups, and creates those used without
// being listed.
func (r *playbookRestorer) restoreSetups() (err error) {
	list := make([]playbook.NewSetup, len(r.Document.Setups))
	for i, setup := range r.Document.Setups {
		list[i] = playbook.NewSetup{SetupChange: setup.SetupChange, CreatedAt: setup.CreatedAt.instantOr(r.now)}
	}
	r.result.SetupsUpserted, err = restoreNamed(r.restorer, "Setup", r.setups, list, r.usedSetups(),
		func(s playbook.NewSetup) string { return s.Name.Value },
		func(name string) playbook.NewSetup {
			return playbook.NewSetup{SetupChange: playbook.SetupChange{Name: journal.Some(name)}, CreatedAt: r.now}
		},
		func(list []playbook.NewSetup) ([]playbook.Restored[journal.SetupID], error) {
			return playbook.UpsertSetups(r.ctx, r.tx, r.Owner, r.now, list)
		})
	return err
}

// restoreNotes goes from the last, which is the oldest, to the first: simultaneous notes
// are listed in creation order.
func (r *playbookRestorer) restoreNotes() error {
	list, places, err := convertRows(r.restorer, "Note", slices.Backward(r.Document.Notes), r.newNote)
	if err != nil {
		return err
	}
	restored, err := playbook.RestoreNotes(r.ctx, r.tx, r.Owner, list)
	if err != nil {
		return err
	}
	for i, done := range restored {
		if done.Err == nil {
			r.notes[places[i]] = done.ID
		}
		if done.Changed {
			r.recordNoted(r.Document.Notes[places[i]].Trade, list[i].Trade.Value)
		}
	}
	if r.result.Notes, err = countChanged(r.restorer, "Note", restored, places); err != nil {
		return err
	}
	for _, b := range r.bundles {
		slices.Sort(b.noted)
		if err := r.touch(b, slices.Compact(b.noted)); err != nil {
			return err
		}
	}
	return nil
}

func (r *playbookRestorer) newNote(in Note) (playbook.NewNote, error) {
	moment, err := playbook.ParseMoment("occurred_at", in.OccurredAt)
	if err != nil {
		return playbook.NewNote{}, err
	}
	change := fields.CopyTo[playbook.NoteChange](&in.NoteValues, "occurred_at", "account_id", "trade_id")
	change.OccurredAt = journal.Some(moment)
	if account := r.accountAt(in.Account); account != "" {
		change.Account = journal.Some(account)
	}
	note := playbook.NewNote{NoteChange: change, ByApp: in.ByApp, CreatedAt: in.CreatedAt.instantOr(r.now)}
	if trade, account := r.tradeAt(in.Trade); trade != "" {
		note.Trade, note.TradeAccount = journal.Some(trade), account
	}
	return note, nil
}

// recordNoted records a trade's new note; an orphan is not a trade.
func (r *playbookRestorer) recordNoted(ref *TradeRef, trade journal.TradeID) {
	if trade == "" || ref.Trade == nil {
		return
	}
	b := r.bundles[ref.Account]
	b.noted = append(b.noted, trade)
}

// accountAt returns the account at a place in the file, empty if none.
func (r *restorer) accountAt(place *int) journal.AccountID {
	if place == nil || *place < 0 || *place >= len(r.bundles) {
		return ""
	}
	return r.bundles[*place].target.account.ID
}

// tradeAt returns the referenced trade or orphan, with its account.
func (r *restorer) tradeAt(ref *TradeRef) (journal.TradeID, journal.AccountID) {
	if ref == nil || ref.Account < 0 || ref.Account >= len(r.bundles) {
		return "", ""
	}
	b := r.bundles[ref.Account]
	var trade *journal.TradeID
	switch {
	case ref.Trade != nil:
		trade = b.trade(*ref.Trade)
	case ref.Orphan != nil:
		trade = elementAt(b.orphans, *ref.Orphan)
	}
	if trade == nil {
		return "", ""
	}
	return *trade, b.target.account.ID
}

// restoreMissed goes backwards for the same reason as restoreNotes.
func (r *playbookRestorer) restoreMissed() error {
	list, places, err := convertRows(r.restorer, "Missed trade", slices.Backward(r.Document.Missed), r.newMissed)
	if err != nil {
		return err
	}
	outcomes, err := playbook.RestoreMissed(r.ctx, r.tx, r.Owner, r.now, list)
	if err != nil {
		return err
	}
	for i, outcome := range outcomes {
		if err := r.accept("Missed trade", places[i], outcome.Err); err != nil {
			return err
		}
		r.countMissed(places[i], outcome)
	}
	return nil
}

func (r *playbookRestorer) newMissed(in Missed) (playbook.Missed, error) {
	change := fields.CopyTo[playbook.MissedChange](&in.MissedValues, "account_id", "setup_id")
	if account := r.accountAt(in.Account); account != "" {
		change.Account = journal.Some(account)
	}
	if in.Setup != "" {
		id, err := r.setups.find(in.Setup)
		if err != nil {
			return playbook.Missed{}, err
		}
		change.Setup = journal.Some(id)
	}
	return playbook.NewMissed(change, in.CreatedAt.instantOr(r.now))
}

func (r *playbookRestorer) countMissed(place int, outcome playbook.MissedOutcome) {
	switch {
	case outcome.Added:
		r.result.Missed++
	case outcome.Changed:
		r.result.MissedUpdated++
	}
	if len(outcome.Kept) > 0 {
		r.result.Warnings = append(r.result.Warnings, fmt.Sprintf("%s is stored with another %s. The stored values were kept.",
			nameRow("Missed trade", place), strings.Join(outcome.Kept, ", ")))
	}
}

// PendingFile is an attachment whose target is restored and whose content is
// not stored yet.
type PendingFile struct {
	FileRef
	Target playbook.Target
	place  int
}

// listFiles finds the records the attachments belong to.
func (r *playbookRestorer) listFiles() error {
	for i, ref := range r.Document.Attachments {
		pending := PendingFile{FileRef: ref, place: i}
		if ref.Note != nil {
			pending.Target.Note = r.notes[*ref.Note]
		} else {
			pending.Target.Trade, _ = r.tradeAt(ref.Trade)
		}
		if pending.Target == (playbook.Target{}) {
			r.problem("Attachment", i, journal.Invalid("Its trade or note could not be restored."))
			continue
		}
		r.result.Files = append(r.result.Files, pending)
	}
	return nil
}
