package providertest

import (
	"bytes"
	"crypto/hmac"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Routes are a server's answers by path.
type Routes map[string]func(url.Values) http.HandlerFunc

// Server is a server that answers like a provider.
type Server struct {
	// Now is its clock.
	Now time.Time
	// Public are the answers to requests without credentials, by path, and Private those
	// to requests Verify accepts. They get the parameters in the address or in a form, or
	// the members of a JSON object.
	Public, Private Routes
	// Verify returns the refusal for a request with wrong credentials or a wrong
	// signature, otherwise nil. It may be nil.
	Verify func(r *http.Request, body string) http.HandlerFunc
	// Unknown is the answer to other paths.
	Unknown http.HandlerFunc
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	answer := s.Public[r.URL.Path]
	if answer == nil {
		if s.Verify != nil {
			if refusal := s.Verify(r, string(body)); refusal != nil {
				refusal(w, r)
				return
			}
		}
		answer = s.Private[r.URL.Path]
	}
	switch {
	case answer != nil:
		answer(parseParameters(r, body))(w, r)
	case s.Unknown != nil:
		s.Unknown(w, r)
	default:
		http.NotFound(w, r)
	}
}

// parseParameters returns a request's parameters.
func parseParameters(r *http.Request, body []byte) url.Values {
	values := r.URL.Query()
	if r.Header.Get("Content-Type") == "application/x-www-form-urlencoded" {
		values, _ = url.ParseQuery(string(body))
	}
	for name, value := range parseRecord(string(body)) {
		values.Set(name, fmt.Sprint(value))
	}
	return values
}

// Static returns the answer for a path without parameters.
func Static(body string) func(url.Values) http.HandlerFunc {
	return func(url.Values) http.HandlerFunc { return OK(body) }
}

// Sign returns a text's HMAC.
func Sign(newHash func() hash.Hash, secret, text string) []byte {
	mac := hmac.New(newHash, []byte(secret))
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// Int returns a parameter as a number, which is 0 if none.
func Int(values url.Values, name string) int64 {
	number, _ := strconv.ParseInt(values.Get(name), 10, 64)
	return number
}

// Record is a JSON object.
type Record map[string]any

func parseRecord(text string) (r Record) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if decoder.Decode(&r) != nil {
		return nil
	}
	return r
}

// Text returns a member as text.
func (r Record) Text(name string) string {
	if value := r[name]; value != nil {
		return fmt.Sprint(value)
	}
	return ""
}

// Int returns a member as a number, which is 0 if none.
func (r Record) Int(name string) int64 {
	number, _ := strconv.ParseInt(r.Text(name), 10, 64)
	return number
}

// With returns a copy of the object with other or further members.
func (r Record) With(members Record) Record {
	copied := maps.Clone(r)
	maps.Copy(copied, members)
	return copied
}

// JSON returns the object as text.
func (r Record) JSON() string {
	text, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// List are JSON objects of a server.
type List []string

// Select returns the objects for which a function returns true.
func (l List) Select(keep func(Record) bool) List {
	return slices.DeleteFunc(slices.Clone(l), func(text string) bool {
		r, isKnown := parsed.Load(text)
		if !isKnown {
			r, _ = parsed.LoadOrStore(text, parseRecord(text))
		}
		record := r.(Record)
		if record == nil {
			panic("not a JSON object: " + text)
		}
		return !keep(record)
	})
}

// parsed are the list objects by their text: a test selects from a list many times.
var parsed sync.Map

// Page returns some of the objects after a number of them.
func (l List) Page(offset, limit int64) List {
	length := int64(len(l))
	return l[min(max(offset, 0), length):min(offset+limit, length)]
}

// Reverse returns the objects in the other order.
func (l List) Reverse() List {
	reversed := slices.Clone(l)
	slices.Reverse(reversed)
	return reversed
}

// String returns the objects as a JSON array.
func (l List) String() string { return "[" + strings.Join(l, ",") + "]" }
