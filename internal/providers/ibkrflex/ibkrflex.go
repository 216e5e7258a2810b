// Package ibkrflex fetches Flex query reports from Interactive Brokers. The report is the
// XML file a user can download, and is read like it; this package asks for it, checks
// that the query has what is needed, and finds what the broker has canceled or corrected.
//
// The client was written from the broker's documentation and tested against our own
// server. It was never tried against Interactive Brokers.
package ibkrflex

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
)

const (
	host      = "ndcdyn.interactivebrokers.com"
	otherHost = "gdcdyn.interactivebrokers.com"
	service   = "/AccountManagement/FlexWebService/"
	ask       = service + "SendRequest"
	download  = service + "GetStatement"

	// requestsPerMinute also sets the time between two polls: the broker allows 10 a
	// minute, and a report takes a few seconds to several minutes.
	requestsPerMinute = 6
	maxPolls          = 5 * requestsPerMinute
	// maxTries is how often a report is asked for that cannot be made at the moment.
	maxTries = 3

	// burst is how many requests follow each other at once: a second apart, and no more
	// than the broker allows in a minute.
	burst = 3

	maxBytes = 64 << 20
	maxTime  = 2 * time.Minute
	dayForm  = "20060102"
	day      = 24 * time.Hour
)

type fillClient struct{}

// Fills returns the connector.
func Fills() connector.Connector { return fillClient{} }

// Describe implements connector.Connector.
func (fillClient) Describe() connector.Description {
	return connector.Description{
		Name:   "ibkr_flex",
		Title:  "Interactive Brokers (Flex)",
		Covers: "Executions, commissions, dividends, interest, fees, deposits and withdrawals",
		Notes: "The broker updates its reports once a day after the close, so trades of today arrive tomorrow. " +
			"Making a new token ends the old one, also for other programs that use it.",
		Steps: []string{
			"Sign in to Client Portal and choose Performance & Reports, then Flex Queries.",
			"Beside Activity Flex Query choose the plus sign, and name the query Fillbook.",
			"Choose the section Trades, tick Execution under Options, choose Select All, and save the section.",
			"Choose the section Cash Transactions, tick Detail, choose Select All, and save the section.",
			"Choose the section Account Information, tick Account ID and Currency, and save the section.",
			"Under Delivery Configuration choose your account, the format XML, and the period Last 30 Calendar Days.",
			"Under General Configuration choose the date format yyyyMMdd, the time format HHmmss, and the separator semicolon.",
			"Choose Continue, then Create, and copy the number of the query into the field Query ID here.",
			"Back on Flex Queries open Flex Web Service Configuration, switch it on, and choose Generate New Token with the longest life.",
			"Copy the token into the field Token here.",
		},
		Hosts: []string{host, otherHost},
		Calls: connector.Gets(ask, download),
		Fields: []remote.Field{
			{Name: "token", Title: "Token", IsSecret: true},
			{Name: "query_id", Title: "Query ID", Help: "The number beside the query in the list of Flex queries."},
			{Name: "accounts", Title: "Accounts", Help: "Only if the query has several accounts: the ones to fetch, separated by commas.", IsOptional: true},
		},
		RequestsPerMinute: requestsPerMinute,
		Burst:             burst,
		MaxBytes:          maxBytes,
		MaxTime:           maxTime,
		Zone:              zoneName,
		DailyAt:           7*time.Hour + 15*time.Minute,
		History:           10 * 365 * day,
		Window:            365 * day,
		WholeDays:         true,
		Overlap:           7 * day,
		ListsAll:          true,
		Margin:            day, // an evening trade's day is the next
		Rights:            connector.RightsHarmless,
	}
}

// Check implements connector.Connector. It asks for one day's report, because nothing
// else names the account.
func (c fillClient) Check(ctx context.Context, session *remote.Session) (connector.Identity, error) {
	last := session.Now().In(zone).AddDate(0, 0, -1)
	for last.Weekday() == time.Saturday || last.Weekday() == time.Sunday {
		last = last.AddDate(0, 0, -1)
	}
	day := last.Format(dayForm)
	found, err := fetchReport(ctx, session, period{from: day, to: day})
	if err != nil {
		return connector.Identity{}, err
	}
	accounts := strings.Join(found.accounts(), ", ")
	return connector.Identity{Account: accounts, Name: accounts}, nil
}

