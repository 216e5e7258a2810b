package backup

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"fillbook/internal/fields"
	"fillbook/internal/journal"
	"fillbook/internal/playbook"
)

func (r *restorer) restoreTags() error {
	for i, tag := range r.Document.Tags {
		err := r.ensureTag(tag.CreatedAt.instantOr(r.now), tag.Name, playbook.TagChange{
			Name: journal.Some(tag.Name), Color: journal.Some(tag.Color), Description: journal.Some(tag.Description),
			Kind: journal.Some(playbook.TagKind(tag.Kind)),
		})
		if err := r.accept("Tag", i, err); err != nil {
			return err
		}
	}
	return nil
}

func (r *restorer) ensureTag(created time.Time, name string, change playbook.TagChange) error {
	id, added, err := playbook.EnsureTag(r.ctx, r.tx, r.Owner, created, change)
	if err != nil {
		return err
	}
	r.tags[name] = id
	if added {
		r.result.Tags++
	}
	return nil
}

// tag returns the tag of a name. A file may use one that it does not list.
func (r *restorer) tag(name string) (journal.TagID, error) {
	if id, known := r.tags[name]; known {
		return id, nil
	}
	err := r.ensureTag(r.now, name, playbook.TagChange{Name: journal.Some(name)})
	return r.tags[name], err
}

func (r *restorer) restoreSetups() error {
	for i, setup := range r.Document.Setups {
		created := setup.CreatedAt.instantOr(r.now)
		if err := r.accept("Setup", i, r.upsertSetup(created, setup.Name.Value, setup.SetupChange)); err != nil {
			return err
		}
	}
	return nil
}

// upsertSetup makes a setup, created at that instant, or changes the one that
// has the name.
func (r *restorer) upsertSetup(created time.Time, name string, change playbook.SetupChange) error {
	id, changed, err := playbook.RestoreSetup(r.ctx, r.tx, r.Owner, created, r.now, change)
	if err != nil {
		return err
	}
	r.setups[name] = id
	if changed {
		r.result.SetupsUpserted++
	}
	return nil
}

// setup returns the setup of a name. A file may use one that it does not list.
func (r *restorer) setup(name string) (journal.SetupID, error) {
	if id, known := r.setups[name]; known {
		return id, nil
	}
	err := r.upsertSetup(r.now, name, playbook.SetupChange{Name: journal.Some(name)})
	return r.setups[name], err
}

// restoreNotes goes from the last, which is the oldest, to the first: notes of
// one moment are listed by the order in which they were made.
func (r *restorer) restoreNotes() error {
	for i, note := range slices.Backward(r.Document.Notes) {
		if err := r.accept("Note", i, r.restoreNote(i, note)); err != nil {
			return err
		}
	}
	for _, b := range r.bundles {
		slices.Sort(b.noted)
		if err := r.touch(b, slices.Compact(b.noted)); err != nil {
			return err
		}
	}
	return nil
}

func (r *restorer) restoreNote(place int, in Note) error {
	moment, err := playbook.ParseMoment("occurred_at", in.OccurredAt)
	if err != nil {
		return err
	}
	change := fields.CopyTo[playbook.NoteChange](&in.NoteValues, "occurred_at", "account_id", "trade_id")
	change.OccurredAt = journal.Some(moment)
	if account := r.accountAt(in.Account); account != "" {
		change.Account = journal.Some(account)
	}
	created := in.CreatedAt.instantOr(r.now)
	if trade, account := r.tradeAt(in.Trade); trade != "" {
		if err := playbook.EnsureAnnotationsRow(r.ctx, r.tx, r.Owner, trade, account, created); err != nil {
			return err
		}
		change.Trade = journal.Some(trade)
	}
	id, added, err := r.playbook.RestoreNote(r.ctx, r.tx, r.Owner, created, change)
	if err != nil {
		return err
	}
	r.notes[place] = id
	if added {
		r.result.Notes++
		r.recordNoted(in.Trade, change.Trade.Value)
	}
	return nil
}

// recordNoted records that a trade has a new note; an orphan is not a trade.
func (r *restorer) recordNoted(ref *TradeRef, trade journal.TradeID) {
	if trade == "" || ref.Trade == nil {
		return
	}
	b := r.bundles[ref.Account]
	b.noted = append(b.noted, trade)
}

// accountAt returns the account at a place of the file, empty if there is
// none.
func (r *restorer) accountAt(place *int) journal.AccountID {
	if place == nil || *place < 0 || *place >= len(r.bundles) {
		return ""
	}
	return r.bundles[*place].target.account.ID
}

// tradeAt returns the trade or the orphan that a reference names, with its
// account.
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
		trade = at(b.orphans, *ref.Orphan)
	}
	if trade == nil {
		return "", ""
	}
	return *trade, b.target.account.ID
}

// restoreMissed goes backwards for the same reason as restoreNotes.
func (r *restorer) restoreMissed() error {
	var list []playbook.Missed
	var places []int
	for i, in := range slices.Backward(r.Document.Missed) {
		missed, err := r.newMissed(in)
		if err == nil {
			list, places = append(list, missed), append(places, i)
		}
		if err := r.accept("Missed trade", i, err); err != nil {
			return err
		}
	}
	outcomes, err := playbook.RestoreMissed(r.ctx, r.tx, r.Owner, r.now, list)
	if err != nil {
		return err
	}
	for i, outcome := range outcomes {
		r.countMissed(places[i], outcome)
	}
	return nil
}

func (r *restorer) newMissed(in Missed) (playbook.Missed, error) {
	change := fields.CopyTo[playbook.MissedChange](&in.MissedValues, "account_id", "setup_id")
	if account := r.accountAt(in.Account); account != "" {
		change.Account = journal.Some(account)
	}
	if in.Setup != "" {
		id, err := r.setup(in.Setup)
		if err != nil {
			return playbook.Missed{}, err
		}
		change.Setup = journal.Some(id)
	}
	return playbook.NewMissed(change, in.CreatedAt.instantOr(r.now))
}

func (r *restorer) countMissed(place int, outcome playbook.MissedOutcome) {
	switch {
	case outcome.Added:
		r.result.Missed++
	case outcome.Changed:
		r.result.MissedUpdated++
	}
	if len(outcome.Kept) > 0 {
		r.result.Warnings = append(r.result.Warnings, fmt.Sprintf("%s is stored with another %s. The stored values were kept.",
			named("Missed trade", place), strings.Join(outcome.Kept, ", ")))
	}
}

// PendingFile is an attachment whose target is restored and whose content is
// not stored yet.
type PendingFile struct {
	FileRef
	Target playbook.Target
	place  int
}

// listFiles finds the records that the attachments of the file belong to.
func (r *restorer) listFiles() error {
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
