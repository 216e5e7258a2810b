package playbook

import (
	"context"
	"errors"
	"slices"

	"github.com/go-json-experiment/json"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
)

// Undoers undo changes to the playbook's records.
func (s *Service) Undoers() []history.TypeUndoer {
	return []history.TypeUndoer{
		{Type: "account", Undoer: linkChecker{}},
		{Type: "trade", Undoer: history.WithAccount(tradeUndoer{s})},
		{Type: "note", Undoer: s.noteUndoer()},
		{Type: "note_template", Undoer: s.templateUndoer()},
		{Type: "missed_trade", Undoer: s.missedUndoer()},
		{Type: "attachment", Undoer: history.WithAccount(s.attachmentUndoer())},
	}
}

// Names undoes changes to tags and setups, which an account's trades refer to, and first moves
// attachments off trades that the undo deletes.
type Names struct{ playbook *Service }

// Names returns the undoers that come before the ledger's.
func (s *Service) Names() Names { return Names{s} }

// Undoers undo changes to tags and setups, move attachments, and revert trades that did not exist
// before the change.
func (n Names) Undoers() []history.TypeUndoer {
	return []history.TypeUndoer{
		{Type: "tag", Undoer: n.playbook.tagUndoer()}, {Type: "setup", Undoer: n.playbook.setupUndoer()},
		{Type: "attachment", Undoer: attachmentMover{n.playbook}}, {Type: "trade", Undoer: history.WithAccount(joinedTrades{n.playbook})},
	}
}

// attachmentMover moves attachments back from trades that an undo deletes, before they go with
// them.
type attachmentMover struct{ *Service }

// Check implements [history.Undoer].
func (attachmentMover) Check(context.Context, *history.Undoing, []history.Object) error { return nil }

// Apply implements [history.Undoer].
func (m attachmentMover) Apply(ctx context.Context, u *history.Undoing, objects []history.Object, phase history.Phase) error {
	if phase == history.Removing {
		return nil
	}
	var moved []history.Object
	for _, o := range objects {
		at := slices.IndexFunc(o.Fields, func(f history.Field) bool { return f.Name == "trade_id" })
		if o.Action != history.Updated || at < 0 {
			continue
		}
		var from, into journal.TradeID // null for the attachment of a note
		if json.Unmarshal(o.Fields[at].After, &from) != nil || json.Unmarshal(o.Fields[at].Before, &into) != nil || into == "" {
			continue
		}
		if !u.HasAction(history.Key{Type: "trade", ID: string(from)}, history.Created) {
			continue
		}
		if phase == history.Reverting { // the fills are as before
			if err := m.anchorTrade(ctx, u, &into); err != nil {
				return err
			}
			continue
		}
		if err := EnsureAnnotationsRow(ctx, u.Tx, u.Owner, into, o.Account, u.Now); err != nil { // its fills follow
			return err
		}
		moved = append(moved, o)
	}
	if len(moved) == 0 {
		return nil
	}
	records := m.attachmentUndoer()
	records.Prepare = nil
	return records.Apply(ctx, u, moved, history.Reverting)
}

// findOne returns the key for the id that a query finds, if it finds one.
func findOne(ctx context.Context, tx *db.Tx, kind, query string, args ...any) (history.Key, error) {
	var id string
	err := tx.QueryRow(ctx, query, args...).Scan(&id)
	if errors.Is(err, db.ErrNoRows) {
		return history.Key{}, nil
	}
	return history.Key{Type: kind, ID: id}, err
}

// findNamed returns the other record that has a name.
func findNamed(ctx context.Context, u *history.Undoing, kind, table, name, id string) (history.Key, error) {
	return findOne(ctx, u.Tx, kind, `SELECT id FROM `+table+` WHERE user_id = $1 AND name_key = $2 AND id <> $3`, u.Owner, nameKey(name), id)
}

