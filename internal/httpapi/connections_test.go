package httpapi_test

import (
	"context"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/outbound"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/matching"
)

// exchange is a broker whose keys say in their text what they allow.
type exchange struct{ name string }

func (e exchange) Describe() connector.Description {
	return connector.Description{
		Name: e.name, Title: strings.ToUpper(e.name), Covers: "Fills", Notes: "A test.", Steps: []string{"Make a key."}, Hosts: []string{"api." + e.name + ".example"},
		Overlap: time.Hour, History: 24 * time.Hour, Rights: connector.RightsChecked, ReplacesKey: e.name == "turner", Fields: []remote.Field{
			{Name: "key", Title: "key", Help: "From the website.", IsSecret: true},
			{Name: "environment", Title: "environment", Choices: []remote.Choice{{Value: "live", Title: "Live"}, {Value: "paper", Title: "Paper"}}},
			{Name: "symbols", Title: "symbols", IsOptional: true, IsMultiline: true},
		},
	}
}

func (exchange) Check(_ context.Context, session *remote.Session) (connector.Identity, error) {
	key := session.Value("key")
	if strings.Contains(key, "wrong") {
		return connector.Identity{}, &remote.Error{Kind: remote.ErrUnauthorized, Status: 401, Message: "no such key"}
	}
	if strings.Contains(key, "down") {
		return connector.Identity{}, remote.ErrUnavailable
	}
	if strings.Contains(key, "later") {
		return connector.Identity{}, &remote.RateLimited{RetryAfter: 30 * time.Second}
	}
	return connector.Identity{
		Account: "U1", Name: "U1 (paper)", CanTrade: strings.Contains(key, "trade"), CanWithdraw: strings.Contains(key, "withdraw"),
		ExpiresAt: session.Now().Add(24 * time.Hour),
	}, nil
}

// Fetch has one fill for keys with the word fill.
func (exchange) Fetch(_ context.Context, session *remote.Session, query connector.Query) (connector.Delivery, error) {
	rows := connector.NewRows(query, "Exchange")
	if strings.Contains(session.Value("key"), "fill") {
		row, _ := rows.Start("1")
		row.AddFill(statement.Fill{
			ID: "1", At: query.To.Add(-time.Hour), Side: matching.Sell, Symbol: "AAPL", Type: instruments.TypeStock, Quantity: decimal.New(2), Price: decimal.New(101),
		}, "USD")
	}
	return rows.Delivery(), nil
}

func exchangesOn(s *settle) {
	s.connectors = []connector.Connector{exchange{"acme"}, exchange{"turner"}}
	s.outbound = outbound.New(outbound.Options{Enabled: true})
}

const exchangeKey = "canary-key-5512"

func (d trader) connectionOf(changes more) more {
	out := more{"provider": "acme", "account_id": d.account, "credentials": more{"key": exchangeKey}}
	maps.Copy(out, changes)
	return out
}

func TestConnections(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		d.get("/connections/providers").want(http.StatusOK).is("0.provider", `"acme"`).is("0.name", `"ACME"`).is("0.available", `true`).
			is("0.rights", `"checked"`).is("0.steps", `["Make a key."]`).is("0.hosts", `["api.acme.example"]`).is("0.zone", `"UTC"`).is("0.history_days", `1`).
			is("0.fields.0.secret", `true`).is("0.fields.0.required", `true`).is("0.fields.1.required", `false`).is("0.fields.2.required", `false`).
			is("0.fields.2.multiline", `true`).is("0.replaces_key", `false`).is("1.replaces_key", `true`)
		for field, changes := range map[string]more{
			"provider": {"provider": "nobody"}, "credentials.key": {"credentials": more{"key": " "}}, "credentials.pin": {"credentials": more{"key": "x", "pin": "1"}},
			"credentials.environment": {"credentials": more{"key": "x", "environment": "moon"}}, "schedule": {"schedule": "weekly"},
			"since": {"since": "2999-01-01"},
		} {
			d.post("/connections", d.connectionOf(changes)).wantField(field)
		}
		d.post("/connections", d.connectionOf(more{"account_id": "other"})).wantError(http.StatusNotFound, "not_found")

		made := d.made("/connections", d.connectionOf(more{"name": "Main", "since": "2020-01-01", "credentials": more{"key": exchangeKey, "environment": "paper"}}))
		made.is("status", `"waiting"`).is("name", `"Main"`).is("since", `"2020-01-01"`).is("schedule", `"daily"`).is("environment", `"Paper"`).
			is("has_credentials", `true`).is("identity", `null`).is("covers_to", `null`).is("warnings", `[]`).is("last_run", `null`).is("accept_trading_key", `false`)
		id := made.text("id")
		if made.text("next_run_at") == "" {
			t.Error("the first run is not due")
		}
		d.post("/connections", d.connectionOf(more{"credentials": more{"key": exchangeKey, "environment": "paper"}})).wantError(http.StatusConflict, "conflict")
		second := d.made("/connections", d.connectionOf(more{"schedule": "manual"})).is("name", `"ACME"`).is("next_run_at", `null`).text("id")
		d.patch("/connections/"+second, more{"credentials": more{"key": exchangeKey, "environment": "paper"}}).wantError(http.StatusConflict, "conflict")
		d.get("/connections").want(http.StatusOK).is("0.id", `"`+id+`"`).is("1.id", `"`+second+`"`)

		run := d.post("/connections/"+second+"/run", nil).want(http.StatusAccepted).is("outcome", `"running"`).text("id")
		d.post("/connections/"+second+"/run", nil).want(http.StatusAccepted).is("id", `"`+run+`"`)
		d.get("/connections/"+second+"/runs").want(http.StatusOK).is("", `[]`)

		d.patch("/connections/"+id, more{"name": "", "schedule": "manual", "since": nil}).want(http.StatusOK).
			is("name", `"ACME"`).is("schedule", `"manual"`).is("since", `null`).is("next_run_at", `null`)
		d.patch("/connections/"+id, more{"provider": "turner"}).wantField("provider")
		d.patch("/connections/"+id, more{"account_id": "other"}).wantField("account_id")

		other := w.addUser(d.client, "other@example.org")
		other.get("/connections").is("", `[]`)
		for _, call := range []string{"GET ", "PATCH ", "DELETE ", "POST /run", "GET /runs"} {
			method, rest, _ := strings.Cut(call, " ")
			body := any(nil)
			if method == "PATCH" {
				body = more{"name": "x"}
			}
			other.do(method, "/connections/"+id+rest, body).wantError(http.StatusNotFound, "not_found")
		}
		tag := d.get("/connections/" + id).tag()
		d.with("If-Match", `"other"`).delete("/connections/"+id).wantError(http.StatusPreconditionFailed, "precondition_failed")
		d.with("If-Match", tag).delete("/connections/" + id).wantNone()
		d.get("/connections/"+id).wantError(http.StatusNotFound, "not_found")
		audit := string(d.get("/admin/audit").want(http.StatusOK).body)
		for _, action := range []string{"connection_create", "connection_change", "connection_delete"} {
			if !strings.Contains(audit, action) {
				t.Errorf("the audit has no %s", action)
			}
		}
		d.delete("/accounts/" + d.account).wantNone()
		d.get("/connections").is("", `[]`)
	}, exchangesOn)
}

