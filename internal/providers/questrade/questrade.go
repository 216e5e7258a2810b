// Package questrade fetches fills and cash from Questrade's API.
//
// The client was written from Questrade's documentation and tested against our own
// server. It was never tried with a live account.
package questrade

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
)

// The field names.
const (
	tokenField   = "refresh_token"
	accountField = "account_id"
)

const (
	loginHost = "login.questrade.com"
	loginPath = "/oauth2/token"

	accountsPath = "/v1/accounts"
	symbolsPath  = "/v1/symbols"

	// accessName and serverName are the names of the kept access token and of the host it
	// is for.
	accessName = "access"
	serverName = "server"
)

// apiHosts are the servers a sign-in may name.
var apiHosts = func() (list []string) {
	const servers = 20
	for i := range servers {
		list = append(list, fmt.Sprintf("api%02d.iq.questrade.com", i+1))
	}
	return list
}()

type fillClient struct{}

// Fills returns the connector.
func Fills() connector.Connector { return fillClient{} }

// Describe implements connector.Connector.
func (fillClient) Describe() connector.Description {
	return connector.Description{
		Name:   "questrade",
		Title:  "Questrade",
		Covers: "Fills of stocks and options, expired and assigned options, deposits, dividends, interest and fees",
		Notes: "The token ends 7 days after its last use, so choose an hourly or a daily schedule. Each use replaces it: don't use the " +
			"same token in another program.",
		Steps: []string{
			"Sign in at questrade.com and open App Hub in the menu of your account.",
			"Click Register a personal app, enter any name, and allow it to read account data.",
			"Open the app, click New manual authorization device, then Generate new token.",
			"Copy the token. It can't place orders.",
		},
		Hosts: append([]string{loginHost}, apiHosts...),
		Calls: []connector.Call{
			{Method: http.MethodPost, Path: loginPath},
			{Method: http.MethodGet, Path: accountsPath},
			{Method: http.MethodGet, Path: accountsPath + "/*/executions"},
			{Method: http.MethodGet, Path: accountsPath + "/*/activities"},
			{Method: http.MethodGet, Path: symbolsPath},
		},
		Fields: []remote.Field{
			{Name: tokenField, Title: "Refresh token", Help: "A new one is stored after each run.", IsSecret: true},
			{
				Name: accountField, Title: "Account number", Help: "Leave it empty if you have one account only.",
				IsOptional: true,
			},
		},
		ReplacesKey:       true,
		RequestsPerMinute: 300,       // of 30 a second and 30,000 an hour
		DailyAt:           time.Hour, // the evening in Toronto
		// Questrade answers up to 31 days, and activities are asked for with a margin.
		Window:  24 * 24 * time.Hour,
		Delay:   time.Minute,
		Overlap: 5 * 24 * time.Hour,
		Rights:  connector.RightsHarmless,
	}
}

// signIn exchanges the refresh token for an access token and a new refresh token. The
// new one is stored before anything else: the old one is no longer valid.
func signIn(ctx context.Context, session *remote.Session) error {
	var answer struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
		Server  string `json:"api_server"`
	}
	err := session.Fetch(ctx, remote.Request{
		Address:    "https://" + loginHost + loginPath,
		Parameters: map[string]string{"grant_type": "refresh_token", "refresh_token": session.Value(tokenField)},
		IsForm:     true,
		Classify:   classifyLogin,
	}, &answer)
	if err != nil {
		return err
	}
	if answer.Refresh == "" {
		return remote.Malformed("it has no new refresh token")
	}
	if err := session.Replace(ctx, tokenField, answer.Refresh); err != nil {
		return err
	}
	server, err := url.Parse(answer.Server)
	if err != nil || server.Scheme != "https" || !slices.Contains(apiHosts, server.Host) {
		return remote.Malformed("it names a server that is not known to be Questrade's")
	}
	if answer.Access == "" {
		return remote.Malformed("it has no access token")
	}
	session.Keep(accessName, answer.Access)
	session.Keep(serverName, server.Host)
	return nil
}

