package secrets

import (
	"fmt"
	"io"
	"log/slog"
)

// redacted is what every rendering of a [Secret] gives.
const redacted = "[redacted]"

// Secret is a text that must not be seen: a password, a token, a code. Every
// way of printing, logging or marshalling it gives "[redacted]"; only [Secret.Reveal]
// gives the text, so that each place that does can be found by that word.
//
// It is a plain string underneath: a JSON request decodes into it, and
// Secret(text) makes one. It guards against accidents, not against intent: keep
// it in exported fields, since fmt does not call the methods of unexported
// ones, and do not make it the key of a map.
type Secret string

// Reveal gives the text itself.
func (s Secret) Reveal() string { return string(s) }

// String gives "[redacted]".
func (s Secret) String() string { return redacted }

// GoString gives "[redacted]", for %#v.
func (s Secret) GoString() string { return redacted }

// Format gives "[redacted]" for every verb, also for those that would pass by
// String, such as %d.
func (s Secret) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, redacted) }

// LogValue gives "[redacted]" to every handler of log/slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText gives "[redacted]", so that JSON and XML do not tell the text
// either. The one answer that must carry it reveals it by name.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }
