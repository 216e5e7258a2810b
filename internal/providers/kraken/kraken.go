// Package kraken fetches trades and cash from Kraken: from the spot and margin markets,
// and from the derivatives, which have their own server. The trade history has the
// trades, and the ledger has the cash and what was bought and sold without an order.
//
// The clients were written from Kraken's documentation and tested against our own server.
// They were never tried against Kraken.
package kraken

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
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
	host    = "api.kraken.com"
	private = "/0/private/"

	keyInfo       = "GetApiKeyInfo"
	tradesHistory = "TradesHistory"
	ledgers       = "Ledgers"

	// counter is a key's limit by weight.
	counter = "counter"

	// lockout is how long a key is refused after too many wrong calls, and pause how long
	// the counter of calls needs to become low again.
	lockout = 15 * time.Minute
	pause   = time.Minute
)

type fillClient struct{}

// Fills returns the connector for the spot and margin markets.
func Fills() connector.Connector { return fillClient{} }

// Describe implements connector.Connector.
func (fillClient) Describe() connector.Description {
	return connector.Description{
		Name:   "kraken",
		Title:  "Kraken",
		Covers: "Spot and margin trades, instant buys and sells, deposits, withdrawals, staking rewards and rollover fees",
		Notes: "Make a key for Fillbook alone: Kraken refuses a key that two programs use. " +
			"Fees are those of the trade history, which states them in the currency of the price.",
		Steps: []string{
			"Sign in at kraken.com, open the menu of your profile and choose Settings, then API.",
			"Choose Create API key and name it Fillbook.",
			"Under permissions tick only Query closed orders & trades and Query ledger entries.",
			"Leave two-factor authentication for the key, the nonce window and the query dates empty.",
			"Choose Generate key, and copy the API key and the private key into the fields here.",
		},
		Hosts: []string{host},
		Calls: []connector.Call{
			{Method: http.MethodPost, Path: private + keyInfo, Weights: map[string]int{counter: 1}},
			{Method: http.MethodPost, Path: private + tradesHistory, Weights: map[string]int{counter: 2}},
			{Method: http.MethodPost, Path: private + ledgers, Weights: map[string]int{counter: 2}},
		},
		Fields: []remote.Field{
			{Name: "api_key", Title: "API key", IsSecret: true},
			{Name: "api_secret", Title: "Private key", IsSecret: true},
		},
		RequestsPerMinute: 60, // there is no stated limit for an address
		// Each key has a counter of at most 15 that sinks by 20 in a minute.
		Buckets:  []outbound.Bucket{{Name: counter, PerMinute: 18, Burst: 10, PerOwner: true}},
		Delay:    time.Minute,
		Overlap:  24 * time.Hour,
		ListsAll: true,
		Rights:   connector.RightsChecked,
	}
}

// keyAnswer is what Kraken says about a key. Times are seconds since 1970, or 0.
type keyAnswer struct {
	Name        string                  `json:"apiKeyName"`
	Account     string                  `json:"iban"`
	Permissions remote.Member[[]string] `json:"permissions"`
	ValidUntil  remote.Number           `json:"validUntil"`
	QueryFrom   remote.Number           `json:"queryFrom"`
	QueryTo     remote.Number           `json:"queryTo"`
}

// Check implements connector.Connector.
func (fillClient) Check(ctx context.Context, session *remote.Session) (connector.Identity, error) {
	var key keyAnswer
	if err := call(ctx, session, keyInfo, map[string]string{}, &key); err != nil {
		return connector.Identity{}, err
	}
	if !key.Permissions.IsPresent {
		return connector.Identity{}, remote.Malformed("it has no permissions")
	}
	identity := connector.Identity{Account: key.Account, Name: key.Account, ExpiresAt: parseSeconds(key.ValidUntil)}
	for _, permission := range key.Permissions.Value {
		switch {
		case strings.Contains(permission, "withdraw"):
			identity.CanWithdraw = true
		case !onlyReads(permission):
			identity.CanTrade = true
		}
	}
	if from := parseSeconds(key.QueryFrom); !from.IsZero() {
		identity.Notes = append(identity.Notes, "The key reads nothing before "+from.Format(time.DateOnly)+". Remove the date at Kraken to get everything.")
	}
	if to := parseSeconds(key.QueryTo); !to.IsZero() {
		identity.Notes = append(identity.Notes, "The key reads nothing after "+to.Format(time.DateOnly)+". Remove the date at Kraken to get everything.")
	}
	return identity, nil
}

// onlyReads reports whether a permission cannot change anything. An unknown one may.
func onlyReads(permission string) bool {
	return strings.HasPrefix(permission, "query-") || permission == "export-data" || permission == "create-ws-token"
}

