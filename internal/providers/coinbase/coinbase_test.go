package coinbase

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
	"fillbook/internal/providers/providertest"
)

var start = time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)

const keyName = "organizations/1/apiKeys/2"

// seed is a private key for tests.
var seed = []byte("0123456789abcdef0123456789abcdef")

// server answers as Coinbase is documented to.
type server struct {
	providertest.Server
	fills    providertest.List
	pageSize int64
	// verify reports whether a message's signature is right.
	algorithm string
	verify    func(message, signature []byte) bool
	// nonces are the received tokens'.
	nonces map[string]bool
}

func newServer() *server {
	public := ed25519.NewKeyFromSeed(seed).Public().(ed25519.PublicKey)
	s := &server{
		pageSize:  3,
		algorithm: "EdDSA",
		verify:    func(message, signature []byte) bool { return ed25519.Verify(public, message, signature) },
		nonces:    map[string]bool{},
	}
	s.Now = time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC)
	s.Verify = func(r *http.Request, _ string) http.HandlerFunc {
		if problem := s.checkToken(r); problem != "" {
			return providertest.Reply(http.StatusUnauthorized, "Unauthorized: "+problem)
		}
		return nil
	}
	s.Unknown = providertest.Reply(http.StatusNotFound, `{"error": "NOT_FOUND", "message": "not found"}`)
	s.Private = providertest.Routes{
		"/api/v3/brokerage/key_permissions":         providertest.Static(`{"can_view": true, "can_trade": false, "can_transfer": false, "portfolio_uuid": "p-1", "portfolio_type": "DEFAULT"}`),
		"/api/v3/brokerage/orders/historical/fills": s.sendFills,
		productsPath + "BIT-28MAR25-CDE":            providertest.Static(`{"product_id": "BIT-28MAR25-CDE", "product_type": "FUTURE", "quote_currency_id": "USD", "future_product_details": {"contract_size": "0.01", "contract_root_unit": "BTC"}}`),
		productsPath + "ETH-PERP-INTX":              providertest.Static(`{"quote_currency_id": "USDC", "future_product_details": {"contract_size": "1", "contract_root_unit": "ETH"}}`),
	}
	s.add("e-1", "t-1", time.Hour, `"trade_type": "FILL", "price": "60000.1", "size": "0.01", "commission": "3.6", "product_id": "BTC-USD", "side": "BUY", "liquidity_indicator": "TAKER", "size_in_quote": false`)
	s.add("e-2", "t-2", 2*time.Hour, `"trade_type": "FILL", "price": "64000", "size": "320", "commission": "-0.5", "product_id": "BTC-USD", "side": "SELL", "liquidity_indicator": "MAKER", "size_in_quote": true`)
	// Three at one instant, which a page separates.
	for i := range 3 {
		s.add(fmt.Sprint("e-3", i), fmt.Sprint("t-3", i), 30*time.Hour, `"trade_type": "FILL", "price": "0.05", "size": "2", "commission": "0", "product_id": "ETH-BTC", "side": "BUY", "liquidity_indicator": "UNKNOWN_LIQUIDITY_INDICATOR"`)
	}
	s.add("e-4", "t-4", 40*time.Hour, `"trade_type": "FILL", "price": "95000", "size": "3", "commission": "1.2", "product_id": "BIT-28MAR25-CDE", "side": "SELL"`)
	s.add("e-5", "t-5", 41*time.Hour, `"trade_type": "FILL", "price": "95100", "size": "3", "commission": "1.2", "product_id": "BIT-28MAR25-CDE", "side": "BUY"`)
	s.add("e-6", "t-6", 50*time.Hour, `"trade_type": "CORRECTION", "price": "3000", "size": "0.5", "commission": "0.1", "product_id": "ETH-PERP-INTX", "side": "BUY"`)
	s.add("e-7", "t-7", 60*time.Hour, `"trade_type": "FILL", "price": "1", "size": "5", "commission": "0", "product_id": "GONE-1JAN20-CDE", "side": "BUY"`)
	s.add("e-8", "t-8", 70*time.Hour, `"trade_type": "FILL", "price": "1.1", "size": "50", "commission": "0.2", "product_id": "USDC-EUR", "side": "SELL"`)
	s.add("e-9", "t-9", 80*time.Hour, `"trade_type": "FILL", "price": "1", "size": "1", "product_id": "BTC-USD", "side": "UNKNOWN_ORDER_SIDE"`)
	s.add("e-10", "t-10", 81*time.Hour, `"trade_type": "FILL", "price": "1", "size": "1", "side": "BUY"`)
	s.add("", "t-11", 82*time.Hour, `"trade_type": "FILL", "price": "1", "size": "1", "product_id": "BTC-USD", "side": "BUY"`)
	return s
}

