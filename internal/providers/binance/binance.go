// Package binance fetches fills and cash from Binance's spot market and its USD-M
// futures, and the public bars for both.
//
// The client was written from Binance's documentation and tested against our own server.
// It was never tried with an account.
package binance

import (
	"context"
	"encoding/hex"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"fillbook/internal/base/outbound"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
)

// The field names.
const (
	keyField    = "api_key"
	secretField = "api_secret"
)

const (
	// mainHost serves the spot market and everything about the key.
	mainHost    = "api.binance.com"
	futuresHost = "fapi.binance.com"

	// pageSize is the largest one Binance allows, for every list.
	pageSize = 1000

	day = 24 * time.Hour
)

// rightsPath returns a key's rights.
const rightsPath = "/sapi/v1/account/apiRestrictions"

// The main host's weight limits for one minute: per address for /api and /sapi, and per
// account for some calls below /sapi.
const (
	weightAPI     = "api"
	weightSAPI    = "sapi"
	weightAccount = "account"
)

// newBuckets returns the main host's limits with a margin: Binance allows 6,000, 12,000
// and 180,000.
func newBuckets() []outbound.Bucket {
	return []outbound.Bucket{
		{Name: weightAPI, PerMinute: 4000},
		{Name: weightSAPI, PerMinute: 6000},
		{Name: weightAccount, PerMinute: 150_000, PerOwner: true},
	}
}

// newCalls returns the main host's calls for a key's rights and for the time.
func newCalls() []connector.Call {
	return []connector.Call{
		{Method: http.MethodGet, Path: rightsPath, Weights: map[string]int{weightSAPI: 1}},
		{Method: http.MethodGet, Path: timePath, Weights: map[string]int{weightAPI: 1}},
	}
}

// window is how many milliseconds old a request may be.
const window = "5000"

// newFields returns the key's fields.
func newFields() []remote.Field {
	return []remote.Field{
		{Name: keyField, Title: "API key", Help: "A key with the right Enable Reading only.", IsSecret: true},
		{Name: secretField, Title: "Secret key", Help: "Binance shows it once, when you create the key.", IsSecret: true},
	}
}

// newSteps returns the way to a key.
func newSteps() []string {
	return []string{
		"Sign in at Binance and open Profile > Account > API Management.",
		"Click Create API, choose System generated and enter a name.",
		"Click Edit restrictions. Leave Enable Reading ticked, and everything else empty.",
		"If your server has a fixed address, choose Restrict access to trusted IPs only and enter it.",
		"Copy the API key and the secret key. Binance shows the secret key only once.",
	}
}

// send sends a signed request to a host and decodes the answer.
func send(ctx context.Context, session *remote.Session, host, path string, parameters map[string]string, into any) error {
	return session.Fetch(ctx, remote.Request{
		Address:    "https://" + host + path,
		Parameters: parameters,
		Header:     map[string]string{"X-MBX-APIKEY": session.Value(keyField)},
		Sign:       func(request *http.Request, _ []byte) { sign(request, session) },
		Classify:   classify,
		AskTime:    func(ctx context.Context) (time.Time, error) { return askTime(ctx, session, host) },
	}, into)
}

// The time paths, on the main host and on the futures host.
const (
	timePath        = "/api/v3/time"
	futuresTimePath = "/fapi/v1/time"
)

// askTime returns a host's time.
func askTime(ctx context.Context, session *remote.Session, host string) (time.Time, error) {
	path := futuresTimePath
	if host == mainHost {
		path = timePath
	}
	var answer struct {
		Millis int64 `json:"serverTime"`
	}
	err := session.Fetch(ctx, remote.Request{Address: "https://" + host + path, Classify: classify}, &answer)
	if err == nil && answer.Millis <= 0 {
		err = remote.Malformed("it has no time")
	}
	return time.UnixMilli(answer.Millis), err
}

// sign adds the time and the signature, which must be the last parameter. The signed text
// is the query as it is sent.
func sign(request *http.Request, session *remote.Session) {
	query := request.URL.RawQuery
	if query != "" {
		query += "&"
	}
	query += url.Values{"recvWindow": {window}, "timestamp": {strconv.FormatInt(session.ProviderNow().UnixMilli(), 10)}}.Encode()
	request.URL.RawQuery = query + "&signature=" + hex.EncodeToString(connector.SignSHA256(session.Value(secretField), query))
}

// classify returns an answer's error.
func classify(a remote.Answer) error {
	switch a.Code {
	case "-1003":
		return &remote.RateLimited{RetryAfter: a.RetryAfter(), IsBanned: a.Status == http.StatusTeapot}
	case "-1001", "-1006", "-1007", "-1008":
		return remote.ErrUnavailable
	case "-1021":
		return remote.ErrClock
	case "-1002", "-1022", "-2014", "-2015":
		return remote.ErrUnauthorized
	case "-1121":
		return remote.ErrNotFound // the symbol
	}
	return nil
}

// rights are a key's rights.
type rights struct {
	CanRead             *bool `json:"enableReading"`
	CanWithdraw         bool  `json:"enableWithdrawals"`
	CanTransfer         bool  `json:"enableInternalTransfer"`
	CanTransferAll      bool  `json:"permitsUniversalTransfer"`
	CanTradeSpot        bool  `json:"enableSpotAndMarginTrading"`
	CanUseMargin        bool  `json:"enableMargin"`
	CanTradeFutures     bool  `json:"enableFutures"`
	CanTradeOptions     bool  `json:"enableVanillaOptions"`
	CanTradePortfolio   bool  `json:"enablePortfolioMarginTrading"`
	CanTradeByMessages  bool  `json:"enableFixApiTrade"`
	IsRestrictedToHosts bool  `json:"ipRestrict"`
}

// checkRights adds to an identity what its key allows.
func checkRights(ctx context.Context, session *remote.Session, identity *connector.Identity) error {
	var r rights
	if err := send(ctx, session, mainHost, rightsPath, nil, &r); err != nil {
		return err
	}
	switch {
	case r.CanRead == nil:
		return remote.Malformed("it has no rights")
	case !*r.CanRead:
		return connector.SetupError("The key may not read. Open API Management at Binance, click Edit restrictions and tick Enable Reading.")
	}
	identity.CanWithdraw = r.CanWithdraw || r.CanTransfer || r.CanTransferAll
	identity.CanTrade = r.CanTradeSpot || r.CanUseMargin || r.CanTradeFutures || r.CanTradeOptions || r.CanTradePortfolio || r.CanTradeByMessages
	if r.CanTradeFutures {
		identity.Notes = append(identity.Notes, "The key has the right Enable Futures, with which it can trade futures. "+
			"Some accounts need it to read futures; remove it if yours doesn't.")
	}
	if !r.IsRestrictedToHosts {
		identity.Notes = append(identity.Notes, "The key can be used from any address. Restrict it to the address of your server if that is fixed.")
	}
	return nil
}
