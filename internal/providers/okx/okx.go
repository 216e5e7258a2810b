// Package okx fetches fills, funding, interest and transfers of a trading account from
// OKX.
//
// The client was written from OKX's documentation and tested against our own server. It
// was never tried with an account.
package okx

import (
	"context"
	"encoding/base64"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
)

// The field names.
const (
	keyField        = "api_key"
	secretField     = "api_secret"
	passphraseField = "passphrase"
)

// sites are OKX's sites.
var sites = connector.Sites{
	Field: remote.Field{Name: "site", Title: "Site", Help: "The site of OKX on which you created the key."},
	List: []connector.Site{
		{Value: "global", Title: "okx.com", Host: "www.okx.com"},
		{Value: "eea", Title: "European Economic Area", Host: "eea.okx.com"},
		{Value: "us", Title: "United States", Host: "us.okx.com"},
		{Value: demo, Title: "Demo trading", Host: "www.okx.com"},
	},
}

const demo = "demo"

const (
	configPath      = "/api/v5/account/config"
	fillsPath       = "/api/v5/trade/fills-history"
	billsPath       = "/api/v5/account/bills-archive"
	instrumentsPath = "/api/v5/public/instruments"
	timePath        = "/api/v5/public/time"

	// pageSize is the largest one OKX allows.
	pageSize = 100

	day = 24 * time.Hour
)

type fillClient struct{}

// Fills returns the connector.
func Fills() connector.Connector { return fillClient{} }

// Describe implements connector.Connector.
func (fillClient) Describe() connector.Description {
	return connector.Description{
		Name:   "okx",
		Title:  "OKX",
		Covers: "Fills of spot, margin, swaps, futures and options, funding, interest and transfers of the trading account",
		Notes: "OKX has three months to a year of fills, and three months of funding, interest and transfers; import CSV files for the time before. " +
			"Don't import OKX's order history for the same time: its rows are orders, not fills.",
		Steps: []string{
			"Sign in at OKX and open Profile > API.",
			"Click Create API key and choose API trading.",
			"Enter a name and a passphrase. Remember the passphrase: OKX doesn't show it again.",
			"Under Permissions, tick Read only.",
			"Click Confirm, and copy the API key and the secret key.",
		},
		Hosts: sites.Hosts(),
		Calls: connector.Gets(configPath, fillsPath, billsPath, instrumentsPath, timePath),
		Fields: []remote.Field{
			{Name: keyField, Title: "API key", Help: "A key with the permission Read only.", IsSecret: true},
			{Name: secretField, Title: "Secret key", Help: "OKX shows it once, when you create the key.", IsSecret: true},
			{Name: passphraseField, Title: "Passphrase", Help: "The one that you entered when you created the key, not your password.", IsSecret: true},
			sites.NewField(),
		},
		RequestsPerMinute: 120, // the limit is 5 in two seconds
		DailyAt:           30 * time.Minute,
		History:           365 * day,
		Delay:             time.Minute,
		Overlap:           day,
		ListsAll:          true,
		Margin:            time.Hour,
		Rights:            connector.RightsChecked,
	}
}

// send sends a signed request and returns the list in the answer.
func send[T any](ctx context.Context, session *remote.Session, path string, parameters map[string]string) ([]T, error) {
	var answer struct {
		Data remote.Member[[]T] `json:"data"`
	}
	err := session.Fetch(ctx, remote.Request{
		Address:    sites.Address(session, path),
		Parameters: parameters,
		Sign:       func(request *http.Request, _ []byte) { sign(request, session) },
		Classify:   classify,
		AskTime:    func(ctx context.Context) (time.Time, error) { return askTime(ctx, session) },
	}, &answer)
	if err == nil && !answer.Data.IsPresent {
		err = remote.Malformed("it has no data")
	}
	return answer.Data.Value, err
}

// askTime returns OKX's time.
func askTime(ctx context.Context, session *remote.Session) (time.Time, error) {
	var answer struct {
		Data []struct {
			Millis remote.Number `json:"ts"`
		} `json:"data"`
	}
	err := session.Fetch(ctx, remote.Request{Address: sites.Address(session, timePath), Classify: classify}, &answer)
	if err != nil {
		return time.Time{}, err
	}
	if len(answer.Data) == 0 {
		return time.Time{}, remote.Malformed("it has no time")
	}
	millis, err := strconv.ParseInt(string(answer.Data[0].Millis), 10, 64)
	if err != nil {
		return time.Time{}, remote.Malformed("it has no time")
	}
	return time.UnixMilli(millis), nil
}

