package oanda_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
	"fillbook/internal/providers/oanda"
	"fillbook/internal/providers/providertest"
)

var start = time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)

const (
	account = "001-001-1234567-001"
	other   = "001-001-1234567-002"
)

type object = providertest.Record

// broker is a server like OANDA's, with one account's transactions.
type broker struct {
	accounts   []object
	hasHedging bool
	list       []object
	// most is how many transactions it sends at once, if it is not 0.
	most int64
}

func newBroker(list ...object) *broker {
	return &broker{accounts: []object{{"id": account}}, list: list}
}

// newTransaction returns a transaction at a time after the start.
func newTransaction(id int, after time.Duration, kind string, values object) object {
	return object{"id": strconv.Itoa(id), "time": start.Add(after).Format(time.RFC3339Nano), "type": kind, "accountID": account}.With(values)
}

func newFill(id int, after time.Duration, values object) object {
	return newTransaction(id, after, "ORDER_FILL", object{
		"orderID": strconv.Itoa(id - 1), "instrument": "EUR_USD", "units": "10000", "price": "1.08512", "pl": "0.0", "financing": "0.0",
		"commission": "0.0", "guaranteedExecutionFee": "0.0", "halfSpreadCost": "0.7", "accountBalance": "10000.0", "reason": "MARKET_ORDER",
		"tradeOpened": object{"tradeID": strconv.Itoa(id), "units": "10000", "price": "1.08512"},
	}.With(values))
}

// answer returns a handler that sends an object, or refuses a query that is invalid.
func answer(value object) http.HandlerFunc {
	if value == nil {
		return providertest.Reply(http.StatusBadRequest, `{"errorMessage": "Invalid value specified"}`)
	}
	return providertest.OK(value.JSON())
}

func (b *broker) newServer() *providertest.Server {
	const path = "/v3/accounts/" + account
	return &providertest.Server{
		Private: providertest.Routes{
			"/v3/accounts": func(url.Values) http.HandlerFunc { return answer(object{"accounts": b.accounts}) },
			path + "/summary": func(url.Values) http.HandlerFunc {
				return answer(object{"account": object{"id": account, "currency": "USD", "hedgingEnabled": b.hasHedging, "alias": "Main"}, "lastTransactionID": "9999"})
			},
			path + "/transactions":         func(q url.Values) http.HandlerFunc { return answer(b.findPages(q)) },
			path + "/transactions/idrange": func(q url.Values) http.HandlerFunc { return answer(b.findTransactions(q)) },
		},
		Verify: func(r *http.Request, _ string) http.HandlerFunc {
			isKnown := r.Header.Get("Authorization") == "Bearer "+providertest.Secret && r.Host == "api-fxpractice.oanda.com"
			if !isKnown || r.Header.Get("Accept-Datetime-Format") != "RFC3339" {
				return providertest.Reply(http.StatusUnauthorized, `{"errorMessage": "Insufficient authorization to perform request."}`)
			}
			return nil
		},
	}
}

// findPages answers with the page addresses, or nil if the query is not valid. Both ends
// of the time are included.
func (b *broker) findPages(q url.Values) object {
	from, err := time.Parse(time.RFC3339, q.Get("from"))
	to, err2 := time.Parse(time.RFC3339, q.Get("to"))
	size := int(providertest.Int(q, "pageSize"))
	if err != nil || err2 != nil || size < 1 || size > 1000 {
		return nil
	}
	var ids []int64
	for _, t := range b.list {
		at, _ := time.Parse(time.RFC3339, t.Text("time"))
		if !at.Before(from) && !at.After(to) {
			ids = append(ids, t.Int("id"))
		}
	}
	slices.Sort(ids)
	pages := []string{}
	for page := range slices.Chunk(ids, size) {
		pages = append(pages, fmt.Sprintf("https://example.com/v3/accounts/%s/transactions/idrange?from=%d&to=%d", account, page[0], page[len(page)-1]))
	}
	return object{"from": q.Get("from"), "to": q.Get("to"), "pageSize": size, "count": len(ids), "pages": pages, "lastTransactionID": "9999"}
}

func (b *broker) findTransactions(q url.Values) object {
	from, to := providertest.Int(q, "from"), providertest.Int(q, "to")
	if from == 0 || to == 0 || to-from >= 1000 {
		return nil
	}
	list := providertest.List{}
	for _, t := range b.list {
		if id := t.Int("id"); id >= from && id <= to {
			list = append(list, t.JSON())
		}
	}
	if b.most > 0 {
		list = list.Page(0, b.most)
	}
	return object{"transactions": json.RawMessage(list.String()), "lastTransactionID": "9999"}
}

