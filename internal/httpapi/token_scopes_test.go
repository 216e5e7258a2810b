package httpapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/testkit"
)

// contractScopes returns the scopes for an operation by the contract, without looking at
// the routes.
func contractScopes(method, path string) []string {
	isGet := method == http.MethodGet
	under := func(prefixes ...string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return path == p || strings.HasPrefix(path, p+"/") })
	}
	switch {
	case under("/setup", "/auth", "/public", "/me/password", "/me/totp", "/oauth"), path == "/access-tokens" && !isGet,
		path == "/hooks/{id}" && method == http.MethodPost: // programs have the hook's secret
		return []string{}
	case under("/admin", "/access-tokens", "/me/sessions", "/share-links", "/connections", "/hooks", "/bars/sources", "/alert-settings"):
		if isGet {
			return []string{"read", "full"}
		}
		return []string{"full"}
	case path == "/history/{id}/erase", under("/channels", "/deliveries"):
		return []string{"full"}
	case path == "/accounts" && isGet:
		return []string{"analytics", "import", "read", "write", "full"}
	case isGet && (under("/analytics", "/bars") || path == "/setups" || path == "/tags" || path == "/trading-rules/results"):
		return []string{"analytics", "read", "write", "full"}
	case isGet && (path == "/imports" || path == "/imports/{id}" || under("/import-layouts")):
		return []string{"import", "read", "write", "full"}
	case method == http.MethodPost && under("/imports", "/bars/imports"):
		return []string{"import", "write", "full"}
	case isGet:
		return []string{"read", "write", "full"}
	}
	return []string{"write", "full"}
}

// TestEveryRouteChecksTheScope calls every described operation with a token for each
// scope. A new route is tested by itself: by the contract, and by what it declares.
func TestEveryRouteChecksTheScope(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testkit.Open(t, db.SQLite), shareLinksOn, oauthOn)
	owner := w.setUp()
	tokens := map[string]*client{}
	for _, scope := range []string{"analytics", "import", "read", "write", "full"} {
		_, secret := owner.mint(more{"name": scope, "scope": scope})
		tokens[scope] = w.as(secret)
	}
	calls := 0
	readDescription(t, w.api).eachOperation(func(method, path string, operation object) {
		path, isAPI := strings.CutPrefix(path, "/api/v1")
		if !isAPI {
			return
		}
		want := contractScopes(method, path)
		declared, _ := operation["x-token-scopes"].([]any)
		if got := fmt.Sprint(declared); got != fmt.Sprint(want) {
			t.Errorf("%s %s declares %s, want %v", method, path, got, want)
		}
		if operation["security"] == nil {
			return
		}
		for scope, token := range tokens {
			if slices.Contains(want, scope) && (scope == "full" || path == "/accounts/demo") {
				continue // full tokens could revoke each other
			}
			calls++
			got := token.do(method, strings.NewReplacer("{id}", unknown(), "{day}", "2026-03-10", "{signature}", "unknown").Replace(path), bodyFor(method))
			switch {
			case slices.Contains(want, scope):
				if got.status == http.StatusForbidden || got.status == http.StatusUnauthorized {
					t.Errorf("%s %s with %s answers %d %s", method, path, scope, got.status, got.body)
				}
			case len(want) == 0:
				got.wantError(http.StatusForbidden, "forbidden")
			default:
				got.wantError(http.StatusForbidden, "insufficient_scope").is("error.details.granted", `"`+scope+`"`).
					is("error.details.required", `["`+strings.Join(want, `","`)+`"]`)
			}
		}
	})
	if calls < 300 {
		t.Errorf("only %d calls", calls)
	}
}

func bodyFor(method string) any {
	if method == http.MethodGet || method == http.MethodDelete {
		return nil
	}
	return `{}`
}

func TestTokenForFigures(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.roundTrip("AAA")
		d.made("/tags", more{"name": "gap", "description": "private"})
		d.made("/setups", more{"name": "ORB", "description": "private"})
		_, secret := d.mint(more{"name": "figures", "scope": "analytics"})
		figures := w.as(secret)
		for path, name := range map[string]string{"/accounts": "Main", "/tags": "gap", "/setups": "ORB"} {
			figures.get(path).want(http.StatusOK).wantKeys("0", "id", "name").is("0.name", `"`+name+`"`)
		}
		figures.get("/analytics/summary?explain=true").want(http.StatusOK).is("explanation.0.trade_ids", "[]").is("net_pnl", "200")
		if n := d.get("/analytics/summary?explain=true").count("explanation.0.trade_ids"); n != 1 {
			w.t.Errorf("a session sees %d trades", n)
		}
	})
}

