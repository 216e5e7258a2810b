package alpaca_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
	"fillbook/internal/providers/alpaca"
	"fillbook/internal/providers/providertest"
)

var start = time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)

// activity is a server record. booked is not sent: activities are selected by this time.
type activity struct {
	booked time.Time
	values providertest.Record
}

// newFill returns a fill at a time after the start.
func newFill(id string, after time.Duration, values providertest.Record) activity {
	at := start.Add(after)
	all := providertest.Record{
		"activity_type": "FILL", "id": id, "transaction_time": at.Format(time.RFC3339Nano), "type": "fill", "price": "10.5", "qty": "20",
		"side": "buy", "symbol": "LPCN", "leaves_qty": "0", "cum_qty": "20", "order_id": "o-" + id, "order_status": "filled",
	}
	return activity{at, all.With(values)}
}

// newOther returns an activity that is not a trade and was booked some time after the
// start.
func newOther(id, kind, date string, booked time.Duration, values providertest.Record) activity {
	all := providertest.Record{"activity_type": kind, "id": id, "date": date, "net_amount": "0", "status": "executed"}
	return activity{start.Add(booked), all.With(values)}
}

const hour = time.Hour

func newFills(list ...activity) providertest.FillCase {
	server := providertest.Server{
		Private: providertest.Routes{
			"/v2/account":            providertest.Static(`{"id": "u-1", "account_number": "PA3ABC", "status": "ACTIVE", "currency": "USD"}`),
			"/v2/account/activities": func(q url.Values) http.HandlerFunc { return servePage(q, list) },
		},
		Verify: func(r *http.Request, _ string) http.HandlerFunc {
			isKnown := r.Header.Get("Apca-Api-Key-Id") == "PK12345" && r.Header.Get("Apca-Api-Secret-Key") == providertest.Secret
			if !isKnown || r.Host != "paper-api.alpaca.markets" || r.Method != http.MethodGet {
				return providertest.Reply(http.StatusUnauthorized, `{"code": 40110000, "message": "request is not authorized"}`)
			}
			return nil
		},
	}
	return providertest.FillCase{
		Connector:     alpaca.Fills(),
		Credentials:   map[string]string{"api_key": "PK12345", "api_secret": providertest.Secret, "environment": "paper"},
		Query:         connector.Query{From: start, To: start.AddDate(0, 0, 10), Currency: "USD"},
		Now:           start.AddDate(0, 0, 20),
		Answer:        server.ServeHTTP,
		HasOtherTimes: true, // booking days
		Identity:      connector.Identity{Account: "PA3ABC", Name: "PA3ABC (paper)"},
		KeyPath:       "/v2/account",
		Keys: map[string]providertest.Key{
			`{"id": "u-1"}`:        {Identity: connector.Identity{Account: "u-1", Name: "u-1 (paper)"}},
			`{"status": "ACTIVE"}`: {Err: remote.ErrMalformed},
		},
		Errors: map[string]providertest.Answer{
			"wrong key":     {Status: 401, Body: `{"code": 40110000, "message": "request is not authorized"}`, Want: remote.ErrUnauthorized},
			"bad parameter": {Status: 422, Body: `{"code": 42210000, "message": "invalid page token"}`, Want: remote.ErrRefused},
			"no list":       {Status: 200, Body: `{"activities": []}`, Want: remote.ErrMalformed},
			"null":          {Status: 200, Body: `null`, Want: remote.ErrMalformed},
			"no id":         {Status: 200, Body: `[{"activity_type": "FILL"}]`, Want: remote.ErrMalformed},
			"empty":         {Status: 200, Body: `[]`},
		},
	}
}

// servePage answers with the activities after one of them, in booking order.
func servePage(q url.Values, list []activity) http.HandlerFunc {
	after, err := time.Parse(time.RFC3339, q.Get("after"))
	until, err2 := time.Parse(time.RFC3339, q.Get("until"))
	size := providertest.Int(q, "page_size")
	if err != nil || err2 != nil || size < 1 || size > 100 || q.Get("direction") != "asc" {
		return providertest.Reply(http.StatusUnprocessableEntity, `{"code": 42210000, "message": "invalid parameter"}`)
	}
	var page providertest.List
	isPast := q.Get("page_token") == ""
	for _, a := range list {
		if isPast && a.booked.After(after) && a.booked.Before(until) {
			page = append(page, a.values.JSON())
		}
		isPast = isPast || a.values["id"] == q.Get("page_token")
	}
	return providertest.OK(page.Page(0, size).String())
}

func TestFills(t *testing.T) {
	providertest.Run(t, func() providertest.FillCase { return newFills(newHistory()...) })
}

func TestFillPages(t *testing.T) {
	t.Parallel()
	c := newFills(newHistory()...)
	c.TestPages(t, 230, 4+3)
	c.TestLimit(t, "X-RateLimit-Reset", strconv.FormatInt(c.Now.Add(20*time.Second).Unix(), 10), "", 20*time.Second)
	c.Credentials["environment"] = "live"
	if _, err := c.Check(t, c.Answer); !errors.Is(err, remote.ErrUnauthorized) {
		t.Errorf("a paper key at the live address: error %v", err)
	}
}