func newFills(b *broker) providertest.FillCase {
	return providertest.FillCase{
		Connector:   oanda.Fills(),
		Credentials: map[string]string{"token": providertest.Secret, "environment": "practice"},
		Query:       connector.Query{From: start, To: start.AddDate(0, 0, 10), Currency: "USD"},
		Now:         start.AddDate(0, 0, 20),
		Answer:      b.newServer().ServeHTTP,
		Identity:    connector.Identity{Account: account, Name: account + " Main (practice)"},
		KeyPath:     "/summary",
		Keys: map[string]providertest.Key{
			`{"account": {"id": "` + account + `"}}`:                  {Err: remote.ErrMalformed},
			`{"account": {"id": "` + other + `", "currency": "USD"}}`: {Err: remote.ErrMalformed},
		},
	}
}

// newHistory returns transactions of some days: fills, several of them at one instant, and
// orders between them.
func newHistory() (list []object) {
	for i := range 60 {
		list = append(list,
			newTransaction(2*i+1, time.Duration(i/3)*9*time.Hour, "MARKET_ORDER", nil),
			newFill(2*i+2, time.Duration(i/3)*9*time.Hour, object{"financing": strconv.Itoa(i)}))
	}
	return list
}

func TestFills(t *testing.T) {
	providertest.Run(t, func() providertest.FillCase { return newFills(newBroker(newHistory()...)) })
}

func TestAccounts(t *testing.T) {
	t.Parallel()
	for chosen, want := range map[string]error{account: nil, "": connector.ErrSetup, "001": connector.ErrSetup} {
		b := newBroker()
		b.accounts = []object{{"id": other}, {"id": account}}
		c := newFills(b)
		c.Credentials["account_id"] = chosen
		if _, err := c.Check(t, c.Answer); !errors.Is(err, want) {
			t.Errorf("account %q: error %v, want %v", chosen, err, want)
		}
	}
	c := newFills(newBroker())
	c.Credentials["environment"] = "live"
	if _, err := c.Check(t, c.Answer); !errors.Is(err, remote.ErrUnauthorized) {
		t.Errorf("a token of the other environment: error %v", err)
	}
}

