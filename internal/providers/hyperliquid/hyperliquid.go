// Package hyperliquid fetches an address's fills, funding and transfers from
// Hyperliquid's public API, and its newest bars for perpetual contracts. There is no key:
// everything on Hyperliquid is public.
//
// The client was written from Hyperliquid's documentation and tested against our own
// server. It was never tried against Hyperliquid.
package hyperliquid

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
	"fillbook/internal/intake/statement"
)

const (
	host = "api.hyperliquid.xyz"
	path = "/info"
	// dollar is the collateral's coin, of funding and of most transfers.
	dollar = "USDC"
	// field is the credential's name.
	field = "address"
)

// The requests and how many records an answer has at most.
const (
	fillsRequest, maxFills     = "userFillsByTime", 2000
	fundingRequest, maxFunding = "userFunding", 500
	ledgerRequest, maxLedger   = "userNonFundingLedgerUpdates", 500
)

type fillClient struct{}

// Fills returns the connector.
func Fills() connector.Connector { return fillClient{} }

// Describe implements connector.Connector.
func (fillClient) Describe() connector.Description {
	return connector.Description{
		Name:   "hyperliquid",
		Title:  "Hyperliquid",
		Covers: "Perpetual contracts, spot fills, funding, deposits and withdrawals",
		Notes: "No key is needed: an address is public. Hyperliquid returns only the newest 10,000 fills of an address; " +
			"import the CSV file for older ones.",
		Steps: []string{
			"Open app.hyperliquid.xyz and connect your wallet.",
			"Click the address at the top right and copy it. For a sub-account, open Sub-Accounts and copy its own address.",
			"Paste the address here. The address of an API wallet has no fills.",
		},
		Hosts: []string{host},
		Calls: []connector.Call{{Method: http.MethodPost, Path: path}},
		Fields: []remote.Field{{
			Name: field, Title: "Address", Help: "0x and 40 letters and digits: the address of the account or of the sub-account.",
		}},
		// A full page weighs 120, and 1,200 a minute are allowed.
		RequestsPerMinute: 10,
		DailyAt:           30 * time.Minute,
		Delay:             time.Minute,
		Overlap:           24 * time.Hour,
		Rights:            connector.RightsHarmless,
	}
}

// request is a request's body.
type request struct {
	Type  string `json:"type"`
	User  string `json:"user,omitempty"`
	Start *int64 `json:"startTime,omitempty"`
	End   *int64 `json:"endTime,omitempty"`
}

func send(ctx context.Context, session *remote.Session, body request, into any) error {
	return session.Fetch(ctx, remote.Request{Address: "https://" + host + path, JSON: body}, into)
}

var addressForm = lazyregexp.New(`^0x[0-9a-f]{40}$`)

// parseAddress returns the user's address in lower case.
func parseAddress(session *remote.Session) (string, error) {
	address := strings.ToLower(session.Value(field))
	if !addressForm().MatchString(address) {
		return "", connector.SetupError("The address is not valid. An address is 0x and 40 letters and digits; copy it from Hyperliquid again.")
	}
	return address, nil
}

type role struct {
	Role string `json:"role"`
	Data struct {
		User   string `json:"user"`
		Master string `json:"master"`
	} `json:"data"`
}

// Check implements connector.Connector. Hyperliquid answers a query for an address without
// an account with no fills, so its role is looked at.
func (fillClient) Check(ctx context.Context, session *remote.Session) (connector.Identity, error) {
	address, err := parseAddress(session)
	if err != nil {
		return connector.Identity{}, err
	}
	var answer role
	if err := send(ctx, session, request{Type: "userRole", User: address}, &answer); err != nil {
		return connector.Identity{}, err
	}
	identity := connector.Identity{Account: address, Name: address}
	switch answer.Role {
	case "":
		return connector.Identity{}, remote.Malformed("it has no role")
	case "missing":
		return connector.Identity{}, connector.SetupError("Hyperliquid has no account with this address. Check the address.")
	case "agent":
		owner := strings.ToLower(answer.Data.User)
		if !addressForm().MatchString(owner) {
			owner = "the account that it belongs to"
		}
		return connector.Identity{}, connector.SetupError("This is the address of an API wallet, which has no fills. Enter the address of the account: %s.", owner)
	case "subAccount":
		identity.Name += " (sub-account)"
	case "vault":
		identity.Name += " (vault)"
	}
	return identity, nil
}

