// Package bybit fetches fills, funding and movements from Bybit's unified accounts, and
// its public bars for spot pairs and for linear and inverse contracts.
//
// The client was written from Bybit's documentation and tested against our own server. It
// was never tried with an account.
package bybit

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"slices"
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

// sites are Bybit's sites.
var sites = connector.Sites{
	Field: remote.Field{Name: "site", Title: "Site", Help: "The site of Bybit on which you created the key."},
	List: []connector.Site{
		{Value: "global", Title: "bybit.com", Host: "api.bybit.com"},
		{Value: "eu", Title: "bybit.eu (European Economic Area)", Host: "api.bybit.eu"},
		{Value: "nl", Title: "bybit.nl (Netherlands)", Host: "api.bybit.nl"},
		{Value: "tr", Title: "bybit.tr (Turkey)", Host: "api.bybit.tr"},
		{Value: "kz", Title: "bybit.kz (Kazakhstan)", Host: "api.bybit.kz"},
		{Value: "ge", Title: "bybitgeorgia.ge (Georgia)", Host: "api.bybitgeorgia.ge"},
		{Value: "ae", Title: "bybit.ae (United Arab Emirates)", Host: "api.bybit.ae"},
		{Value: "id", Title: "bybit.id (Indonesia)", Host: "api.bybit.id"},
		{Value: "jp", Title: "manepa.jp (Japan)", Host: "api.manepa.jp"},
		{Value: "demo", Title: "Demo trading", Host: "api-demo.bybit.com"},
		{Value: "testnet", Title: "Testnet", Host: "api-testnet.bybit.com"},
	},
}

const (
	keyPath        = "/v5/user/query-api"
	executionsPath = "/v5/execution/list"
	logPath        = "/v5/account/transaction-log"
	timePath       = "/v5/market/time"

	// The sizes are the largest Bybit allows.
	executionsPage = "100"
	logPage        = "50"

	// window is how many milliseconds old a request may be.
	window = "5000"

	day = 24 * time.Hour
)

type fillClient struct{}

// Fills returns the connector.
func Fills() connector.Connector { return fillClient{} }

// Describe implements connector.Connector.
func (fillClient) Describe() connector.Description {
	return connector.Description{
		Name:   "bybit",
		Title:  "Bybit",
		Covers: "Fills of contracts, spot and options, funding, transfers and interest of a unified trading account",
		Notes: "Bybit has two years of history and doesn't report the position of a fill: in hedge mode, long and short positions in one contract " +
			"are counted as one. A key that isn't bound to an address ends after 90 days.",
		Steps: []string{
			"Sign in at Bybit and open Account > API.",
			"Click Create New Key and choose System-generated API Keys.",
			"Choose API Transaction, and Read-Only.",
			"Tick Orders and Positions under Contract, Trade under SPOT and USDC Contracts, and Account Transfer under Assets. Leave Withdrawal empty.",
			"Bind the address of your server if it has a fixed one, so that the key doesn't end after 90 days.",
			"Click Submit and copy key and secret. Bybit shows the secret only once.",
		},
		Hosts: sites.Hosts(),
		Calls: connector.Gets(keyPath, executionsPath, logPath, timePath),
		Fields: []remote.Field{
			{Name: keyField, Title: "API key", Help: "A read-only key.", IsSecret: true},
			{Name: secretField, Title: "API secret", Help: "Bybit shows it once, when you create the key.", IsSecret: true},
			sites.NewField(),
		},
		RequestsPerMinute: 600, // the limit is 50 in a second
		DailyAt:           30 * time.Minute,
		History:           2 * 365 * day,
		Window:            7 * day,
		Delay:             time.Minute,
		Overlap:           day,
		ListsAll:          true,
		Rights:            connector.RightsChecked,
	}
}

// send sends a signed request and decodes the answer's member result. query is added to
// the parameters as it is.
func send[T any](ctx context.Context, session *remote.Session, path string, parameters map[string]string, query string) (T, error) {
	var answer struct {
		Result remote.Member[T] `json:"result"`
	}
	err := session.Fetch(ctx, remote.Request{
		Address:    sites.Address(session, path),
		Parameters: parameters,
		Query:      query,
		Sign:       func(request *http.Request, _ []byte) { sign(request, session) },
		Classify:   classify,
		AskTime:    func(ctx context.Context) (time.Time, error) { return askTime(ctx, session) },
	}, &answer)
	if err == nil && !answer.Result.IsPresent {
		err = remote.Malformed("it has no result")
	}
	return answer.Result.Value, err
}