// parseSeconds returns a key's time, or zero if it has none.
func parseSeconds(number remote.Number) time.Time {
	seconds, err := strconv.ParseInt(string(number), 10, 64)
	if err != nil || seconds <= 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}

// call sends a private request and decodes its result. It tries a second nonce if Kraken
// does not accept the first.
func call(ctx context.Context, session *remote.Session, name string, parameters map[string]string, result any) error {
	err := callOnce(ctx, session, name, parameters, result)
	if !hasInvalidNonce(err) {
		return err
	}
	if err = callOnce(ctx, session, name, parameters, result); hasInvalidNonce(err) {
		return connector.SetupError("Kraken does not accept the nonce, as another program uses this key. Make a key for Fillbook alone.%s", remote.QuoteWords(err))
	}
	return err
}

func hasInvalidNonce(err error) bool {
	refusal := (*remote.Error)(nil)
	return errors.As(err, &refusal) && refusal.Code == invalidNonce
}

func callOnce(ctx context.Context, session *remote.Session, name string, parameters map[string]string, result any) error {
	secret, err := base64.StdEncoding.DecodeString(session.Value("api_secret"))
	if err != nil {
		return connector.SetupError("The private key is not complete. Copy it from Kraken again: it ends with two equals signs.")
	}
	nonce := newNonce(session)
	parameters["nonce"] = nonce
	var answer struct {
		Result remote.Member[json.RawMessage] `json:"result"`
	}
	err = session.Fetch(ctx, remote.Request{
		Address:    "https://" + host + private + name,
		Parameters: parameters,
		IsForm:     true,
		Header:     map[string]string{"API-Key": session.Value("api_key")},
		Sign: func(request *http.Request, body []byte) {
			request.Header.Set("API-Sign", sign(secret, request.URL.Path, nonce+string(body)))
		},
		Classify: classify,
	}, &answer)
	if err != nil {
		return err
	}
	if !answer.Result.IsPresent || json.Unmarshal(answer.Result.Value, result) != nil {
		return remote.Malformed("it has no result that can be read")
	}
	return nil
}

// newNonce returns a number higher than the key's last one, also in another run.
func newNonce(session *remote.Session) string {
	return strconv.FormatInt(session.Now().UnixNano()+int64(session.Requests()), 10)
}

// sign returns a request's signature: for a text, with a path before its digest.
func sign(secret []byte, path, text string) string {
	digest := sha256.Sum256([]byte(text))
	mac := hmac.New(sha512.New, secret)
	mac.Write([]byte(path))
	mac.Write(digest[:])
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

const invalidNonce = "EAPI:Invalid nonce"

// classify returns an answer's error, which has status 200 and a list of errors. A text
// that begins with W is a warning.
func classify(a remote.Answer) error {
	var answer struct {
		Errors []string `json:"error"`
	}
	_ = json.Unmarshal(a.Body, &answer) // an answer in another form lists no errors
	for _, text := range answer.Errors {
		if strings.HasPrefix(text, "E") {
			return classifyText(a, text)
		}
	}
	return nil
}

func classifyText(a remote.Answer, text string) error {
	kind := remote.ErrRefused
	// Kraken writes a blank after the first colon of some errors.
	class, rest, _ := strings.Cut(text, ":")
	code := class + ":" + strings.TrimSpace(rest)
	switch {
	case strings.HasPrefix(code, "EService:Throttled"):
		return &remote.RateLimited{RetryAfter: waitOf(a, code)}
	case strings.HasPrefix(code, "EAPI:Rate limit"), strings.HasPrefix(code, "EGeneral:Too many requests"):
		return &remote.RateLimited{RetryAfter: max(a.RetryAfter(), pause)}
	case strings.HasPrefix(code, "EGeneral:Temporary lockout"):
		return &remote.RateLimited{RetryAfter: max(a.RetryAfter(), lockout), IsBanned: true}
	case strings.HasPrefix(code, "EService:"), strings.HasPrefix(code, "EGeneral:Internal error"):
		kind = remote.ErrUnavailable
	case strings.HasPrefix(code, "EAPI:Invalid key"), strings.HasPrefix(code, "EAPI:Invalid signature"):
		kind = remote.ErrUnauthorized
	case strings.HasPrefix(code, "EGeneral:Permission denied"):
		kind = remote.ErrForbidden
	}
	return &remote.Error{Kind: kind, Code: code}
}

// waitOf returns the time until the Unix second at an error's end.
func waitOf(a remote.Answer, code string) time.Duration {
	seconds, err := strconv.ParseInt(strings.TrimSpace(code[strings.LastIndex(code, ":")+1:]), 10, 64)
	if err != nil {
		return pause
	}
	return a.Until(time.Unix(seconds, 0))
}
