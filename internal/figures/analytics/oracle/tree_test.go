package oracle_test

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"
	"time"

	"fillbook/internal/figures/analytics/oracle"
)

// TestDifferences checks that the comparison finds each kind of difference: otherwise the
// tests using it could not fail.
func TestDifferences(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 5, 10, 0, 0, 5000, time.UTC)
	want := oracle.Object{
		"money": big.NewRat(1, 8), "ratio": 2.0 / 3, "count": 3, "none": nil, "at": at, "text": "x", "chance": oracle.Unpredicted{},
		"list": oracle.List{oracle.Object{"yes": true}},
	}
	const same = `{"money": 0.125, "ratio": 0.6666666666, "count": 3, "none": null, "at": "2026-01-05T10:00:00.000005Z", "text": "x",
		"chance": [1, 2], "list": [{"yes": true}]}`
	for name, c := range map[string]struct{ from, to, path string }{
		"nothing":             {"", "", ""},
		"money, last digit":   {"0.125", "0.125000000000000001", ".money"},
		"money as text":       {"0.125", `"0.125"`, ".money"},
		"a ratio too far":     {"0.6666666666", "0.66666666", ".ratio"},
		"a ratio that is not": {"0.6666666666", "null", ".ratio"},
		"a count":             {"3", "4", ".count"},
		"a null that is not":  {`"none": null`, `"none": 0`, ".none"},
		"an instant":          {"000005Z", "000006Z", ".at"},
		"a text":              {`"x"`, `"y"`, ".text"},
		"a longer list":       {"[{", "[{}, {", ".list"},
		"no list":             {`[{"yes": true}]`, `{}`, ".list"},
		"deep inside":         {"true", "false", ".list[0].yes"},
		"a field more":        {`"yes": true`, `"yes": true, "more": 1`, ".list[0].more"},
		"a field less":        {`"text": "x",`, ``, ".text"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			decoder := json.NewDecoder(strings.NewReader(strings.Replace(same, c.from, c.to, 1)))
			decoder.UseNumber()
			var got any
			if err := decoder.Decode(&got); err != nil {
				t.Fatal(err)
			}
			found := oracle.Differences(want, got)
			if c.path == "" && len(found) > 0 || c.path != "" && (len(found) != 1 || !strings.HasPrefix(found[0], c.path+":")) {
				t.Errorf("the differences are %q, want one at %q", found, c.path)
			}
		})
	}
}
