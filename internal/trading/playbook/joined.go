package playbook

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/annotations"
)

// This file parts annotations that were merged because a corporate action joined two trades,
// when the action is deleted.

// Returned is a trade that was part of From because of a corporate action, with what
// [Regrouping.Keep] received of it. From is empty if it is gone.
type Returned struct {
	Trade, From journal.TradeID
	Kept        jsontext.Value
}

// keptAnnotations are a trade's annotations before they were merged into another's.
type keptAnnotations struct {
	// Values are the trade's own, and Changes what they changed in the other's.
	Values      []history.Field        `json:"values"`
	Changes     []history.Field        `json:"changes"`
	Notes       []journal.NoteID       `json:"notes,omitempty"`
	Attachments []journal.AttachmentID `json:"attachments,omitempty"`
	// UpdatedAt is when the trade's own were written last, in microseconds since 1970. OtherAt
	// is the same for the other's, 0 if it had none, and MergedAt when they were merged.
	UpdatedAt int64 `json:"updated_at"`
	OtherAt   int64 `json:"other_at,omitempty"`
	MergedAt  int64 `json:"merged_at"`
}

// keepAll passes what is needed to part annotations again to keep: the last that were merged
// are parted first.
func keepAll(
	ctx context.Context, tx *db.Tx, owner journal.UserID, now time.Time, winner Annotations, others []Annotations, keep func(journal.TradeID, jsontext.Value),
) error {
	for _, from := range others {
		merged := merge(winner, from)
		merged.UpdatedAt = now
		if err := keepMerged(ctx, tx, owner, now, from, winner, merged, keep); err != nil {
			return err
		}
		winner = merged
	}
	return nil
}

// keepMerged passes what is needed to part annotations again to keep. before are those of the
// other trade, after those with the first trade's.
func keepMerged(
	ctx context.Context, tx *db.Tx, owner journal.UserID, now time.Time, from, before, after Annotations, keep func(journal.TradeID, jsontext.Value),
) error {
	kept := keptAnnotations{UpdatedAt: db.Micros(from.UpdatedAt), MergedAt: db.Micros(now)}
	if !before.UpdatedAt.IsZero() {
		kept.OtherAt = db.Micros(before.UpdatedAt)
	}
	before.Account = after.Account
	kept.Values = listChanges(from, Annotations{Trade: from.Trade, Account: from.Account})
	kept.Changes = listChanges(before, after)
	var err error
	if kept.Notes, err = linkedIDs[journal.NoteID](ctx, tx, owner, "notes", from.Trade); err != nil {
		return err
	}
	if kept.Attachments, err = linkedIDs[journal.AttachmentID](ctx, tx, owner, "attachments", from.Trade); err != nil {
		return err
	}
	text, err := json.Marshal(kept)
	keep(from.Trade, text)
	return err
}

// listChanges returns the fields in which annotations differ.
func listChanges(before, after Annotations) []history.Field {
	differences := tradeHistory.Fields().Compare(&before, &after)
	list := make([]history.Field, len(differences))
	for i, d := range differences {
		list[i] = history.Field(d)
	}
	return list
}

// linkedIDs returns the ids of a table's rows that are linked to a trade.
func linkedIDs[ID ~string](ctx context.Context, tx *db.Tx, owner journal.UserID, table string, trade journal.TradeID) ([]ID, error) {
	return db.List(ctx, tx, db.Single[ID], `SELECT id FROM `+table+` WHERE user_id = $1 AND trade_id = $2 ORDER BY id`, owner, trade)
}

// returnAnnotations restores a trade's own annotations, and removes them from the trade that it
// was part of, except what the user has changed there since.
func returnAnnotations(ctx context.Context, tx *db.Tx, owner journal.UserID, now time.Time, account journal.AccountID, r Returned) error {
	var kept keptAnnotations
	if err := json.Unmarshal(r.Kept, &kept); err != nil {
		return err
	}
	stored, trades := map[journal.TradeID]Annotations{}, []journal.TradeID{r.Trade}
	if r.From != "" {
		trades = append(trades, r.From)
	}
	if err := loadChunk(ctx, tx, owner, trades, tx.Lock(), stored); err != nil {
		return err
	}
	if _, exists := stored[r.Trade]; exists {
		return nil // an undo brought them back
	}
	empty := Annotations{Trade: r.Trade, Account: account}
	own := empty
	if err := history.Revert(tradeHistory.Fields(), history.Object{Fields: kept.Values}, &own); err != nil {
		return err
	}
	if err := dropMissingLinks(ctx, tx, owner, &own); err != nil {
		return err
	}
	own.UpdatedAt = db.FromMicros(kept.UpdatedAt)
	tradeHistory.Updated(tx, owner, &empty, &own)
	if err := saveAnnotations(ctx, tx, owner, own); err != nil {
		return err
	}
	joined, found := stored[r.From]
	if !found {
		return nil
	}
	if err := moveSome(ctx, tx, owner, r.From, r.Trade, kept); err != nil {
		return err
	}
	return partAnnotations(ctx, tx, owner, now, joined, kept)
}