// sign adds the signature of a request with its path and query as they are sent.
func sign(request *http.Request, session *remote.Session) {
	at := session.ProviderNow().UTC().Format("2006-01-02T15:04:05.000Z")
	text := at + request.Method + request.URL.RequestURI()
	request.Header.Set("OK-ACCESS-KEY", session.Value(keyField))
	request.Header.Set("OK-ACCESS-SIGN", base64.StdEncoding.EncodeToString(connector.SignSHA256(session.Value(secretField), text)))
	request.Header.Set("OK-ACCESS-TIMESTAMP", at)
	request.Header.Set("OK-ACCESS-PASSPHRASE", session.Value(passphraseField))
	if sites.Find(session).Value == demo {
		request.Header.Set("x-simulated-trading", "1")
	}
}

// classify returns an answer's error. OKX has its own code, also in answers with status
// 200.
func classify(a remote.Answer) error {
	switch a.Code {
	case "", "0":
		return nil
	case "50001", "50004", "50013", "50026":
		return remote.ErrUnavailable
	case "50011", "50040", "50061":
		return &remote.RateLimited{RetryAfter: a.RetryAfter()}
	case "50102", "50112":
		return remote.ErrClock
	case "50100", "50101", "50103", "50104", "50105", "50106", "50107", "50111", "50113", "50114", "50119":
		return remote.ErrUnauthorized
	case "50030", "50035", "50051", "50110", "50120":
		return remote.ErrForbidden // the address, the country or the key's rights
	case "51001":
		return remote.ErrNotFound // the instrument
	}
	if a.Status == http.StatusOK {
		return remote.ErrRefused
	}
	return nil
}

// Check implements connector.Connector.
func (fillClient) Check(ctx context.Context, session *remote.Session) (connector.Identity, error) {
	type config struct {
		User   string `json:"uid"`
		Label  string `json:"label"`
		Rights string `json:"perm"`
	}
	list, err := send[config](ctx, session, configPath, nil)
	if err != nil {
		return connector.Identity{}, err
	}
	if len(list) == 0 || list[0].User == "" || list[0].Rights == "" {
		return connector.Identity{}, remote.Malformed("it has no user or no rights")
	}
	rights := strings.Split(strings.ReplaceAll(list[0].Rights, " ", ""), ",")
	return connector.Identity{
		Account:     list[0].User,
		Name:        "UID " + list[0].User + " (" + sites.Find(session).Title + ")",
		CanTrade:    slices.ContainsFunc(rights, func(right string) bool { return right != "read_only" }),
		CanWithdraw: slices.Contains(rights, "withdraw"),
	}, nil
}

// Fetch implements connector.Connector.
func (fillClient) Fetch(ctx context.Context, session *remote.Session, query connector.Query) (connector.Delivery, error) {
	r := &run{session: session, query: query, rows: connector.NewRows(query, "OKX"), kept: connector.Kept(query), sizes: map[string]size{}}
	var streams []connector.Stream
	for _, kind := range []string{spot, margin, swap, futures, option} {
		streams = append(streams, connector.Stream{Name: kind, Fetch: func(ctx context.Context, position string) (string, error) {
			return fetchPage(ctx, r, fillsPath, map[string]string{"instType": kind}, position, func(ctx context.Context, f fill) error {
				f.Type = kind
				return r.addFill(ctx, f)
			})
		}})
	}
	for _, kind := range []string{transfer, interest, funding, profitSharing} {
		streams = append(streams, connector.Stream{Name: "bills " + kind, Fetch: func(ctx context.Context, position string) (string, error) {
			return fetchPage(ctx, r, billsPath, map[string]string{"type": kind}, position, r.addBill)
		}})
	}
	return r.rows.Walk(ctx, r.kept, streams)
}

// run is one query.
type run struct {
	session *remote.Session
	query   connector.Query
	rows    *connector.Rows
	// kept has the contract sizes: OKX forgets those that have ended.
	kept  map[string]string
	sizes map[string]size
}

// bill is a record that has a bill's id.
type bill interface{ billID() string }

// fetchPage adds a page's records, oldest first, and returns the id of its oldest record
// if there may be more.
func fetchPage[T bill](ctx context.Context, r *run, path string, parameters map[string]string, after string, add func(context.Context, T) error) (string, error) {
	// OKX does not say whether the ends are included.
	parameters["begin"] = strconv.FormatInt(r.query.From.UnixMilli()-1, 10)
	parameters["end"] = strconv.FormatInt(r.query.To.UnixMilli()+1, 10)
	parameters["limit"] = strconv.Itoa(pageSize)
	if after != "" {
		parameters["after"] = after
	}
	page, err := send[T](ctx, r.session, path, parameters)
	if err != nil {
		return "", err
	}
	for _, record := range slices.Backward(page) {
		if record.billID() == "" {
			return "", remote.Malformed("a record has no id")
		}
		if err := add(ctx, record); err != nil {
			return "", err
		}
	}
	if len(page) < pageSize {
		return "", nil
	}
	return page[len(page)-1].billID(), nil
}