func (s *server) add(entryID, tradeID string, after time.Duration, rest string) {
	at := start.Add(after)
	s.fills = append(s.fills, fmt.Sprintf(`{"entry_id": %q, "trade_id": %q, "order_id": "o", "trade_time": %q, "sequence_timestamp": %q, %s}`,
		entryID, tradeID, at.Format(time.RFC3339Nano), at.Add(20*time.Millisecond).Format(time.RFC3339Nano), rest))
}

// checkToken returns what is wrong with a request's token.
func (s *server) checkToken(r *http.Request) string {
	parts := strings.Split(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), ".")
	if len(parts) != 3 {
		return "no token"
	}
	var decoded [3][]byte
	for i, part := range parts {
		decoded[i], _ = base64.RawURLEncoding.DecodeString(part)
	}
	var header struct{ Alg, Typ, Kid, Nonce string }
	var claims struct {
		Sub, Iss, URI string
		Nbf, Exp      int64
	}
	if json.Unmarshal(decoded[0], &header) != nil || json.Unmarshal(decoded[1], &claims) != nil {
		return "no JSON"
	}
	isUsed := s.nonces[header.Nonce]
	s.nonces[header.Nonce] = true
	at := s.Now.Unix()
	switch {
	case header.Alg != s.algorithm || header.Typ != "JWT" || header.Kid != keyName || len(header.Nonce) < 16 || isUsed:
		return "header"
	case claims.Sub != keyName || claims.Iss != "cdp" || claims.URI != "GET api.coinbase.com"+r.URL.Path:
		return "claims"
	case claims.Nbf > at || claims.Exp <= at || claims.Exp-claims.Nbf != 120:
		return "time"
	case !s.verify([]byte(parts[0]+"."+parts[1]), decoded[2]):
		return "signature"
	}
	return ""
}

// sendFills sends fills, the newest first. A cursor is how many were sent.
func (s *server) sendFills(q url.Values) http.HandlerFunc {
	from, _ := time.Parse(time.RFC3339Nano, q.Get("start_sequence_timestamp"))
	to, err := time.Parse(time.RFC3339Nano, q.Get("end_sequence_timestamp"))
	list := s.fills.Select(func(r providertest.Record) bool {
		posted, _ := time.Parse(time.RFC3339Nano, r.Text("sequence_timestamp"))
		isInTime := err != nil || !posted.Before(from) && posted.Before(to)
		return isInTime && (!q.Has("trade_ids") || q.Get("trade_ids") == r.Text("trade_id"))
	}).Reverse()
	first, cursor := providertest.Int(q, "cursor"), ""
	page := list.Page(first, min(providertest.Int(q, "limit"), s.pageSize))
	if last := int(first) + len(page); last < len(list) {
		cursor = strconv.Itoa(last)
	}
	return providertest.OK(fmt.Sprintf(`{"fills": %s, "cursor": %q}`, page, cursor))
}

