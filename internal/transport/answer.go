package transport

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"fillbook/internal/journal"
)

const (
	// keepWhole is how much of an answer is held back to give it an ETag and
	// a length; a longer one is streamed.
	keepWhole = 1 << 20
	// worthZipping is the size from which gzip saves more than it costs.
	worthZipping = 1 << 10
)

// Answer gives successful answers an ETag, answers 304 where the client has
// it already, and compresses what is worth it. What a client does not take at
// once waits in the spool, so that the handler never waits for it.
func Answer(spool *Spool) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			a := &answer{ResponseWriter: w, request: r, spool: spool}
			finished := false
			defer func() {
				if !finished && a.relay != nil { // the handler panicked
					a.relay.abort()
				}
			}()
			next.ServeHTTP(a, r)
			a.finish()
			finished = true
		})
	}
}

// ETag is the tag of a value: of the JSON that an answer with it has.
func ETag(value any) (string, error) {
	body, err := Marshal(value)
	if err != nil {
		return "", err
	}
	return etagOf(body), nil
}

func etagOf(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:15]) + `"`
}

// IfMatch makes the check of a conditional write: header is the request's
// If-Match, and the check compares it with the record as it is stored, written
// as the JSON that a reader of it gets. Without the header there is no check.
func IfMatch[T any](header string, shape func(T) any) func(T) error {
	if header == "" || header == "*" {
		return nil
	}
	return func(stored T) error {
		tag, err := ETag(shape(stored))
		if err != nil {
			return err
		}
		if !Matches(header, tag) {
			return journal.Stale()
		}
		return nil
	}
}

// Matches tells whether an If-Match or If-None-Match header names a tag. It
// compares by value: a proxy may have marked the tag as weak.
func Matches(header, tag string) bool {
	for item := range strings.SplitSeq(header, ",") {
		item = strings.TrimPrefix(strings.TrimSpace(item), "W/")
		if item == tag || item == "*" {
			return true
		}
	}
	return false
}

// answer holds back an answer until it is known to be whole or too long.
type answer struct {
	http.ResponseWriter
	request *http.Request
	spool   *Spool
	status  int
	held    bytes.Buffer
	relay   *relay // set once a long answer is streamed
	zip     *gzip.Writer
}

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *answer) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	if a.relay == nil && a.held.Len()+len(p) <= keepWhole {
		return a.held.Write(p)
	}
	if a.relay == nil {
		if err := a.stream(); err != nil {
			return 0, err
		}
	}
	return a.out().Write(p)
}

// Unwrap lets http.ResponseController reach the connection.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *answer) out() io.Writer {
	if a.zip != nil {
		return a.zip
	}
	return a.relay
}

// stream gives up holding back: what is held goes out, the rest follows.
func (a *answer) stream() error {
	zips := a.varies()
	if zips {
		a.setZipped()
	}
	a.ResponseWriter.WriteHeader(a.status)
	a.relay = newRelay(a.ResponseWriter, a.spool, RequestOf(a.request.Context()).User)
	if zips {
		a.zip = newZipper(a.relay)
	}
	_, err := a.out().Write(a.held.Bytes())
	a.held = bytes.Buffer{}
	return err
}

func (a *answer) finish() {
	if a.relay != nil {
		a.endZip()
		_ = a.relay.finish() // the client is gone
		return
	}
	if a.status == 0 {
		a.status = http.StatusOK
	}
	a.tag()
	zips := a.held.Len() > worthZipping && a.varies()
	if a.notModified() {
		a.Header().Del("Content-Type")
		a.ResponseWriter.WriteHeader(http.StatusNotModified)
		return
	}
	if zips {
		a.zipHeld()
	}
	if a.held.Len() > 0 {
		a.Header().Set("Content-Length", strconv.Itoa(a.held.Len()))
	}
	a.ResponseWriter.WriteHeader(a.status)
	a.sendHeld()
}

// sendHeld sends a whole answer, a large one from the spool: a slow client must
// not keep it in memory.
func (a *answer) sendHeld() {
	if a.held.Len() <= relayMemory {
		_, _ = a.ResponseWriter.Write(a.held.Bytes())
		return
	}
	a.relay = newRelay(a.ResponseWriter, a.spool, RequestOf(a.request.Context()).User)
	_, _ = a.relay.Write(a.held.Bytes())
	a.held = bytes.Buffer{}
	_ = a.relay.finish()
}

// tag gives a whole, successful JSON answer the tag of its bytes.
func (a *answer) tag() {
	h := a.Header()
	if a.status/100 != 2 || a.held.Len() == 0 || h.Get("ETag") != "" {
		return
	}
	if strings.HasPrefix(h.Get("Content-Type"), "application/json") {
		h.Set("ETag", etagOf(a.held.Bytes()))
	}
}

func (a *answer) notModified() bool {
	if a.status != http.StatusOK || a.request.Method != http.MethodGet && a.request.Method != http.MethodHead {
		return false
	}
	tag := a.Header().Get("ETag")
	return tag != "" && Matches(a.request.Header.Get("If-None-Match"), tag)
}

var zippers = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
	return w
}}

// varies tells whether to compress, and tells caches that it depends on who
// asks.
func (a *answer) varies() bool {
	h := a.Header()
	if !strings.Contains(h.Get("Content-Type"), "json") && !strings.HasPrefix(h.Get("Content-Type"), "text/") {
		return false
	}
	h.Add("Vary", "Accept-Encoding")
	return h.Get("Content-Encoding") == "" && acceptsGzip(a.request.Header.Get("Accept-Encoding"))
}

func (a *answer) setZipped() {
	a.Header().Set("Content-Encoding", "gzip")
	a.Header().Del("Content-Length")
}

func newZipper(to io.Writer) *gzip.Writer {
	zip := zippers.Get().(*gzip.Writer)
	zip.Reset(to)
	return zip
}

// zipHeld compresses a whole answer.
func (a *answer) zipHeld() {
	a.setZipped()
	plain := a.held
	a.held = bytes.Buffer{}
	a.zip = newZipper(&a.held)
	_, _ = a.zip.Write(plain.Bytes())
	a.endZip()
}

func (a *answer) endZip() {
	if a.zip == nil {
		return
	}
	_ = a.zip.Close()
	zippers.Put(a.zip)
	a.zip = nil
}

func acceptsGzip(header string) bool {
	for item := range strings.SplitSeq(header, ",") {
		name, parameters, _ := strings.Cut(item, ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			return quality(parameters) > 0
		}
	}
	return false
}

// quality is how much a client likes an encoding: 0 is not at all.
func quality(parameters string) float64 {
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(parameter, "=")
		if strings.EqualFold(strings.TrimSpace(name), "q") {
			liked, _ := strconv.ParseFloat(strings.TrimSpace(value), 64)
			return liked
		}
	}
	return 1
}
