// Package deribit fetches futures, option and pair trades from Deribit, and cash and
// deliveries from its transaction log.
//
// The client was written from Deribit's documentation and tested against our own server.
// It was never tried against Deribit.
package deribit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
)

// The field names.
const (
	keyField    = "api_key"
	secretField = "api_secret"
)

// sites are the servers for each account type.
var sites = connector.Sites{
	Field: remote.Field{Name: "environment", Title: "Platform", Help: "The platform that the key is for."},
	List: []connector.Site{
		{Value: "live", Title: "Live", Host: "www.deribit.com"},
		{Value: "test", Title: "Test", Host: "test.deribit.com"},
	},
}

const (
	prefix      = "/api/v2/"
	authMethod  = "public/auth"
	summary     = "private/get_account_summary"
	userTrades  = "private/get_user_trades_by_currency_and_time"
	transaction = "private/get_transaction_log"

	// readScope is what a token is asked for. It cannot exceed what the key allows.
	readScope = "account:read trade:read wallet:none"
	tokenName = "access_token"
)

type fillClient struct{}

// Fills returns the connector.
func Fills() connector.Connector { return fillClient{} }

// Describe implements connector.Connector.
func (fillClient) Describe() connector.Description {
	return connector.Description{
		Name:   "deribit",
		Title:  "Deribit",
		Covers: "Trades of futures, perpetuals, options and pairs, deliveries, funding, deposits, withdrawals and transfers",
		Notes: "Inverse contracts and options on BTC and ETH count in the coin that they are settled in. " +
			"A subaccount needs a key of its own.",
		Steps: []string{
			"Sign in at deribit.com, or at test.deribit.com for the test platform.",
			"Open the menu of your account and choose API.",
			"Choose Add new key, then Deribit-generated key.",
			"Set Account to read, Trade to read, and Wallet, Block trade and Custody to none.",
			"Name the key Fillbook and create it. Copy the client ID and the client secret into the fields here.",
		},
		Hosts: sites.Hosts(),
		Calls: []connector.Call{
			{Method: http.MethodPost, Path: prefix + authMethod},
			{Method: http.MethodGet, Path: prefix + summary},
			{Method: http.MethodGet, Path: prefix + userTrades},
			{Method: http.MethodGet, Path: prefix + transaction},
		},
		Fields: []remote.Field{
			{Name: keyField, Title: "Client ID"},
			{Name: secretField, Title: "Client secret", IsSecret: true},
			sites.NewField(),
		},
		RequestsPerMinute: 50, // the limit is one transaction log a second
		Delay:             time.Minute,
		Overlap:           48 * time.Hour, // older trades come from an index that lags behind
		Rights:            connector.RightsChecked,
	}
}

// Check implements connector.Connector.
func (fillClient) Check(ctx context.Context, session *remote.Session) (connector.Identity, error) {
	// Without a scope, a token has all the key's rights. It is not used.
	rights, err := authorize(ctx, session, "")
	if err != nil {
		return connector.Identity{}, err
	}
	identity, err := checkRights(strings.Fields(rights))
	if err != nil {
		return connector.Identity{}, err
	}
	var account struct {
		ID       remote.Number `json:"id"`
		Username string        `json:"username"`
	}
	if err := call(ctx, session, summary, map[string]string{"currency": "BTC", "extended": "true"}, &account); err != nil {
		return connector.Identity{}, err
	}
	if account.ID == "" {
		return connector.Identity{}, remote.Malformed("it has no account")
	}
	environment := sites.Find(session).Value
	identity.Account = environment + " " + string(account.ID)
	identity.Name = cmp.Or(account.Username, string(account.ID)) + " (" + environment + ")"
	return identity, nil
}

// checkRights returns what a key's scopes allow. An unknown scope may allow to trade.
func checkRights(scopes []string) (connector.Identity, error) {
	var identity connector.Identity
	for _, scope := range scopes {
		name, right, _ := strings.Cut(scope, ":")
		switch {
		case right != "read_write":
		case name == "wallet" || name == "custody":
			identity.CanWithdraw = true
		default:
			identity.CanTrade = true
		}
	}
	canRead := func(name string) bool {
		return slices.Contains(scopes, name+":read") || slices.Contains(scopes, name+":read_write")
	}
	if !canRead("account") || !canRead("trade") {
		return connector.Identity{}, connector.SetupError("The key cannot read trades and the account. Edit it at Deribit and set Account and Trade to read.")
	}
	return identity, nil
}

