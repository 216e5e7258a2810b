package binanceapi_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/remote"
	"fillbook/internal/base/remote/remotetest"
	"fillbook/internal/intake/connector"
	"fillbook/internal/providers/binanceapi"
)

// start is 2026-01-02 03:04:05.678 UTC.
var start = time.UnixMilli(1767323045678)

func newSession(t *testing.T, secret string, handler http.HandlerFunc) *remote.Session {
	t.Helper()
	client := remotetest.NewClient(t, []string{binanceapi.MainHost}, remotetest.WithTime(start, handler))
	session, err := remote.NewSession(client, binanceapi.Fields(), map[string]string{"api_key": "test-key", "api_secret": secret},
		func() time.Time { return start }, remote.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return session
}

// TestSignature has signatures that another program computed.
func TestSignature(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		parameters map[string]string
		want       string
	}{
		{nil, "recvWindow=5000&timestamp=1767323045678&signature=6effe4558856642af13d5d7eab2a21864f10065422bd39bb212238d44714c1e4"},
		{
			map[string]string{"symbol": "BTCUSDT", "limit": "1000"},
			"limit=1000&symbol=BTCUSDT&recvWindow=5000&timestamp=1767323045678&signature=524db7290557c7ad399772c74fd2488ab82451121ddc9f50b09174c26f6d5929",
		},
	} {
		session := newSession(t, "test-secret", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.RawQuery != c.want || r.Header.Get("X-MBX-APIKEY") != "test-key" || r.Method != http.MethodGet {
				t.Errorf("%s %s", r.Method, r.URL.RawQuery)
			}
			fmt.Fprint(w, "{}")
		})
		if err := binanceapi.Send(t.Context(), session, binanceapi.MainHost, "/api/v3/account", c.parameters, &struct{}{}); err != nil {
			t.Error(err)
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	remotetest.Case{
		Call: func(_ context.Context, t *testing.T, handler http.HandlerFunc) error {
			t.Helper()
			var answer []any
			return binanceapi.Send(t.Context(), newSession(t, remotetest.Secret, handler), binanceapi.MainHost, "/api/v3/myTrades", nil, &answer)
		},
	}.TestAnswers(t, map[string]remotetest.Answer{
		"rate":      {Status: 429, Body: `{"code": -1003, "msg": "Too many requests"}`, Want: &remote.RateLimited{}},
		"ban":       {Status: 418, Body: `{"code": -1003, "msg": "Way too many requests"}`, Want: &remote.RateLimited{IsBanned: true}},
		"clock":     {Status: 400, Body: `{"code": -1021, "msg": "Timestamp for this request is outside of the recvWindow."}`, Want: remote.ErrClock},
		"signature": {Status: 400, Body: `{"code": -1022, "msg": "Signature for this request is not valid."}`, Want: remote.ErrUnauthorized},
		"key":       {Status: 401, Body: `{"code": -2014, "msg": "API-key format invalid."}`, Want: remote.ErrUnauthorized},
		"address":   {Status: 401, Body: `{"code": -2015, "msg": "Invalid API-key, IP, or permissions for action."}`, Want: remote.ErrUnauthorized},
		"symbol":    {Status: 400, Body: `{"code": -1121, "msg": "Invalid symbol."}`, Want: remote.ErrNotFound},
		"window":    {Status: 400, Body: `{"code": -1127, "msg": "More than 24 hours between startTime and endTime."}`, Want: remote.ErrRefused},
		"timeout":   {Status: 408, Body: `{"code": -1007, "msg": "Timeout waiting for response from backend server."}`, Want: remote.ErrUnavailable},
		"overload":  {Status: 400, Body: `{"code": -1008, "msg": "Server is currently overloaded"}`, Want: remote.ErrUnavailable},
		"country":   {Status: 451, Body: `{"code": 0, "msg": "Service unavailable from a restricted location"}`, Want: remote.ErrForbidden},
		"firewall":  {Status: 403, Body: `<html>`, Want: remote.ErrForbidden},
		"fine":      {Status: 200, Body: `[]`},
	})
}

func TestCheckRights(t *testing.T) {
	t.Parallel()
	const futuresNote = "The key has the right Enable Futures, with which it can trade futures. Some accounts need it to read futures; remove it if yours doesn't."
	const addressNote = "The key can be used from any address. Restrict it to the address of your server if that is fixed."
	for body, want := range map[string]connector.Identity{
		`{"enableReading": true, "ipRestrict": true}`:                                                                  {},
		`{"enableReading": true, "ipRestrict": false}`:                                                                 {Notes: []string{addressNote}},
		`{"enableReading": true, "ipRestrict": true, "enableFutures": true}`:                                           {CanTrade: true, Notes: []string{futuresNote}},
		`{"enableReading": true, "ipRestrict": true, "enableSpotAndMarginTrading": true}`:                              {CanTrade: true},
		`{"enableReading": true, "ipRestrict": true, "enableMargin": true}`:                                            {CanTrade: true},
		`{"enableReading": true, "ipRestrict": true, "enablePortfolioMarginTrading": true, "enableFixReadOnly": true}`: {CanTrade: true},
		`{"enableReading": true, "ipRestrict": true, "enableFixApiTrade": true}`:                                       {CanTrade: true},
		`{"enableReading": true, "ipRestrict": true, "enableVanillaOptions": true}`:                                    {CanTrade: true},
		`{"enableReading": true, "ipRestrict": true, "enableWithdrawals": true}`:                                       {CanWithdraw: true},
		`{"enableReading": true, "ipRestrict": true, "enableInternalTransfer": true}`:                                  {CanWithdraw: true},
		`{"enableReading": true, "ipRestrict": true, "permitsUniversalTransfer": true}`:                                {CanWithdraw: true},
	} {
		var got connector.Identity
		if err := binanceapi.CheckRights(t.Context(), newSession(t, "test-secret", remotetest.Reply(200, body)), &got); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", body, diff)
		}
	}
	var identity connector.Identity
	err := binanceapi.CheckRights(t.Context(), newSession(t, "test-secret", remotetest.Reply(200, `{}`)), &identity)
	if !errors.Is(err, remote.ErrMalformed) {
		t.Errorf("no rights: error %v", err)
	}
	err = binanceapi.CheckRights(t.Context(), newSession(t, "test-secret", remotetest.Reply(200, `{"enableReading": false}`)), &identity)
	if !errors.Is(err, connector.ErrSetup) || !strings.Contains(err.Error(), "tick Enable Reading") {
		t.Errorf("a key that may not read: error %v", err)
	}
}