// Fetch implements connector.Connector.
func (c fillClient) Fetch(ctx context.Context, session *remote.Session, query connector.Query) (connector.Delivery, error) {
	asked := period{
		from: query.From.In(zone).Format(dayForm),
		to:   query.To.Add(-time.Nanosecond).In(zone).Format(dayForm),
	}
	found, err := fetchReport(ctx, session, asked)
	if err != nil {
		return connector.Delivery{}, err
	}
	delivery := found.delivery(asked)
	if found.isCSV && len(found.trades) == 0 && len(found.cash) == 0 {
		// A file without rows cannot be recognized as the broker's.
		empty := connector.NewRows(query, "Interactive Brokers").Delivery()
		delivery.File, delivery.Statement = nil, empty.Statement
	}
	return delivery, nil
}

const zoneName = "America/New_York"

// zone is the zone for the broker's days.
var zone = func() *time.Location {
	zone, err := time.LoadLocation(zoneName)
	if err != nil {
		panic(err) // the program contains the zones
	}
	return zone
}()

// period is a report's first and last day, in the broker's form.
type period struct{ from, to string }

// fetchReport returns a period's report, of the accounts the user chose. If the broker
// does not accept the period, it is the report of the query's period.
func fetchReport(ctx context.Context, session *remote.Session, asked period) (*report, error) {
	body, err := fetchFile(ctx, session, &asked)
	hasOwnPeriod := hasCode(err, codeNotAvailable)
	if hasOwnPeriod {
		body, err = fetchFile(ctx, session, nil)
	}
	if err != nil {
		return nil, explain(err)
	}
	found, err := parseReport(body)
	if err != nil {
		return nil, err
	}
	found.hasOwnPeriod = hasOwnPeriod
	if err := found.checkFields(); err != nil {
		return nil, err
	}
	return found, found.chooseAccounts(session.Value("accounts"))
}

// fetchFile requests a report and downloads it. It begins again once if the broker no
// longer knows the request.
func fetchFile(ctx context.Context, session *remote.Session, asked *period) ([]byte, error) {
	body, err := askAndDownload(ctx, session, asked)
	if hasCode(err, codeUnknownReference) {
		return askAndDownload(ctx, session, asked)
	}
	return body, err
}

func askAndDownload(ctx context.Context, session *remote.Session, asked *period) ([]byte, error) {
	parameters := map[string]string{"t": session.Value("token"), "q": session.Value("query_id"), "v": "3"}
	if asked != nil {
		parameters["fd"], parameters["td"] = asked.from, asked.to
	}
	body, err := sendUntil(ctx, session, remote.Request{Address: "https://" + host + ask, Parameters: parameters}, maxTries, isTemporary)
	if err != nil {
		return nil, err
	}
	var accepted envelope
	if err := accepted.parse(body); err != nil {
		return nil, err
	}
	if accepted.Reference == "" {
		return nil, remote.Malformed("it has no reference code")
	}
	parameters = map[string]string{"t": session.Value("token"), "q": accepted.Reference, "v": "3"}
	body, err = poll(ctx, session, host, parameters)
	if err == nil && !isReport(body) {
		// Some reports are only at the address the broker names, if it is one of its own.
		if named := accepted.host(); named != "" {
			return poll(ctx, session, named, parameters)
		}
	}
	return body, err
}

// poll downloads a report as soon as it is there.
func poll(ctx context.Context, session *remote.Session, from string, parameters map[string]string) ([]byte, error) {
	request := remote.Request{Address: "https://" + from + download, Parameters: parameters}
	return sendUntil(ctx, session, request, maxPolls, func(err error) bool { return hasCode(err, codeNotReady) || isTemporary(err) })
}

