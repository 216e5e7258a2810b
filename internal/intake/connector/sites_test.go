package connector_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
)

func TestSites(t *testing.T) {
	t.Parallel()
	sites := connector.Sites{
		Field: remote.Field{Name: "site", Title: "Site"},
		List: []connector.Site{
			{Value: "global", Title: "acme.com", Host: "api.acme.com"},
			{Value: "eu", Title: "acme.eu", Host: "api.acme.eu"},
			{Value: "demo", Title: "Demo", Host: "api.acme.com"},
		},
	}
	if got := sites.Hosts(); !slices.Equal(got, []string{"api.acme.com", "api.acme.eu"}) {
		t.Errorf("hosts %q", got)
	}
	field := sites.NewField()
	if got := field.Values(); !slices.Equal(got, []string{"global", "eu", "demo"}) || len(sites.Field.Choices) != 0 {
		t.Errorf("values %q", got)
	}
	for chosen, want := range map[string]string{"": "https://api.acme.com/v1", "eu": "https://api.acme.eu/v1"} {
		session, err := remote.NewSession(nil, []remote.Field{field}, map[string]string{"site": chosen}, time.Now, remote.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := sites.Address(session, "/v1"); got != want {
			t.Errorf("%q: %s", chosen, got)
		}
	}
}

func TestSide(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"B": "buy", "S": "sell", "": "", "X": ""} {
		record, _ := connector.NewRows(connector.Query{}, "Acme").Start("1")
		if got := record.Side(text, "B", "S"); string(got) != want || record.Failed() != (want == "") {
			t.Errorf("%q: %s", text, got)
		}
	}
	if calls := connector.Gets("/a", "/b"); len(calls) != 2 || calls[1].Method != http.MethodGet || calls[1].Path != "/b" {
		t.Errorf("%+v", calls)
	}
}
