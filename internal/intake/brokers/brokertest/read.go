package brokertest

import (
	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
)

// test is a test or a checked property.
type test interface {
	Helper()
	Fatalf(format string, args ...any)
}

// MustRead reads bytes some preset must be able to read.
func MustRead(t test, data []byte, h statement.Hints, presets []*statement.Preset) *statement.Statement {
	t.Helper()
	file, err := tabular.Read(data, tabular.Default())
	if err != nil {
		t.Fatalf("reading %.60q: %v", data, err)
	}
	found, ok := statement.Detect(file, presets)
	if !ok {
		t.Fatalf("no preset fits:\n%.500s", data)
	}
	s, err := statement.Read(file, found, h)
	if err != nil {
		t.Fatalf("%s: %v", found.Preset.Broker, err)
	}
	return s
}
