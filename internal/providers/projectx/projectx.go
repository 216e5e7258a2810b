// Package projectx fetches fills from ProjectX's gateway, the platform behind TopstepX
// and other prop firms for futures.
//
// The client was written from ProjectX's documentation and tested against our own server.
// It was never tried with a live or an evaluation account.
package projectx

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
)

// The field names.
const (
	userField    = "username"
	keyField     = "api_key"
	accountField = "account_id"
)

// firms are the firms with a server each.
var firms = connector.Sites{
	Field: remote.Field{Name: "firm", Title: "Firm", Help: "The firm that the account is at."},
	List: []connector.Site{
		{Value: "topstepx", Title: "TopstepX", Host: "api.topstepx.com"},
		{Value: "alphaticks", Title: "Alpha Ticks", Host: "api.alphaticks.projectx.com"},
		{Value: "blueguardianfutures", Title: "Blue Guardian Futures", Host: "api.blueguardianfutures.projectx.com"},
		{Value: "blusky", Title: "BluSky", Host: "api.blusky.projectx.com"},
		{Value: "e8", Title: "E8 Futures", Host: "api.e8.projectx.com"},
		{Value: "fundingfutures", Title: "Funding Futures", Host: "api.fundingfutures.projectx.com"},
		{Value: "thefuturesdesk", Title: "The Futures Desk", Host: "api.thefuturesdesk.projectx.com"},
		{Value: "futureselite", Title: "Futures Elite", Host: "api.futureselite.projectx.com"},
		{Value: "fxifyfutures", Title: "FXIFY Futures", Host: "api.fxifyfutures.projectx.com"},
		{Value: "goatfundedfutures", Title: "Goat Funded Futures", Host: "api.goatfundedfutures.projectx.com"},
		{Value: "tickticktrader", Title: "TickTickTrader", Host: "api.tickticktrader.projectx.com"},
		{Value: "toponefutures", Title: "Top One Futures", Host: "api.toponefutures.projectx.com"},
		{Value: "tx3funding", Title: "TX3 Funding", Host: "api.tx3funding.projectx.com"},
		{Value: "demo", Title: "ProjectX demo", Host: "gateway-api-demo.s2f.projectx.com"},
	},
}

const (
	loginPath    = "/api/Auth/loginKey"
	accountsPath = "/api/Account/search"
	tradesPath   = "/api/Trade/search"
	contractPath = "/api/Contract/searchById"

	// tokenName is the name of the kept access token.
	tokenName = "token"
)

type fillClient struct{}

// Fills returns the connector.
func Fills() connector.Connector { return fillClient{} }

// Describe implements connector.Connector.
func (fillClient) Describe() connector.Description {
	d := connector.Description{
		Name:   "projectx",
		Title:  "TopstepX and other ProjectX firms",
		Covers: "Fills of futures with their fees",
		Notes: "The key can trade, and ProjectX has no way to check its rights; your firm sells API access as a subscription. " +
			"The files list round turns, so use either the files or the connection for a period, and compare the fees with your " +
			"statement: whether they include all commissions is not certain.",
		Steps: []string{
			"Sign in to the platform of your firm, such as topstepx.com.",
			"Open Settings, then API, and link your ProjectX account.",
			"At dashboard.projectx.com, buy the ProjectX API Access subscription.",
			"Back in Settings, API, click Add API Key and copy the key.",
		},
		Hosts: firms.Hosts(),
		Fields: []remote.Field{
			{Name: userField, Title: "User name", Help: "The name that you sign in with."},
			{Name: keyField, Title: "API key", Help: "It can trade: keep it secret.", IsSecret: true},
			firms.NewField(),
			{
				Name: accountField, Title: "Account", Help: "The name or the number of the account. Leave it empty if you have one account only.",
				IsOptional: true,
			},
		},
		RequestsPerMinute: 150, // the limit is 200
		Window:            7 * 24 * time.Hour,
		Delay:             time.Minute,
		Overlap:           3 * 24 * time.Hour,
		ListsAll:          true,
		Rights:            connector.RightsUnknown,
	}
	for _, path := range []string{loginPath, accountsPath, tradesPath, contractPath} {
		d.Calls = append(d.Calls, connector.Call{Method: http.MethodPost, Path: path})
	}
	return d
}

