package binance

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
	"fillbook/internal/providers/providertest"
)

// millis is 2026-01-02 03:04:05.678 UTC.
const millis = 1767323045678

var start = time.UnixMilli(millis).UTC()

func sign256(secret, text string) string {
	return hex.EncodeToString(providertest.Sign(sha256.New, secret, text))
}

func refuse(code int, message string) http.HandlerFunc {
	return providertest.Reply(http.StatusBadRequest, fmt.Sprintf(`{"code": %d, "msg": %q}`, code, message))
}

var errParameters = refuse(-1128, "Combination of optional parameters invalid.")

// newServer returns a server that checks the key, the time and the request signature.
func newServer() *providertest.Server {
	s := &providertest.Server{Now: start.Truncate(time.Second).Add(2 * time.Hour), Unknown: refuse(-1100, "Illegal characters found in a parameter.")}
	now := func(url.Values) http.HandlerFunc {
		return providertest.OK(fmt.Sprintf(`{"serverTime": %d}`, s.Now.UnixMilli()))
	}
	s.Public = providertest.Routes{timePath: now, futuresTimePath: now}
	s.Private = providertest.Routes{rightsPath: providertest.Static(`{"ipRestrict": true, "enableReading": true}`)}
	s.Verify = func(r *http.Request, _ string) http.HandlerFunc {
		age := s.Now.Sub(time.UnixMilli(providertest.Int(r.URL.Query(), "timestamp")))
		text, signature, _ := strings.Cut(r.URL.RawQuery, "&signature=")
		switch {
		case r.Header.Get("X-MBX-APIKEY") != "test-key":
			return refuse(-2015, "Invalid API-key, IP, or permissions for action.")
		case age > 5*time.Second || age <= -time.Second:
			return refuse(-1021, "Timestamp for this request is outside of the recvWindow.")
		case signature != sign256(providertest.Secret, text):
			return refuse(-1022, "Signature for this request is not valid.")
		case (r.Host == futuresHost) != strings.HasPrefix(r.URL.Path, "/fapi/"):
			return s.Unknown
		}
		return nil
	}
	return s
}

func newCase(s *providertest.Server, c connector.Connector) providertest.FillCase {
	return providertest.FillCase{
		Connector:   c,
		Credentials: map[string]string{"api_key": "test-key", "api_secret": providertest.Secret},
		Query:       connector.Query{From: start.Add(-time.Hour), To: start.Add(time.Hour), Currency: "USD"},
		Now:         s.Now,
		Answer:      s.ServeHTTP,
		SetClock:    func(at time.Time) { s.Now = at },
		KeyPath:     rightsPath,
	}
}

// serveTrades returns a symbol's fills by id or by time.
func serveTrades(trades map[string]providertest.List, most time.Duration) func(url.Values) http.HandlerFunc {
	return func(q url.Values) http.HandlerFunc {
		list, isListed := trades[q.Get("symbol")]
		from, to, limit := providertest.Int(q, "startTime"), providertest.Int(q, "endTime"), providertest.Int(q, "limit")
		switch {
		case !isListed:
			return refuse(-1121, "Invalid symbol.")
		case limit > 1000 || q.Has("fromId") == q.Has("startTime") || to < from || to-from > most.Milliseconds():
			return errParameters
		}
		list = list.Select(func(r providertest.Record) bool {
			if q.Has("fromId") {
				return r.Int("id") >= providertest.Int(q, "fromId")
			}
			return r.Int("time") >= from && r.Int("time") <= to
		})
		return providertest.OK(list.Page(0, limit).String())
	}
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
		test := newCase(newServer(), Fills())
		test.Now, test.Credentials["api_secret"] = start, "test-secret"
		session, client := test.NewSession(t, providertest.OK("{}"))
		if err := send(t.Context(), session, mainHost, accountPath, c.parameters, &struct{}{}); err != nil {
			t.Error(err)
		}
		if r := client.Requests[0]; r.URL.RawQuery != c.want || r.Header.Get("X-MBX-APIKEY") != "test-key" || r.Method != http.MethodGet {
			t.Errorf("%s %s", r.Method, r.URL.RawQuery)
		}
	}
	got := sign256("test-secret", "symbol=BTCUSDT&limit=1000&recvWindow=5000&timestamp=1767323045678")
	if want := "81efbfcfa12bed5a2f08abea583c6e92a36c82d42f64d1b601af2482ee9d5cdf"; got != want {
		t.Errorf("the server of the test computes %s", got)
	}
}

