package identity

import (
	"slices"
	"strings"

	"fillbook/internal/base/journal"
)

// Scope is what an access token may do. The API routes declare which scopes may call
// them.
type Scope string

// The access token scopes.
const (
	// ScopeAnalytics reads figures and the names of accounts, setups and tags.
	ScopeAnalytics Scope = "analytics"
	// ScopeImport uploads files and sees the token's own imports.
	ScopeImport Scope = "import"
	// ScopeRead reads everything.
	ScopeRead Scope = "read"
	// ScopeWrite reads and writes the journal, without administration and credentials.
	ScopeWrite Scope = "write"
	// ScopeFull does everything a token may do.
	ScopeFull Scope = "full"
)

// Scopes lists the scopes, the most limited first.
func Scopes() []Scope {
	return []Scope{ScopeAnalytics, ScopeImport, ScopeRead, ScopeWrite, ScopeFull}
}

// parseScope returns the scope with a name; an empty one means [ScopeFull].
func parseScope(name string) (Scope, error) {
	if name == "" {
		return ScopeFull, nil
	}
	if !slices.Contains(Scopes(), Scope(name)) {
		return "", journal.InvalidField("scope", "scope must be analytics, import, read, write or full.")
	}
	return Scope(name), nil
}

// InsufficientScope returns the error for a call not allowed by a token's scope. required
// are the allowed scopes. parameter is the refused query parameter, or empty if the scope
// does not allow the call at all.
func InsufficientScope(granted Scope, required []Scope, parameter string) error {
	names := make([]string, len(required))
	for i, scope := range required {
		names[i] = string(scope)
	}
	allowed := "An access token with scope " + strings.Join(names, ", ") + " can."
	if last := len(names) - 1; last > 0 {
		allowed = "An access token with scope " + strings.Join(names[:last], ", ") + " or " + names[last] + " can."
	}
	refused := &journal.Error{
		Kind: journal.KindForbidden, Code: "insufficient_scope",
		Message: "An access token with scope " + string(granted) + " cannot do this. " + allowed,
		Details: map[string]any{"required": names, "granted": string(granted)},
	}
	if parameter != "" {
		refused.Message = "An access token with scope " + string(granted) + " cannot use the parameter " + parameter + ". " + allowed
		refused.Details["field"] = parameter
	}
	return refused
}