// run is one query.
type run struct {
	session *remote.Session
	query   connector.Query
	rows    *connector.Rows
	address string
	// pairs are the spot pairs by their names, such as @107. They are nil until one is
	// needed.
	pairs map[string]statement.Instrument
	// kept has the newest fill's time in all deliveries.
	kept map[string]string
}

// Fetch implements connector.Connector.
func (fillClient) Fetch(ctx context.Context, session *remote.Session, query connector.Query) (connector.Delivery, error) {
	address, err := parseAddress(session)
	if err != nil {
		return connector.Delivery{}, err
	}
	r := &run{session: session, query: query, rows: connector.NewRows(query, "Hyperliquid"), address: address, kept: connector.Kept(query)}
	return r.rows.Walk(ctx, r.kept, []connector.Stream{
		newStream(r, fillsRequest, maxFills, r.readFills),
		newStream(r, fundingRequest, maxFunding, r.readFunding),
		newStream(r, ledgerRequest, maxLedger, r.readLedger),
	})
}

// entry is a record on a page.
type entry struct {
	// millis is the record's time.
	millis remote.Number
	// key identifies the record among others at its time.
	key string
	add func(*connector.Record)
}

// newStream returns the records for one kind of request, oldest first. A page begins with
// the time at which the page before it ended, because records at one time may be on both.
func newStream[T any](r *run, kind string, most int, read func(context.Context, []T) ([]entry, error)) connector.Stream {
	return connector.Stream{Name: kind, Fetch: func(ctx context.Context, position string) (string, error) {
		from, known := parsePosition(position, r.query.From)
		to := r.query.To.UnixMilli()
		var page *[]T
		if err := send(ctx, r.session, request{Type: kind, User: r.address, Start: &from, End: &to}, &page); err != nil {
			return "", err
		}
		if page == nil {
			return "", remote.Malformed("it has no list")
		}
		entries, err := read(ctx, *page)
		if err != nil {
			return "", err
		}
		times, err := parseTimes(entries)
		if err != nil {
			return "", err
		}
		for i, e := range entries {
			if times[i] == from && known[e.key] {
				continue
			}
			if record, isNew := r.rows.Start(kind + " " + string(e.millis) + " " + e.key); isNew {
				e.add(record)
			}
		}
		if len(entries) < most {
			return "", nil
		}
		return r.nextPosition(entries, times), nil
	}}
}

// parsePosition returns a page's first time, and the keys at this time that were on the
// page before.
func parsePosition(position string, start time.Time) (from int64, known map[string]bool) {
	words := strings.Fields(position)
	if len(words) == 0 {
		return start.UnixMilli(), nil
	}
	from, err := strconv.ParseInt(words[0], 10, 64)
	if err != nil {
		return start.UnixMilli(), nil
	}
	known = map[string]bool{}
	for _, key := range words[1:] {
		known[key] = true
	}
	return from, known
}

// parseTimes returns the times of a page's records, which must be in this order.
func parseTimes(entries []entry) ([]int64, error) {
	times := make([]int64, len(entries))
	for i, e := range entries {
		at, err := strconv.ParseInt(string(e.millis), 10, 64)
		if err != nil {
			return nil, remote.Malformed("a record has no time")
		}
		if i > 0 && at < times[i-1] {
			return nil, remote.Malformed("its records are not in the order of time")
		}
		times[i] = at
	}
	return times, nil
}

// nextPosition returns the position after a full page.
func (r *run) nextPosition(entries []entry, times []int64) string {
	last := times[len(times)-1]
	if times[0] == last {
		r.rows.AddMessage("Hyperliquid has more records of one instant, %s, than it returns. Some may be missing; compare with the CSV file.",
			time.UnixMilli(last).UTC().Format(time.RFC3339Nano))
		return strconv.FormatInt(last+1, 10)
	}
	words := []string{strconv.FormatInt(last, 10)}
	for i, e := range entries {
		if times[i] == last {
			words = append(words, e.key)
		}
	}
	return strings.Join(words, " ")
}
