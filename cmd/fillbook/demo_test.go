package main

import (
	"net/http"
	"path/filepath"
	"testing"
)

// TestDemo starts the demo twice: the first start creates the journal, the second
// uses it, and check finds no problems. Screens that a new user opens have data.
func TestDemo(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "demo")
	for range 2 {
		p := start(t, program(t, nil, "demo", "--dir", dir))
		token := p.must("POST", "/auth/login", "", map[string]any{"email": "demo@example.org", "password": "fillbook-demo"}, http.StatusOK)["access_token"].(string)
		p.must("GET", "/routines/history", token, nil, http.StatusOK)
		p.must("GET", "/missed-trades/summary", token, nil, http.StatusOK)
		for path, hasData := range map[string]func(row map[string]any) bool{
			"/trading-rules/results": func(row map[string]any) bool { return row["kept"].(float64) > 0 },
			"/goals/progress":        func(row map[string]any) bool { return row["pace"] != nil },
			"/enrollments":           func(row map[string]any) bool { return row["state"] == "active" },
			"/positions":             func(row map[string]any) bool { return row["instrument_type"] == "option" || row["mark"] != nil },
		} {
			rows, _ := p.must("GET", path, token, nil, http.StatusOK)["rows"].([]any)
			if len(rows) == 0 {
				t.Errorf("%s has no rows", path)
			}
			for _, row := range rows {
				if !hasData(row.(map[string]any)) {
					t.Errorf("%s: %v", path, row)
				}
			}
		}
		if code := p.stop(); code != 0 {
			t.Fatalf("exit code %d\n%s", code, p.stderr)
		}
	}
	if output, err := program(t, []string{"SVC_DATA_DIR=" + dir}, "check").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
}
