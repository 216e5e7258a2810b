package httpapi

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/transport"
)

type attachment struct {
	ID        journal.AttachmentID `json:"id"`
	TradeID   *journal.TradeID     `json:"trade_id"`
	NoteID    *journal.NoteID      `json:"note_id"`
	Name      string               `json:"name"`
	MediaType string               `json:"media_type"`
	Size      int64                `json:"size"`
	SHA256    string               `json:"sha256"`
	CreatedAt time.Time            `json:"created_at"`
}

func shapeAttachment(a playbook.Attachment) attachment {
	return attachment{
		ID: a.ID, TradeID: a.Trade, NoteID: a.Note, Name: a.Name, MediaType: a.MediaType, Size: a.Size,
		SHA256: hex.EncodeToString(a.SHA256), CreatedAt: a.CreatedAt,
	}
}

// attachmentAPI has the operations on attachments.
type attachmentAPI struct {
	db       *db.DB
	playbook *playbook.Service
}

func (a attachmentAPI) register(api *API) {
	for _, parent := range []struct {
		path, name string
		target     func(id string) playbook.Target
	}{
		{"/trades", "Trade", func(id string) playbook.Target { return playbook.Target{Trade: journal.TradeID(id)} }},
		{"/notes", "Note", func(id string) playbook.Target { return playbook.Target{Note: journal.NoteID(id)} }},
	} {
		a.registerAttachedRoutes(api, parent.path, parent.name, parent.target)
	}
	a.registerAttachmentFileRoutes(api)
}

func (a attachmentAPI) registerAttachedRoutes(api *API, path, name string, target func(string) playbook.Target) {
	add := journalRoute(writeJournal, http.MethodPost, path+"/{id}/attachments", "addTo"+name, "Attachments", "Attach an image or a PDF")
	add.body, add.limit, add.form = transport.FormBody, api.options.AttachmentMaxBytes, true
	add.limitKind = attachmentQueue
	register(api, add, func(ctx context.Context, in *ByID[string]) (*body[attachment], error) {
		form := transport.FormOf(ctx)
		if form.File == nil {
			return nil, journal.InvalidField("file", "The form has no file. Send one in the field file.")
		}
		upload := playbook.Upload{Name: form.File.Name, Content: form.File.Content()}
		added, err := a.playbook.Attach(ctx, caller(ctx).UserID, target(in.ID), upload)
		return answer(shapeAttachment(added), err)
	})
	list := journalRoute(readJournal, http.MethodGet, path+"/{id}/attachments", "listOf"+name, "Attachments", "List attachments")
	registerList(api, list, func(ctx context.Context, in *attachedQuery) (*listing[attachment], error) {
		var attached []playbook.Attachment
		err := a.db.View(ctx, func(tx *db.Tx) (err error) {
			attached, err = listAttached(ctx, tx, caller(ctx).UserID, target(in.ID))
			return err
		})
		if err != nil {
			return nil, err
		}
		return paginate(&in.Paging, attached, shapeAttachment, func(f playbook.Attachment) string { return string(f.ID) })
	})
}

// attachedQuery selects a record's attachments.
type attachedQuery struct {
	ByID[string]
	Paging
}

// listAttached lists the attachments on the owner's trade or note.
func listAttached(ctx context.Context, tx *db.Tx, owner journal.UserID, target playbook.Target) (list []playbook.Attachment, err error) {
	if target.Trade != "" {
		err = ledger.CheckTradeOwner(ctx, tx, owner, target.Trade)
	} else {
		err = playbook.CheckNoteOwner(ctx, tx, owner, target.Note)
	}
	if err != nil {
		return nil, err
	}
	return playbook.AttachmentsOf(ctx, tx, owner, target)
}

func (a attachmentAPI) registerAttachmentFileRoutes(api *API) {
	read := journalRoute(readJournal, http.MethodGet, "/attachments/{id}", "getAttachment", "Attachments", "Download an attachment")
	read.files, read.long = []string{"*/*"}, true
	register(api, read, func(ctx context.Context, in *ByID[journal.AttachmentID]) (*streamed, error) {
		found, content, err := a.playbook.OpenAttachment(ctx, caller(ctx).UserID, in.ID)
		if err != nil {
			return nil, err
		}
		tag, err := transport.ETag(shapeAttachment(found))
		if err != nil {
			return nil, errors.Join(err, content.Close())
		}
		return &streamed{func(w http.ResponseWriter, r *http.Request) { sendFile(w, r, found, tag, content) }}, nil
	})
	register(api, journalRoute(writeJournal, http.MethodDelete, "/attachments/{id}", "deleteAttachment", "Attachments", "Delete an attachment"),
		func(ctx context.Context, in *DeleteOf[journal.AttachmentID]) (*nothing, error) {
			check := transport.IfMatch(in.IfMatch, func(f playbook.Attachment) any { return shapeAttachment(f) })
			return nil, a.playbook.DeleteAttachment(ctx, caller(ctx).UserID, in.ID, check)
		})
}

// sendFile sends a file as a download, which no browser runs on our origin. Its tag is
// the record's, for If-Match.
func sendFile(w http.ResponseWriter, r *http.Request, file playbook.Attachment, tag string, content io.ReadCloser) {
	defer content.Close() //nolint:errcheck // it was only read
	w.Header().Set("ETag", tag)
	if transport.MatchesETag(r.Header.Get("If-None-Match"), tag) { // a large file is not buffered to compute its tag
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", file.MediaType)
	w.Header().Set("Content-Length", strconv.FormatInt(file.Size, 10))
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": file.Name}))
	w.Header().Set("Content-Security-Policy", "default-src 'none'; sandbox")
	w.WriteHeader(http.StatusOK)
	_, _ = io.Copy(w, content)
}
