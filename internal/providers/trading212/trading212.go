// Package trading212 fetches fills and cash from the public API of Trading 212, which is
// a beta version.
//
// The client was written from Trading 212's documentation and tested against our own
// server. It was never tried with a live or a practice account.
package trading212

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"strconv"
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

// sites are the servers for the kinds of accounts.
var sites = connector.Sites{
	Field: remote.Field{Name: "environment", Title: "Account", Help: "The kind of account that the key is for."},
	List: []connector.Site{
		{Value: "live", Title: "Live", Host: "live.trading212.com"},
		{Value: "demo", Title: "Practice", Host: "demo.trading212.com"},
	},
}

const (
	summaryPath      = "/api/v0/equity/account/summary"
	ordersPath       = "/api/v0/equity/history/orders"
	dividendsPath    = "/api/v0/equity/history/dividends"
	transactionsPath = "/api/v0/equity/history/transactions"

	// pageSize is the largest one Trading 212 allows.
	pageSize = 50
	// authorizationName is the name of the kept header.
	authorizationName = "authorization"
)

// margin is how much older than the query a whole page must be before the rest is not
// fetched: the lists are newest first, but by which time is not documented.
const margin = 7 * 24 * time.Hour

type fillClient struct{}

// Fills returns the connector.
func Fills() connector.Connector { return fillClient{} }

// Describe implements connector.Connector.
func (fillClient) Describe() connector.Description {
	return connector.Description{
		Name:   "trading212",
		Title:  "Trading 212",
		Covers: "Fills of stocks and ETFs with their costs, dividends, deposits, withdrawals and fees of Invest and Stocks ISA accounts",
		Notes: "The API is a beta version without CFD accounts; interest on cash, and orders that waited for more than a week, may be " +
			"missing. The ids differ from those of the files, so use either the files or the connection for a period.",
		Steps: []string{
			"Open Trading 212 and switch to the Invest or the Stocks ISA account.",
			"Open Settings, then API (Beta), and click Generate API key.",
			"Allow only account data and history: dividends, orders and transactions. Don't allow to execute orders.",
			"Copy the key and the secret. Trading 212 shows the secret only once.",
		},
		Hosts: sites.Hosts(),
		Calls: connector.Gets(summaryPath, ordersPath, dividendsPath, transactionsPath),
		Fields: []remote.Field{
			{Name: keyField, Title: "API key", IsSecret: true},
			{Name: secretField, Title: "API secret", Help: "Trading 212 shows it once, when you generate the key.", IsSecret: true},
			sites.NewField(),
		},
		RequestsPerMinute: 5, // of 6 for each list
		Delay:             time.Minute,
		Overlap:           3 * 24 * time.Hour,
		Rights:            connector.RightsUnknown,
	}
}

// get sends a query with the session's key.
func get(ctx context.Context, session *remote.Session, path string, parameters map[string]string, into any) error {
	if session.Kept(authorizationName) == "" {
		pair := session.Value(keyField) + ":" + session.Value(secretField)
		session.Keep(authorizationName, base64.StdEncoding.EncodeToString([]byte(pair)))
	}
	return session.Fetch(ctx, remote.Request{
		Address:    sites.Address(session, path),
		Parameters: parameters,
		Header:     map[string]string{"Authorization": "Basic " + session.Kept(authorizationName)},
		Classify:   classify,
	}, into)
}

func classify(a remote.Answer) error {
	switch a.Status {
	case http.StatusForbidden:
		return &remote.Error{Kind: remote.ErrForbidden, Message: "The key must allow account data and the history of dividends, orders and transactions."}
	case http.StatusTooManyRequests:
		return &remote.RateLimited{RetryAfter: a.UntilReset("X-Ratelimit-Reset")}
	}
	return nil
}

// Check implements connector.Connector.
func (fillClient) Check(ctx context.Context, session *remote.Session) (connector.Identity, error) {
	var account struct {
		ID       remote.Number `json:"id"`
		Currency string        `json:"currency"`
	}
	if err := get(ctx, session, summaryPath, nil, &account); err != nil {
		return connector.Identity{}, err
	}
	if account.ID == "" {
		return connector.Identity{}, remote.Malformed("it has no account number")
	}
	return connector.Identity{Account: string(account.ID), Name: string(account.ID) + " (" + sites.Find(session).Value + ")"}, nil
}

// Fetch implements connector.Connector.
func (fillClient) Fetch(ctx context.Context, session *remote.Session, query connector.Query) (connector.Delivery, error) {
	rows := connector.NewRows(query, "Trading 212")
	list := func(name, path string, fetch pageReader) connector.Stream {
		return connector.Stream{Name: name, Fetch: func(ctx context.Context, position string) (string, error) {
			return fetch(ctx, pageRequest{session, rows, path, position, query.From.Add(-margin)})
		}}
	}
	return rows.Walk(ctx, nil, []connector.Stream{
		list("orders", ordersPath, fetchPage[orderItem]),
		list("dividends", dividendsPath, fetchPage[dividend]),
		list("transactions", transactionsPath, fetchPage[transaction]),
	})
}

// pageRequest is a request for a page of a list.
type pageRequest struct {
	session  *remote.Session
	rows     *connector.Rows
	path     string
	position string
	// end is the time before which nothing is wanted.
	end time.Time
}

// pageReader fetches a page and returns the next one's position.
type pageReader func(ctx context.Context, p pageRequest) (next string, err error)

// item is an entry of a list.
type item interface {
	// add adds the entry to rows.
	add(rows *connector.Rows)
	// isBefore reports whether all times of the entry are before a time.
	isBefore(end time.Time) bool
}

// fetchPage adds a page's entries.
func fetchPage[T item](ctx context.Context, p pageRequest) (string, error) {
	var page struct {
		Items remote.Member[[]T] `json:"items"`
		Next  string             `json:"nextPagePath"`
	}
	parameters, err := parsePosition(p.position)
	if err != nil {
		return "", err
	}
	parameters["limit"] = strconv.Itoa(pageSize)
	if err := get(ctx, p.session, p.path, parameters, &page); err != nil {
		return "", err
	}
	if !page.Items.IsPresent {
		return "", remote.Malformed("it has no items")
	}
	areOld := true
	for _, entry := range page.Items.Value {
		entry.add(p.rows)
		areOld = areOld && entry.isBefore(p.end)
	}
	if page.Next == "" || areOld {
		return "", nil
	}
	return formatPosition(page.Next)
}

// positionNames are the parameters of a next page that are used. The rest of its path is
// not: it could name anything.
var positionNames = []string{"cursor", "time"}

// formatPosition returns the parameters in the path of a next page.
func formatPosition(next string) (string, error) {
	if _, query, ok := strings.Cut(next, "?"); ok {
		next = query
	}
	values, err := url.ParseQuery(next)
	if err != nil || values.Get("cursor") == "" {
		return "", remote.Malformed("its next page has no cursor")
	}
	kept := url.Values{}
	for _, name := range positionNames {
		if value := values.Get(name); value != "" {
			kept.Set(name, value)
		}
	}
	return kept.Encode(), nil
}

func parsePosition(position string) (map[string]string, error) {
	values, err := url.ParseQuery(position)
	if err != nil {
		return nil, remote.Malformed("its next page has no cursor")
	}
	parameters := map[string]string{}
	for _, name := range positionNames {
		if value := values.Get(name); value != "" {
			parameters[name] = value
		}
	}
	return parameters, nil
}