func newFills(s *server) providertest.FillCase {
	return providertest.FillCase{
		Connector:   Fills(),
		Credentials: map[string]string{"api_key": keyName, "api_secret": base64.StdEncoding.EncodeToString(seed)},
		Query:       connector.Query{From: start, To: start.AddDate(0, 0, 7), Currency: "USD"},
		Now:         s.Now,
		Answer:      s.ServeHTTP,
		SetClock:    func(at time.Time) { s.Now = at },
		AnyOrder:    true,
		Identity:    connector.Identity{Account: "p-1", Name: "Portfolio p-1 (default)"},
		KeyPath:     "/key_permissions",
		Keys: map[string]providertest.Key{
			`{"can_view": true, "can_trade": true, "can_transfer": false, "portfolio_uuid": "p-1", "portfolio_type": "DEFAULT"}`: {
				Identity: connector.Identity{Account: "p-1", Name: "Portfolio p-1 (default)", CanTrade: true},
			},
			`{"can_view": true, "can_trade": false, "can_transfer": true, "portfolio_uuid": "p-1", "portfolio_type": "DEFAULT"}`: {
				Identity: connector.Identity{Account: "p-1", Name: "Portfolio p-1 (default)", CanWithdraw: true},
			},
			`{"can_view": false, "can_trade": false, "can_transfer": false, "portfolio_uuid": "p-1"}`: {Err: connector.ErrSetup},
			`{"can_view": true, "portfolio_uuid": "p-1"}`:                                             {Err: remote.ErrMalformed},
			`{"can_view": true, "can_trade": false, "can_transfer": false}`:                           {Err: remote.ErrMalformed},
		},
		Want: `2026-01-02T01:00:00Z buy 0.01 crypto BTC-USD @ 60000.1 fees 3.6 liquidity "taker" order_id "o" trade_id "t-1" id e-1
2026-01-02T02:00:00Z sell 0.005 crypto BTC-USD @ 64000 fees -0.5 liquidity "maker" order_id "o" trade_id "t-2" id e-2
2026-01-03T06:00:00Z buy 2 crypto ETH-BTC @ 0.05 currency "BTC" order_id "o" trade_id "t-30" id e-30
2026-01-03T06:00:00Z buy 2 crypto ETH-BTC @ 0.05 currency "BTC" order_id "o" trade_id "t-31" id e-31
2026-01-03T06:00:00Z buy 2 crypto ETH-BTC @ 0.05 currency "BTC" order_id "o" trade_id "t-32" id e-32
2026-01-03T16:00:00Z sell 3 future BIT-28MAR25-CDE @ 95000 x 0.01 fees 1.2 order_id "o" trade_id "t-4" id e-4
2026-01-03T17:00:00Z buy 3 future BIT-28MAR25-CDE @ 95100 x 0.01 fees 1.2 order_id "o" trade_id "t-5" id e-5
2026-01-04T02:00:00Z buy 0.5 future ETH-PERP-INTX @ 3000 x 1 fees 0.1 kind "correction" order_id "o" trade_id "t-6" id e-6
2026-01-04T12:00:00Z buy 5 future GONE-1JAN20-CDE @ 1 x 1 order_id "o" trade_id "t-7" id e-7
2026-01-04T22:00:00Z sell 50 crypto USDC-EUR @ 1.1 fees 0.2 currency "EUR" order_id "o" trade_id "t-8" id e-8
problem The broker's record has no id.
problem The broker's record has no product.
problem The broker's record is neither a purchase nor a sale.
`,
		Messages: []string{"contract of GONE-1JAN20-CDE", "Some fills are in BTC", "Some fills are in EUR"},
		Errors: map[string]providertest.Answer{
			"key":        {Status: http.StatusUnauthorized, Body: "Unauthorized\n", Want: remote.ErrUnauthorized},
			"rights":     {Status: http.StatusForbidden, Body: `{"error": "PERMISSION_DENIED", "message": "Missing required scopes"}`, Want: remote.ErrForbidden},
			"rate":       {Status: http.StatusTooManyRequests, Body: `{"error": "rate_limit_exceeded"}`, Want: &remote.RateLimited{}},
			"parameters": {Status: http.StatusBadRequest, Body: `{"error": "INVALID_ARGUMENT", "message": "bad cursor"}`, Want: remote.ErrRefused},
			"no fills":   {Status: http.StatusOK, Body: `{"cursor": ""}`, Want: remote.ErrMalformed},
			"empty":      {Status: http.StatusOK, Body: `{"fills": [], "cursor": "again"}`},
		},
	}
}

