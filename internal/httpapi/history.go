package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/transport"
)

// historyChange is a change as the API shows it.
type historyChange struct {
	ID           journal.ChangeID   `json:"id"`
	At           time.Time          `json:"at"`
	Actor        history.Actor      `json:"actor"`
	Action       history.Action     `json:"action" enum:"create,update,delete,bulk,import,reverse,restore,run,deliver,undo,settings,security"`
	Summary      string             `json:"summary" doc:"A sentence, such as: Deleted 3 fills of AAPL."`
	AccountID    *journal.AccountID `json:"account_id" doc:"The account whose stream has the change; null for the user's own stream."`
	ObjectsTotal int                `json:"objects_total"`
	Objects      []changedObject    `json:"objects" doc:"The first 20 objects."`
	Undoable     bool               `json:"undoable" doc:"Later changes may be in the way nevertheless."`
	NotUndoable  *history.Reason    `json:"not_undoable" enum:"security,permanent,expired,erased,already_undone"`
	Undoes       *journal.ChangeID  `json:"undoes" doc:"The change that this one undoes."`
	UndoneBy     *journal.ChangeID  `json:"undone_by"`
	ExpiresAt    *time.Time         `json:"expires_at" doc:"Until when what was removed is kept."`
	ErasedAt     *time.Time         `json:"erased_at"`
	Hash         string             `json:"hash"`
	PreviousHash string             `json:"previous_hash" doc:"The hash of the change before it in the same stream; 64 zeros for the first."`
}

// changedObject is a record that a change created, updated or deleted.
type changedObject struct {
	Type     string               `json:"type"`
	ID       string               `json:"id"`
	Label    string               `json:"label"`
	Action   history.ObjectAction `json:"action" enum:"created,updated,deleted"`
	Fields   []changedField       `json:"fields" doc:"The fields that changed. Those of a deleted object, and long texts, are shown as long as they are kept; in a list only if the change kept little."`
	Contains map[string]int       `json:"contains,omitempty" doc:"How many records of each type were created or deleted with it."`
}

// changedField is a value before and after a change.
type changedField struct {
	Name   string          `json:"name"`
	Before json.RawMessage `json:"before" doc:"Decimals are texts."`
	After  json.RawMessage `json:"after"`
}

func shapeChange(c history.Change) historyChange {
	out := historyChange{
		ID: c.ID, At: c.At, Actor: c.Actor, Action: c.Action, Summary: c.Summary, AccountID: nilIfZero(c.Account), ObjectsTotal: c.Total,
		Undoable: c.NotUndoable == "", NotUndoable: nilIfZero(c.NotUndoable), Undoes: nilIfZero(c.Undoes), UndoneBy: nilIfZero(c.UndoneBy),
		ExpiresAt: c.ExpiresAt, ErasedAt: c.ErasedAt, Hash: c.Hash.String(), PreviousHash: c.PreviousHash.String(),
	}
	out.Objects = shapeAll(c.Objects[:min(len(c.Objects), 20)], shapeObject)
	return out
}

func shapeObject(o history.Object) changedObject {
	out := changedObject{Type: o.Type, ID: o.ID, Label: o.Label, Action: o.Action, Fields: []changedField{}, Contains: o.Contains}
	for _, f := range o.Fields {
		if history.IsInternal(f.Name) {
			continue
		}
		out.Fields = append(out.Fields, changedField{f.Name, json.RawMessage(f.Before), json.RawMessage(f.After)})
	}
	return out
}

// historyHead is the end of all streams.
type historyHead struct {
	Streams  []streamHead `json:"streams" doc:"Streams with at least one change, also of deleted accounts."`
	UndoDays int          `json:"undo_days" doc:"How many days what a deletion removed is kept for an undo."`
	Hash     string       `json:"hash" doc:"SHA-256 over the hashes of all streams, the user's own first, then by account id."`
}

// streamHead is the end of a stream.
type streamHead struct {
	AccountID *journal.AccountID `json:"account_id"`
	Changes   int64              `json:"changes"`
	Hash      string             `json:"hash" doc:"Of the last change."`
	At        time.Time          `json:"at"`
}

// historyAPI has the operations on the history.
type historyAPI struct {
	history *history.Service
	ledger  *ledger.Service
	// relate returns the records whose changes belong to a record's history.
	relate func(ctx context.Context, owner journal.UserID, key history.Key) ([]history.Key, error)
}

func historyRoute(needs permission, method, path, id, summary string) route {
	return journalRoute(needs, method, "/history"+path, id, "History", summary)
}

func (a historyAPI) register(api *API) {
	list := historyRoute(readJournal, http.MethodGet, "", "listChanges", "List changes, newest first")
	list.about = "Without limit, the newest 1000 are returned. X-Total-Count is sent only if nothing is filtered."
	list.repeated = append(slices.Clone(repeatable), "type", "action")
	registerList(api, list, a.listChanges)
	register(api, historyRoute(readJournal, http.MethodGet, "/head", "getHistoryHead", "Get the hashes of the last changes"), a.head)
	register(api, historyRoute(readJournal, http.MethodGet, "/{id}", "getChange", "Get a change"), a.get)
	registerList(api, historyRoute(readJournal, http.MethodGet, "/{id}/objects", "listChangedObjects", "List all objects of a change"), a.listObjects)
	erase := historyRoute(eraseHistory, http.MethodPost, "/{id}/erase", "eraseChange", "Remove the values of a change for good")
	erase.about = "What happened, when and by whom stays, and the chain of hashes still verifies."
	erase.status, erase.body = http.StatusNoContent, transport.NoBody
	register(api, erase, a.erase)
}

