// Package oanda fetches fills and cash from the transactions in OANDA's v20 API, and bars
// for currencies, metals and index CFDs.
//
// The client was written from OANDA's documentation and tested against our own server. It
// was never tried with a live or a practice account.
package oanda

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
)

// The field names.
const (
	tokenField   = "token"
	accountField = "account_id"
)

// sites are the servers for the kinds of accounts.
var sites = connector.Sites{
	Field: remote.Field{Name: "environment", Title: "Account", Help: "The kind of account that the token is for."},
	List: []connector.Site{
		{Value: "live", Title: "Live", Host: "api-fxtrade.oanda.com"},
		{Value: "practice", Title: "Practice", Host: "api-fxpractice.oanda.com"},
	},
}

const (
	accountsPath = "/v3/accounts"
	// pageSize is the largest one OANDA allows.
	pageSize = 1000
)

type fillClient struct{}

// Fills returns the connector.
func Fills() connector.Connector { return fillClient{} }

// Describe implements connector.Connector.
func (fillClient) Describe() connector.Description {
	return connector.Description{
		Name:   "oanda",
		Title:  "OANDA",
		Covers: "Fills of currencies, metals and CFDs, financing, dividend adjustments, deposits and withdrawals",
		Notes: "OANDA's tokens can trade on all your OANDA accounts, and OANDA has no way to check or limit their rights. " +
			"Accounts for MetaTrader are not part of this API.",
		Steps: []string{
			"Sign in at hub.oanda.com, or at fxtrade.oanda.com for older accounts.",
			"Open Tools, then API, or Manage API Access in older accounts.",
			"Choose the live or the practice account and click Generate.",
			"Copy the token. Generating a new one revokes the one before.",
		},
		Hosts: sites.Hosts(),
		Calls: connector.Gets(accountsPath, accountsPath+"/*/summary", accountsPath+"/*/transactions", accountsPath+"/*/transactions/idrange"),
		Fields: []remote.Field{
			{Name: tokenField, Title: "API token", Help: "It can trade: keep it secret.", IsSecret: true},
			sites.NewField(),
			{
				Name: accountField, Title: "Account ID", Help: "Such as 001-001-1234567-001. Leave it empty if the token has one account only.",
				IsOptional: true,
			},
		},
		RequestsPerMinute: 600, // the limit is 120 a second
		Window:            365 * 24 * time.Hour,
		Delay:             time.Minute,
		Overlap:           24 * time.Hour,
		Rights:            connector.RightsUnknown,
	}
}

// request returns a request with a session's token.
func request(session *remote.Session, path string, parameters map[string]string) remote.Request {
	return remote.Request{
		Address:    sites.Address(session, path),
		Parameters: parameters,
		Header:     map[string]string{"Authorization": "Bearer " + session.Value(tokenField), "Accept-Datetime-Format": "RFC3339"},
	}
}

func accountPath(account, rest string) string {
	return accountsPath + "/" + url.PathEscape(account) + rest
}

// summary is what is known of an account.
type summary struct {
	ID         string `json:"id"`
	Alias      string `json:"alias"`
	Currency   string `json:"currency"`
	HasHedging bool   `json:"hedgingEnabled"`
}

// Check implements connector.Connector.
func (fillClient) Check(ctx context.Context, session *remote.Session) (connector.Identity, error) {
	account, err := fetchSummary(ctx, session)
	if err != nil {
		return connector.Identity{}, err
	}
	name := account.ID
	if account.Alias != "" {
		name += " " + account.Alias
	}
	return connector.Identity{Account: account.ID, Name: fmt.Sprintf("%s (%s)", name, sites.Find(session).Value)}, nil
}

// fetchSummary returns the session's account.
func fetchSummary(ctx context.Context, session *remote.Session) (summary, error) {
	id, err := findAccount(ctx, session)
	if err != nil {
		return summary{}, err
	}
	var answer struct {
		Account summary `json:"account"`
	}
	if err := session.Fetch(ctx, request(session, accountPath(id, "/summary"), nil), &answer); err != nil {
		return summary{}, err
	}
	if answer.Account.ID != id || answer.Account.Currency == "" {
		return summary{}, remote.Malformed("it is not the summary of the account")
	}
	return answer.Account, nil
}

