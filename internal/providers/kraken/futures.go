package kraken

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/outbound"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
)

const (
	futuresHost = "futures.kraken.com"
	keyPath     = "/api/auth/v1/api-keys/v3/check"
	logPath     = "/api/history/v3/account-log"
	resetAfter  = "Rate-Limit-Reset"

	// points is an account's limit by weight.
	points = "points"
)

type futuresClient struct{}

// FuturesFills returns the derivatives connector. All fills and cash are in the account
// log, which has the fees and results missing in the list of fills.
func FuturesFills() connector.Connector { return futuresClient{} }

// Describe implements connector.Connector.
func (futuresClient) Describe() connector.Description {
	return connector.Description{
		Name:   "kraken_futures",
		Title:  "Kraken Futures",
		Covers: "Fills of perpetuals and futures with fees, funding, transfers, liquidations and settlements",
		Notes: "A key of Kraken's spot market does not work here. " +
			"Inverse contracts count in the coin that they are settled in, and fees that are paid with fee credits do not count as a cost.",
		Steps: []string{
			"Sign in at futures.kraken.com, open the menu of your profile and choose Settings, then API keys.",
			"Choose Create key and name it Fillbook.",
			"Set General API to Read only and Withdrawal API to No access.",
			"Choose Create key, and copy the public key and the private key into the fields here.",
		},
		Hosts: []string{futuresHost},
		Calls: []connector.Call{
			{Method: http.MethodGet, Path: keyPath},
			{Method: http.MethodGet, Path: logPath, Weights: map[string]int{points: 3}},
		},
		Fields: []remote.Field{
			{Name: "api_key", Title: "Public key", IsSecret: true},
			{Name: "api_secret", Title: "Private key", IsSecret: true},
		},
		RequestsPerMinute: 60, // there is no stated limit for an address
		// Each account has 100 points in ten minutes.
		Buckets:  []outbound.Bucket{{Name: points, PerMinute: 9, PerOwner: true}},
		Delay:    time.Minute,
		Overlap:  24 * time.Hour,
		ListsAll: true,
		Rights:   connector.RightsChecked,
	}
}

// A key's access levels. An unknown one may allow everything.
const (
	noAccess = "NO_ACCESS"
	readOnly = "READ_ONLY"
)

// Check implements connector.Connector.
func (futuresClient) Check(ctx context.Context, session *remote.Session) (connector.Identity, error) {
	var key struct {
		Account     string `json:"accountUid"`
		Permissions struct {
			General  string `json:"general"`
			Transfer string `json:"transfer"`
		} `json:"permissions"`
	}
	if err := callFutures(ctx, session, keyPath, nil, &key); err != nil {
		return connector.Identity{}, err
	}
	switch {
	case key.Account == "" || key.Permissions.General == "" || key.Permissions.Transfer == "":
		return connector.Identity{}, remote.Malformed("it has no account or no permissions")
	case key.Permissions.General == noAccess:
		return connector.Identity{}, connector.SetupError("The key cannot read the account. Make a new one at Kraken Futures with General API set to Read only.")
	}
	return connector.Identity{
		Account:     key.Account,
		CanTrade:    key.Permissions.General != readOnly,
		CanWithdraw: key.Permissions.Transfer != noAccess && key.Permissions.Transfer != readOnly,
	}, nil
}

// callFutures sends a signed request and decodes the answer.
func callFutures(ctx context.Context, session *remote.Session, path string, parameters map[string]string, into any) error {
	secret, err := base64.StdEncoding.DecodeString(session.Value("api_secret"))
	if err != nil {
		return connector.SetupError("The private key is not complete. Make a new key at Kraken Futures and copy the whole text.")
	}
	nonce := newNonce(session)
	err = session.Fetch(ctx, remote.Request{
		Address:    "https://" + futuresHost + path,
		Parameters: parameters,
		Header:     map[string]string{"APIKey": session.Value("api_key"), "Nonce": nonce},
		Sign: func(request *http.Request, _ []byte) {
			request.Header.Set("Authent", sign(secret, "", request.URL.RawQuery+nonce+path))
		},
		Classify: classifyFutures,
	}, into)
	if refusal := (*remote.Error)(nil); errors.As(err, &refusal) && strings.HasPrefix(refusal.Code, "nonce") {
		return connector.SetupError("Kraken does not accept the nonce, as another program uses this key. Make a key for Fillbook alone.")
	}
	return err
}

// classifyFutures returns an answer's error, which may have status 200.
func classifyFutures(a remote.Answer) error {
	var answer struct {
		Result string `json:"result"`
		Error  string `json:"error"`
		Errors []struct {
			Message string `json:"message"`
		} `json:"errors"`
		Reason string `json:"reason"`
	}
	_ = json.Unmarshal(a.Body, &answer) // an answer in another form has no error
	code := answer.Error
	if code == "" && len(answer.Errors) > 0 {
		code = answer.Errors[0].Message
	}
	kind := a.ByStatus()
	reset, err := strconv.ParseInt(a.Header.Get(resetAfter), 10, 32)
	switch {
	case a.Status == http.StatusTooManyRequests && err == nil:
		return &remote.RateLimited{RetryAfter: a.Until(a.Now.Add(time.Duration(reset) * time.Second))}
	case code == "apiLimitExceeded":
		return &remote.RateLimited{RetryAfter: a.RetryAfter()}
	case code == "authenticationError":
		kind = remote.ErrUnauthorized
	case code == "accountInactive":
		kind = remote.ErrForbidden
	case code == "Unavailable", code == "Server Error":
		kind = remote.ErrUnavailable
	case kind == nil && (answer.Result == "error" || code != ""):
		kind = remote.ErrRefused
	}
	if kind == nil || a.Status == http.StatusTooManyRequests || a.Status == http.StatusTeapot {
		return nil
	}
	return &remote.Error{Kind: kind, Code: code, Message: cmp.Or(answer.Reason, a.Message)}
}