// classifyLogin returns the error for a refused sign-in. Questrade answers 400 for a
// token that is used up.
func classifyLogin(a remote.Answer) error {
	if a.Status == http.StatusBadRequest {
		return &remote.Error{Kind: remote.ErrUnauthorized, Message: "The refresh token is no longer valid. Generate a new one."}
	}
	return nil
}

func classify(a remote.Answer) error {
	if a.Status == http.StatusTooManyRequests {
		return &remote.RateLimited{RetryAfter: a.UntilReset("X-Ratelimit-Reset")}
	}
	return nil
}

// get sends a query with the access token for the session. If it is no longer valid, it
// signs in again once.
func get(ctx context.Context, session *remote.Session, path string, parameters map[string]string, into any) error {
	isNew := session.Kept(accessName) == ""
	if isNew {
		if err := signIn(ctx, session); err != nil {
			return err
		}
	}
	err := session.Fetch(ctx, newRequest(session, path, parameters), into)
	if isNew || !errors.Is(err, remote.ErrUnauthorized) {
		return err
	}
	if err := signIn(ctx, session); err != nil {
		return err
	}
	return session.Fetch(ctx, newRequest(session, path, parameters), into)
}

func newRequest(session *remote.Session, path string, parameters map[string]string) remote.Request {
	return remote.Request{
		Address:    "https://" + session.Kept(serverName) + path,
		Parameters: parameters,
		Header:     map[string]string{"Authorization": "Bearer " + session.Kept(accessName)},
		Classify:   classify,
	}
}

// Check implements connector.Connector.
func (fillClient) Check(ctx context.Context, session *remote.Session) (connector.Identity, error) {
	account, err := findAccount(ctx, session)
	if err != nil {
		return connector.Identity{}, err
	}
	return connector.Identity{Account: account.ID, Name: account.String()}, nil
}

// findAccount returns the account the user chose, or the only one.
func findAccount(ctx context.Context, session *remote.Session) (connector.Account, error) {
	var answer struct {
		Accounts remote.Member[[]struct {
			Number string `json:"number"`
			Type   string `json:"type"`
		}] `json:"accounts"`
	}
	if err := get(ctx, session, accountsPath, nil, &answer); err != nil {
		return connector.Account{}, err
	}
	if !answer.Accounts.IsPresent {
		return connector.Account{}, remote.Malformed("it has no accounts")
	}
	var list []connector.Account
	for _, a := range answer.Accounts.Value {
		list = append(list, connector.Account{ID: a.Number, Name: a.Type})
	}
	return connector.ChooseAccount(session.Value(accountField), list)
}

// Fetch implements connector.Connector.
func (fillClient) Fetch(ctx context.Context, session *remote.Session, query connector.Query) (connector.Delivery, error) {
	account, err := findAccount(ctx, session)
	if err != nil {
		return connector.Delivery{}, err
	}
	reader := reader{
		session: session, rows: connector.NewRows(query, "Questrade"), query: query, path: accountsPath + "/" + url.PathEscape(account.ID),
	}
	return reader.rows.Walk(ctx, nil, []connector.Stream{
		{Name: "executions", Fetch: func(ctx context.Context, _ string) (string, error) { return "", reader.fetchExecutions(ctx) }},
		{Name: "activities", Fetch: func(ctx context.Context, _ string) (string, error) { return "", reader.fetchActivities(ctx) }},
	})
}

// reader adds the records of one query to rows.
type reader struct {
	session *remote.Session
	rows    *connector.Rows
	query   connector.Query
	// path is that of the account.
	path string
}

// window returns the parameters of the query's time with a margin at both ends.
func (r reader) window(margin time.Duration) map[string]string {
	return map[string]string{"startTime": formatTime(r.query.From.Add(-margin)), "endTime": formatTime(r.query.To.Add(margin))}
}

func formatTime(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000000-07:00") }
