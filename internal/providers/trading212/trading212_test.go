package trading212_test

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
	"fillbook/internal/providers/connectortest"
	"fillbook/internal/providers/trading212"
)

var start = time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)

type object = map[string]any

// broker is a server like Trading 212's. Its lists are newest first.
type broker struct {
	orders, dividends, transactions []object
	requests                        []string
}

func newCase(b *broker) connectortest.Case {
	return connectortest.Case{
		Connector:   trading212.New(),
		Credentials: map[string]string{"api_key": "K1234567", "api_secret": connectortest.Secret, "environment": "demo"},
		Query:       connector.Query{From: start, To: start.AddDate(0, 0, 30), Currency: "GBP"},
		Now:         start.AddDate(0, 0, 40),
		Answer:      b.serve,
	}
}

func (b *broker) serve(w http.ResponseWriter, r *http.Request) {
	b.requests = append(b.requests, r.URL.Path)
	// The base64 of K1234567:secret-3f9a1c.
	if r.Header.Get("Authorization") != "Basic SzEyMzQ1Njc6c2VjcmV0LTNmOWExYw==" || r.Host != "demo.trading212.com" || r.Method != http.MethodGet {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	switch name := strings.TrimPrefix(r.URL.Path, "/api/v0/equity/"); name {
	case "account/summary":
		_ = json.NewEncoder(w).Encode(object{"id": 7654321, "currency": "GBP", "totalValue": 100.5})
	case "history/orders":
		servePage(w, r, b.orders)
	case "history/dividends":
		servePage(w, r, b.dividends)
	case "history/transactions":
		servePage(w, r, b.transactions)
	default:
		http.NotFound(w, r)
	}
}

// servePage sends a page. The cursor is the number of the entry before it, counted from
// the oldest one, so that new entries don't shift pages.
func servePage(w http.ResponseWriter, r *http.Request, list []object) {
	limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
	first := 0
	if cursor := r.URL.Query().Get("cursor"); cursor != "" {
		fromEnd, err := strconv.Atoi(cursor)
		if err != nil || fromEnd > len(list) {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		first = len(list) - fromEnd
	}
	if err != nil || limit < 1 || limit > 50 {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	end := min(first+limit, len(list))
	page := object{"items": append([]object{}, list[first:end]...), "nextPagePath": nil}
	if end < len(list) {
		page["nextPagePath"] = fmt.Sprintf("%s?limit=%d&cursor=%d", r.URL.Path, limit, len(list)-end)
	}
	_ = json.NewEncoder(w).Encode(page)
}

// newOrder returns an order that was filled at a time after the start.
func newOrder(id int, after time.Duration, order, fill object) object {
	at := start.Add(after)
	o := object{
		"id": id + 1000, "createdAt": at.Add(-time.Second).Format(time.RFC3339Nano), "side": "BUY", "status": "FILLED", "ticker": "OAKLl_EQ", "type": "MARKET",
		"currency": "GBP", "instrument": object{"ticker": "OAKLl_EQ", "name": "Oak & Leaf", "isin": "GB00FICT0001", "currency": "GBP"},
	}
	f := object{
		"id": id, "type": "TRADE", "filledAt": at.Format(time.RFC3339Nano), "price": json.Number("4.1"), "quantity": 200, "tradingMethod": "TOTV",
		"walletImpact": object{"currency": "GBP", "netValue": json.Number("824.10"), "fxRate": 1, "taxes": []object{
			{"name": "STAMP_DUTY_RESERVE_TAX", "quantity": json.Number("-4.10"), "currency": "GBP"},
		}},
	}
	maps.Copy(o, order)
	maps.Copy(f, fill)
	return object{"order": o, "fill": f}
}

func newDividend(reference string, after time.Duration, values object) object {
	all := object{
		"reference": reference, "ticker": "MAPL_US_EQ", "paidOn": start.Add(after).Format(time.RFC3339Nano), "amount": json.Number("1.36"), "currency": "GBP",
		"quantity": 10, "type": "ORDINARY", "tickerCurrency": "USD",
	}
	maps.Copy(all, values)
	return all
}

func newTransaction(reference, kind string, after time.Duration, amount any) object {
	return object{"reference": reference, "type": kind, "dateTime": start.Add(after).Format(time.RFC3339Nano), "amount": amount, "currency": "GBP"}
}

func TestDescription(t *testing.T) {
	t.Parallel()
	newCase(&broker{}).TestDescription(t)
}

func TestCheck(t *testing.T) {
	t.Parallel()
	c := newCase(&broker{})
	if got := c.MustCheck(t); got.Account != "7654321" || got.Name != "7654321 (demo)" {
		t.Errorf("identity %+v", got)
	}
	if _, err := c.Check(t, remotetest.Reply(http.StatusOK, `{"currency": "GBP"}`)); !remotetest.IsError(err, remote.ErrMalformed) {
		t.Errorf("an account without number: error %v", err)
	}
	c.Credentials["environment"] = "live"
	if _, err := c.Check(t, c.Answer); !remotetest.IsError(err, remote.ErrUnauthorized) {
		t.Errorf("a key of the other environment: error %v", err)
	}
}

func TestFetch(t *testing.T) {
	t.Parallel()
	const hour = time.Hour
	maple := object{"ticker": "MAPL_US_EQ", "instrument": object{"ticker": "MAPL_US_EQ", "name": "Maple", "currency": "USD"}}
	sale := maps.Clone(maple)
	sale["side"] = "SELL"
	class := object{"ticker": "BRK_B_US_EQ", "instrument": object{"currency": "GBP"}, "side": ""}
	for name, c := range map[string]struct {
		broker         broker
		want, messages string
	}{
		"own currency": {
			broker: broker{orders: []object{
				newOrder(2, 2*hour, class, object{"quantity": json.Number("-0.5"), "walletImpact": object{"currency": "GBP", "netValue": 2.05}}),
				newOrder(1, hour+175*time.Millisecond, nil, nil),
			}},
			want: `2026-01-05T01:00:00.175Z buy 200 stock OAKL @ 4.1 fees 4.1 name "Oak & Leaf" order_id "1001" id 1
2026-01-05T02:00:00Z sell 0.5 stock BRK.B @ 4.1 order_id "1002" id 2
`,
		},
		"other currencies": {
			broker: broker{orders: []object{
				newOrder(5, 5*hour, maple, object{"price": 50, "quantity": 10, "walletImpact": nil}),
				newOrder(4, 4*hour, maple, object{"price": 50, "quantity": 10, "walletImpact": object{
					"currency": "GBP", "netValue": json.Number("400.016"), "taxes": []object{
						{"name": "FINRA_FEE", "quantity": json.Number("0.02"), "currency": "USD"}, {"name": "PTM_LEVY", "quantity": 1, "currency": "EUR"},
					},
				}}),
				newOrder(6, 4*hour, sale, object{"price": 50, "quantity": -10, "walletImpact": object{
					"currency": "GBP", "netValue": json.Number("399.984"), "taxes": []object{{"name": "FINRA_FEE", "quantity": json.Number("0.02"), "currency": "USD"}},
				}}),
				newOrder(3, 3*hour, sale, object{"price": 60, "quantity": -10, "walletImpact": object{
					"currency": "GBP", "netValue": json.Number("499.25"), "taxes": []object{{"name": "CURRENCY_CONVERSION_FEE", "quantity": json.Number("0.75"), "currency": "GBP"}},
				}}),
				newOrder(2, 2*hour, maple, object{"price": 50, "quantity": 10, "walletImpact": object{"currency": "GBP", "netValue": -400, "taxes": []object{}}}),
				newOrder(1, hour, object{"instrument": object{"currency": "GBX"}}, object{"price": 410}),
			}},
			want: `2026-01-05T01:00:00Z buy 200 stock OAKL @ 410 x 0.01 fees 4.1 currency "GBX" order_id "1001" id 1
2026-01-05T02:00:00Z buy 10 stock MAPL @ 50 x 0.8 currency "USD" name "Maple" order_id "1002" id 2
2026-01-05T03:00:00Z sell 10 stock MAPL @ 60 x 0.8333333333 fees 0.75 currency "USD" name "Maple" order_id "1003" id 3
2026-01-05T04:00:00Z buy 10 stock MAPL @ 50 x 0.8 fees 0.016 currency "USD" fee "1 EUR" name "Maple" order_id "1004" id 4
2026-01-05T04:00:00Z sell 10 stock MAPL @ 50 x 0.8 fees 0.016 currency "USD" name "Maple" order_id "1006" id 6
2026-01-05T05:00:00Z buy 10 stock MAPL @ 50 currency "USD" name "Maple" order_id "1005" id 5
`,
			messages: "Some fills are in USD, the account is in GBP: their amounts were taken as they are.\n" +
				"Fees in another coin than the price do not count as a cost: 1 EUR. The details of the fills have them.",
		},
		"not a trade": {
			broker: broker{orders: []object{
				{"order": object{"id": 9, "createdAt": start.Format(time.RFC3339), "status": "CANCELLED"}, "fill": nil},
				newOrder(1, hour, nil, object{"type": "STOCK_SPLIT"}),
			}},
			want:     "skipped securities moved without a trade\n",
			messages: "Trading 212 reports STOCK_SPLIT of OAKL on 2026-01-05, which is not imported. Enter the change by hand if it changed your position.",
		},
		"cash": {
			broker: broker{
				dividends: []object{newDividend("d2", 8*hour, object{"amount": 0}), newDividend("d1", 7*hour, nil)},
				transactions: []object{
					newTransaction("t8", "DEPOSIT", 8*hour, "much"),
					newTransaction("t7", "SOMETHING", 7*hour, 3),
					newTransaction("t6", "INTEREST", 6*hour, 2),
					newTransaction("t5", "TRANSFER", 5*hour, -7),
					newTransaction("t4", "FEE", 4*hour, json.Number("1.5")),
					newTransaction("t3", "WITHDRAW", 3*hour, 300),
					newTransaction("t2", "WITHDRAW", 2*hour, -300),
					newTransaction("t1", "DEPOSIT", hour, 1000),
				},
			},
			want: `2026-01-05T01:00:00Z cash deposit 1000 GBP "DEPOSIT"
2026-01-05T02:00:00Z cash withdrawal -300 GBP "WITHDRAW"
2026-01-05T03:00:00Z cash withdrawal -300 GBP "WITHDRAW"
2026-01-05T04:00:00Z cash fee -1.5 GBP "FEE"
2026-01-05T05:00:00Z cash withdrawal -7 GBP "TRANSFER"
2026-01-05T06:00:00Z cash interest 2 GBP "INTEREST"
2026-01-05T07:00:00Z cash dividend 1.36 GBP "Dividend MAPL"
2026-01-05T07:00:00Z cash adjustment 3 GBP "SOMETHING"
problem The broker's record has a sum of money that is not a number.
skipped no money moved
`,
		},
		"records that can't be read": {
			broker: broker{orders: []object{
				newOrder(6, hour, object{"instrument": object{"currency": "USD"}}, object{"walletImpact": object{
					"currency": "GBP", "netValue": 1, "taxes": []object{{"quantity": 2, "currency": "GBP"}},
				}}),
				newOrder(5, hour, object{"ticker": "", "instrument": nil}, nil),
				newOrder(4, hour, nil, object{"id": nil}),
				newOrder(3, hour, nil, object{"price": nil}),
				newOrder(2, hour, nil, object{"quantity": 0}),
				newOrder(1, hour, nil, object{"filledAt": "now"}),
			}},
			want: `problem The broker's record has a quantity that is not positive.
problem The broker's record has costs that are larger than its value.
problem The broker's record has no id.
problem The broker's record has no price.
problem The broker's record has no symbol.
problem The broker's record has no time that can be read.
`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := newCase(&c.broker).MustFetch(t)
			if diff := cmp.Diff(c.want, connectortest.Describe(got)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.messages, connectortest.Messages(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// newHistory returns a broker with lists of several pages, in which entries of one instant
// are on both sides of a page's end. Each list begins before the query.
func newHistory() *broker {
	b := &broker{}
	for i := 129; i >= 0; i-- {
		after := time.Duration(i/3-3) * 16 * time.Hour
		b.orders = append(b.orders, newOrder(i+1, after, nil, nil))
		b.dividends = append(b.dividends, newDividend(fmt.Sprintf("d%d", i), after, object{"amount": i + 1}))
		b.transactions = append(b.transactions, newTransaction(fmt.Sprintf("t%d", i), "DEPOSIT", after, i+1))
	}
	return b
}

func TestWindows(t *testing.T) {
	t.Parallel()
	c := newCase(newHistory())
	c.TestWindows(t)
	if got := strings.Count(connectortest.Describe(c.MustFetch(t)), "\n"); got != 3*121 {
		t.Errorf("%d rows", got)
	}
}

// TestOldPages checks that pages are fetched until a whole one is older than the query by
// more than a week.
func TestOldPages(t *testing.T) {
	t.Parallel()
	b := newHistory()
	c := newCase(b)
	c.Query.From = start.AddDate(0, 0, 25)
	if _, err := c.Fetch(t, b.serve); err != nil {
		t.Fatal(err)
	}
	// The first entry of each list's second page is 15.3 days after the start.
	if len(b.requests) != 6 {
		t.Errorf("%d requests", len(b.requests))
	}
}

// TestNewEntriesBetweenPages checks that entries which arrive during a run shift nothing.
func TestNewEntriesBetweenPages(t *testing.T) {
	t.Parallel()
	b := newHistory()
	c := newCase(b)
	want := connectortest.Describe(c.MustFetch(t))
	c.Answer = func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("cursor") != "" {
			b.orders = append([]object{newOrder(len(b.orders)+1, 31*24*time.Hour, nil, nil)}, b.orders...)
		}
		b.serve(w, r)
	}
	if diff := cmp.Diff(want, connectortest.Describe(c.MustFetch(t))); diff != "" {
		t.Error(diff)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	newCase(newHistory()).TestFaults(t)
}

func TestErrors(t *testing.T) {
	t.Parallel()
	c := newCase(&broker{})
	c.TestAnswers(t, map[string]connectortest.Answer{
		"wrong key":        {401, ``, remote.ErrUnauthorized},
		"right is missing": {403, ``, remote.ErrForbidden},
		"timed out":        {408, ``, remote.ErrUnavailable},
		"no items":         {200, `{}`, remote.ErrMalformed},
		"no cursor":        {200, `{"items": [{"paidOn": "2026-02-01T00:00:00Z"}], "nextPagePath": "/api/v0/equity/history/orders?limit=50"}`, remote.ErrMalformed},
		"same page":        {200, `{"items": [{"order": {"createdAt": "2026-02-01T00:00:00Z"}}], "nextPagePath": "https://example.com/?cursor=1"}`, remote.ErrMalformed},
		"empty":            {200, `{"items": [], "nextPagePath": null}`, nil},
	})
	_, err := c.Fetch(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-RateLimit-Reset", strconv.FormatInt(c.Now.Add(20*time.Second).Unix(), 10))
		w.WriteHeader(http.StatusTooManyRequests)
	})
	if !remotetest.IsError(err, &remote.RateLimited{RetryAfter: 20 * time.Second}) {
		t.Errorf("too many requests: error %v", err)
	}
	_, err = c.Fetch(t, remotetest.Reply(http.StatusBadRequest, `{"message": "wrong: SzEyMzQ1Njc6c2VjcmV0LTNmOWExYw=="}`))
	if err == nil || strings.Contains(err.Error(), "SzEyMzQ1") {
		t.Errorf("an answer with the header: error %v", err)
	}
}

func FuzzAnswer(f *testing.F) {
	newCase(newHistory()).FuzzAnswer(f, `{"items": [{"order": {}, "fill": {"id": 1}, "paidOn": "2026-01-05T00:00:00Z", "amount": "1"}], "nextPagePath": "?cursor=1"}`)
}
