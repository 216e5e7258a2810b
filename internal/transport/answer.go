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

	"fillbook/internal/base/journal"
)

const (
	// maxBuffered is the largest response buffered to set its ETag and Content-Length. A
	// larger one is streamed.
	maxBuffered = 1 << 20
	// minCompressed is the smallest compressed response.
	minCompressed = 1 << 10
)

// BufferResponses sets the ETag on successful responses, responds with 304 if the client
// already has the content, and compresses large responses. What the client does not read
// at once is written to the spool, so the handler never waits for the client.
func BufferResponses(spool *Spool) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			a := &bufferedWriter{ResponseWriter: w, request: r, spool: spool, buffer: responseBuffers.Get().(*bytes.Buffer)}
			defer a.release()
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

// ETag returns the entity tag for a response with this value as JSON.
func ETag(value any) (string, error) {
	body, err := Marshal(value)
	if err != nil {
		return "", err
	}
	return hashETag(body), nil
}

func hashETag(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:15]) + `"`
}

// IfMatch returns the check for a conditional write, or nil if the If-Match header is
// empty or *. The check compares the header with the stored record's ETag, in the JSON
// shape of a GET response.
func IfMatch[T any](header string, shape func(T) any) func(T) error {
	if header == "" || header == "*" {
		return nil
	}
	return func(stored T) error {
		tag, err := ETag(shape(stored))
		if err != nil {
			return err
		}
		if !MatchesETag(header, tag) {
			return journal.Stale()
		}
		return nil
	}
}

// MatchesETag reports whether an If-Match or If-None-Match header contains a
// tag. Weak tags match too: a proxy may have weakened ours.
func MatchesETag(header, tag string) bool {
	for item := range strings.SplitSeq(header, ",") {
		item = strings.TrimPrefix(strings.TrimSpace(item), "W/")
		if item == tag || item == "*" {
			return true
		}
	}
	return false
}

// bufferedWriter buffers a response until it is complete or larger than
// maxBuffered.
type bufferedWriter struct {
	http.ResponseWriter
	request *http.Request
	spool   *Spool
	status  int
	buffer  *bytes.Buffer
	relay   *relay // set while a large response is streamed
	gzip    *gzip.Writer
}

// responseBuffers are response buffers. A new one would grow, and be copied, several
// times.
var responseBuffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// release makes the buffer available to other responses.
func (a *bufferedWriter) release() {
	if a.buffer == nil {
		return
	}
	a.buffer.Reset()
	responseBuffers.Put(a.buffer)
	a.buffer = nil
}

func (a *bufferedWriter) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *bufferedWriter) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	if a.relay == nil && a.buffer.Len()+len(p) <= maxBuffered {
		return a.buffer.Write(p)
	}
	if a.relay == nil {
		if err := a.stream(); err != nil {
			return 0, err
		}
	}
	return a.output().Write(p)
}

// Unwrap lets http.ResponseController reach the connection.
func (a *bufferedWriter) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *bufferedWriter) output() io.Writer {
	if a.gzip != nil {
		return a.gzip
	}
	return a.relay
}

// stream sends the buffer and streams the rest of the response.
func (a *bufferedWriter) stream() error {
	compress := a.negotiateGzip()
	if compress {
		a.setGzipHeaders()
	}
	a.ResponseWriter.WriteHeader(a.status)
	a.relay = newRelay(a.ResponseWriter, a.spool, RequestOf(a.request.Context()).User)
	if compress {
		a.gzip = newGzipWriter(a.relay)
	}
	_, err := a.output().Write(a.buffer.Bytes())
	a.release()
	return err
}

func (a *bufferedWriter) finish() {
	if a.relay != nil {
		a.closeGzip()
		_ = a.relay.finish() // the client is gone
		return
	}
	if a.status == 0 {
		a.status = http.StatusOK
	}
	a.setETag()
	compress := a.buffer.Len() > minCompressed && a.negotiateGzip()
	if a.notModified() {
		a.Header().Del("Content-Type")
		a.ResponseWriter.WriteHeader(http.StatusNotModified)
		return
	}
	if compress {
		a.compressBuffer()
	}
	if a.buffer.Len() > 0 {
		a.Header().Set("Content-Length", strconv.Itoa(a.buffer.Len()))
	}
	a.ResponseWriter.WriteHeader(a.status)
	a.sendBuffer()
}

// sendBuffer sends a complete response. What a slow client does not read of a large one
// goes through the spool, so it does not keep it in memory.
func (a *bufferedWriter) sendBuffer() {
	if a.buffer.Len() <= relayMemory {
		_, _ = a.ResponseWriter.Write(a.buffer.Bytes())
		return
	}
	a.relay = newRelay(a.ResponseWriter, a.spool, RequestOf(a.request.Context()).User)
	a.relay.writeAll(a.buffer.Bytes())
	a.release()
	_ = a.relay.finish()
}

// setETag sets the ETag on a complete and successful JSON response.
func (a *bufferedWriter) setETag() {
	h := a.Header()
	if a.status/100 != 2 || a.buffer.Len() == 0 || h.Get("ETag") != "" {
		return
	}
	if strings.HasPrefix(h.Get("Content-Type"), "application/json") {
		h.Set("ETag", hashETag(a.buffer.Bytes()))
	}
}

func (a *bufferedWriter) notModified() bool {
	if a.status != http.StatusOK || a.request.Method != http.MethodGet && a.request.Method != http.MethodHead {
		return false
	}
	tag := a.Header().Get("ETag")
	return tag != "" && MatchesETag(a.request.Header.Get("If-None-Match"), tag)
}

var gzipWriters = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
	return w
}}

// negotiateGzip reports whether to compress the response, and sets Vary for
// caches if it depends on the client.
func (a *bufferedWriter) negotiateGzip() bool {
	h := a.Header()
	if !strings.Contains(h.Get("Content-Type"), "json") && !strings.HasPrefix(h.Get("Content-Type"), "text/") {
		return false
	}
	h.Add("Vary", "Accept-Encoding")
	return h.Get("Content-Encoding") == "" && acceptsGzip(a.request.Header.Get("Accept-Encoding"))
}

func (a *bufferedWriter) setGzipHeaders() {
	a.Header().Set("Content-Encoding", "gzip")
	a.Header().Del("Content-Length")
}

func newGzipWriter(to io.Writer) *gzip.Writer {
	zip := gzipWriters.Get().(*gzip.Writer)
	zip.Reset(to)
	return zip
}

// compressBuffer compresses a complete response.
func (a *bufferedWriter) compressBuffer() {
	a.setGzipHeaders()
	plain := a.buffer
	a.buffer = responseBuffers.Get().(*bytes.Buffer)
	a.gzip = newGzipWriter(a.buffer)
	_, _ = a.gzip.Write(plain.Bytes())
	a.closeGzip()
	plain.Reset()
	responseBuffers.Put(plain)
}

func (a *bufferedWriter) closeGzip() {
	if a.gzip == nil {
		return
	}
	_ = a.gzip.Close()
	gzipWriters.Put(a.gzip)
	a.gzip = nil
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

// quality returns an encoding's q value; 0 means not acceptable.
func quality(parameters string) float64 {
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(parameter, "=")
		if strings.EqualFold(strings.TrimSpace(name), "q") {
			parsed, _ := strconv.ParseFloat(strings.TrimSpace(value), 64)
			return parsed
		}
	}
	return 1
}
