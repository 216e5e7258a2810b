package remote

import (
	"errors"
	"strings"
	"time"

	"fillbook/internal/journal"
)

// Disabled returns the refusal of a server that sends no requests.
func Disabled() error {
	return &journal.Error{
		Kind: journal.KindConflict, Code: "outbound_disabled",
		Message: "This server doesn't connect to other servers. Ask its administrator to set SVC_OUTBOUND=true and to restart it.",
		Details: map[string]any{"setting": "SVC_OUTBOUND"},
	}
}

// Meaning is what an error means for work that runs by itself.
type Meaning struct {
	// NeedsUser reports that trying again does not help until the user acts.
	NeedsUser bool
	// Message says what happened, with the provider's own words, and what to do.
	Message string
	// RetryAfter is how long the provider wants to be left alone, or 0 if it did not say.
	RetryAfter time.Duration
}

// Explain returns what an error of a provider means. title is the name of the provider.
func Explain(title string, err error) Meaning {
	var limited *RateLimited
	switch {
	case errors.Is(err, ErrUnauthorized):
		return Meaning{NeedsUser: true, Message: title + " doesn't accept the key. Enter it again." + QuoteWords(err)}
	case errors.Is(err, ErrForbidden), errors.Is(err, ErrRefused), errors.Is(err, ErrQuery):
		return Meaning{NeedsUser: true, Message: title + " refused the request. Check your key and your plan there." + QuoteWords(err)}
	case errors.As(err, &limited) && limited.IsBanned:
		return Meaning{Message: title + " has blocked this server for a while. Fillbook tries again later.", RetryAfter: limited.RetryAfter}
	case errors.As(err, &limited):
		return Meaning{Message: title + " got too many requests. Fillbook tries again later.", RetryAfter: limited.RetryAfter}
	case errors.Is(err, ErrClock):
		return Meaning{Message: title + " doesn't accept the time of this server. Its clock may be wrong. Fillbook tries again later." + QuoteWords(err)}
	case errors.Is(err, ErrMalformed), errors.Is(err, ErrTruncated), errors.Is(err, ErrTooLarge):
		return Meaning{Message: "The answer of " + title + " can't be read. Fillbook tries again later."}
	}
	return Meaning{Message: title + " doesn't answer. Fillbook tries again later." + QuoteWords(err)}
}

// QuoteWords returns a sentence with the words of a provider, or an empty text if there
// are none.
func QuoteWords(err error) string {
	var words *Error
	if !errors.As(err, &words) || words.Message == "" {
		return ""
	}
	return " It says: " + strings.TrimSuffix(words.Message, ".") + "."
}
