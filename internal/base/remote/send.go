package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
)

const (
	// MaxPageBytes is how long one answer may be, unless a session has another limit.
	MaxPageBytes = 8 << 20
	// maxRequests is how many requests a session may send, unless it has another limit.
	maxRequests = 250
	// maxMessage is how much text from a provider is kept.
	maxMessage = 300
	// minSecret is the minimum key length. Shorter texts are no provider keys, and may be
	// part of any word.
	minSecret = 6
	// maxRetryAfter is the longest wait honored: Binance blocks an address for three days
	// at most.
	maxRetryAfter = 72 * time.Hour
)

// Request is a request to a provider. Without JSON and IsForm it is a GET with the
// parameters in the address.
type Request struct {
	// Address is the documented address, with https.
	Address    string
	Parameters map[string]string
	// Query is added to the parameters in the address as it is.
	Query  string
	Header map[string]string
	// User is the basic authentication user, without a password.
	User string
	// IsForm sends the parameters as a form with POST.
	IsForm bool
	// JSON is sent with POST if it is not nil.
	JSON any
	// Sign adds a signature to the otherwise complete request: its query text and its
	// body are sent as they are. It may be nil.
	Sign func(request *http.Request, body []byte)
	// Classify returns the error for an answer, or nil if its status decides. It may be
	// nil.
	Classify func(Answer) error
	// AskTime asks the provider for its time, if it refuses the request's. It may be nil:
	// then the time in its answers is used, which has whole seconds.
	AskTime func(ctx context.Context) (time.Time, error)
}

// Answer is an answer before its body is decoded.
type Answer struct {
	Status int
	Header http.Header
	// Code and Message are from the provider's own error, if the answer has one. Classify
	// may look for them in Body if it returns an [*Error].
	Code, Message string
	Body          []byte
	// Now is the present.
	Now time.Time
}

// Fetch sends a request and decodes the JSON answer. It returns this package's errors,
// without secrets.
func (s *Session) Fetch(ctx context.Context, request Request, into any) error {
	body, err := s.Send(ctx, request)
	if err != nil {
		return err
	}
	return decodeJSON(body, into)
}

func decodeJSON(body []byte, into any) error {
	err := json.Unmarshal(body, into)
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax) && syntax.Offset >= int64(len(body)):
		return ErrTruncated
	}
	return Malformed("it is not the JSON that was expected")
}

// Send sends a request and returns the answer's body. If the provider refuses the request
// time, it is sent a second time with the provider's time.
func (s *Session) Send(ctx context.Context, request Request) ([]byte, error) {
	before := s.offset
	body, err := s.sendOnce(ctx, request)
	if errors.Is(err, ErrClock) && (s.measureClock(ctx, request.AskTime) || s.offset != before) {
		return s.sendOnce(ctx, request)
	}
	return body, err
}

// measureClock reports whether the provider returned its time, for which it is asked once
// per session. The time is taken as the middle between request and arrival.
func (s *Session) measureClock(ctx context.Context, ask func(ctx context.Context) (time.Time, error)) bool {
	if ask == nil || s.isMeasured {
		return false
	}
	sent := s.clock()
	at, err := ask(ctx)
	if err != nil {
		return false
	}
	s.offset, s.isMeasured = at.Sub(sent)-s.clock().Sub(sent)/2, true
	return true
}

func (s *Session) sendOnce(ctx context.Context, request Request) ([]byte, error) {
	if s.requests++; s.requests > s.options.MaxRequests {
		return nil, fmt.Errorf("%w: it has more than %d pages", ErrTooLarge, s.options.MaxRequests)
	}
	built, err := request.build(ctx)
	if err != nil {
		return nil, err
	}
	response, err := s.client.Do(built)
	if err != nil {
		return nil, fmt.Errorf("asking %s: %w", built.URL.Host, err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := readBody(response.Body, s.options.MaxBytes)
	if err != nil {
		return nil, err
	}
	s.noteClock(response.Header)
	answer := Answer{Status: response.StatusCode, Header: response.Header, Now: s.Now(), Body: body}
	answer.Code, answer.Message = s.parseRefusal(body)
	kind := answer.ByStatus()
	if request.Classify != nil {
		if own := request.Classify(answer); own != nil {
			kind = own
		}
	}
	if kind != nil {
		return nil, s.wrap(answer, kind)
	}
	return body, nil
}

// noteClock compares this server's clock with an answer's time, which has whole seconds.
func (s *Session) noteClock(header http.Header) {
	at, err := http.ParseTime(header.Get("Date"))
	if err != nil || s.isMeasured {
		return
	}
	if offset := at.Sub(s.clock().Truncate(time.Second)); offset.Abs() > time.Second {
		s.offset = offset
	}
}

func (q Request) build(ctx context.Context) (*http.Request, error) {
	parameters := url.Values{}
	for name, value := range q.Parameters {
		parameters.Set(name, value)
	}
	method, address, kind := http.MethodGet, q.Address, ""
	var body []byte
	switch {
	case q.JSON != nil:
		encoded, err := json.Marshal(q.JSON)
		if err != nil {
			return nil, fmt.Errorf("encoding a request: %w", err)
		}
		method, kind, body = http.MethodPost, "application/json", encoded
	case q.IsForm:
		method, kind, body = http.MethodPost, "application/x-www-form-urlencoded", []byte(parameters.Encode())
	case len(parameters) > 0 && q.Query != "":
		address += "?" + parameters.Encode() + "&" + q.Query
	case len(parameters) > 0:
		address += "?" + parameters.Encode()
	}
	built, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("building a request: %w", err)
	}
	if kind != "" {
		built.Header.Set("Content-Type", kind)
	}
	for name, value := range q.Header {
		built.Header.Set(name, value)
	}
	if q.User != "" {
		built.SetBasicAuth(q.User, "")
	}
	if q.Sign != nil {
		q.Sign(built, body)
	}
	return built, nil
}

// readBody reads an answer up to its limit.
func readBody(in io.Reader, most int64) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(in, most+1))
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, ErrTruncated
	case err != nil:
		return nil, fmt.Errorf("reading an answer: %w", err)
	case int64(len(body)) > most:
		return nil, fmt.Errorf("%w: it has more than %d bytes", ErrTooLarge, most)
	}
	return body, nil
}

