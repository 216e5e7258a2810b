package credentials_test

import (
	"maps"
	"strings"
	"testing"

	"fillbook/internal/base/journal"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/credentials"
)

var fields = []remote.Field{
	{Name: "key", Title: "key", IsSecret: true},
	{Name: "feed", Title: "feed", Choices: []remote.Choice{{Value: "all"}, {Value: "some"}}},
	{Name: "symbols", Title: "symbols", IsOptional: true},
	{Name: "pem", Title: "private key", IsOptional: true, IsMultiline: true},
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		given map[string]string
		want  map[string]string
		field string
	}{
		{"defaults", map[string]string{"key": " k1 "}, map[string]string{"key": "k1", "feed": "all", "symbols": "", "pem": ""}, ""},
		{
			"everything",
			map[string]string{"key": "k1", "feed": "some", "symbols": "A, B", "pem": "a\nb"},
			map[string]string{"key": "k1", "feed": "some", "symbols": "A, B", "pem": "a\nb"},
			"",
		},
		{"nothing", nil, nil, "credentials.key"},
		{"blank", map[string]string{"key": " "}, nil, "credentials.key"},
		{"unknown", map[string]string{"key": "k1", "pin": "1"}, nil, "credentials.pin"},
		{"other choice", map[string]string{"key": "k1", "feed": "none"}, nil, "credentials.feed"},
		{"several lines", map[string]string{"key": "a\nb"}, nil, "credentials.key"},
		{"too long", map[string]string{"key": strings.Repeat("x", 1001)}, nil, "credentials.key"},
	} {
		got, err := credentials.Parse("Acme", fields, c.given)
		if c.field == "" {
			if err != nil || !maps.Equal(got, c.want) {
				t.Errorf("%s: %v, %v", c.name, got, err)
			}
			continue
		}
		refusal, ok := err.(*journal.Error) //nolint:errorlint // it is not wrapped
		if !ok || refusal.Details["field"] != c.field || strings.Contains(refusal.Message, c.given["key"]) && strings.TrimSpace(c.given["key"]) != "" {
			t.Errorf("%s: error %v", c.name, err)
		}
	}
}

func TestAreNeeded(t *testing.T) {
	t.Parallel()
	if !credentials.AreNeeded(fields) || credentials.AreNeeded(fields[1:]) {
		t.Error("a provider needs credentials if a field without choices is required")
	}
}