// TestConnectionIsTested signs in before anything is stored.
func TestConnectionIsTested(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		try := func(key string, more more) *reply {
			more["provider"], more["credentials"] = "acme", map[string]string{"key": key}
			return d.post("/connections/test", more)
		}
		try("reads", more{}).want(http.StatusOK).is("account", `"U1"`).is("name", `"U1 (paper)"`).is("can_trade", `false`).is("notes", `[]`).is("newest_fill", `null`)
		try("a fill", more{}).want(http.StatusOK).is("newest_fill.symbol", `"AAPL"`).is("newest_fill.side", `"sell"`).
			is("newest_fill.quantity", `2`).is("newest_fill.price", `101`)
		try("down", more{}).wantError(http.StatusConflict, "provider_unavailable")
		try("trades: trade", more{}).wantError(http.StatusBadRequest, "key_can_trade")
		try("trade", more{"accept_trading_key": true}).want(http.StatusOK).is("can_trade", `true`)
		try("withdraw", more{"accept_trading_key": true}).wantError(http.StatusBadRequest, "key_can_withdraw")
		try("wrong", more{}).wantField("credentials").is("error.message", `"ACME doesn't accept the key. Enter it again. It says: no such key."`)
		try("later", more{}).wantError(http.StatusTooManyRequests, "rate_limited")
		d.post("/connections/test", more{"provider": "turner", "credentials": more{"key": "x"}}).wantError(http.StatusConflict, "conflict")
		d.get("/connections").is("", `[]`)

		d.post("/connections?test=true", d.connectionOf(more{"credentials": more{"key": "trade"}})).wantError(http.StatusBadRequest, "key_can_trade")
		d.post("/connections?test=true", d.connectionOf(more{"credentials": more{"key": "wrong"}})).wantField("credentials")
		d.get("/connections").is("", `[]`)
		made := d.made("/connections?test=true", d.connectionOf(more{"credentials": more{"key": "trade"}, "accept_trading_key": true}))
		made.is("identity.account", `"U1"`).is("identity.can_trade", `true`)
		if made.count("warnings") != 2 {
			t.Errorf("the warnings are %s", made.body)
		}
	}, exchangesOn)
}

// TestTestsOfKeysAreLimited checks that a user who tests many keys does not hold up
// others.
func TestTestsOfKeysAreLimited(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		other := w.addUser(d.client, "other@example.org")
		test := more{"provider": "acme", "credentials": more{"key": "reads"}}
		for range 20 {
			d.post("/connections/test", test).want(http.StatusOK)
		}
		d.post("/connections/test", test).wantError(http.StatusTooManyRequests, "rate_limited")
		d.post("/connections?test=true", d.connectionOf(nil)).wantError(http.StatusTooManyRequests, "rate_limited")
		d.post("/connections", d.connectionOf(nil)).want(http.StatusCreated)
		other.post("/connections/test", test).want(http.StatusOK)
		w.clock.Advance(6 * time.Second)
		d.post("/connections/test", test).want(http.StatusOK)
	}, exchangesOn)
}

func TestConnectionsNeedOutbound(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.get("/connections/providers").want(http.StatusOK).is("0.available", `false`)
		d.post("/connections", d.connectionOf(nil)).wantError(http.StatusConflict, "outbound_disabled").is("error.details.setting", `"SVC_OUTBOUND"`)
		d.post("/connections/test", more{"provider": "acme", "credentials": more{"key": "x"}}).wantError(http.StatusConflict, "outbound_disabled")
		d.post("/connections/unknown/run", nil).wantError(http.StatusConflict, "outbound_disabled")
		d.get("/connections").is("", `[]`)
	}, exchangesOn, func(s *settle) { s.outbound = nil })
}
