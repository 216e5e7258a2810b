package alpaca_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/remote"
	"fillbook/internal/base/remote/remotetest"
	"fillbook/internal/intake/connector"
	"fillbook/internal/providers/alpaca"
	"fillbook/internal/providers/connectortest"
)

var start = time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)

// activity is what Alpaca has of an account. booked is not sent: it is the time by which
// activities are selected.
type activity struct {
	booked time.Time
	values map[string]any
}

// newFill returns a fill at a time after the start.
func newFill(id string, after time.Duration, values map[string]any) activity {
	at := start.Add(after)
	all := map[string]any{
		"activity_type": "FILL", "id": id, "transaction_time": at.Format(time.RFC3339Nano), "type": "fill", "price": "10.5", "qty": "20",
		"side": "buy", "symbol": "LPCN", "leaves_qty": "0", "cum_qty": "20", "order_id": "o-" + id, "order_status": "filled",
	}
	maps.Copy(all, values)
	return activity{at, all}
}

// newOther returns an activity that is not a trade and was booked some time after the
// start.
func newOther(id, kind, date string, booked time.Duration, values map[string]any) activity {
	all := map[string]any{"activity_type": kind, "id": id, "date": date, "net_amount": "0", "status": "executed"}
	maps.Copy(all, values)
	return activity{start.Add(booked), all}
}

const hour = time.Hour

func newCase(list ...activity) connectortest.Case {
	return connectortest.Case{
		Connector:     alpaca.New(),
		Credentials:   map[string]string{"api_key": "PK12345", "api_secret": connectortest.Secret, "environment": "paper"},
		Query:         connector.Query{From: start, To: start.AddDate(0, 0, 10), Currency: "USD"},
		Now:           start.AddDate(0, 0, 20),
		Answer:        serve(list),
		HasOtherTimes: true, // days of bookings
	}
}

// serve returns a server like Alpaca's. The activities are in the order of their booking.
func serve(list []activity) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		isKnown := r.Header.Get("Apca-Api-Key-Id") == "PK12345" && r.Header.Get("Apca-Api-Secret-Key") == connectortest.Secret
		switch {
		case !isKnown || r.Host != "paper-api.alpaca.markets" || r.Method != http.MethodGet:
			http.Error(w, `{"code": 40110000, "message": "request is not authorized"}`, http.StatusUnauthorized)
		case r.URL.Path == "/v2/account":
			_ = json.NewEncoder(w).Encode(map[string]any{"id": "u-1", "account_number": "PA3ABC", "status": "ACTIVE", "currency": "USD"})
		case r.URL.Path == "/v2/account/activities":
			servePage(w, r, list)
		default:
			http.NotFound(w, r)
		}
	}
}

func servePage(w http.ResponseWriter, r *http.Request, list []activity) {
	q := r.URL.Query()
	after, err := time.Parse(time.RFC3339, q.Get("after"))
	until, err2 := time.Parse(time.RFC3339, q.Get("until"))
	size, err3 := strconv.Atoi(q.Get("page_size"))
	if err != nil || err2 != nil || err3 != nil || size < 1 || size > 100 || q.Get("direction") != "asc" {
		http.Error(w, `{"code": 42210000, "message": "invalid parameter"}`, http.StatusUnprocessableEntity)
		return
	}
	page := []any{}
	isPast := q.Get("page_token") == ""
	for _, a := range list {
		if isPast && a.booked.After(after) && a.booked.Before(until) && len(page) < size {
			page = append(page, a.values)
		}
		isPast = isPast || a.values["id"] == q.Get("page_token")
	}
	_ = json.NewEncoder(w).Encode(page)
}

func TestDescription(t *testing.T) {
	t.Parallel()
	newCase().TestDescription(t)
}

func TestCheck(t *testing.T) {
	t.Parallel()
	c := newCase()
	if got := c.MustCheck(t); got.Account != "PA3ABC" || got.Name != "PA3ABC (paper)" || got.CanTrade {
		t.Errorf("identity %+v", got)
	}
	c.Credentials["environment"] = "live"
	if _, err := c.Check(t, c.Answer); !remotetest.IsError(err, remote.ErrUnauthorized) {
		t.Errorf("a paper key at the live address: error %v", err)
	}
	if got, err := c.Check(t, remotetest.Reply(http.StatusOK, `{"id": "u-1"}`)); err != nil || got.Account != "u-1" {
		t.Errorf("an account without number: %+v, error %v", got, err)
	}
	if _, err := c.Check(t, remotetest.Reply(http.StatusOK, `{"status": "ACTIVE"}`)); !remotetest.IsError(err, remote.ErrMalformed) {
		t.Errorf("an account without id: error %v", err)
	}
}

