package playbook

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
)

// The record types of the history.
var (
	noteHistory = history.NewType("note", noteTable.Fields, history.Of[Note]{
		ID: func(n *Note) string { return string(n.ID) }, Label: labelNote,
		Account: func(n *Note) *journal.AccountID { return n.Account },
		SeenIn:  func(n *Note) journal.AccountID { return n.tradeAccount },
		Related: func(n *Note) []history.Key { return relatedTrade(n.Trade) },
	})
	tagHistory = history.NewType("tag", fields.List[Tag]{
		fields.NewText("name", func(t *Tag) *string { return &t.Name }),
		fields.NewText("color", func(t *Tag) *string { return &t.Color }),
		fields.NewText("description", func(t *Tag) *string { return &t.Description }),
		fields.NewText("kind", func(t *Tag) *TagKind { return &t.Kind }),
	}, history.Of[Tag]{
		ID: func(t *Tag) string { return string(t.ID) }, Label: func(t *Tag) string { return t.Name },
	})
	setupHistory = history.NewType("setup", setupTable.Fields, history.Of[Setup]{
		ID: func(s *Setup) string { return string(s.ID) }, Label: func(s *Setup) string { return s.Name },
	})
	missedHistory = history.NewType("missed_trade", missedTable.Fields, history.Of[Missed]{
		ID: func(m *Missed) string { return string(m.ID) }, Label: func(m *Missed) string { return m.Symbol },
		Account: func(m *Missed) *journal.AccountID { return m.Account },
	})
	templateHistory = history.NewType("note_template", noteTemplateTable.Fields, history.Of[NoteTemplate]{
		ID: func(t *NoteTemplate) string { return string(t.ID) }, Label: func(t *NoteTemplate) string { return t.Name },
	})
	attachmentHistory = history.NewType("attachment", fields.List[linkedAttachment]{
		fields.NewText("name", func(a *linkedAttachment) *string { return &a.Name }),
		fields.NewText("media_type", func(a *linkedAttachment) *string { return &a.MediaType }),
		fields.NewInteger("size", func(a *linkedAttachment) *int64 { return &a.Size }),
		fields.NewLink("trade_id", func(a *linkedAttachment) **journal.TradeID { return &a.Trade }),
		fields.NewLink("note_id", func(a *linkedAttachment) **journal.NoteID { return &a.Note }),
	}, history.Of[linkedAttachment]{
		ID: func(a *linkedAttachment) string { return string(a.ID) }, Label: func(a *linkedAttachment) string { return a.Name },
		Account: func(a *linkedAttachment) *journal.AccountID { return a.account },
		SeenIn:  func(a *linkedAttachment) journal.AccountID { return a.seenIn },
		Related: func(a *linkedAttachment) []history.Key { return relatedTrade(a.Trade) },
	})
	// tradeHistory is for annotations. Labels of trades are found later; see
	// [history.Service.SetLabels].
	tradeHistory = history.NewType("trade", shownAnnotations(), history.Of[Annotations]{
		ID: func(a *Annotations) string { return string(a.Trade) }, Label: func(*Annotations) string { return "" },
		Account: func(a *Annotations) *journal.AccountID { return &a.Account },
	})
)

// shownAnnotations are the fields of a trade in the history. The order of tags does not
// count.
func shownAnnotations() fields.List[Annotations] {
	return append(annotationTable.Fields,
		fields.NewShown("tag_ids", func(a *Annotations) any { return fields.ShowList(slices.Sorted(slices.Values(a.Tags))) }).
			SetAs(fields.SetList(func(a *Annotations) *[]journal.TagID { return &a.Tags })).AsSet(),
		fields.NewShown("setup_ids", func(a *Annotations) any { return fields.ShowList(a.Setups) }).
			SetAs(fields.SetList(func(a *Annotations) *[]journal.SetupID { return &a.Setups })).AsSet(),
		fields.NewShown("rules", func(a *Annotations) any { return fields.ShowList(a.Rules) }).SetAs(setRuleTicks).AsSet(),
	)
}

// setRuleTicks sets the rules, which are ordered.
func setRuleTicks(a *Annotations, value jsontext.Value) error {
	err := fields.SetList(func(a *Annotations) *[]RuleTick { return &a.Rules })(a, value)
	a.Rules = mergeRules(a.Rules)
	return err
}

// maxLabel is how many bytes of a text name a record.
const maxLabel = 60

