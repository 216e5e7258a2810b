package backup

import (
	"encoding/hex"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/fields"
	"fillbook/internal/base/journal"
	"fillbook/internal/people/identity"
	"fillbook/internal/trading/playbook"
)

func (e *exporter) writeTags() error {
	return e.list("tags", func() error {
		return playbook.EachTag(e.ctx, e.tx, e.owner, func(tag playbook.Tag) error {
			return e.element(Tag{
				Name: tag.Name, Color: tag.Color, Description: tag.Description, Kind: string(tag.Kind), CreatedAt: Instant{tag.CreatedAt},
			})
		})
	})
}

func (e *exporter) writeSetups() error {
	return e.list("setups", func() error {
		return playbook.EachSetup(e.ctx, e.tx, e.owner, func(s playbook.Setup) error {
			return e.element(Setup{SetupChange: fields.CopyTo[playbook.SetupChange](&s.SetupValues), CreatedAt: Instant{s.CreatedAt}})
		})
	})
}

// writeNotes writes the notes, newest first. A single account's notes are those naming it
// or one of its trades.
func (e *exporter) writeNotes() error {
	illustrated := map[journal.NoteID]bool{}
	for _, file := range e.files {
		if file.Note != nil {
			illustrated[*file.Note] = true
		}
	}
	written := 0
	return e.list("notes", func() error {
		return playbook.EachNote(e.ctx, e.tx, e.owner, playbook.NoteFilter{}, playbook.Page{}, func(n playbook.Note) error {
			out := e.note(n)
			if e.isSingle() && out.Account == nil && out.Trade == nil {
				return nil
			}
			if illustrated[n.ID] {
				e.notes[n.ID] = written
			}
			written++
			return e.element(out)
		})
	})
}

func (e *exporter) note(n playbook.Note) Note {
	out := Note{Account: e.place(n.Account), ByApp: n.ByApp, CreatedAt: Instant{n.CreatedAt}}
	fields.Copy(&out.NoteValues, &n.NoteValues, "occurred_at", "account_id", "trade_id")
	out.OccurredAt = n.OccurredAt.String()
	if len(n.Symbols) == 0 {
		out.Symbols = nil
	}
	trade := n.Trade
	if hidden, gone := e.orphaned[n.ID]; gone {
		trade = &hidden
	}
	out.Trade = e.tradeRef(trade)
	return out
}

// place returns an account's place in the file, nil if it has none.
func (e *exporter) place(id *journal.AccountID) *int {
	if id == nil {
		return nil
	}
	place, there := e.places[*id]
	if !there {
		return nil
	}
	return &place
}

func (e *exporter) tradeRef(id *journal.TradeID) *TradeRef {
	if id == nil {
		return nil
	}
	ref, there := e.refs[*id]
	if !there {
		return nil
	}
	return &ref
}

// missedAtOnce is how many missed trades are in memory at a time; their notes may be long.
const missedAtOnce = 100

func (e *exporter) writeMissed() error {
	var scope journal.Scope
	if e.isSingle() {
		scope.Accounts = []journal.AccountID{e.scope.Account}
	}
	return e.list("missed_trades", func() error {
		page := playbook.Page{Limit: missedAtOnce}
		for {
			list, err := playbook.ListMissed(e.ctx, e.tx, e.owner, scope, page)
			if err != nil {
				return err
			}
			for _, m := range list {
				if err := e.element(e.missed(m)); err != nil {
					return err
				}
				page.After = playbook.Position{At: m.ObservedAt, ID: string(m.ID)}
			}
			if len(list) < missedAtOnce {
				return nil
			}
		}
	})
}

func (e *exporter) missed(m playbook.Missed) Missed {
	out := Missed{Account: e.place(m.Account), CreatedAt: Instant{m.CreatedAt}}
	fields.Copy(&out.MissedValues, &m.MissedValues, "account_id", "setup_id")
	if m.Setup != nil {
		out.Setup = e.named[*m.Setup]
	}
	return out
}

// endings are the file name endings of attachments.
var endings = map[string]string{
	"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "application/pdf": ".pdf",
}

func (e *exporter) writeAttachments() error {
	return e.list("attachments", func() error {
		for _, file := range e.files {
			out := FileRef{
				Name: file.Name, MediaType: file.MediaType, Size: file.Size, SHA256: hex.EncodeToString(file.SHA256),
				CreatedAt: Instant{file.CreatedAt}, Trade: e.tradeRef(file.Trade),
				Path: fmt.Sprintf("attachments/%05d%s", len(e.listed)+1, endings[file.MediaType]),
			}
			if file.Note != nil {
				if place, there := e.notes[*file.Note]; there {
					out.Note = &place
				}
			}
			if out.Trade == nil && out.Note == nil {
				continue // it belongs to another account's record
			}
			if err := e.element(out); err != nil {
				return err
			}
			e.listed = append(e.listed, listedFile{file.ID, out.Path})
		}
		return nil
	})
}

// rawValues returns the preferences as they are written. The store takes any
// JSON; what no strict reader would take, such as half a character, cannot come
// in through the API and would make the whole file unreadable.
func rawValues(prefs identity.Preferences) values {
	raw := make(values, len(prefs.Values))
	for key, value := range prefs.Values {
		if checkText([]byte("[["+string(value)+"]]")) == nil { // as deep as in the file
			raw[key] = jsontext.Value(value)
		}
	}
	return raw
}
