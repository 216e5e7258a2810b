package programs

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"fillbook/internal/base/journal"
)

var idPattern = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// Every program in the catalog is valid, has an id of its own, a source and a date.
func TestCatalogIsValid(t *testing.T) {
	t.Parallel()
	list, err := readCatalog(catalogText)
	if err != nil {
		t.Fatal(err)
	}
	ids, names := map[string]bool{}, map[string]bool{}
	for _, p := range list {
		if name := p.Firm + " " + p.Name; !idPattern.MatchString(p.ID) || ids[p.ID] || names[name] {
			t.Errorf("%s (%s): the id or the name is invalid or not unique", p.ID, name)
		} else {
			ids[p.ID], names[name] = true, true
		}
		if _, err := journal.ParseDay("checked_on", string(p.CheckedOn)); err != nil {
			t.Errorf("%s: %v", p.ID, err)
		}
		if len(p.Sources) == 0 {
			t.Errorf("%s has no source", p.ID)
		}
		for _, source := range p.Sources {
			if u, err := url.Parse(source); err != nil || u.Scheme != "https" || u.Host == "" {
				t.Errorf("%s: %s is not an https address", p.ID, source)
			}
		}
		hasTarget := false
		for _, r := range p.Rules {
			hasTarget = hasTarget || r.Kind == ProfitTarget
		}
		missing := strings.HasPrefix(strings.Join(p.NotEvaluated, "\n"), "Profit target")
		if p.canPass() && !hasTarget && !missing {
			t.Errorf("%s has no profit target and does not say so", p.ID)
		}
	}
}

func TestOldFiguresMayBeOutdated(t *testing.T) {
	t.Parallel()
	p := Program{CheckedOn: "2026-01-01"}
	if p.MayBeOutdated("2026-06-30") || !p.MayBeOutdated("2026-07-01") {
		t.Error("figures are outdated after 180 days")
	}
}