// partAnnotations removes what a merge added to annotations.
func partAnnotations(ctx context.Context, tx *db.Tx, owner journal.UserID, now time.Time, joined Annotations, kept keptAnnotations) error {
	parted, list := joined, tradeHistory.Fields()
	var changes []history.Field
	for _, change := range kept.Changes {
		f, known := list.Find(change.Name)
		switch {
		case !known:
		case f.IsSet() || bytes.Equal(f.Show(&joined), change.After):
			changes = append(changes, change)
		case change.Name == "notes":
			var before, after string
			if json.Unmarshal(change.Before, &before) == nil && json.Unmarshal(change.After, &after) == nil {
				parted.Notes = annotations.PartNotes(joined.Notes, before, after)
			}
		}
	}
	if err := history.Revert(list, history.Object{Fields: changes}, &parted); err != nil {
		return err
	}
	if err := dropMissingLinks(ctx, tx, owner, &parted); err != nil {
		return err
	}
	switch isUnchanged := db.Micros(joined.UpdatedAt) == kept.MergedAt; {
	case isUnchanged && kept.OtherAt != 0:
		parted.UpdatedAt = db.FromMicros(kept.OtherAt)
	case !parted.equal(joined):
		parted.UpdatedAt = now
	}
	tradeHistory.Updated(tx, owner, &joined, &parted)
	if kept.OtherAt == 0 {
		used, err := isUsed(ctx, tx, owner, parted)
		if err != nil {
			return err
		}
		if !used {
			_, err := tx.Exec(ctx, `DELETE FROM trade_annotations WHERE user_id = $1 AND trade_id = $2`, owner, joined.Trade)
			return err
		}
	}
	return replaceMany(ctx, tx, owner, []Annotations{joined}, []Annotations{parted})
}

// dropMissingLinks removes tags and setups that were deleted since.
func dropMissingLinks(ctx context.Context, tx *db.Tx, owner journal.UserID, m *Annotations) error {
	tags, err := db.ListIn(ctx, tx, m.Tags, db.Single[journal.TagID], `SELECT id FROM tags WHERE user_id = $1 AND id IN $keys`, owner)
	if err != nil {
		return err
	}
	named := slices.Clone(m.Setups)
	for _, tick := range m.Rules {
		named = append(named, tick.Setup)
	}
	slices.Sort(named)
	setups, err := db.ListIn(ctx, tx, slices.Compact(named), db.Single[journal.SetupID], `SELECT id FROM setups WHERE user_id = $1 AND id IN $keys`, owner)
	m.Tags = slices.DeleteFunc(slices.Clone(m.Tags), func(id journal.TagID) bool { return !slices.Contains(tags, id) })
	m.Setups = slices.DeleteFunc(slices.Clone(m.Setups), func(id journal.SetupID) bool { return !slices.Contains(setups, id) })
	m.Rules = slices.DeleteFunc(slices.Clone(m.Rules), func(r RuleTick) bool { return !slices.Contains(setups, r.Setup) })
	return err
}

// moveSome moves the notes and attachments back that a merge moved, unless they were moved
// elsewhere since.
func moveSome(ctx context.Context, tx *db.Tx, owner journal.UserID, from, into journal.TradeID, kept keptAnnotations) error {
	err := recordMovedNotes(ctx, tx, owner, from, into, func(id journal.NoteID) bool { return slices.Contains(kept.Notes, id) })
	if err != nil {
		return err
	}
	err = recordMovedAttachments(ctx, tx, owner, from, into, func(id journal.AttachmentID) bool { return slices.Contains(kept.Attachments, id) })
	if err != nil {
		return err
	}
	if err := db.QueueIn(ctx, tx, kept.Notes, `UPDATE notes SET trade_id = $1 WHERE user_id = $2 AND trade_id = $3 AND id IN $keys`, into, owner, from); err != nil {
		return err
	}
	return db.QueueIn(ctx, tx, kept.Attachments, `UPDATE attachments SET trade_id = $1 WHERE user_id = $2 AND trade_id = $3 AND id IN $keys`, into, owner, from)
}