// labelNote returns a note's title, the beginning of its text, or its day.
func labelNote(n *Note) string {
	text := cmp.Or(n.Title, n.Body)
	if len(text) > maxLabel {
		text = text[:maxLabel]
	}
	if line, err := journal.CleanName("title", text); err == nil && line != "" {
		return line
	}
	return n.OccurredAt.String()
}

// findTradeAccount sets the account of a note's trade, whose notes a caller who is limited to
// other accounts does not see.
func findTradeAccount(ctx context.Context, tx *db.Tx, owner journal.UserID, n *Note) error {
	if n.Trade == nil || n.Account != nil {
		return nil
	}
	err := tx.QueryRow(ctx, `SELECT account_id FROM trade_annotations WHERE user_id = $1 AND trade_id = $2`, owner, *n.Trade).Scan(&n.tradeAccount)
	if errors.Is(err, db.ErrNoRows) {
		return nil
	}
	return err
}

// loadOrphanLinks sets the links of notes to orphans, which notes do not show. The history
// has them: an undo must know them.
func loadOrphanLinks(ctx context.Context, tx *db.Tx, owner journal.UserID, notes map[string]Note) error {
	return db.EachIn(ctx, tx, slices.Sorted(maps.Keys(notes)), func(row db.Scanner) error {
		var id string
		var trade journal.TradeID
		err := row.Scan(&id, &trade)
		note := notes[id]
		note.Trade = &trade
		notes[id] = note
		return err
	}, `SELECT id, trade_id FROM notes WHERE user_id = $1 AND id IN $keys AND trade_id IS NOT NULL ORDER BY id`, owner)
}

// loadOrphanLink is [loadOrphanLinks] for one note.
func loadOrphanLink(ctx context.Context, tx *db.Tx, owner journal.UserID, note *Note) error {
	notes := map[string]Note{string(note.ID): *note}
	err := loadOrphanLinks(ctx, tx, owner, notes)
	note.Trade = notes[string(note.ID)].Trade
	return err
}

func relatedTrade(trade *journal.TradeID) []history.Key {
	if trade == nil {
		return nil
	}
	return []history.Key{{Type: "trade", ID: string(*trade)}}
}

// recordMoved records that annotations moved to another trade: the trade that has them now
// was updated, and the others have none.
func recordMoved(tx *db.Tx, owner journal.UserID, winner, merged Annotations, from []Annotations) {
	tradeHistory.Updated(tx, owner, &winner, &merged)
	for _, other := range from {
		tradeHistory.Updated(tx, owner, &other, &Annotations{Trade: other.Trade, Account: other.Account})
	}
}

// recordMovedNotes records that a trade's notes which move do so, to another trade.
func recordMovedNotes(
	ctx context.Context, tx *db.Tx, owner journal.UserID, from, into journal.TradeID, moves func(journal.NoteID) bool,
) error {
	notes, err := db.List(ctx, tx, scanNote, selectNotes+` WHERE user_id = $1 AND trade_id = $2 ORDER BY id`, owner, from)
	if err != nil {
		return err
	}
	for _, before := range notes {
		if !moves(before.ID) {
			continue
		}
		before.Trade = &from // it is hidden for an orphan
		if err := findTradeAccount(ctx, tx, owner, &before); err != nil {
			return err
		}
		after := before
		after.Trade = &into
		noteHistory.Updated(tx, owner, &before, &after)
	}
	return nil
}

// recordOrphan records that a trade's annotations became an orphan, or are one no longer.
func recordOrphan(tx *db.Tx, owner journal.UserID, trade journal.TradeID, account journal.AccountID, symbol string, isOrphan bool) {
	history.Record(tx, owner, history.Object{
		Type: "trade", ID: string(trade), Label: symbol, Action: history.Updated, Account: account,
		Fields: []history.Field{history.NewField("orphaned", !isOrphan, isOrphan)},
	})
}

// recordRemovedTag records a tag's deletion and the trades that lose it, before it is
// deleted. With into, these trades get that tag instead.
func recordRemovedTag(ctx context.Context, tx *db.Tx, owner journal.UserID, tag Tag, into journal.TagID) error {
	tagHistory.Deleted(tx, owner, &tag)
	trades, err := db.List(ctx, tx, db.Single[journal.TradeID],
		`SELECT trade_id FROM trade_tags WHERE user_id = $1 AND tag_id = $2 ORDER BY trade_id`, owner, tag.ID)
	if err != nil {
		return err
	}
	err = recordUnlinked(ctx, tx, owner, trades, func(a *Annotations) {
		a.Tags = slices.DeleteFunc(slices.Clone(a.Tags), func(id journal.TagID) bool { return id == tag.ID })
		if into != "" {
			a.Tags = united(a.Tags, []journal.TagID{into})
		}
	})
	if err != nil {
		return err
	}
	return history.Keep(ctx, tx, owner, "tags", `id = $2`, tag.ID)
}