// authorize gets a token and returns its scope. A token with a scope is kept.
func authorize(ctx context.Context, session *remote.Session, scope string) (granted string, err error) {
	parameters := map[string]string{
		"grant_type": "client_credentials", "client_id": session.Value(keyField), "client_secret": session.Value(secretField),
	}
	if scope != "" {
		parameters["scope"] = scope
	}
	var token struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
		Scope   string `json:"scope"`
	}
	err = send(ctx, session, authMethod, remote.Request{
		JSON: map[string]any{"jsonrpc": "2.0", "id": 1, "method": authMethod, "params": parameters},
	}, &token)
	if err != nil {
		return "", err
	}
	if token.Access == "" {
		return "", remote.Malformed("it has no token")
	}
	session.HideSecret(token.Access)
	session.HideSecret(token.Refresh)
	if scope != "" {
		session.Keep(tokenName, token.Access)
	}
	return token.Scope, nil
}

// call sends a private request, with a new token if none or it has ended.
func call(ctx context.Context, session *remote.Session, method string, parameters map[string]string, result any) error {
	if session.Kept(tokenName) != "" {
		err := callOnce(ctx, session, method, parameters, result)
		if refusal := (*remote.Error)(nil); !errors.As(err, &refusal) || refusal.Code != tokenEnded {
			return err
		}
	}
	if _, err := authorize(ctx, session, readScope); err != nil {
		return err
	}
	return callOnce(ctx, session, method, parameters, result)
}

func callOnce(ctx context.Context, session *remote.Session, method string, parameters map[string]string, result any) error {
	return send(ctx, session, method, remote.Request{
		Parameters: parameters,
		Header:     map[string]string{"Authorization": "Bearer " + session.Kept(tokenName)},
	}, result)
}

// send sends a request and decodes its result.
func send(ctx context.Context, session *remote.Session, method string, request remote.Request, result any) error {
	request.Address = sites.Address(session, prefix+method)
	request.Classify = classify
	var answer struct {
		Result remote.Member[json.RawMessage] `json:"result"`
	}
	if err := session.Fetch(ctx, request, &answer); err != nil {
		return err
	}
	if !answer.Result.IsPresent || json.Unmarshal(answer.Result.Value, result) != nil {
		return remote.Malformed("it has no result that can be read")
	}
	return nil
}

const tokenEnded = "13009"

// kinds are Deribit's errors by their code.
var kinds = map[string]error{
	"10040": remote.ErrUnavailable, "10041": remote.ErrUnavailable, "11051": remote.ErrUnavailable, "13028": remote.ErrUnavailable, "13888": remote.ErrUnavailable,
	tokenEnded: remote.ErrUnauthorized, "13004": remote.ErrUnauthorized, "10001": remote.ErrUnauthorized,
	"13007": remote.ErrForbidden, "13011": remote.ErrForbidden, "13021": remote.ErrForbidden, "13403": remote.ErrForbidden,
}

// kindsByWord are the errors by words in the text, as the documentation is not
// consistent about the codes.
var kindsByWord = []struct {
	word string
	kind error
}{
	{"maintenance", remote.ErrUnavailable},
	{"temporarily_unavailable", remote.ErrUnavailable},
	{"settlement_in_progress", remote.ErrUnavailable},
	{"invalid_credentials", remote.ErrUnauthorized},
	{"scope", remote.ErrForbidden},
	{"forbidden", remote.ErrForbidden},
}

// classify returns an answer's error.
func classify(a remote.Answer) error {
	var answer struct {
		Error *struct {
			Code    remote.Number `json:"code"`
			Message string        `json:"message"`
		} `json:"error"`
	}
	_ = json.Unmarshal(a.Body, &answer) // an answer in another form has no error
	if answer.Error == nil {
		return nil
	}
	code, message := string(answer.Error.Code), answer.Error.Message
	if code == "10028" || strings.Contains(message, "too_many_requests") {
		return &remote.RateLimited{RetryAfter: a.RetryAfter()}
	}
	kind := kinds[code]
	for _, known := range kindsByWord {
		if kind == nil && strings.Contains(strings.ToLower(message), known.word) {
			kind = known.kind
		}
	}
	return &remote.Error{Kind: cmp.Or(kind, remote.ErrRefused), Code: code, Message: message}
}