func TestFills(t *testing.T) {
	providertest.Run(t, func() providertest.FillCase { return newFills(newServer()) })
}

func TestContractSizeIsFetchedOnce(t *testing.T) {
	t.Parallel()
	c := newFills(newServer())
	session, client := c.NewSession(t, c.Answer)
	if _, err := c.Connector.Fetch(t.Context(), session, c.Query); err != nil {
		t.Fatal(err)
	}
	asked := slices.DeleteFunc(client.Requests, func(r *http.Request) bool { return r.URL.Path != productsPath+"BIT-28MAR25-CDE" })
	if len(asked) != 1 {
		t.Errorf("the size of a contract was asked for %d times", len(asked))
	}
}

func TestPageSizes(t *testing.T) {
	t.Parallel()
	for _, size := range []int64{1, 2, 100} {
		s := newServer()
		s.pageSize = size
		newFills(s).TestWindows(t)
	}
}

// TestReversal cancels a fill of the same delivery, one that comes in a later
// delivery, and one of a time before.
func TestReversal(t *testing.T) {
	t.Parallel()
	const rest = `"price": "100", "size": "1", "commission": "0.1", "product_id": "SOL-USD", "side": "BUY"`
	newReversals := func() *server {
		s := newServer()
		s.fills = nil
		s.add("old", "t-1", time.Hour, `"trade_type": "FILL", `+rest)
		s.add("same", "t-2", 25*time.Hour, `"trade_type": "FILL", `+rest)
		s.add("good", "t-3", 26*time.Hour, `"trade_type": "FILL", `+rest)
		s.add("r-1", "t-1", 27*time.Hour, `"trade_type": "REVERSAL", `+rest)
		s.add("r-2", "t-2", 28*time.Hour, `"trade_type": "REVERSAL", `+rest)
		s.pageSize = 1
		return s
	}
	for _, maxRows := range []int{0, 1} {
		c := newFills(newReversals())
		c.Query.From, c.Query.MaxRows = start.Add(24*time.Hour), maxRows
		var withdrawn []string
		list := c.MustFetch(t)
		for _, d := range list {
			withdrawn = append(withdrawn, d.Withdrawn...)
		}
		slices.Sort(withdrawn)
		if got := slices.Compact(withdrawn); !slices.Equal(got, []string{"old", "same"}) {
			t.Errorf("deliveries of %d rows: withdrawn %q", maxRows, got)
		}
		const want = "2026-01-03T02:00:00Z buy 1 crypto SOL-USD @ 100 fees 0.1 order_id \"o\" trade_id \"t-3\" id good\n" +
			"skipped canceled by the broker\nskipped canceled by the broker\nskipped canceled by the broker\n"
		if got := providertest.Describe(list); got != want {
			t.Errorf("deliveries of %d rows: got\n%s", maxRows, got)
		}
	}
	// The next run fetches the time before again.
	c := newFills(newReversals())
	c.Query.From = start.Add(24 * time.Hour)
	list := c.MustFetch(t)
	c.Query.From, c.Query.To, c.Query.State = start, start.Add(2*time.Hour), list[len(list)-1].State
	if got := providertest.Describe(c.MustFetch(t)); got != "skipped canceled by the broker\n" {
		t.Errorf("the fill comes again:\n%s", got)
	}
}

func encodePEM(kind string, bytes []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}))
}