func TestTransactions(t *testing.T) {
	t.Parallel()
	const hour = time.Hour
	for name, c := range map[string]struct {
		hedging bool
		list    []object
		want    string
	}{
		"open and close": {
			list: []object{
				newTransaction(1, 0, "CREATE", nil),
				newTransaction(2, 0, "MARKET_ORDER", object{"instrument": "EUR_USD", "units": "10000"}),
				newFill(3, hour+123456789, nil),
				newFill(5, 2*hour, object{
					"units": "-10000", "reason": "STOP_LOSS_ORDER", "tradeOpened": nil, "financing": "-0.11", "commission": "0.5",
					"tradesClosed": []object{{"tradeID": "3", "units": "-10000", "price": "1.08480", "realizedPL": "-3.2", "financing": "-0.11"}},
				}),
			},
			want: `2026-01-02T01:00:00.123456789Z buy 10000 forex EURUSD @ 1.08512 x 1 order_id "2" reason "MARKET_ORDER" id 3
2026-01-02T02:00:00Z sell 10000 forex EURUSD @ 1.0848 x 1 commission 0.5 pnl -3.2 order_id "4" reason "STOP_LOSS_ORDER" id 5
2026-01-02T02:00:00Z cash interest -0.11 USD "Financing EURUSD"
`,
		},
		"close several and reverse": {
			list: []object{newFill(9, hour, object{
				"instrument": "SPX500_USD", "units": "-3", "commission": "1", "guaranteedExecutionFee": "0.3", "tradesClosed": []object{
					{"tradeID": "4", "units": "-1", "price": "6000.1", "realizedPL": "5"},
				},
				"tradeReduced": object{"tradeID": "5", "units": "-1", "price": "6000.2", "realizedPL": "0"},
				"tradeOpened":  object{"tradeID": "9", "units": "-1", "price": "6000.3"},
			})},
			want: `2026-01-02T01:00:00Z sell 1 cfd SPX500USD @ 6000.1 x 1 fees 0.1 commission 0.33333333 pnl 5 order_id "8" reason "MARKET_ORDER" id 9/4
2026-01-02T01:00:00Z sell 1 cfd SPX500USD @ 6000.2 x 1 fees 0.1 commission 0.33333334 pnl 0 order_id "8" reason "MARKET_ORDER" id 9/5
2026-01-02T01:00:00Z sell 1 cfd SPX500USD @ 6000.3 x 1 fees 0.1 commission 0.33333333 order_id "8" reason "MARKET_ORDER" id 9/9
`,
		},
		"hedging": {
			hedging: true,
			list: []object{
				newFill(3, hour, object{"instrument": "XAU_USD"}),
				newFill(5, hour, object{"units": "-1", "tradeOpened": object{"tradeID": "5", "units": "-1", "price": "1.1"}}),
			},
			want: `2026-01-02T01:00:00Z buy 10000 cfd XAUUSD @ 1.08512 x 1 lot 3 order_id "2" reason "MARKET_ORDER" id 3
2026-01-02T01:00:00Z sell 1 forex EURUSD @ 1.1 x 1 lot 5 order_id "4" reason "MARKET_ORDER" id 5
`,
		},
		"order of one instant": {
			list: []object{newFill(11, hour, object{"tradeOpened": nil}), newFill(9, hour, object{"tradeOpened": nil, "units": "-1"})},
			want: `2026-01-02T01:00:00Z sell 1 forex EURUSD @ 1.08512 x 1 order_id "8" reason "MARKET_ORDER" id 9
2026-01-02T01:00:00Z buy 10000 forex EURUSD @ 1.08512 x 1 order_id "10" reason "MARKET_ORDER" id 11
`,
		},
		"cash": {
			list: []object{
				newTransaction(1, 1*hour, "TRANSFER_FUNDS", object{"amount": "1000.0", "fundingReason": "CLIENT_FUNDING"}),
				newTransaction(2, 2*hour, "TRANSFER_FUNDS", object{"amount": "-50", "fundingReason": "ADJUSTMENT", "comment": "Correction"}),
				newTransaction(3, 3*hour, "DAILY_FINANCING", object{"financing": "-0.5", "positionFinancings": []object{{"instrument": "EUR_USD", "financing": "-0.5"}}}),
				newTransaction(4, 4*hour, "DAILY_FINANCING", object{"financing": "0.0"}),
				newTransaction(5, 5*hour, "DIVIDEND_ADJUSTMENT", object{"instrument": "SPX500_USD", "dividendAdjustment": "1.25"}),
				newTransaction(6, 6*hour, "RESET_RESETTABLE_PL", nil),
				newTransaction(7, 7*hour, "TRANSFER_FUNDS_REJECT", object{"amount": "1000.0"}),
				newTransaction(8, 8*hour, "TRANSFER_FUNDS", object{"amount": "much"}),
			},
			want: `2026-01-02T01:00:00Z cash deposit 1000 USD "CLIENT_FUNDING"
2026-01-02T02:00:00Z cash withdrawal -50 USD "Correction"
2026-01-02T03:00:00Z cash interest -0.5 USD "Daily financing"
2026-01-02T05:00:00Z cash dividend 1.25 USD "Dividend adjustment SPX500USD"
problem The broker's record has a sum of money that is not a number.
`,
		},
		"records that can't be read": {
			list: []object{
				newFill(1, hour, object{"instrument": ""}),
				newFill(2, hour, object{"units": "0", "tradeOpened": nil}),
				newFill(3, hour, object{"price": nil, "tradeOpened": nil}),
				newFill(4, hour, object{"commission": "x"}),
				newFill(5, hour, object{"units": nil, "tradeOpened": nil}),
			},
			want: `problem The broker's record has a commission that is not a number.
problem The broker's record has a quantity that is not positive.
problem The broker's record has no instrument.
problem The broker's record has no number of units.
problem The broker's record has no price.
`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBroker(c.list...)
			b.hasHedging = c.hedging
			newFills(b).Expect(t, c.want)
		})
	}
}

// TestShortPages has a server that sends fewer transactions than it was asked for.
func TestShortPages(t *testing.T) {
	t.Parallel()
	b := newBroker(newHistory()...)
	b.most = 7
	c := newFills(b)
	c.TestWindows(t)
	c.TestPages(t, 60, 59)
}

func TestManyTransactions(t *testing.T) {
	t.Parallel()
	b := newBroker()
	for i := range 2500 {
		b.list = append(b.list, newFill(i+500, time.Duration(i)*time.Minute, object{"tradeOpened": nil}))
	}
	var rows []int
	for _, d := range newFills(b).MustFetch(t) {
		rows = append(rows, d.Statement.Rows)
	}
	if diff := cmp.Diff([]int{2000, 500}, rows); diff != "" {
		t.Error(diff)
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	c := newFills(newBroker(newHistory()...))
	c.TestBodies(t, "/v3/accounts", remote.ErrMalformed, `{}`)
	c.TestBodies(t, "/transactions", remote.ErrMalformed, `{"count": 1}`, `{"pages": ["https://example.com/"]}`,
		`{"pages": ["https://example.com/?from=5&to=4"]}`, `{"pages": [":"]}`)
	c.TestBodies(t, "/transactions", nil, `{"pages": []}`)
	c.TestBodies(t, "/idrange", remote.ErrMalformed, `{}`, `{"transactions": [{"id": "7777"}]}`, `{"transactions": [{"type": "ORDER_FILL"}]}`)
	c.TestBodies(t, "/idrange", nil, `{"transactions": []}`)
}

func FuzzFills(f *testing.F) {
	newFills(newBroker(newHistory()[:4]...)).FuzzAnswer(f, `{"accounts": [{"id": "a"}], "account": {"id": "a", "currency": "USD"}, "pages": ["/?from=1&to=2"], "transactions": [{"id": "1"}]}`)
}