// skipChanged returns a trade that uses a tag or setup. It ignores trades that the undo
// itself changes or deletes, as in undoing the undo of a deletion: they lose the tag or setup
// before that is deleted.
func skipChanged(ctx context.Context, u *history.Undoing, table, column, id string) (history.Key, error) {
	type use struct {
		trade   journal.TradeID
		account string
	}
	uses, err := db.List(ctx, u.Tx, func(row db.Scanner) (found use, err error) {
		err = row.Scan(&found.trade, &found.account)
		return found, err
	}, `SELECT l.trade_id, a.account_id FROM `+table+` AS l JOIN trade_annotations AS a ON a.user_id = l.user_id AND a.trade_id = l.trade_id
		WHERE l.user_id = $1 AND l.`+column+` = $2 ORDER BY l.trade_id`, u.Owner, id)
	for _, found := range uses {
		key := history.Key{Type: "trade", ID: string(found.trade)}
		if !u.Has(key) && !u.HasAction(history.Key{Type: "account", ID: found.account}, history.Created) {
			return key, err
		}
	}
	return history.Key{}, err
}

func (s *Service) tagUndoer() history.Undoer {
	return &history.Records[Tag]{
		Type: tagHistory, Tables: []string{"tags"}, Stays: true,
		Load: func(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []string) (map[string]Tag, error) {
			tags := map[string]Tag{}
			err := db.EachIn(ctx, tx, ids, func(row db.Scanner) error {
				tag, err := scanTag(row)
				tags[string(tag.ID)] = tag
				return err
			}, selectTags+` WHERE user_id = $1 AND id IN $keys ORDER BY id`+tx.Lock(), owner)
			return tags, err
		},
		Save: func(ctx context.Context, tx *db.Tx, owner journal.UserID, _, after []Tag) error {
			for _, tag := range after {
				if err := updateTag(ctx, tx, owner, tag); err != nil {
					return err
				}
			}
			return nil
		},
		FindUser: func(ctx context.Context, u *history.Undoing, tag *Tag) (history.Key, error) {
			return skipChanged(ctx, u, "trade_tags", "tag_id", string(tag.ID))
		},
		FindObstacle: func(ctx context.Context, u *history.Undoing, tag *Tag) (history.Key, error) {
			return findNamed(ctx, u, "tag", "tags", tag.Name, string(tag.ID))
		},
	}
}

func (s *Service) setupUndoer() history.Undoer {
	r := history.TableRecords(setupHistory, setupTable, s.clock)
	r.Stays = true
	r.FindUser = func(ctx context.Context, u *history.Undoing, setup *Setup) (history.Key, error) {
		for _, table := range []string{"trade_setups", "trade_rules"} {
			if key, err := skipChanged(ctx, u, table, "setup_id", string(setup.ID)); err != nil || key.ID != "" {
				return key, err
			}
		}
		missed, err := db.List(ctx, u.Tx, db.Single[string],
			`SELECT id FROM missed_trades WHERE user_id = $1 AND setup_id = $2 ORDER BY id`, u.Owner, setup.ID)
		for _, id := range missed {
			if key := (history.Key{Type: "missed_trade", ID: id}); !u.Has(key) {
				return key, err
			}
		}
		return history.Key{}, err
	}
	r.FindObstacle = func(ctx context.Context, u *history.Undoing, setup *Setup) (history.Key, error) {
		return findNamed(ctx, u, "setup", "setups", setup.Name, string(setup.ID))
	}
	return r
}

func (s *Service) missedUndoer() history.Undoer {
	r := history.TableRecords(missedHistory, missedTable, s.clock)
	r.FindObstacle = func(ctx context.Context, u *history.Undoing, m *Missed) (history.Key, error) {
		if key, err := s.findMissingAccount(ctx, u, m.Account); err != nil || key.ID != "" {
			return key, err
		}
		if m.Setup == nil || u.HasAction(history.Key{Type: "setup", ID: string(*m.Setup)}, history.Deleted) {
			return history.Key{}, nil
		}
		_, err := readSetup(ctx, u.Tx, u.Owner, *m.Setup, "")
		return missing("setup", string(*m.Setup), err)
	}
	return r
}

// missing returns the key for a record that was not found.
func missing(kind, id string, err error) (history.Key, error) {
	if journal.IsKind(err, journal.KindNotFound) {
		return history.Key{Type: kind, ID: id}, nil
	}
	return history.Key{}, err
}

func (s *shared) findMissingAccount(ctx context.Context, u *history.Undoing, account *journal.AccountID) (history.Key, error) {
	if account == nil || s.options.Known.Account == nil || u.HasAction(history.Key{Type: "account", ID: string(*account)}, history.Deleted) {
		return history.Key{}, nil
	}
	return missing("account", string(*account), s.options.Known.Account(ctx, u.Tx, u.Owner, *account))
}