// TestOnlyFills has a server that lists fills only.
func TestOnlyFills(t *testing.T) {
	t.Parallel()
	c := newFills(newHistory()...)
	want, all := providertest.Describe(c.MustFetch(t)), c.Answer
	c.Answer = providertest.Replace(func(w http.ResponseWriter, r *http.Request) {
		r.URL.Path = strings.TrimSuffix(r.URL.Path, "/FILL")
		all(w, r)
	}, "/v2/account/activities", http.NotFound)
	c.Expect(t, want, "lists only fills")
}

func TestActivities(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		list     []activity
		want     string
		messages []string
	}{
		"shares": {
			list: []activity{
				newFill("1", 14*hour, nil),
				newFill("2", 15*hour+678*time.Millisecond, providertest.Record{"side": "sell", "symbol": "brk.b", "qty": "0.38962051", "type": "partial_fill"}),
				newFill("3", 16*hour, providertest.Record{"side": "sell_short", "price": 10.25}),
			},
			want: `2026-01-02T14:00:00Z buy 20 stock LPCN @ 10.5 order_id "o-1" id 1
2026-01-02T15:00:00.678Z sell 0.38962051 stock BRK.B @ 10.5 order_id "o-2" id 2
2026-01-02T16:00:00Z sell 20 stock LPCN @ 10.25 order_id "o-3" id 3
`,
		},
		"options": {
			list: []activity{
				newFill("1", 15*hour, providertest.Record{"symbol": "AAPL260116C00150000", "qty": "2", "side": "buy"}),
				newOther("2", "OPEXP", "2026-01-02", 30*hour, providertest.Record{"symbol": "AAPL260116C00150000", "qty": "-2"}),
				newOther("3", "OPASN", "2026-01-05", 80*hour, providertest.Record{"symbol": "AAPL260116C00150000", "qty": "2"}),
				newOther("3", "OPTRD", "2026-01-05", 80*hour, providertest.Record{"symbol": "AAPL", "qty": "-200", "price": "150", "net_amount": "30000"}),
			},
			want: `2026-01-02T15:00:00Z buy 2 option AAPL 2026-01-16 150 call @ 10.5 order_id "o-1" id 1
2026-01-03T04:59:59Z sell 2 option AAPL 2026-01-16 150 call @ 0 id OPEXP:2
2026-01-06T04:59:59Z buy 2 option AAPL 2026-01-16 150 call @ 0 id OPASN:3
2026-01-06T04:59:59Z sell 200 stock AAPL @ 150 id OPTRD:3
`,
		},
		"crypto": {
			list: []activity{
				newFill("1", 15*hour, providertest.Record{"symbol": "ETH/USD", "qty": "0.5", "price": "2000.1"}),
				newFill("2", 16*hour, providertest.Record{"symbol": "ETH/BTC", "qty": "0.5", "price": "0.05"}),
				newOther("3", "CFEE", "2026-01-02", 30*hour, providertest.Record{"symbol": "ETHUSD", "qty": "-0.00125", "price": "2000", "description": "Coin Pair Transaction Fee"}),
				newOther("4", "CFEE", "2026-01-02", 30*hour, providertest.Record{"symbol": "ETHUSD", "net_amount": "-2.5", "description": "Coin fee"}),
				newOther("5", "CFEE", "2026-01-02", 30*hour, providertest.Record{"symbol": "FOO", "qty": "-1", "price": "1"}),
			},
			want: `2026-01-02T15:00:00Z buy 0.5 crypto ETH/USD @ 2000.1 order_id "o-1" id 1
2026-01-02T16:00:00Z buy 0.5 crypto ETH/BTC @ 0.05 currency "BTC" order_id "o-2" id 2
2026-01-03T04:59:59Z sell 0.00125 crypto ETH/USD @ 2000 fees 2.5 fee "0.00125 ETH" id CFEE:3
2026-01-02T05:00:00Z cash fee -2.5 USD "Coin fee"
problem The broker's record has a fee in a coin that is not known.
`,
			messages: []string{"Some fills are in BTC, the account is in USD: their amounts were taken as they are."},
		},
		"cash": {
			list: []activity{
				newOther("1", "CSD", "2026-01-05", 70*hour, providertest.Record{"net_amount": "1000", "description": "ACH"}),
				newOther("2", "CSW", "2026-01-05", 71*hour, providertest.Record{"net_amount": "-100.5"}),
				newOther("3", "DIV", "2025-12-31", 72*hour, providertest.Record{"net_amount": "1.02", "symbol": "T", "qty": "2", "per_share_amount": "0.51"}),
				newOther("4", "DIVNRA", "2026-01-05", 73*hour, providertest.Record{"net_amount": "-0.15", "symbol": "T"}),
				newOther("5", "INT", "2026-07-05", 74*hour, providertest.Record{"net_amount": "0.3"}),
				newOther("6", "FEE", "2026-01-05", 75*hour, providertest.Record{"net_amount": "-0.02", "description": "TAF fee"}),
				newOther("7", "PTR", "2026-01-05", 75*hour, providertest.Record{"net_amount": "0.01"}),
				newOther("8", "JNLC", "2026-01-05", 75*hour, providertest.Record{"net_amount": "5"}),
				newOther("9", "NEW", "2026-01-05", 75*hour, providertest.Record{"net_amount": "6"}),
				newOther("10", "NEW", "2026-01-05", 75*hour, nil),
				newOther("11", "REORG", "2026-01-05", 75*hour, providertest.Record{"net_amount": "7.5", "symbol": "X"}),
				newOther("12", "CSD", "2026-01-05", 75*hour, providertest.Record{"net_amount": "50", "status": "canceled"}),
				newOther("13", "CSD", "", 75*hour, providertest.Record{"net_amount": "50"}),
				newOther("14", "CSD", "2026-01-05", 75*hour, providertest.Record{"net_amount": "much"}),
			},
			want: `2025-12-31T05:00:00Z cash dividend 1.02 USD "DIV T"
2026-01-05T05:00:00Z cash deposit 1000 USD "ACH"
2026-01-05T05:00:00Z cash withdrawal -100.5 USD "CSW"
2026-01-05T05:00:00Z cash dividend -0.15 USD "DIVNRA T"
2026-01-05T05:00:00Z cash fee -0.02 USD "TAF fee"
2026-01-05T05:00:00Z cash fee 0.01 USD "PTR"
2026-01-05T05:00:00Z cash deposit 5 USD "JNLC"
2026-01-05T05:00:00Z cash adjustment 6 USD "NEW"
2026-01-05T05:00:00Z cash adjustment 7.5 USD "REORG X"
2026-07-05T04:00:00Z cash interest 0.3 USD "INT"
problem The broker's record has a net amount that is not a number.
problem The broker's record has no day that can be read.
skipped canceled by the broker
skipped no money moved
`,
		},
		"corporate actions": {
			list: []activity{
				newOther("1", "SPLIT", "2026-01-05", 75*hour, providertest.Record{"symbol": "NVDA", "qty": "90"}),
				newOther("2", "CORR", "2026-01-06", 80*hour, nil),
			},
			want: "skipped securities moved without a trade\nskipped securities moved without a trade\n",
			messages: []string{
				"Alpaca reports SPLIT of NVDA on 2026-01-05, which is not imported. Enter the change by hand if it changed your position.",
				"Alpaca reports CORR of an account on 2026-01-06, which is not imported. Enter the change by hand if it changed your position.",
			},
		},
		"records that can't be read": {
			list: []activity{
				newFill("1", hour, providertest.Record{"side": "swap"}),
				newFill("2", hour, providertest.Record{"qty": "-1"}),
				newFill("3", hour, providertest.Record{"price": nil}),
				newFill("4", hour, providertest.Record{"symbol": ""}),
				newFill("5", hour, providertest.Record{"transaction_time": "now"}),
			},
			want: `problem The broker's record has a quantity that is not positive.
problem The broker's record has a side that is not known.
problem The broker's record has no price.
problem The broker's record has no symbol.
problem The broker's record has no time that can be read.
`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			newFills(c.list...).Expect(t, c.want, c.messages...)
		})
	}
}