// askTime returns the site's time.
func askTime(ctx context.Context, session *remote.Session) (time.Time, error) {
	var answer struct {
		Result struct {
			Nanos remote.Number `json:"timeNano"`
		} `json:"result"`
	}
	err := session.Fetch(ctx, remote.Request{Address: sites.Address(session, timePath), Classify: classify}, &answer)
	if err != nil {
		return time.Time{}, err
	}
	nanos, err := strconv.ParseInt(string(answer.Result.Nanos), 10, 64)
	if err != nil {
		return time.Time{}, remote.Malformed("it has no time")
	}
	return time.Unix(0, nanos), nil
}

// sign adds a signature for a request's query as it is sent.
func sign(request *http.Request, session *remote.Session) {
	key, at := session.Value(keyField), strconv.FormatInt(session.ProviderNow().UnixMilli(), 10)
	request.Header.Set("X-BAPI-API-KEY", key)
	request.Header.Set("X-BAPI-TIMESTAMP", at)
	request.Header.Set("X-BAPI-RECV-WINDOW", window)
	request.Header.Set("X-BAPI-SIGN", hex.EncodeToString(connector.SignSHA256(session.Value(secretField), at+key+window+request.URL.RawQuery)))
}

// notUnified is the code for a query only unified accounts may send.
const notUnified = "10028"

// wrongSignature is the code for a signature Bybit computes otherwise.
const wrongSignature = "10004"

// classify returns an answer's error. Bybit has its own code in answers with status 200.
func classify(a remote.Answer) error {
	switch a.Code {
	case "0":
		return nil
	case "10002":
		return remote.ErrClock
	case "10003", wrongSignature, "10007", "33004":
		return remote.ErrUnauthorized
	case "10005", "10009", "10010", "10024", notUnified:
		return remote.ErrForbidden
	case "10006", "10018", "10429", "429":
		return &remote.RateLimited{RetryAfter: untilReset(a)}
	case "10000", "10016":
		return remote.ErrUnavailable
	}
	switch {
	case a.Status == http.StatusForbidden && bytes.Contains(bytes.ToLower(a.Body), []byte("too frequent")):
		// Another answer with this status comes from a country Bybit does not serve.
		return errTooFrequent
	case a.Status == http.StatusOK && a.Code != "":
		return remote.ErrRefused
	}
	return nil
}

// errTooFrequent is the error for an address with too many requests. The documentation
// says how long to wait.
var errTooFrequent = &remote.RateLimited{RetryAfter: 10 * time.Minute, IsBanned: true}

// untilReset returns the time until the limit is reset, which a header has in
// milliseconds.
func untilReset(a remote.Answer) time.Duration {
	millis, err := strconv.ParseInt(a.Header.Get("X-Bapi-Limit-Reset-Timestamp"), 10, 64)
	if err != nil {
		return a.RetryAfter()
	}
	return a.Until(time.UnixMilli(millis))
}

type keyInfo struct {
	ReadOnly    remote.Member[int]  `json:"readOnly"`
	Permissions map[string][]string `json:"permissions"`
	Unified     int                 `json:"uta"`
	User        remote.Number       `json:"userID"`
	ExpiresAt   string              `json:"expiredAt"`
}

// Check implements connector.Connector.
func (fillClient) Check(ctx context.Context, session *remote.Session) (connector.Identity, error) {
	info, err := send[keyInfo](ctx, session, keyPath, nil, "")
	if err != nil {
		return connector.Identity{}, err
	}
	if info.User == "" || !info.ReadOnly.IsPresent {
		return connector.Identity{}, remote.Malformed("it has no user or no rights")
	}
	identity := connector.Identity{
		Account:     string(info.User),
		Name:        "UID " + string(info.User) + " (" + sites.Find(session).Title + ")",
		CanTrade:    info.ReadOnly.Value != 1,
		CanWithdraw: info.ReadOnly.Value != 1 && slices.Contains(info.Permissions["Wallet"], "Withdraw"),
	}
	if at, err := time.Parse(time.RFC3339, info.ExpiresAt); err == nil && at.Unix() > 0 { // 1970 means never
		identity.ExpiresAt = at.UTC()
	}
	if info.Unified == 0 {
		identity.Notes = append(identity.Notes, noteNotUnified)
	}
	return identity, nil
}

