package main

import (
	"net/http"
	"path/filepath"
	"testing"
)

// TestDemo starts the demo twice: the first start makes the journal up, the
// second finds it, and the check is content with it.
func TestDemo(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "demo")
	for range 2 {
		p := start(t, program(t, nil, "demo", "--dir", dir))
		token := p.must("POST", "/auth/login", "", map[string]any{"email": "demo@example.org", "password": "fillbook-demo"}, http.StatusOK)["access_token"].(string)
		p.must("GET", "/routines/history", token, nil, http.StatusOK)
		p.must("GET", "/missed-trades/summary", token, nil, http.StatusOK)
		if code := p.stop(); code != 0 {
			t.Fatalf("it ended with %d\n%s", code, p.stderr)
		}
	}
	if output, err := program(t, []string{"SVC_DATA_DIR=" + dir}, "check").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
}
