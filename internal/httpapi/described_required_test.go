package httpapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/testkit"
)

// TestRequiredFieldsAreRequired sends each POST with required fields, leaving out each in
// turn: the server must refuse it and name the field.
func TestRequiredFieldsAreRequired(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testkit.Open(t, db.SQLite))
	owner := w.setUp()
	id := owner.made("/accounts", `{"name":"Main"}`).text("id")
	for path, complete := range map[string]object{
		"/accounts":          {"name": "Other"},
		"/access-tokens":     {"name": "cron"},
		"/admin/users":       {"email": "ann@example.org", "password": "a long sentence works well"},
		"/cash-transactions": {"account_id": id, "type": "deposit", "amount": 1, "occurred_at": "2026-01-05T15:00:00Z"},
		"/executions": {
			"account_id": id, "symbol": "AAPL", "side": "buy", "quantity": 1, "price": 1, "executed_at": "2026-01-05T15:00:00Z",
		},
		"/missed-trades": {"symbol": "AAPL", "direction": "long", "observed_at": "2026-01-05T15:00:00Z"},
		"/routines":      {"title": "Walk", "stage": "pre", "weekdays": []int{1}},
		"/setups":        {"name": "Breakout"},
		"/tags":          {"name": "late"},
	} {
		for _, field := range requiredFields(readDescription(t, w.api), path) {
			without := object{}
			for name, value := range complete {
				if name != field {
					without[name] = value
				}
			}
			if len(without) == len(complete) {
				t.Errorf("POST %s: the example lacks the required field %s", path, field)
			}
			if got := owner.post(path, without); got.status != http.StatusBadRequest {
				t.Errorf("POST %s without %s: %d", path, field, got.status)
			}
		}
		owner.post(path, complete).want(http.StatusCreated)
	}
}

func requiredFields(d document, path string) []string {
	schema := d.schema(child(d.root, "paths", "/api/v1"+path, "post", "requestBody", "content", "application/json", "schema"))
	list, _ := schema["required"].([]any)
	names := make([]string, len(list))
	for i, name := range list {
		names[i] = fmt.Sprint(name)
	}
	return names
}

// TestChangesRequireNothing checks that a partial change has no required field in the
// description: an absent one stays as it is.
func TestChangesRequireNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testkit.Open(t, db.SQLite))
	d := readDescription(t, w.api)
	whole := []string{
		"PUT /api/v1/me/password", "PUT /api/v1/routines/order", "PUT /api/v1/routines/day/{day}/items/{id}",
		"PUT /api/v1/settings/checklist-template", "PUT /api/v1/settings/instruments", "PUT /api/v1/settings/strategies", "PATCH /api/v1/admin/users/{id}", "PATCH /api/v1/trades",
	}
	d.eachOperation(func(method, path string, operation object) {
		isChange := method == http.MethodPut || method == http.MethodPatch
		if !isChange || slices.Contains(whole, method+" "+path) {
			return
		}
		schema := d.schema(child(operation, "requestBody", "content", "application/json", "schema"))
		if required := schema["required"]; required != nil {
			t.Errorf("%s %s requires %v", method, path, required)
		}
	})
}
