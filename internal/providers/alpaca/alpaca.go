// Package alpaca fetches fills and cash from Alpaca's account activities, and bars for US
// shares from its market data.
//
// The client was written from Alpaca's documentation and tested against our own server.
// It was never tried with a live or a paper account.
package alpaca

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"
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
	Field: remote.Field{Name: "environment", Title: "Account", Help: "The kind of account that the key is for."},
	List: []connector.Site{
		{Value: "live", Title: "Live", Host: "api.alpaca.markets"},
		{Value: "paper", Title: "Paper", Host: "paper-api.alpaca.markets"},
	},
}

const (
	accountPath    = "/v2/account"
	activitiesPath = "/v2/account/activities"
	fillsPath      = activitiesPath + "/" + typeFill
	// pageSize is the largest one Alpaca allows.
	pageSize = 100
)

type fillClient struct{}

// Fills returns the connector.
func Fills() connector.Connector { return fillClient{} }

// Describe implements connector.Connector.
func (fillClient) Describe() connector.Description {
	return connector.Description{
		Name:   "alpaca",
		Title:  "Alpaca",
		Covers: "Fills of stocks, options and crypto, expired and assigned options, deposits, dividends, interest and fees",
		Notes: "Alpaca's keys can trade, and Alpaca has no way to check the rights of a key. Regulatory fees arrive a day later " +
			"as cash; splits and other corporate actions are reported but not imported.",
		Steps: []string{
			"Sign in at app.alpaca.markets.",
			"Choose the live or the paper account at the top left.",
			"On the home page, find API Keys at the right and click Generate New Keys.",
			"Copy the key and the secret. Alpaca shows the secret only once.",
		},
		Hosts: sites.Hosts(),
		Calls: connector.Gets(accountPath, activitiesPath, fillsPath),
		Fields: []remote.Field{
			{Name: keyField, Title: "API key ID", Help: "Starts with AK for a live account and with PK for a paper account.", IsSecret: true},
			{Name: secretField, Title: "Secret key", Help: "Alpaca shows it once, when you generate the key.", IsSecret: true},
			sites.NewField(),
		},
		RequestsPerMinute: 150, // the limit is 200
		Delay:             time.Minute,
		Overlap:           3 * 24 * time.Hour, // fees and corrections come late
		ListsAll:          true,
		Margin:            24 * time.Hour, // some fills have only a day
		Rights:            connector.RightsUnknown,
	}
}

// request returns a request with a session's credentials.
func request(session *remote.Session, path string, parameters map[string]string) remote.Request {
	return remote.Request{
		Address:    sites.Address(session, path),
		Parameters: parameters,
		Header:     authorize(session, keyField, secretField),
		Classify:   classify,
	}
}

// authorize returns the headers with the key and the secret in two fields.
func authorize(session *remote.Session, key, secret string) map[string]string {
	return map[string]string{"APCA-API-KEY-ID": session.Value(key), "APCA-API-SECRET-KEY": session.Value(secret)}
}

func classify(a remote.Answer) error {
	if a.Status == http.StatusTooManyRequests {
		return &remote.RateLimited{RetryAfter: a.UntilReset("X-Ratelimit-Reset")}
	}
	return nil
}

// Check implements connector.Connector.
func (fillClient) Check(ctx context.Context, session *remote.Session) (connector.Identity, error) {
	var account struct {
		ID     string `json:"id"`
		Number string `json:"account_number"`
	}
	if err := session.Fetch(ctx, request(session, accountPath, nil), &account); err != nil {
		return connector.Identity{}, err
	}
	number := cmp.Or(account.Number, account.ID)
	if number == "" {
		return connector.Identity{}, remote.Malformed("it has no account number")
	}
	return connector.Identity{Account: number, Name: number + " (" + sites.Find(session).Value + ")"}, nil
}

// Fetch implements connector.Connector.
func (fillClient) Fetch(ctx context.Context, session *remote.Session, query connector.Query) (connector.Delivery, error) {
	rows := connector.NewRows(query, "Alpaca")
	path := activitiesPath
	return rows.Walk(ctx, nil, []connector.Stream{{Name: "activities", Fetch: func(ctx context.Context, position string) (string, error) {
		next, err := fetchPage(ctx, session, rows, query, path, position)
		if path == activitiesPath && errors.Is(err, remote.ErrNotFound) {
			// A proxy or a test server may have no other list.
			path = fillsPath
			rows.AddMessage("Alpaca lists only fills here: dividends, fees and other cash are missing.")
			return fetchPage(ctx, session, rows, query, path, position)
		}
		return next, err
	}}})
}

// fetchPage adds the activities after one with an id, and returns the last one's id if
// there may be more.
func fetchPage(ctx context.Context, session *remote.Session, rows *connector.Rows, query connector.Query, path, after string) (string, error) {
	// Alpaca does not say whether the ends are included.
	parameters := map[string]string{
		"after": formatTime(query.From.Add(-time.Second)), "until": formatTime(query.To.Add(time.Second)),
		"direction": "asc", "page_size": strconv.Itoa(pageSize),
	}
	if after != "" {
		parameters["page_token"] = after
	}
	var page []activity
	if err := session.Fetch(ctx, request(session, path, parameters), &page); err != nil {
		return "", err
	}
	if page == nil {
		return "", remote.Malformed("it is not a list of activities")
	}
	for _, a := range page {
		if a.ID == "" {
			return "", remote.Malformed("an activity has no id")
		}
		a.add(rows)
	}
	if len(page) < pageSize {
		return "", nil
	}
	return page[len(page)-1].ID, nil
}

func formatTime(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) }
