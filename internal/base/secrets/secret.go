package secrets

import (
	"fmt"
	"io"
	"log/slog"
)

// redacted is the text for every formatted [Secret].
const redacted = "[redacted]"

// Secret is a confidential text: a password, a token, a code. Printing, logging or
// marshaling it results in "[redacted]"; only [Secret.Reveal] returns the text, so its
// uses are easy to find.
//
// Its underlying type is string: a JSON request decodes into it, and Secret(text)
// converts. It guards against accidents, not against intent: keep it in exported fields,
// since fmt does not call the methods of unexported ones, and do not make it a map key.
type Secret string

// Reveal returns the text.
func (s Secret) Reveal() string { return string(s) }

// String returns "[redacted]".
func (s Secret) String() string { return redacted }

// GoString returns "[redacted]", for %#v.
func (s Secret) GoString() string { return redacted }

// Format writes "[redacted]" for every verb, including those that do not call String,
// such as %d.
func (s Secret) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, redacted) }

// LogValue returns "[redacted]" for log/slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText returns "[redacted]", for JSON and XML. A response containing the text must
// call Reveal.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }
