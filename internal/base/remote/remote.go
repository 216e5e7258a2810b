// Package remote has the shared parts of clients for other servers, for prices and for
// fills: credentials, building and sending requests, reading answers within limits, and
// errors.
//
// A client is pure: it builds requests, hands them to a [Doer] and maps the answers. It
// does not wait: the Doer keeps to the provider's rate.
package remote

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Doer sends requests to one provider's hosts. Requests name a declared host and use
// https; a Doer may send them to another address. It must not follow redirects to other
// hosts. It may wait to keep the provider's rate.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// Field is a provider's credential or choice.
type Field struct {
	// Name is the key in the credentials.
	Name string
	// Title and Help are for users.
	Title, Help string
	// IsSecret reports whether the value is never shown again.
	IsSecret bool
	// Choices are the allowed values. The first is used if the field is left empty.
	Choices []Choice
	// IsOptional reports whether a field without choices may be left empty.
	IsOptional bool
	// IsMultiline reports whether the value may have several lines, as a key in PEM.
	IsMultiline bool
}

// Choice is an allowed field value.
type Choice struct {
	// Value is stored and sent.
	Value string
	// Title is for users.
	Title string
}

// Values returns the allowed values, or none if every value is allowed.
func (f Field) Values() []string {
	values := make([]string, len(f.Choices))
	for i, c := range f.Choices {
		values[i] = c.Value
	}
	return values
}

// Session sends requests to a provider with a user's credentials. It is for one query or
// one run, and not safe for concurrent use.
type Session struct {
	client   Doer
	clock    func() time.Time
	options  Options
	values   map[string]string
	secrets  []string
	kept     map[string]string
	requests int
	// offset is how much the provider's clock is known to be ahead, and isMeasured
	// reports whether the provider was asked for its time.
	offset     time.Duration
	isMeasured bool
}

// Options are a session's settings. A zero limit means the default.
type Options struct {
	// MaxBytes is how long one answer may be.
	MaxBytes int64
	// MaxRequests is how many requests may be sent.
	MaxRequests int
	// KeepReplaced stores a value replaced by a provider; see [Session.Replace].
	KeepReplaced func(ctx context.Context, field, value string) error
}

// NewSession checks credentials and returns a session.
func NewSession(client Doer, fields []Field, credentials map[string]string, clock func() time.Time, options Options) (*Session, error) {
	if options.MaxBytes == 0 {
		options.MaxBytes = MaxPageBytes
	}
	if options.MaxRequests == 0 {
		options.MaxRequests = maxRequests
	}
	s := &Session{client: client, clock: clock, options: options, values: map[string]string{}, kept: map[string]string{}}
	for _, field := range fields {
		value, err := field.Parse(credentials[field.Name])
		if err != nil {
			return nil, err
		}
		if s.values[field.Name] = value; field.IsSecret {
			s.HideSecret(value)
		}
	}
	return s, nil
}

// Value returns a field's value.
func (s *Session) Value(field string) string { return s.values[field] }

// Replace replaces a field's value with a new one issued by the provider. It returns
// after the new value was stored: the provider no longer accepts the old one.
func (s *Session) Replace(ctx context.Context, field, value string) error {
	s.HideSecret(value)
	if s.options.KeepReplaced != nil {
		if err := s.options.KeepReplaced(ctx, field, value); err != nil {
			return fmt.Errorf("storing a new %s: %w", field, err)
		}
	}
	s.values[field] = value
	return nil
}

// Keep keeps a secret for the rest of the session, such as an access token. No error
// contains it.
func (s *Session) Keep(name, secret string) {
	s.HideSecret(secret)
	s.kept[name] = secret
}

// Kept returns a kept secret, or an empty text.
func (s *Session) Kept(name string) string { return s.kept[name] }

// Now returns the present.
func (s *Session) Now() time.Time { return s.clock() }

// ProviderNow returns the present by the provider's clock, for signatures. It is this
// server's until an answer shows a difference, or the provider was asked.
func (s *Session) ProviderNow() time.Time { return s.clock().Add(s.offset) }

// ClockOffset returns how much the provider's clock is ahead of this server's. It is 0
// if they differ by a second or less and no request was refused for its time.
func (s *Session) ClockOffset() time.Duration { return s.offset }

// Requests returns how many requests were sent.
func (s *Session) Requests() int { return s.requests }

// HideSecret keeps a text out of errors, in all forms in which it is sent.
func (s *Session) HideSecret(text string) {
	s.secrets = append(s.secrets, text, url.QueryEscape(text), base64.StdEncoding.EncodeToString([]byte(text+":")))
}

// The maximum length for single-line and multi-line fields.
const (
	maxValue = 1000
	maxLines = 8000
)

// Parse returns a field's value without surrounding blanks.
func (f Field) Parse(value string) (string, error) {
	value = strings.TrimSpace(value)
	switch {
	case value == "" && len(f.Choices) > 0:
		return f.Choices[0].Value, nil
	case value == "" && f.IsOptional:
		return "", nil
	case value == "":
		return "", fmt.Errorf("%w: %s is missing", ErrQuery, f.Name)
	case len(f.Choices) > 0 && !slices.Contains(f.Values(), value):
		return "", fmt.Errorf("%w: %s must be one of %s", ErrQuery, f.Name, strings.Join(f.Values(), ", "))
	case len(value) > f.maxLength() || strings.ContainsFunc(value, f.isForbidden):
		return "", fmt.Errorf("%w: %s is too long or has characters that a key never has", ErrQuery, f.Name)
	}
	return value, nil
}

func (f Field) maxLength() int {
	if f.IsMultiline {
		return maxLines
	}
	return maxValue
}

// isForbidden reports whether a character may not be in the value. Others than these
// cannot be in a header.
func (f Field) isForbidden(c rune) bool {
	isLineEnd := c == '\n' || c == '\r'
	return (c < ' ' || c > '~') && (!f.IsMultiline || !isLineEnd)
}