// parseRefusal returns an error's code and words, which providers put into different
// object members.
func (s *Session) parseRefusal(body []byte) (code, message string) {
	if body = bytes.TrimSpace(body); len(body) == 0 || body[0] != '{' {
		return "", ""
	}
	type words struct {
		Code         Number          `json:"code"`
		RetCode      Number          `json:"retCode"`
		Case         string          `json:"case"`
		Message      string          `json:"message"`
		Msg          string          `json:"msg"`
		RetMsg       string          `json:"retMsg"`
		ErrorMessage string          `json:"errorMessage"`
		Detail       json.RawMessage `json:"detail"`
	}
	var outer, inner words
	_ = json.Unmarshal(body, &outer) // a member with another type is left empty
	if json.Unmarshal(outer.Detail, &inner) != nil {
		_ = json.Unmarshal(outer.Detail, &inner.Message)
	}
	for _, w := range []words{outer, inner} {
		code = firstText(code, string(w.Code), string(w.RetCode), w.Case)
		message = firstText(message, w.Message, w.Msg, w.RetMsg, w.ErrorMessage)
	}
	return s.clean(code), s.clean(message)
}

func firstText(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// clean removes secrets and control characters from a provider's words and shortens
// them.
func (s *Session) clean(text string) string {
	for _, secret := range s.secrets {
		if len(secret) >= minSecret {
			text = strings.ReplaceAll(text, secret, "…")
		}
	}
	text = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || c == unicode.ReplacementChar {
			return ' '
		}
		return c
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	if letters := []rune(text); len(letters) > maxMessage {
		text = string(letters[:maxMessage]) + "…"
	}
	return text
}

// ByStatus returns the error for a status, or nil if it is 200.
func (a Answer) ByStatus() error {
	switch {
	case a.Status == http.StatusOK:
		return nil
	case a.Status == http.StatusPartialContent:
		return ErrTruncated
	case a.Status == http.StatusUnauthorized:
		return ErrUnauthorized
	case a.Status == http.StatusPaymentRequired, a.Status == http.StatusForbidden, a.Status == http.StatusUnavailableForLegalReasons:
		return ErrForbidden
	case a.Status == http.StatusNotFound:
		return ErrNotFound
	case a.Status == http.StatusTooManyRequests, a.Status == http.StatusTeapot:
		return &RateLimited{RetryAfter: a.RetryAfter(), IsBanned: a.Status == http.StatusTeapot}
	case a.Status == http.StatusRequestTimeout, a.Status >= http.StatusInternalServerError:
		return ErrUnavailable
	}
	return ErrRefused
}

// wrap adds the provider's words to an error.
func (s *Session) wrap(a Answer, kind error) error {
	if limited := (*RateLimited)(nil); errors.As(kind, &limited) {
		return limited
	}
	if own := (*Error)(nil); errors.As(kind, &own) {
		return &Error{Kind: own.Kind, Status: a.Status, Code: s.clean(own.Code), Message: s.clean(own.Message)}
	}
	return &Error{Kind: kind, Status: a.Status, Code: a.Code, Message: a.Message}
}

// RetryAfter returns the time in the header Retry-After, or 0 if none.
func (a Answer) RetryAfter() time.Duration {
	text := a.Header.Get("Retry-After")
	if seconds, err := strconv.ParseInt(text, 10, 32); err == nil {
		return limitWait(time.Duration(seconds) * time.Second)
	}
	if at, err := http.ParseTime(text); err == nil {
		return a.Until(at)
	}
	return 0
}

// UntilReset returns the time until the Unix second in a header, when a limit is reset,
// or Retry-After if none.
func (a Answer) UntilReset(header string) time.Duration {
	reset, err := strconv.ParseInt(a.Header.Get(header), 10, 64)
	if err != nil {
		return a.RetryAfter()
	}
	return a.Until(time.Unix(reset, 0))
}

// Until returns the wait until a time named by a provider.
func (a Answer) Until(at time.Time) time.Duration { return limitWait(at.Sub(a.Now)) }

func limitWait(wait time.Duration) time.Duration { return min(max(wait, 0), maxRetryAfter) }