// TestKeys signs with each private key format.
func TestKeys(t *testing.T) {
	t.Parallel()
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	verifyEC := func(message, signature []byte) bool {
		digest := sha256.Sum256(message)
		return len(signature) == 64 && ecdsa.Verify(&ec.PublicKey, digest[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:]))
	}
	marshal := func(bytes []byte, err error) []byte {
		if err != nil {
			t.Fatal(err)
		}
		return bytes
	}
	ed := ed25519.NewKeyFromSeed(seed)
	sec1 := encodePEM("EC PRIVATE KEY", marshal(x509.MarshalECPrivateKey(ec)))
	for name, c := range map[string]struct {
		key  string
		isEC bool
	}{
		"SEC 1":             {sec1, true},
		"escaped line ends": {strings.ReplaceAll(sec1, "\n", `\n`), true},
		"Windows line ends": {strings.ReplaceAll(sec1, "\n", "\r\n"), true},
		"PKCS 8":            {encodePEM("PRIVATE KEY", marshal(x509.MarshalPKCS8PrivateKey(ec))), true},
		"Ed25519 in PEM":    {encodePEM("PRIVATE KEY", marshal(x509.MarshalPKCS8PrivateKey(ed))), false},
		"64 bytes":          {base64.StdEncoding.EncodeToString(ed), false},
		"32 bytes":          {base64.StdEncoding.EncodeToString(seed), false},
	} {
		s := newServer()
		if c.isEC {
			s.algorithm, s.verify = "ES256", verifyEC
		}
		tested := newFills(s)
		tested.Credentials["api_secret"] = c.key
		if identity, err := tested.Check(t, tested.Answer); err != nil || identity.Account != "p-1" {
			t.Errorf("%s: %+v, error %v", name, identity, err)
		}
	}
	other, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, key := range map[string]string{
		"another curve": encodePEM("EC PRIVATE KEY", marshal(x509.MarshalECPrivateKey(other))),
		"no key":        encodePEM("PRIVATE KEY", []byte("nonsense")),
		"a short key":   base64.StdEncoding.EncodeToString(seed[:16]),
		"no base64":     providertest.Secret,
	} {
		tested := newFills(newServer())
		tested.Credentials["api_secret"] = key
		if _, err := tested.Check(t, tested.Answer); !errors.Is(err, connector.ErrSetup) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestToken compares a token with one that was computed by hand.
func TestToken(t *testing.T) {
	t.Parallel()
	key, err := parseKey(base64.StdEncoding.EncodeToString(seed))
	if err != nil {
		t.Fatal(err)
	}
	token, err := newToken(key, "name", "GET api.coinbase.com/api/v3/brokerage/orders/historical/fills", time.Unix(1767323045, 0))
	if err != nil {
		t.Fatal(err)
	}
	// {"exp":1767323165,"iss":"cdp","nbf":1767323045,"sub":"name","uri":"GET api.coinbase.com/api/v3/brokerage/orders/historical/fills"}
	const want = "eyJleHAiOjE3NjczMjMxNjUsImlzcyI6ImNkcCIsIm5iZiI6MTc2NzMyMzA0NSwic3ViIjoibmFtZSIsInVyaSI6IkdFVCBhcGkuY29pbmJhc2UuY29t" +
		"L2FwaS92My9icm9rZXJhZ2Uvb3JkZXJzL2hpc3RvcmljYWwvZmlsbHMifQ"
	if got := strings.Split(token, ".")[1]; got != want {
		t.Errorf("claims %s", got)
	}
}

// TestLongSkew has a clock that is wrong by more than a token lives.
func TestLongSkew(t *testing.T) {
	t.Parallel()
	for _, skew := range []time.Duration{-time.Hour, time.Hour} {
		s := newServer()
		c := newFills(s)
		c.Skew, s.Now = skew, c.Now.Add(skew)
		c.Expect(t, c.Want, c.Messages...)
		c.Credentials["api_key"] = "another"
		if _, err := c.Check(t, c.Answer); !errors.Is(err, remote.ErrUnauthorized) {
			t.Errorf("%s and a wrong key: error %v", skew, err)
		}
	}
}

func FuzzFills(f *testing.F) { newFills(newServer()).FuzzAnswer(f) }