// sendUntil sends a request until it succeeds or fails for good, at most a number of
// times. The session's client keeps the time between two requests.
func sendUntil(
	ctx context.Context, session *remote.Session, request remote.Request, most int, isRetried func(error) bool,
) (body []byte, err error) {
	request.Classify = classify
	for range most {
		if body, err = session.Send(ctx, request); err == nil || !isRetried(err) {
			return body, err
		}
	}
	return nil, err
}

// The broker's codes that decide what is done next.
const (
	codeNotAvailable     = "1003"
	codeUnknownReference = "1017"
	codeTooMany          = "1018"
	codeNotReady         = "1019"
)

// temporary are the codes for reports that can be asked for again at once.
var temporary = []string{"1001", "1004", "1009", "1021"}

// later are the codes for reports the broker makes later, or does not know yet.
var later = []string{"1005", "1006", "1007", "1008", codeUnknownReference, codeNotReady, "1020"}

// uncertain are the codes for a query that may be new, that the broker cannot answer at
// the moment, or that is wrong.
var uncertain = map[string]connector.UncertainError{
	"1001": {
		Patience: day, Advice: "Interactive Brokers could not make the report for a day. Run the query once in Client Portal, and check the token.",
	},
	"1020": {Advice: "Interactive Brokers does not accept the request. Check the token and the number of the query in Client Portal."},
}

// setups are the sentences for the codes about which only the user can do something.
var setups = map[string]string{
	codeNotAvailable: "Interactive Brokers has no report for this query. Run the query once in Client Portal, and check its period.",
	"1010":           "The query is of an old kind. Make an Activity Flex Query in Client Portal and enter its number here.",
	"1011":           "The Flex Web Service is switched off. Switch it on in Client Portal under Flex Queries, Flex Web Service Configuration.",
	"1012":           "The token has expired. Make a new one in Client Portal under Flex Queries, Flex Web Service Configuration, and enter it here.",
	"1013":           "The token is bound to another internet address. Make one in Client Portal for the address of this server, or without an address.",
	"1014":           "Interactive Brokers does not know the query. Check its number in Client Portal under Flex Queries.",
	"1015":           "Interactive Brokers does not know the token. Make a new one in Client Portal under Flex Queries, Flex Web Service Configuration.",
	"1016":           "The query is of an account that the token does not give access to. Check the accounts of the query in Client Portal.",
}

// classify returns the error in the broker's answer, which has the status 200.
func classify(a remote.Answer) error {
	var answer envelope
	isAnswer := a.Status == http.StatusOK && answer.parse(a.Body) == nil
	if !isAnswer || answer.Code == "" {
		return nil
	}
	kind := remote.ErrRefused
	switch _, isSetup := setups[answer.Code]; {
	case answer.Code == codeTooMany:
		return &remote.RateLimited{RetryAfter: max(a.RetryAfter(), time.Minute)}
	case isSetup:
	case slices.Contains(temporary, answer.Code), slices.Contains(later, answer.Code), answer.promisesMore():
		kind = remote.ErrUnavailable
	}
	return &remote.Error{Kind: kind, Code: answer.Code, Message: answer.Message}
}

// explain returns what a user has to do about an error, if that helps.
func explain(err error) error {
	if refusal := (*remote.Error)(nil); errors.As(err, &refusal) {
		if text, isSetup := setups[refusal.Code]; isSetup {
			return connector.SetupError("%s%s", text, remote.QuoteWords(err))
		}
		if u, isUncertain := uncertain[refusal.Code]; isUncertain {
			u.Err = err
			return &u
		}
	}
	return err
}

func hasCode(err error, code string) bool {
	refusal := (*remote.Error)(nil)
	return errors.As(err, &refusal) && refusal.Code == code
}

func isTemporary(err error) bool {
	return slices.ContainsFunc(temporary, func(code string) bool { return hasCode(err, code) })
}

// host returns the host of the address the broker names for the download, or an empty
// text if it is not the documented download of a host of the broker: another one must not
// get the token.
func (e *envelope) host() string {
	address, err := url.Parse(strings.TrimSpace(e.URL))
	if err != nil || address.Scheme != "https" || address.Path != download || !slices.Contains([]string{host, otherHost}, address.Host) {
		return ""
	}
	return address.Host
}