// newHistory returns more activities than a page has, with several at one instant over
// the page ends.
func newHistory() (list []activity) {
	for i := range 230 {
		list = append(list, newFill(fmt.Sprintf("f%03d", i), time.Duration(i/4)*hour, providertest.Record{"qty": strconv.Itoa(i + 1)}))
		if i%50 == 49 {
			booked := time.Duration(i/4)*hour + 30*time.Minute
			list = append(list, newOther(fmt.Sprintf("o%03d", i), "FEE", "2026-01-02", booked, providertest.Record{"net_amount": fmt.Sprintf("-%d", i)}))
		}
		if i%70 == 69 {
			booked := time.Duration(i/4)*hour + 30*time.Minute
			list = append(list, newOther(fmt.Sprintf("c%03d", i), "CSD", "2026-01-04", booked, providertest.Record{
				"net_amount": strconv.Itoa(i), "created_at": start.Add(booked).Format(time.RFC3339Nano),
			}))
		}
	}
	return list
}

func TestPageThatNeverEnds(t *testing.T) {
	t.Parallel()
	var page providertest.List
	for _, a := range newHistory()[:100] {
		page = append(page, a.values.JSON())
	}
	if _, err := newFills().Fetch(t, providertest.OK(page.String())); !errors.Is(err, remote.ErrMalformed) {
		t.Errorf("the same page again and again: error %v", err)
	}
}

func FuzzFills(f *testing.F) {
	newFills(newHistory()[:3]...).FuzzAnswer(f, `[{"id": "1", "activity_type": "OPEXP", "date": "2026-01-02", "symbol": "AAPL260116C00150000", "qty": "-2"}]`,
		`[{"id": "1", "activity_type": "CFEE", "date": "2026-01-02", "symbol": "ETHUSD", "qty": "-0.1", "price": "2"}]`)
}
