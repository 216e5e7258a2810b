package history

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/journal"
)

// Hash is a SHA-256 hash. In JSON it is 64 lower-case hex digits.
type Hash [sha256.Size]byte

// String returns the hex digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// maxHeaderObjects is how many objects a header and a listed change have.
const maxHeaderObjects = 20

// header is what an erasure leaves of a change. Its canonical form is hashed.
type header struct {
	owner   journal.PublicID
	account journal.AccountID // empty for the user's own stream
	seq     int64
	id      journal.ChangeID
	at      time.Time
	actor   Actor
	action  Action
	total   int
	objects []headerObject // the first 20
	undoes  journal.ChangeID
}

// headerObject names an object in a header.
type headerObject struct {
	Action ObjectAction `json:"action"`
	ID     string       `json:"id"`
	Type   string       `json:"type"`
}

// headerObjects returns the part of the objects that the header has.
func headerObjects(objects []Object) []headerObject {
	list := make([]headerObject, min(len(objects), maxHeaderObjects))
	for i := range list {
		list[i] = headerObject{objects[i].Action, objects[i].ID, objects[i].Type}
	}
	return list
}

// The functions below write members in the order of RFC 8785, which sorts them by name.

func quote[T ~string](b []byte, text T) []byte {
	b, _ = jsontext.AppendQuote(b, string(text)) // bytes that are not UTF-8 are replaced
	return b
}

// quoteOrNull writes null for an empty text.
func quoteOrNull[T ~string](b []byte, text T) []byte {
	if text == "" {
		return append(b, "null"...)
	}
	return quote(b, text)
}

// appendTo appends the header's canonical form.
func (h *header) appendTo(b []byte) []byte {
	b = quoteOrNull(append(b, `{"account_id":`...), h.account)
	b = quote(append(b, `,"action":`...), h.action)
	b = quote(append(b, `,"actor":{"id":`...), h.actor.ID)
	b = quote(append(b, `,"kind":`...), h.actor.Kind)
	b = quote(append(b, `,"name":`...), h.actor.Name)
	b = quote(append(b, `},"at":`...), journal.FormatInstant(h.at))
	b = quote(append(b, `,"id":`...), h.id)
	b = append(b, `,"objects":`...)
	b = appendHeaderObjects(b, h.objects)
	b = strconv.AppendInt(append(b, `,"objects_total":`...), int64(h.total), 10)
	b = strconv.AppendInt(append(b, `,"seq":`...), h.seq, 10)
	b = quoteOrNull(append(b, `,"undoes":`...), h.undoes)
	b = quote(append(b, `,"user_id":`...), h.owner)
	return append(b, `,"v":1}`...)
}

func appendHeaderObjects(b []byte, list []headerObject) []byte {
	b = append(b, '[')
	for i, o := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = quote(append(b, `{"action":`...), o.Action)
		b = quote(append(b, `,"id":`...), o.ID)
		b = quote(append(b, `,"type":`...), o.Type)
		b = append(b, '}')
	}
	return append(b, ']')
}

// content is what an erasure removes from a change. Its canonical form is hashed.
type content struct {
	summary string
	objects []Object
	kept    *keptBlock
}

// keptBlock names a kept block.
type keptBlock struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// appendTo appends the content's canonical form.
func (c *content) appendTo(b []byte) []byte {
	b = append(b, '{')
	if c.kept != nil {
		b = strconv.AppendInt(append(b, `"kept":{"bytes":`...), c.kept.Bytes, 10)
		b = append(quote(append(b, `,"sha256":`...), c.kept.SHA256), `},`...)
	}
	b = append(b, `"objects":[`...)
	for i := range c.objects {
		if i > 0 {
			b = append(b, ',')
		}
		b = c.objects[i].appendTo(b)
	}
	b = quote(append(b, `],"summary":`...), c.summary)
	return append(b, '}')
}

// appendTo appends the object's canonical form. A deleted object's fields are in the kept
// block only, else they would never expire.
func (o *Object) appendTo(b []byte) []byte {
	b = quote(append(b, `{"action":`...), o.Action)
	if len(o.Contains) > 0 {
		b = append(b, `,"contains":{`...)
		for i, name := range slices.Sorted(maps.Keys(o.Contains)) {
			if i > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(append(quote(b, name), ':'), int64(o.Contains[name]), 10)
		}
		b = append(b, '}')
	}
	if o.Action != Deleted {
		b = appendFields(append(b, `,"fields":`...), o.Fields)
	}
	b = quote(append(b, `,"id":`...), o.ID)
	b = quote(append(b, `,"label":`...), o.Label)
	b = quote(append(b, `,"type":`...), o.Type)
	return append(b, '}')
}

func appendFields(b []byte, list []Field) []byte {
	b = append(b, '[')
	for i, f := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, `{"after":`...), f.After...)
		b = append(append(b, `,"before":`...), f.Before...)
		b = append(quote(append(b, `,"name":`...), f.Name), '}')
	}
	return append(b, ']')
}

// chain returns a change's hash.
func chain(previous Hash, header []byte, content Hash) (h Hash) {
	sum := sha256.New()
	_, _ = sum.Write(previous[:])
	_, _ = sum.Write(header)
	_, _ = sum.Write(content[:])
	sum.Sum(h[:0])
	return h
}