// TestOnlyFills: a server that has no list of all activities has the fills.
func TestOnlyFills(t *testing.T) {
	t.Parallel()
	c := newCase(newHistory()...)
	all := c.Answer
	c.Answer = func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v2/account/activities" {
			http.NotFound(w, r)
			return
		}
		r.URL.Path = strings.TrimSuffix(r.URL.Path, "/FILL")
		all(w, r)
	}
	list := c.MustFetch(t)
	want := newCase(newHistory()...).MustFetch(t)
	if got := connectortest.Describe(list); got != connectortest.Describe(want) {
		t.Errorf("got\n%s", got)
	}
	if got := connectortest.Messages(list); !strings.Contains(got, "lists only fills") {
		t.Errorf("the messages are %q", got)
	}
}

func TestFetch(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		list           []activity
		want, messages string
	}{
		"shares": {
			list: []activity{
				newFill("1", 14*hour, nil),
				newFill("2", 15*hour+678*time.Millisecond, map[string]any{"side": "sell", "symbol": "brk.b", "qty": "0.38962051", "type": "partial_fill"}),
				newFill("3", 16*hour, map[string]any{"side": "sell_short", "price": 10.25}),
			},
			want: `2026-01-02T14:00:00Z buy 20 stock LPCN @ 10.5 order_id "o-1" id 1
2026-01-02T15:00:00.678Z sell 0.38962051 stock BRK.B @ 10.5 order_id "o-2" id 2
2026-01-02T16:00:00Z sell 20 stock LPCN @ 10.25 order_id "o-3" id 3
`,
		},
		"options": {
			list: []activity{
				newFill("1", 15*hour, map[string]any{"symbol": "AAPL260116C00150000", "qty": "2", "side": "buy"}),
				newOther("2", "OPEXP", "2026-01-02", 30*hour, map[string]any{"symbol": "AAPL260116C00150000", "qty": "-2"}),
				newOther("3", "OPASN", "2026-01-05", 80*hour, map[string]any{"symbol": "AAPL260116C00150000", "qty": "2"}),
				newOther("3", "OPTRD", "2026-01-05", 80*hour, map[string]any{"symbol": "AAPL", "qty": "-200", "price": "150", "net_amount": "30000"}),
			},
			want: `2026-01-02T15:00:00Z buy 2 option AAPL 2026-01-16 150 call @ 10.5 order_id "o-1" id 1
2026-01-03T04:59:59Z sell 2 option AAPL 2026-01-16 150 call @ 0 id OPEXP:2
2026-01-06T04:59:59Z buy 2 option AAPL 2026-01-16 150 call @ 0 id OPASN:3
2026-01-06T04:59:59Z sell 200 stock AAPL @ 150 id OPTRD:3
`,
		},
		"crypto": {
			list: []activity{
				newFill("1", 15*hour, map[string]any{"symbol": "ETH/USD", "qty": "0.5", "price": "2000.1"}),
				newFill("2", 16*hour, map[string]any{"symbol": "ETH/BTC", "qty": "0.5", "price": "0.05"}),
				newOther("3", "CFEE", "2026-01-02", 30*hour, map[string]any{"symbol": "ETHUSD", "qty": "-0.00125", "price": "2000", "description": "Coin Pair Transaction Fee"}),
				newOther("4", "CFEE", "2026-01-02", 30*hour, map[string]any{"symbol": "ETHUSD", "net_amount": "-2.5", "description": "Coin fee"}),
				newOther("5", "CFEE", "2026-01-02", 30*hour, map[string]any{"symbol": "FOO", "qty": "-1", "price": "1"}),
			},
			want: `2026-01-02T15:00:00Z buy 0.5 crypto ETH/USD @ 2000.1 order_id "o-1" id 1
2026-01-02T16:00:00Z buy 0.5 crypto ETH/BTC @ 0.05 currency "BTC" order_id "o-2" id 2
2026-01-03T04:59:59Z sell 0.00125 crypto ETH/USD @ 2000 fees 2.5 fee "0.00125 ETH" id CFEE:3
2026-01-02T05:00:00Z cash fee -2.5 USD "Coin fee"
problem The broker's record has a fee in a coin that is not known.
`,
			messages: "Some fills are in BTC, the account is in USD: their amounts were taken as they are.",
		},
		"cash": {
			list: []activity{
				newOther("1", "CSD", "2026-01-05", 70*hour, map[string]any{"net_amount": "1000", "description": "ACH"}),
				newOther("2", "CSW", "2026-01-05", 71*hour, map[string]any{"net_amount": "-100.5"}),
				newOther("3", "DIV", "2025-12-31", 72*hour, map[string]any{"net_amount": "1.02", "symbol": "T", "qty": "2", "per_share_amount": "0.51"}),
				newOther("4", "DIVNRA", "2026-01-05", 73*hour, map[string]any{"net_amount": "-0.15", "symbol": "T"}),
				newOther("5", "INT", "2026-07-05", 74*hour, map[string]any{"net_amount": "0.3"}),
				newOther("6", "FEE", "2026-01-05", 75*hour, map[string]any{"net_amount": "-0.02", "description": "TAF fee"}),
				newOther("7", "PTR", "2026-01-05", 75*hour, map[string]any{"net_amount": "0.01"}),
				newOther("8", "JNLC", "2026-01-05", 75*hour, map[string]any{"net_amount": "5"}),
				newOther("9", "NEW", "2026-01-05", 75*hour, map[string]any{"net_amount": "6"}),
				newOther("10", "NEW", "2026-01-05", 75*hour, nil),
				newOther("11", "REORG", "2026-01-05", 75*hour, map[string]any{"net_amount": "7.5", "symbol": "X"}),
				newOther("12", "CSD", "2026-01-05", 75*hour, map[string]any{"net_amount": "50", "status": "canceled"}),
				newOther("13", "CSD", "", 75*hour, map[string]any{"net_amount": "50"}),
				newOther("14", "CSD", "2026-01-05", 75*hour, map[string]any{"net_amount": "much"}),
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
				newOther("1", "SPLIT", "2026-01-05", 75*hour, map[string]any{"symbol": "NVDA", "qty": "90"}),
				newOther("2", "CORR", "2026-01-06", 80*hour, nil),
			},
			want: "skipped securities moved without a trade\nskipped securities moved without a trade\n",
			messages: "Alpaca reports SPLIT of NVDA on 2026-01-05, which is not imported. Enter the change by hand if it changed your position.\n" +
				"Alpaca reports CORR of an account on 2026-01-06, which is not imported. Enter the change by hand if it changed your position.",
		},
		"records that can't be read": {
			list: []activity{
				newFill("1", hour, map[string]any{"side": "swap"}),
				newFill("2", hour, map[string]any{"qty": "-1"}),
				newFill("3", hour, map[string]any{"price": nil}),
				newFill("4", hour, map[string]any{"symbol": ""}),
				newFill("5", hour, map[string]any{"transaction_time": "now"}),
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
			got := newCase(c.list...).MustFetch(t)
			if diff := cmp.Diff(c.want, connectortest.Describe(got)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.messages, connectortest.Messages(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// newHistory returns more activities than a page has, with several of one instant over the
// ends of pages.
func newHistory() (list []activity) {
	for i := range 230 {
		list = append(list, newFill(fmt.Sprintf("f%03d", i), time.Duration(i/4)*hour, map[string]any{"qty": strconv.Itoa(i + 1)}))
		if i%50 == 49 {
			booked := time.Duration(i/4)*hour + 30*time.Minute
			list = append(list, newOther(fmt.Sprintf("o%03d", i), "FEE", "2026-01-02", booked, map[string]any{"net_amount": fmt.Sprintf("-%d", i)}))
		}
		if i%70 == 69 {
			booked := time.Duration(i/4)*hour + 30*time.Minute
			list = append(list, newOther(fmt.Sprintf("c%03d", i), "CSD", "2026-01-04", booked, map[string]any{
				"net_amount": strconv.Itoa(i), "created_at": start.Add(booked).Format(time.RFC3339Nano),
			}))
		}
	}
	return list
}

func TestWindows(t *testing.T) {
	t.Parallel()
	c := newCase(newHistory()...)
	c.TestWindows(t)
	if got := strings.Count(connectortest.Describe(c.MustFetch(t)), "\n"); got != 230+4+3 {
		t.Errorf("%d rows", got)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	newCase(newHistory()...).TestFaults(t)
}

func TestErrors(t *testing.T) {
	t.Parallel()
	c := newCase()
	c.TestAnswers(t, map[string]connectortest.Answer{
		"wrong key":     {401, `{"code": 40110000, "message": "request is not authorized"}`, remote.ErrUnauthorized},
		"bad parameter": {422, `{"code": 42210000, "message": "invalid page token"}`, remote.ErrRefused},
		"no list":       {200, `{"activities": []}`, remote.ErrMalformed},
		"null":          {200, `null`, remote.ErrMalformed},
		"no id":         {200, `[{"activity_type": "FILL"}]`, remote.ErrMalformed},
		"empty":         {200, `[]`, nil},
	})
	_, err := c.Fetch(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-RateLimit-Reset", strconv.FormatInt(c.Now.Add(20*time.Second).Unix(), 10))
		w.WriteHeader(http.StatusTooManyRequests)
	})
	if !remotetest.IsError(err, &remote.RateLimited{RetryAfter: 20 * time.Second}) {
		t.Errorf("too many requests: error %v", err)
	}
}

func TestPageThatNeverEnds(t *testing.T) {
	t.Parallel()
	list := newHistory()[:100]
	_, err := newCase().Fetch(t, func(w http.ResponseWriter, _ *http.Request) {
		var page []any
		for _, a := range list {
			page = append(page, a.values)
		}
		_ = json.NewEncoder(w).Encode(page)
	})
	if !remotetest.IsError(err, remote.ErrMalformed) {
		t.Errorf("the same page again and again: error %v", err)
	}
}

func FuzzAnswer(f *testing.F) {
	newCase(newHistory()[:3]...).FuzzAnswer(f, `[{"id": "1", "activity_type": "OPEXP", "date": "2026-01-02", "symbol": "AAPL260116C00150000", "qty": "-2"}]`,
		`[{"id": "1", "activity_type": "CFEE", "date": "2026-01-02", "symbol": "ETHUSD", "qty": "-0.1", "price": "2"}]`)
}