// findAccount returns the id of the account the user chose, or of the only one the token
// has.
func findAccount(ctx context.Context, session *remote.Session) (string, error) {
	var answer struct {
		Accounts remote.Member[[]struct {
			ID string `json:"id"`
		}] `json:"accounts"`
	}
	if err := session.Fetch(ctx, request(session, accountsPath, nil), &answer); err != nil {
		return "", err
	}
	if !answer.Accounts.IsPresent {
		return "", remote.Malformed("it has no accounts")
	}
	var list []connector.Account
	for _, a := range answer.Accounts.Value {
		list = append(list, connector.Account{ID: a.ID})
	}
	chosen, err := connector.ChooseAccount(session.Value(accountField), list)
	return chosen.ID, err
}

// Fetch implements connector.Connector.
func (fillClient) Fetch(ctx context.Context, session *remote.Session, query connector.Query) (connector.Delivery, error) {
	account, err := fetchSummary(ctx, session)
	if err != nil {
		return connector.Delivery{}, err
	}
	rows := connector.NewRows(query, "OANDA")
	return rows.Walk(ctx, nil, []connector.Stream{{Name: "transactions", Fetch: func(ctx context.Context, position string) (string, error) {
		ids, err := parseRange(position)
		if err != nil {
			ids, err = findRange(ctx, session, account.ID, query)
		}
		if err != nil || ids.isEmpty() {
			return "", err
		}
		return fetchPage(ctx, session, account, rows, ids)
	}}})
}

// idRange is a range of transaction ids, which are consecutive numbers. Both ends are
// part of it.
type idRange struct{ first, last int64 }

func (r idRange) isEmpty() bool { return r.last == 0 || r.first > r.last }

// String returns the range's position, or an empty text if nothing is left.
func (r idRange) String() string {
	if r.isEmpty() {
		return ""
	}
	return fmt.Sprintf("%d-%d", r.first, r.last)
}

func parseRange(position string) (idRange, error) {
	first, last, _ := strings.Cut(position, "-")
	return newRange(first, last)
}

func newRange(first, last string) (r idRange, err error) {
	if r.first, err = strconv.ParseInt(first, 10, 64); err != nil {
		return r, err
	}
	r.last, err = strconv.ParseInt(last, 10, 64)
	return r, err
}

// findRange returns the ids of the transactions in a query's time. OANDA answers with the
// page addresses; only the ids in them are used.
func findRange(ctx context.Context, session *remote.Session, account string, query connector.Query) (whole idRange, err error) {
	var answer struct {
		Pages remote.Member[[]string] `json:"pages"`
	}
	parameters := map[string]string{"from": formatTime(query.From), "to": formatTime(query.To), "pageSize": strconv.Itoa(pageSize)}
	if err := session.Fetch(ctx, request(session, accountPath(account, "/transactions"), parameters), &answer); err != nil {
		return idRange{}, err
	}
	if !answer.Pages.IsPresent {
		return idRange{}, remote.Malformed("it has no pages")
	}
	for i, page := range answer.Pages.Value {
		address, err := url.Parse(page)
		if err != nil {
			return idRange{}, remote.Malformed("a page has no address")
		}
		ids, err := newRange(address.Query().Get("from"), address.Query().Get("to"))
		if err != nil || ids.first <= 0 || ids.isEmpty() {
			return idRange{}, remote.Malformed("a page has no range of ids")
		}
		if i == 0 {
			whole = ids
		}
		whole.first, whole.last = min(whole.first, ids.first), max(whole.last, ids.last)
	}
	return whole, nil
}

func formatTime(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) }

// fetchPage adds the first transactions in a range, and returns where the rest begins.
func fetchPage(ctx context.Context, session *remote.Session, account summary, rows *connector.Rows, ids idRange) (string, error) {
	var answer struct {
		Transactions remote.Member[[]transaction] `json:"transactions"`
	}
	end := min(ids.last, ids.first+pageSize-1)
	parameters := map[string]string{"from": strconv.FormatInt(ids.first, 10), "to": strconv.FormatInt(end, 10)}
	if err := session.Fetch(ctx, request(session, accountPath(account.ID, "/transactions/idrange"), parameters), &answer); err != nil {
		return "", err
	}
	if !answer.Transactions.IsPresent {
		return "", remote.Malformed("it has no transactions")
	}
	received := int64(0)
	for _, t := range answer.Transactions.Value {
		id, err := strconv.ParseInt(t.ID, 10, 64)
		if err != nil || id < ids.first || id > end {
			return "", remote.Malformed("a transaction has no id of the page")
		}
		received = max(received, id)
		t.add(rows, account, id)
	}
	if received > 0 {
		end = received // OANDA may send fewer than were asked for
	}
	return idRange{end + 1, ids.last}.String(), nil
}
