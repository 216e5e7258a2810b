package remote

import (
	"errors"
	"strings"
	"time"

	"fillbook/internal/base/journal"
	"fillbook/internal/base/outbound"
)

// Disabled returns the refusal from a server that sends no requests.
func Disabled() error {
	return &journal.Error{
		Kind: journal.KindConflict, Code: "outbound_disabled",
		Message: "This server doesn't connect to other servers. Ask its administrator to set SVC_OUTBOUND=true and to restart it.",
		Details: map[string]any{"setting": "SVC_OUTBOUND"},
	}
}

// Meaning is what an error means for background work.
type Meaning struct {
	// NeedsUser reports whether trying again does not help until the user acts.
	NeedsUser bool
	// Message says what happened, with the provider's own words, and what to do.
	Message string
	// Cause is Message for work not repeated automatically.
	Cause string
	// IsLimited reports whether the provider got too many requests, and RetryAfter is the
	// wait it asked for, or 0 if it did not say.
	IsLimited  bool
	RetryAfter time.Duration
}

// Explain returns what a provider's error means. title is the provider's name.
func Explain(title string, err error) Meaning {
	var limited *RateLimited
	words := QuoteWords(err)
	switch {
	case errors.Is(err, ErrUnauthorized):
		return newStop(title+" doesn't accept the key. Enter it again.", words)
	case errors.Is(err, ErrForbidden), errors.Is(err, ErrRefused), errors.Is(err, ErrQuery):
		return newStop(title+" refused the request. Check your key and your plan there.", words)
	case errors.As(err, &limited):
		cause := title + " got too many requests."
		if limited.IsBanned {
			cause = title + " has blocked this server for a while."
		}
		meaning := newRetry(cause, "")
		meaning.IsLimited, meaning.RetryAfter = true, limited.RetryAfter
		return meaning
	case errors.Is(err, outbound.ErrBusy):
		return newRetry("Many requests to "+title+" are waiting on this server.", "")
	case errors.Is(err, ErrClock):
		return newRetry(title+" doesn't accept the time of this server. Its clock may be wrong.", words)
	case errors.Is(err, ErrMalformed), errors.Is(err, ErrTruncated), errors.Is(err, ErrTooLarge):
		return newRetry("The answer of "+title+" can't be read.", "")
	}
	return newRetry(title+" doesn't answer.", words)
}

// newStop returns the meaning of an error only the user can resolve.
func newStop(cause, words string) Meaning {
	return Meaning{NeedsUser: true, Message: cause + words, Cause: cause + words}
}

// newRetry returns the meaning of an error that may pass by itself.
func newRetry(cause, words string) Meaning {
	return Meaning{Message: cause + " Fillbook tries again later." + words, Cause: cause + " Try again later." + words}
}

// QuoteWords returns a sentence with a provider's words and code, or an empty text
// without them.
func QuoteWords(err error) string {
	var words *Error
	if !errors.As(err, &words) {
		return ""
	}
	text := strings.TrimSuffix(words.Message, ".")
	switch {
	case text == "" && words.Code == "":
		return ""
	case text == "":
		text = words.Code
	case words.Code != "":
		text += " (code " + words.Code + ")"
	}
	return " It says: " + text + "."
}
