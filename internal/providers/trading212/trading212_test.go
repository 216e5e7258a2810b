package trading212_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
	"fillbook/internal/providers/providertest"
	"fillbook/internal/providers/trading212"
)

var start = time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)

type object = providertest.Record

// broker is a server like Trading 212's. Its lists are newest first.
type broker struct {
	orders, dividends, transactions []object
}

func newFills(b *broker) providertest.FillCase {
	const path = "/api/v0/equity/"
	server := providertest.Server{
		Private: providertest.Routes{
			path + "account/summary":      providertest.Static(`{"id": 7654321, "currency": "GBP", "totalValue": 100.5}`),
			path + "history/orders":       func(q url.Values) http.HandlerFunc { return servePage(q, b.orders) },
			path + "history/dividends":    func(q url.Values) http.HandlerFunc { return servePage(q, b.dividends) },
			path + "history/transactions": func(q url.Values) http.HandlerFunc { return servePage(q, b.transactions) },
		},
		Verify: func(r *http.Request, _ string) http.HandlerFunc {
			// The base64 of K1234567:secret-3f9a1c.
			if r.Header.Get("Authorization") != "Basic SzEyMzQ1Njc6c2VjcmV0LTNmOWExYw==" || r.Host != "demo.trading212.com" || r.Method != http.MethodGet {
				return providertest.Reply(http.StatusUnauthorized, "")
			}
			return nil
		},
	}
	return providertest.FillCase{
		Connector:   trading212.Fills(),
		Credentials: map[string]string{"api_key": "K1234567", "api_secret": providertest.Secret, "environment": "demo"},
		Query:       connector.Query{From: start, To: start.AddDate(0, 0, 30), Currency: "GBP"},
		Now:         start.AddDate(0, 0, 40),
		Answer:      server.ServeHTTP,
		Identity:    connector.Identity{Account: "7654321", Name: "7654321 (demo)"},
		KeyPath:     "account/summary",
		Keys:        map[string]providertest.Key{`{"currency": "GBP"}`: {Err: remote.ErrMalformed}},
		Errors: map[string]providertest.Answer{
			"wrong key":        {Status: 401, Body: ``, Want: remote.ErrUnauthorized},
			"right is missing": {Status: 403, Body: ``, Want: remote.ErrForbidden},
			"timed out":        {Status: 408, Body: ``, Want: remote.ErrUnavailable},
			"no items":         {Status: 200, Body: `{}`, Want: remote.ErrMalformed},
			"no cursor":        {Status: 200, Body: `{"items": [{"paidOn": "2026-02-01T00:00:00Z"}], "nextPagePath": "/api/v0/equity/history/orders?limit=50"}`, Want: remote.ErrMalformed},
			"same page":        {Status: 200, Body: `{"items": [{"order": {"createdAt": "2026-02-01T00:00:00Z"}}], "nextPagePath": "https://example.com/?cursor=1"}`, Want: remote.ErrMalformed},
			"empty":            {Status: 200, Body: `{"items": [], "nextPagePath": null}`},
		},
	}
}

// servePage sends a page. The cursor is the number of the entry before it, counted from
// the oldest one, so new entries don't shift pages.
func servePage(q url.Values, list []object) http.HandlerFunc {
	limit, first := int(providertest.Int(q, "limit")), 0
	if cursor := q.Get("cursor"); cursor != "" {
		fromEnd, err := strconv.Atoi(cursor)
		if err != nil || fromEnd > len(list) {
			return providertest.Reply(http.StatusBadRequest, "")
		}
		first = len(list) - fromEnd
	}
	if limit < 1 || limit > 50 {
		return providertest.Reply(http.StatusBadRequest, "")
	}
	end := min(first+limit, len(list))
	page := object{"items": append([]object{}, list[first:end]...), "nextPagePath": nil}
	if end < len(list) {
		page["nextPagePath"] = fmt.Sprintf("/api/v0/equity/history?limit=%d&cursor=%d", limit, len(list)-end)
	}
	return providertest.OK(page.JSON())
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
	return object{"order": o.With(order), "fill": f.With(fill)}
}

func newDividend(reference string, after time.Duration, values object) object {
	return object{
		"reference": reference, "ticker": "MAPL_US_EQ", "paidOn": start.Add(after).Format(time.RFC3339Nano), "amount": json.Number("1.36"), "currency": "GBP",
		"quantity": 10, "type": "ORDINARY", "tickerCurrency": "USD",
	}.With(values)
}