// findMissingTrade returns a trade that does not exist, neither with fills nor as an
// orphan, and does not come back by the undo itself.
func (s *shared) findMissingTrade(ctx context.Context, u *history.Undoing, trade *journal.TradeID) (history.Key, error) {
	if trade == nil {
		return history.Key{}, nil
	}
	key := history.Key{Type: "trade", ID: string(*trade)}
	restoresAccount := func(o history.Object) bool { return o.Type == "account" && o.Action == history.Deleted }
	if u.Has(key) || s.options.Known.Trade == nil || slices.ContainsFunc(u.Change.Objects, restoresAccount) {
		return history.Key{}, nil
	}
	_, err := s.options.Known.Trade(ctx, u.Tx, u.Owner, *trade)
	if !journal.IsKind(err, journal.KindNotFound) {
		return history.Key{}, err
	}
	annotated, err := LoadAnnotations(ctx, u.Tx, u.Owner, []journal.TradeID{*trade})
	if _, isOrphan := annotated[*trade]; isOrphan || err != nil {
		return history.Key{}, err
	}
	if account, err := findKeptAccount(u, *trade); account != "" || err != nil {
		return history.Key{}, err
	}
	return key, nil
}

// findKeptAccount returns the account of a trade or an orphan that the change deleted, or an
// empty id.
func findKeptAccount(u *history.Undoing, trade journal.TradeID) (account journal.AccountID, err error) {
	accounts := map[any]journal.AccountID{} // by the number that kept trades have
	err = u.EachKept("accounts", func(rows history.KeptRows) error {
		for i := range rows.Rows {
			id, _ := rows.Value(i, "id").(string)
			accounts[rows.Value(i, "number")] = journal.AccountID(id)
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	for table, columns := range map[string][2]string{"trades": {"id", "account"}, "orphaned_annotations": {"trade_id", "account_id"}} {
		err := u.EachKept(table, func(rows history.KeptRows) error {
			for i := range rows.Rows {
				var id journal.TradeID
				if err := id.Scan(rows.Value(i, columns[0])); err != nil {
					return err
				}
				if id != trade {
					continue
				}
				if text, isID := rows.Value(i, columns[1]).(string); isID {
					account = journal.AccountID(text)
				} else {
					account = accounts[rows.Value(i, columns[1])]
				}
			}
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	return account, nil
}

func (s *Service) noteUndoer() history.Undoer {
	r := history.TableRecords(noteHistory, noteTable, s.clock)
	r.Tables = []string{"notes", "attachments"}
	load, save := r.Load, r.Save
	r.Load = func(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []string) (map[string]Note, error) {
		notes, err := load(ctx, tx, owner, ids)
		if err != nil {
			return nil, err
		}
		return notes, loadOrphanLinks(ctx, tx, owner, notes)
	}
	r.Save = func(ctx context.Context, tx *db.Tx, owner journal.UserID, before, after []Note) error {
		if err := save(ctx, tx, owner, before, after); err != nil {
			return err
		}
		for i := range after {
			if !equalLink(before[i].Trade, after[i].Trade) {
				_, err := tx.Exec(ctx, `UPDATE notes SET trade_id = $1 WHERE user_id = $2 AND id = $3`, after[i].Trade, owner, after[i].ID)
				if err != nil {
					return err
				}
			}
		}
		return nil
	}
	r.FindUser = func(ctx context.Context, u *history.Undoing, n *Note) (history.Key, error) {
		ids, err := db.List(ctx, u.Tx, db.Single[string], `SELECT id FROM attachments WHERE user_id = $1 AND note_id = $2 ORDER BY id`, u.Owner, n.ID)
		for _, id := range ids {
			key := history.Key{Type: "attachment", ID: id}
			if u.HasAction(key, history.Created) {
				continue
			}
			if isNew, err := u.IsEdited(ctx, key); err != nil || isNew || !containsAttachments(u, n.ID) {
				return key, err
			}
		}
		return history.Key{}, err
	}
	r.FindObstacle = func(ctx context.Context, u *history.Undoing, n *Note) (history.Key, error) {
		if key, err := s.findMissingAccount(ctx, u, n.Account); err != nil || key.ID != "" {
			return key, err
		}
		return s.findMissingTrade(ctx, u, n.Trade)
	}
	r.Prepare = func(ctx context.Context, u *history.Undoing, n *Note) error {
		return s.anchorTrade(ctx, u, n.Trade)
	}
	r.KeepMore = func(ctx context.Context, tx *db.Tx, owner journal.UserID, n *Note) error {
		return keepAttachments(ctx, tx, owner, s.clock(), `note_id = $2`, n.ID)
	}
	r.Changed = func(ctx context.Context, u *history.Undoing, before, after *Note) error {
		tx, owner := u.Tx, u.Owner
		var trades []*journal.TradeID
		var id journal.NoteID
		for _, n := range []*Note{before, after} {
			if n != nil {
				trades, id = append(trades, n.Trade), n.ID
			}
		}
		if before == nil {
			if err := restoreContent(ctx, tx, owner, `note_id = $2`, id); err != nil {
				return err
			}
			var files int
			if err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM attachments WHERE user_id = $1 AND note_id = $2`, owner, id).Scan(&files); err != nil {
				return err
			}
			history.Contain(tx, history.Key{Type: "note", ID: string(id)}, "attachment", files)
		}
		if err := dropEmptied(ctx, u, trades...); err != nil {
			return err
		}
		if err := s.reportLinked(ctx, tx, owner, trades...); err != nil {
			return err
		}
		return recordNotes(ctx, tx, owner, id)
	}
	return r
}

// dropEmptied deletes orphans that the undo itself made by removing fills, or that the change
// made, if their last link has gone to another trade. Orphans from before the change stay.
func dropEmptied(ctx context.Context, u *history.Undoing, trades ...*journal.TradeID) error {
	for _, trade := range trades {
		if trade == nil || wasOrphan(u, *trade) || !isMadeByUndo(u, *trade) && !slices.ContainsFunc(u.Change.Objects, func(o history.Object) bool {
			return o.Type == "trade" && o.ID == string(*trade) && madeOrphan(o)
		}) {
			continue
		}
		err := lockOrphan(ctx, u.Tx, u.Owner, *trade)
		if journal.IsKind(err, journal.KindNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		stored, err := LoadAnnotations(ctx, u.Tx, u.Owner, []journal.TradeID{*trade})
		if err != nil {
			return err
		}
		used, err := isUsed(ctx, u.Tx, u.Owner, stored[*trade])
		if err != nil {
			return err
		}
		if used {
			continue
		}
		if err := dropOrphan(ctx, u, *trade, stored[*trade].Account); err != nil {
			return err
		}
	}
	return nil
}

// wasOrphan reports whether a trade's annotations were an orphan before the change to undo.
func wasOrphan(u *history.Undoing, trade journal.TradeID) bool {
	return slices.ContainsFunc(u.Change.Objects, func(o history.Object) bool {
		return o.Type == "trade" && o.ID == string(trade) && slices.ContainsFunc(o.Fields, func(f history.Field) bool {
			return f.Name == "orphaned" && string(f.Before) == "true"
		})
	})
}

// isMadeByUndo reports whether the undo itself has made an orphan of a trade's annotations.
func isMadeByUndo(u *history.Undoing, trade journal.TradeID) bool {
	f, recorded := history.RecordedField(u.Tx, history.Key{Type: "trade", ID: string(trade)}, "orphaned")
	return recorded && string(f.Before) == "false" && string(f.After) == "true"
}

// dropOrphan deletes an orphan, which the undo of the undo brings back.
func dropOrphan(ctx context.Context, u *history.Undoing, trade journal.TradeID, account journal.AccountID) error {
	if !isMadeByUndo(u, trade) {
		if err := keepOrphan(ctx, u.Tx, u.Owner, trade); err != nil {
			return err
		}
	}
	if _, err := u.Tx.Exec(ctx, `DELETE FROM trade_annotations WHERE user_id = $1 AND trade_id = $2`, u.Owner, trade); err != nil {
		return err
	}
	recordOrphan(u.Tx, u.Owner, trade, account, "", false)
	return nil
}

// anchorTrade ensures that a trade with a note or an attachment has an annotations row. If its
// fills did not come back, because later changes deleted them or gave them to other trades, it
// becomes an orphan.
func (s *shared) anchorTrade(ctx context.Context, u *history.Undoing, trade *journal.TradeID) error {
	if trade == nil {
		return nil
	}
	account, err := s.options.Known.Trade(ctx, u.Tx, u.Owner, *trade)
	if err == nil {
		return EnsureAnnotationsRow(ctx, u.Tx, u.Owner, *trade, account, s.clock())
	}
	if !journal.IsKind(err, journal.KindNotFound) {
		return err
	}
	if err := lockOrphan(ctx, u.Tx, u.Owner, *trade); !journal.IsKind(err, journal.KindNotFound) {
		return err
	}
	at := slices.IndexFunc(u.Change.Objects, func(o history.Object) bool { return o.Type == "trade" && o.ID == string(*trade) })
	if at >= 0 {
		account = u.Change.Objects[at].Account
	} else if account, err = findKeptAccount(u, *trade); err != nil {
		return err
	}
	if err := EnsureAnnotationsRow(ctx, u.Tx, u.Owner, *trade, account, s.clock()); err != nil {
		return err
	}
	stored, err := LoadAnnotations(ctx, u.Tx, u.Owner, []journal.TradeID{*trade})
	if err != nil {
		return err
	}
	return orphan(ctx, u.Tx, u.Owner, u.Now, Orphaned{Trade: *trade, Account: account, WasOrphan: true}, stored[*trade])
}

// containsAttachments reports whether a change brought a note back with its attachments,
// which go with it again.
func containsAttachments(u *history.Undoing, note journal.NoteID) bool {
	return slices.ContainsFunc(u.Change.Objects, func(o history.Object) bool {
		return o.Type == "note" && o.ID == string(note) && o.Contains["attachment"] > 0
	})
}

func equalLink[T comparable](a, b *T) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

func (s *Service) templateUndoer() history.Undoer {
	r := history.TableRecords(templateHistory, noteTemplateTable, s.clock)
	r.FindObstacle = func(ctx context.Context, u *history.Undoing, t *NoteTemplate) (history.Key, error) {
		return findNamed(ctx, u, "note_template", "note_templates", t.Name, string(t.ID))
	}
	return r
}

func (s *Service) attachmentUndoer() *history.Records[linkedAttachment] {
	return &history.Records[linkedAttachment]{
		Type: attachmentHistory, Tables: []string{"attachments"},
		Load: func(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []string) (map[string]linkedAttachment, error) {
			found := map[string]linkedAttachment{}
			err := db.EachIn(ctx, tx, ids, func(row db.Scanner) error {
				a, err := scanAttachment(row)
				found[string(a.ID)] = linkedAttachment{Attachment: a}
				return err
			}, selectAttachments+` WHERE user_id = $1 AND id IN $keys ORDER BY id`+tx.Lock(), owner)
			for id, a := range found {
				if err := findAttachmentAccount(ctx, tx, owner, &a); err != nil {
					return nil, err
				}
				found[id] = a
			}
			return found, err
		},
		Save: func(ctx context.Context, tx *db.Tx, owner journal.UserID, _, after []linkedAttachment) error {
			for _, a := range after {
				_, err := tx.Exec(ctx, `UPDATE attachments SET trade_id = $1, note_id = $2, name = $3 WHERE user_id = $4 AND id = $5`,
					a.Trade, a.Note, a.Name, owner, a.ID)
				if err != nil {
					return err
				}
			}
			return nil
		},
		FindObstacle: func(ctx context.Context, u *history.Undoing, a *linkedAttachment) (history.Key, error) {
			if a.Note != nil {
				_, err := readNote(ctx, u.Tx, u.Owner, *a.Note, "")
				return missing("note", string(*a.Note), err)
			}
			return s.findMissingTrade(ctx, u, a.Trade)
		},
		Prepare: func(ctx context.Context, u *history.Undoing, a *linkedAttachment) error {
			return s.anchorTrade(ctx, u, a.Trade)
		},
		KeepMore: func(ctx context.Context, tx *db.Tx, owner journal.UserID, a *linkedAttachment) error {
			return keepContent(ctx, tx, owner, s.clock(), `id = $2`, a.ID)
		},
		Changed: func(ctx context.Context, u *history.Undoing, before, after *linkedAttachment) error {
			tx, owner := u.Tx, u.Owner
			var trades []*journal.TradeID
			for _, a := range []*linkedAttachment{before, after} {
				if a != nil {
					trades = append(trades, a.Trade)
				}
			}
			if before == nil {
				if err := restoreContent(ctx, tx, owner, `id = $2`, after.ID); err != nil {
					return err
				}
			}
			if err := dropEmptied(ctx, u, trades...); err != nil {
				return err
			}
			return s.reportLinked(ctx, tx, owner, trades...)
		},
	}
}