const noteNotUnified = "The account is not a unified trading account: Bybit returns its fills and funding, but not its transfers and interest."

// Fetch implements connector.Connector.
func (fillClient) Fetch(ctx context.Context, session *remote.Session, query connector.Query) (connector.Delivery, error) {
	r := &run{session: session, query: query, rows: connector.NewRows(query, "Bybit")}
	var streams []connector.Stream
	for _, category := range []string{linear, inverse, spot, option} {
		streams = append(streams, connector.Stream{Name: category, Fetch: func(ctx context.Context, position string) (string, error) {
			return fetchPage(ctx, r, executionsPath, map[string]string{"category": category, "limit": executionsPage}, position,
				func(e *execution) { r.addExecution(category, e) })
		}})
	}
	streams = append(streams, connector.Stream{Name: "log", Fetch: r.fetchLog})
	return r.rows.Walk(ctx, nil, streams)
}

// run is one query.
type run struct {
	session *remote.Session
	query   connector.Query
	rows    *connector.Rows
	// escapesCursor reports that cursors are escaped although they are already.
	escapesCursor bool
}

type list[T any] struct {
	Next string             `json:"nextPageCursor"`
	List remote.Member[[]T] `json:"list"`
}

// fetchPage adds a page's records, oldest first, and returns the next one's cursor.
func fetchPage[T any](ctx context.Context, r *run, path string, parameters map[string]string, cursor string, add func(*T)) (string, error) {
	parameters["startTime"] = strconv.FormatInt(r.query.From.UnixMilli(), 10)
	parameters["endTime"] = strconv.FormatInt(r.query.To.UnixMilli(), 10)
	page, err := send[list[T]](ctx, r.session, path, parameters, r.encodeCursor(cursor))
	if cursor != "" && hasWrongSignature(err) {
		r.escapesCursor = !r.escapesCursor
		page, err = send[list[T]](ctx, r.session, path, parameters, r.encodeCursor(cursor))
	}
	if err != nil {
		return "", err
	}
	if !page.List.IsPresent {
		return "", remote.Malformed("it has no list")
	}
	for _, record := range slices.Backward(page.List.Value) {
		add(&record)
	}
	if len(page.List.Value) == 0 {
		return "", nil
	}
	return page.Next, nil
}

// encodeCursor returns a cursor's parameter. Bybit's cursors are escaped already, and its
// own client sends them as they are. Others escape them again.
func (r *run) encodeCursor(cursor string) string {
	switch {
	case cursor == "":
		return ""
	case r.escapesCursor || !isEscaped(cursor):
		return "cursor=" + url.QueryEscape(cursor)
	}
	return "cursor=" + cursor
}

// isEscaped reports whether a text can be in a query as it is.
func isEscaped(text string) bool {
	_, err := url.QueryUnescape(text)
	return err == nil && !strings.ContainsFunc(text, func(c rune) bool {
		return c <= ' ' || c > '~' || strings.ContainsRune(`"#&+<>\^`+"`{|}", c)
	})
}

// hasWrongSignature reports whether Bybit computed another signature.
func hasWrongSignature(err error) bool {
	var refusal *remote.Error
	return errors.As(err, &refusal) && refusal.Code == wrongSignature
}

// fetchLog adds what moved money without a fill. Accounts that are not unified have no
// log.
func (r *run) fetchLog(ctx context.Context, position string) (string, error) {
	next, err := fetchPage(ctx, r, logPath, map[string]string{"accountType": "UNIFIED", "limit": logPage}, position, r.addMovement)
	var refusal *remote.Error
	if errors.As(err, &refusal) && refusal.Code == notUnified {
		r.rows.AddMessage(noteNotUnified)
		return "", nil
	}
	if errors.Is(err, remote.ErrNotFound) {
		r.rows.AddMessage("Bybit has no log of transfers and interest here, so they are missing.")
		return "", nil
	}
	return next, err
}