func newTransaction(reference, kind string, after time.Duration, amount any) object {
	return object{"reference": reference, "type": kind, "dateTime": start.Add(after).Format(time.RFC3339Nano), "amount": amount, "currency": "GBP"}
}

func TestRecords(t *testing.T) {
	t.Parallel()
	const hour = time.Hour
	maple := object{"ticker": "MAPL_US_EQ", "instrument": object{"ticker": "MAPL_US_EQ", "name": "Maple", "currency": "USD"}}
	sale := maple.With(object{"side": "SELL"})
	class := object{"ticker": "BRK_B_US_EQ", "instrument": object{"currency": "GBP"}, "side": ""}
	for name, c := range map[string]struct {
		broker   broker
		want     string
		messages []string
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
			messages: []string{"Some fills are in USD, the account is in GBP: their amounts were taken as they are.", "Fees in another coin than the price do not count as a cost: 1 EUR. The details of the fills have them."},
		},
		"not a trade": {
			broker: broker{orders: []object{
				{"order": object{"id": 9, "createdAt": start.Format(time.RFC3339), "status": "CANCELLED"}, "fill": nil},
				newOrder(1, hour, nil, object{"type": "STOCK_SPLIT"}),
			}},
			want:     "skipped securities moved without a trade\n",
			messages: []string{"Trading 212 reports STOCK_SPLIT of OAKL on 2026-01-05, which is not imported. Enter the change by hand if it changed your position."},
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
			newFills(&c.broker).Expect(t, c.want, c.messages...)
		})
	}
}

// newHistory returns a broker with lists of several pages, in which entries at one
// instant are around a page end. Each list begins before the query.
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

func TestFills(t *testing.T) {
	providertest.Run(t, func() providertest.FillCase { return newFills(newHistory()) })
}

func TestPages(t *testing.T) {
	t.Parallel()
	c := newFills(newHistory())
	c.TestPages(t, 121, 2*121)
	c.TestLimit(t, "X-RateLimit-Reset", strconv.FormatInt(c.Now.Add(20*time.Second).Unix(), 10), "", 20*time.Second)
	_, err := c.Fetch(t, providertest.Reply(http.StatusBadRequest, `{"message": "wrong: SzEyMzQ1Njc6c2VjcmV0LTNmOWExYw=="}`))
	if err == nil || strings.Contains(err.Error(), "SzEyMzQ1") {
		t.Errorf("an answer with the header: error %v", err)
	}
	c.Credentials["environment"] = "live"
	if _, err := c.Check(t, c.Answer); !providertest.IsError(err, remote.ErrUnauthorized) {
		t.Errorf("a key of the other environment: error %v", err)
	}
}

// TestOldPages checks that pages are fetched until a whole one is older than the query by
// more than a week.
func TestOldPages(t *testing.T) {
	t.Parallel()
	c := newFills(newHistory())
	c.Query.From = start.AddDate(0, 0, 25)
	session, client := c.NewSession(t, c.Answer)
	// The second page begins 15.3 days after the start in each list.
	if _, err := c.Connector.Fetch(t.Context(), session, c.Query); err != nil || len(client.Requests) != 6 {
		t.Errorf("%d requests, error %v", len(client.Requests), err)
	}
}

// TestNewEntriesBetweenPages checks that entries which arrive during a run shift nothing.
func TestNewEntriesBetweenPages(t *testing.T) {
	t.Parallel()
	b := newHistory()
	c := newFills(b)
	inner, want := c.Answer, providertest.Describe(c.MustFetch(t))
	c.Answer = func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("cursor") != "" {
			b.orders = append([]object{newOrder(len(b.orders)+1, 31*24*time.Hour, nil, nil)}, b.orders...)
		}
		inner(w, r)
	}
	if diff := cmp.Diff(want, providertest.Describe(c.MustFetch(t))); diff != "" {
		t.Error(diff)
	}
}

func FuzzFills(f *testing.F) {
	newFills(newHistory()).FuzzAnswer(f, `{"items": [{"order": {}, "fill": {"id": 1}, "paidOn": "2026-01-05T00:00:00Z", "amount": "1"}], "nextPagePath": "?cursor=1"}`)
}