func TestTokenForImports(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		const first, second = "Symbol,Side,Quantity,Price,Date\nAAA,buy,1,10,2026-01-05 15:00:00\n", "Symbol,Side,Quantity,Price,Date\nBBB,buy,1,10,2026-01-05 15:00:00\n"
		foreign := d.imported(first).text("import_batch_id")
		other := d.addAccount("Other")
		_, secret := d.mint(more{"name": "agent", "scope": "import", "account_ids": []string{d.account}})
		agent := trader{w.as(secret), d.account}
		agent.get("/accounts").want(http.StatusOK).is("0.name", `"Main"`).is("1", "null")
		agent.upload("/imports", second).want(http.StatusOK)
		own := agent.imported(second).text("import_batch_id")
		agent.get("/imports?limit=5").want(http.StatusOK).is("0.id", `"`+own+`"`).is("1", "null")
		agent.get("/imports/" + own).want(http.StatusOK)
		agent.get("/imports/"+foreign).wantError(http.StatusNotFound, "not_found")
		agent.upload("/imports/"+own+"/commit", second).want(http.StatusOK)
		agent.upload("/imports/"+foreign+"/commit", first).wantError(http.StatusNotFound, "not_found")
		agent.delete("/imports/"+own).wantError(http.StatusForbidden, "insufficient_scope")
		outside := trader{agent.client, other.account}
		outside.upload("/imports", second).wantError(http.StatusNotFound, "not_found")
		outside.upload("/imports/commit", second).wantError(http.StatusNotFound, "not_found")
		agent.sendBars("", "AAA.csv", barFile(5)).want(http.StatusOK)
		d.get("/imports").want(http.StatusOK).is("1.id", `"`+foreign+`"`)

		// A file with its own accounts cannot create one.
		backup := string(other.get("/exports?format=json&account_id=" + other.account).want(http.StatusOK).body)
		agent.form("/imports/commit", part{"file", "b.json", backup}).wantError(http.StatusForbidden, "forbidden")
	})
}

func TestTokenLimitsAreChecked(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		foreign := w.addUser(d.client, "anna@example.org").addAccount("Hers").account
		for body, field := range map[string]string{
			`"scope":"admin"`: "scope", `"account_ids":[]`: "account_ids", `"account_ids":"x"`: "account_ids", `"allowed_ips":[]`: "allowed_ips",
			`"allowed_ips":["10.0.0.0/33"]`: "allowed_ips", `"allowed_ips":["example.org"]`: "allowed_ips", `"allowed_ips":["fe80::1%eth0"]`: "allowed_ips",
			`"allowed_ips":["` + strings.Repeat(`10.0.0.1","`, 20) + `10.0.0.2"]`: "allowed_ips",
			`"expires_at":"2026-03-10T15:04:05Z"`:                                 "expires_at", `"expires_at":"tomorrow"`: "expires_at",
			`"expires_at":"2026-04-01T00:00:00Z","expires_in_days":30`: "expires_at",
		} {
			d.post("/access-tokens", `{"name":"x",`+body+`}`).wantField(field)
		}
		d.post("/access-tokens", more{"name": "x", "account_ids": []string{d.account, foreign}}).wantError(http.StatusNotFound, "not_found")
		d.get("/access-tokens").want(http.StatusOK).is("", "[]")

		made := d.made("/access-tokens", more{
			"name": "x", "scope": "read", "account_ids": []string{d.account}, "expires_at": "2026-03-10T18:00:00+01:00",
			"allowed_ips": []string{" 203.0.113.7 ", "2001:db8::5/32", "::ffff:192.0.2.0/120"},
		})
		const kept = `["203.0.113.7","2001:db8::5/32","::ffff:192.0.2.0/120"]`
		made.is("allowed_ips", kept).is("account_ids", `["`+d.account+`"]`).is("expires_at", `"2026-03-10T17:00:00Z"`)
	})
}

func TestTokenAllowsAddresses(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		until := w.clock.Now().Add(time.Hour).Format(time.RFC3339)
		_, secret := owner.mint(more{"name": "x", "allowed_ips": []string{"203.0.113.7", "2001:db8::5/32", "::ffff:192.0.2.0/120"}, "expires_at": until})
		token := w.as(secret)
		for _, address := range []string{"203.0.113.7:1", "[2001:db8:9::1]:1", "192.0.2.255:1", "[::ffff:203.0.113.7]:1"} {
			token.from(address).get("/me").want(http.StatusOK)
		}
		for _, address := range []string{"203.0.113.8:1", "[2001:db9::1]:1", "192.0.3.0:1", "10.0.0.1:1"} {
			refused := token.from(address).get("/me").wantError(http.StatusForbidden, "ip_not_allowed")
			if strings.Contains(string(refused.body), "203.0.113.7") {
				w.t.Error("the refusal names an allowed address")
			}
		}
		// Behind a trusted proxy the client is who the proxy says; another cannot say it.
		token.from("10.0.0.1:1").with("X-Forwarded-For", "203.0.113.7").get("/me").want(http.StatusOK)
		token.from("198.51.100.1:1").with("X-Forwarded-For", "203.0.113.7").get("/me").wantError(http.StatusForbidden, "ip_not_allowed")
		w.clock.Advance(time.Hour)
		token.get("/me").wantError(http.StatusUnauthorized, "unauthorized")
	})
}