// newKeys returns rights and what they mean for an identity.
func newKeys(who connector.Identity) map[string]providertest.Key {
	const futuresNote = "The key has the right Enable Futures, with which it can trade futures. Some accounts need it to read futures; remove it if yours doesn't."
	const addressNote = "The key can be used from any address. Restrict it to the address of your server if that is fixed."
	keys := map[string]providertest.Key{
		`{}`:                       {Err: remote.ErrMalformed},
		`{"enableReading": false}`: {Err: connector.ErrSetup},
		`{"enableReading": true}`:  {Identity: connector.Identity{Account: who.Account, Name: who.Name, Notes: []string{addressNote}}},
		`{"enableReading": true, "ipRestrict": true, "enableFutures": true}`: {
			Identity: connector.Identity{Account: who.Account, Name: who.Name, CanTrade: true, Notes: []string{futuresNote}},
		},
	}
	add := func(right string, key connector.Identity) {
		keys[fmt.Sprintf(`{"enableReading": true, "ipRestrict": true, "enableFixReadOnly": true, %q: true}`, right)] = providertest.Key{Identity: key}
	}
	for _, right := range []string{"enableSpotAndMarginTrading", "enableMargin", "enablePortfolioMarginTrading", "enableFixApiTrade", "enableVanillaOptions"} {
		add(right, connector.Identity{Account: who.Account, Name: who.Name, CanTrade: true})
	}
	for _, right := range []string{"enableWithdrawals", "enableInternalTransfer", "permitsUniversalTransfer"} {
		add(right, connector.Identity{Account: who.Account, Name: who.Name, CanWithdraw: true})
	}
	return keys
}

var refusals = map[string]providertest.Answer{
	"rate":       {Status: 429, Body: `{"code": -1003, "msg": "Too many requests"}`, Want: &remote.RateLimited{}},
	"ban":        {Status: 418, Body: `{"code": -1003, "msg": "Way too many requests"}`, Want: &remote.RateLimited{IsBanned: true}},
	"clock":      {Status: 400, Body: `{"code": -1021, "msg": "Timestamp for this request is outside of the recvWindow."}`, Want: remote.ErrClock},
	"signature":  {Status: 400, Body: `{"code": -1022, "msg": "Signature for this request is not valid."}`, Want: remote.ErrUnauthorized},
	"key":        {Status: 401, Body: `{"code": -2014, "msg": "API-key format invalid."}`, Want: remote.ErrUnauthorized},
	"address":    {Status: 401, Body: `{"code": -2015, "msg": "Invalid API-key, IP, or permissions for action."}`, Want: remote.ErrUnauthorized},
	"window":     {Status: 400, Body: `{"code": -1127, "msg": "More than 24 hours between startTime and endTime."}`, Want: remote.ErrRefused},
	"symbol":     {Status: 400, Body: `{"code": -1121, "msg": "Invalid symbol."}`, Want: remote.ErrNotFound},
	"timeout":    {Status: 408, Body: `{"code": -1007, "msg": "Timeout waiting for response from backend server."}`, Want: remote.ErrUnavailable},
	"overload":   {Status: 400, Body: `{"code": -1008, "msg": "Server is currently overloaded"}`, Want: remote.ErrUnavailable},
	"country":    {Status: 451, Body: `{"code": 0, "msg": "Service unavailable from a restricted location"}`, Want: remote.ErrForbidden},
	"firewall":   {Status: 403, Body: `<html>`, Want: remote.ErrForbidden},
	"null":       {Status: 200, Body: `null`, Want: remote.ErrMalformed},
	"not a list": {Status: 200, Body: `{}`, Want: remote.ErrMalformed},
}