// post sends a query with the access token for the session. If the token is no longer
// valid, it signs in again once.
func post(ctx context.Context, session *remote.Session, path string, query, into any) error {
	isNew := session.Kept(tokenName) == ""
	if isNew {
		if err := signIn(ctx, session); err != nil {
			return err
		}
	}
	err := session.Fetch(ctx, newRequest(session, path, query), into)
	if isNew || !errors.Is(err, remote.ErrUnauthorized) {
		return err
	}
	if err := signIn(ctx, session); err != nil {
		return err
	}
	return session.Fetch(ctx, newRequest(session, path, query), into)
}

func newRequest(session *remote.Session, path string, query any) remote.Request {
	return remote.Request{
		Address:  firms.Address(session, path),
		Header:   map[string]string{"Authorization": "Bearer " + session.Kept(tokenName)},
		JSON:     query,
		Classify: func(a remote.Answer) error { return classify(a, remote.ErrRefused) },
	}
}

// signIn exchanges the key for an access token, which is valid for a day.
func signIn(ctx context.Context, session *remote.Session) error {
	var answer struct {
		Token string `json:"token"`
	}
	err := session.Fetch(ctx, remote.Request{
		Address:  firms.Address(session, loginPath),
		JSON:     map[string]string{"userName": session.Value(userField), "apiKey": session.Value(keyField)},
		Classify: func(a remote.Answer) error { return classify(a, remote.ErrUnauthorized) },
	}, &answer)
	if err != nil {
		return err
	}
	if answer.Token == "" {
		return remote.Malformed("it has no token")
	}
	session.Keep(tokenName, answer.Token)
	return nil
}

// classify returns an error for the given kind for an answer whose body says that the
// query failed. ProjectX answers these with the status 200.
func classify(a remote.Answer, kind error) error {
	var result struct {
		IsSuccess *bool         `json:"success"`
		Code      remote.Number `json:"errorCode"`
		Message   string        `json:"errorMessage"`
	}
	_ = json.Unmarshal(a.Body, &result) // what is not JSON is found when it is decoded
	if a.Status != http.StatusOK || result.IsSuccess == nil || *result.IsSuccess {
		return nil
	}
	return &remote.Error{Kind: kind, Code: string(result.Code), Message: result.Message}
}

// Check implements connector.Connector.
func (fillClient) Check(ctx context.Context, session *remote.Session) (connector.Identity, error) {
	a, err := findAccount(ctx, session)
	if err != nil {
		return connector.Identity{}, err
	}
	return connector.Identity{Account: a.ID, Name: a.String()}, nil
}

// findAccount returns the account the user chose, or the only one. Accounts that ended
// are part of the list.
func findAccount(ctx context.Context, session *remote.Session) (connector.Account, error) {
	var answer struct {
		Accounts remote.Member[[]struct {
			ID   int64  `json:"id"`
			Name string `json:"name"`
		}] `json:"accounts"`
	}
	if err := post(ctx, session, accountsPath, map[string]bool{"onlyActiveAccounts": false}, &answer); err != nil {
		return connector.Account{}, err
	}
	if !answer.Accounts.IsPresent {
		return connector.Account{}, remote.Malformed("it has no accounts")
	}
	var list []connector.Account
	for _, a := range answer.Accounts.Value {
		list = append(list, connector.Account{ID: strconv.FormatInt(a.ID, 10), Name: a.Name})
	}
	return connector.ChooseAccount(session.Value(accountField), list)
}

// Fetch implements connector.Connector.
func (fillClient) Fetch(ctx context.Context, session *remote.Session, query connector.Query) (connector.Delivery, error) {
	a, err := findAccount(ctx, session)
	if err != nil {
		return connector.Delivery{}, err
	}
	reader := tradeReader{session: session, rows: connector.NewRows(query, "ProjectX"), contracts: map[string]contract{}}
	return reader.rows.Walk(ctx, nil, []connector.Stream{{Name: "trades", Fetch: func(ctx context.Context, _ string) (string, error) {
		return "", reader.fetch(ctx, a.ID, query)
	}}})
}