// recordMovedAttachments records that a trade's attachments which move do so, to another
// trade, before they do.
func recordMovedAttachments(
	ctx context.Context, tx *db.Tx, owner journal.UserID, from, into journal.TradeID, moves func(journal.AttachmentID) bool,
) error {
	moved, err := db.List(ctx, tx, scanAttachment, selectAttachments+` WHERE user_id = $1 AND trade_id = $2 ORDER BY id`, owner, from)
	if err != nil {
		return err
	}
	for _, a := range moved {
		if !moves(a.ID) {
			continue
		}
		before := linkedAttachment{Attachment: a}
		if err := findAttachmentAccount(ctx, tx, owner, &before); err != nil {
			return err
		}
		after := before
		after.Trade = &into
		attachmentHistory.Updated(tx, owner, &before, &after)
	}
	return nil
}

// recordRemovedSetup records a setup's deletion and the trades and missed trades that lose
// it, before it is deleted.
func recordRemovedSetup(ctx context.Context, tx *db.Tx, owner journal.UserID, setup Setup) error {
	setupHistory.Deleted(tx, owner, &setup)
	trades, err := db.List(ctx, tx, db.Single[journal.TradeID],
		`SELECT trade_id FROM trade_setups WHERE user_id = $1 AND setup_id = $2
		UNION SELECT trade_id FROM trade_rules WHERE user_id = $1 AND setup_id = $2 ORDER BY trade_id`, owner, setup.ID)
	if err != nil {
		return err
	}
	err = recordUnlinked(ctx, tx, owner, trades, func(a *Annotations) {
		a.Setups = slices.DeleteFunc(slices.Clone(a.Setups), func(id journal.SetupID) bool { return id == setup.ID })
		a.Rules = slices.DeleteFunc(slices.Clone(a.Rules), func(r RuleTick) bool { return r.Setup == setup.ID })
	})
	if err != nil {
		return err
	}
	missed, err := db.List(ctx, tx, scanMissed, selectMissed+` WHERE user_id = $1 AND setup_id = $2 ORDER BY id`, owner, setup.ID)
	if err != nil {
		return err
	}
	for _, before := range missed {
		after := before
		after.Setup = nil
		missedHistory.Updated(tx, owner, &before, &after)
	}
	return history.Keep(ctx, tx, owner, "setups", `id = $2`, setup.ID)
}

// recordUnlinked records a change to trades' tags or setups.
func recordUnlinked(ctx context.Context, tx *db.Tx, owner journal.UserID, trades []journal.TradeID, change func(*Annotations)) error {
	stored, err := LoadAnnotations(ctx, tx, owner, trades)
	if err != nil {
		return err
	}
	for _, trade := range trades {
		before := stored[trade]
		after := before
		change(&after)
		tradeHistory.Updated(tx, owner, &before, &after)
	}
	return nil
}

// linkedAttachment is an attachment with the account of its trade or note.
type linkedAttachment struct {
	Attachment
	account *journal.AccountID
	seenIn  journal.AccountID
}

// recordAttachment records an attachment's creation or deletion. It belongs to the account of
// its trade or note.
func recordAttachment(
	ctx context.Context, tx *db.Tx, owner journal.UserID, a Attachment, record func(*db.Tx, journal.UserID, *linkedAttachment),
) error {
	linked := linkedAttachment{Attachment: a}
	if err := findAttachmentAccount(ctx, tx, owner, &linked); err != nil {
		return err
	}
	record(tx, owner, &linked)
	return nil
}

// findAttachmentAccount sets the account of an attachment's trade or note.
func findAttachmentAccount(ctx context.Context, tx *db.Tx, owner journal.UserID, linked *linkedAttachment) error {
	switch {
	case linked.Trade != nil:
		note := Note{NoteValues: NoteValues{Trade: linked.Trade}}
		if err := findTradeAccount(ctx, tx, owner, &note); err != nil {
			return err
		}
		linked.account = &note.tradeAccount
	case linked.Note != nil:
		note, err := scanNote(tx.QueryRow(ctx, selectNotes+` WHERE n.user_id = $1 AND n.id = $2`, owner, *linked.Note))
		if err != nil {
			return err
		}
		if err := findTradeAccount(ctx, tx, owner, &note); err != nil {
			return err
		}
		linked.account, linked.seenIn = note.Account, note.tradeAccount
	}
	return nil
}