// historyInput is the query of the history.
type historyInput struct {
	Paging
	AccountID string   `query:"account_id" doc:"The account's stream, and the user's own changes with an object of it."`
	Type      []string `query:"type,explode" doc:"Types of objects."`
	ObjectID  string   `query:"object_id" doc:"The history of one record, with type. A trade's has the changes of its fills, imports, attachments and notes."`
	Actor     string   `query:"actor" doc:"A kind, or kind:id."`
	Action    []string `query:"action,explode"`
	PeriodInput
	Q string `query:"q" doc:"Words in the summary or the labels."`
}

// query returns the history's query.
func (in *historyInput) query() (q history.Query, err error) {
	q = history.Query{Account: journal.AccountID(in.AccountID), Words: in.Q}
	if q.Types, err = splitList[string]("type", in.Type); err != nil {
		return q, err
	}
	if err := checkWords("type", q.Types, history.Types()); err != nil {
		return q, err
	}
	if q.Actions, err = splitList[history.Action]("action", in.Action); err != nil {
		return q, err
	}
	if err := checkWords("action", q.Actions, history.Actions()); err != nil {
		return q, err
	}
	kind, id, _ := strings.Cut(in.Actor, ":")
	if q.Kind, q.ActorID = history.ActorKind(kind), id; kind != "" {
		if err := checkWords("actor", []history.ActorKind{q.Kind}, history.ActorKinds()); err != nil {
			return q, err
		}
	}
	q.Period, err = in.period()
	return q, err
}

// checkWords refuses unknown words in a parameter.
func checkWords[T ~string](field string, words, known []T) error {
	for _, word := range words {
		if !slices.Contains(known, word) {
			names := make([]string, len(known))
			for i, name := range known {
				names[i] = string(name)
			}
			return journal.InvalidField(field, "%s must be one of %s.", field, strings.Join(names, ", "))
		}
	}
	return nil
}

func (a historyAPI) listChanges(ctx context.Context, in *historyInput) (*listing[historyChange], error) {
	q, err := in.query()
	if err != nil {
		return nil, err
	}
	if in.ObjectID != "" {
		if len(q.Types) != 1 {
			return nil, journal.InvalidField("type", "type must be the type of the record that object_id names.")
		}
		if q.Keys, err = a.relate(ctx, caller(ctx).UserID, history.Key{Type: q.Types[0], ID: in.ObjectID}); err != nil {
			return nil, err
		}
		q.Types = nil // the changes of its fills are part of a trade's history
	}
	keys, err := in.decodeCursor(1)
	if err != nil {
		return nil, err
	}
	if keys != nil {
		if q.Before, err = strconv.ParseInt(keys[0], 10, 64); err != nil || q.Before < 1 {
			return nil, invalidCursor()
		}
	}
	size := in.pageSize()
	if size == 0 {
		in.Limit.Opt = journal.Some(maxPage)
		size = maxPage
	}
	q.Limit = size + 1
	if q.Account != "" && !journal.AllowsAccount(ctx, q.Account) {
		return nil, journal.NotFound("account")
	}
	page, err := a.history.List(ctx, caller(ctx).UserID, q)
	if err == nil && !page.HasStream {
		_, err = a.ledger.Account(ctx, caller(ctx).UserID, q.Account)
	}
	if err != nil {
		return nil, err
	}
	list := newListing(&in.Paging, page.Changes, 0, shapeChange, func(c history.Change) []string {
		return []string{strconv.FormatInt(c.Position, 10)}
	})
	if list.total = ""; page.Total != nil && in.pageSize() > 0 {
		list.total = strconv.Itoa(*page.Total)
	}
	return list, nil
}

func (a historyAPI) get(ctx context.Context, in *ByID[journal.ChangeID]) (*body[historyChange], error) {
	change, err := a.history.Get(ctx, caller(ctx).UserID, in.ID)
	return answer(shapeChange(change), err)
}

func (a historyAPI) listObjects(ctx context.Context, in *struct {
	ByID[journal.ChangeID]
	Paging
},
) (*listing[changedObject], error) {
	change, err := a.history.Get(ctx, caller(ctx).UserID, in.ID)
	if err != nil {
		return nil, err
	}
	return paginate(&in.Paging, change.Objects, shapeObject, func(o history.Object) string { return o.Type + " " + o.ID })
}

func (a historyAPI) head(ctx context.Context, _ *struct{}) (*body[historyHead], error) {
	heads, hash, err := a.history.Heads(ctx, caller(ctx).UserID)
	out := historyHead{Hash: hash.String(), UndoDays: a.history.UndoDays(), Streams: shapeAll(heads, func(h history.Head) streamHead {
		return streamHead{AccountID: nilIfZero(h.Account), Changes: h.Changes, Hash: h.Hash.String(), At: h.At}
	})}
	return answer(out, err)
}

func (a historyAPI) erase(ctx context.Context, in *ByID[journal.ChangeID]) (*nothing, error) {
	return nil, a.history.Erase(ctx, caller(ctx).UserID, in.ID)
}
