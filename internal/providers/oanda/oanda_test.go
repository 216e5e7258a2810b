package oanda_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/remote"
	"fillbook/internal/base/remote/remotetest"
	"fillbook/internal/intake/connector"
	"fillbook/internal/providers/connectortest"
	"fillbook/internal/providers/oanda"
)

var start = time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)

const (
	account = "001-001-1234567-001"
	other   = "001-001-1234567-002"
)

type object = map[string]any

// broker is a server like OANDA's, with the transactions of one account.
type broker struct {
	accounts []string
	summary  object
	list     []object
	// most is how many transactions it sends at once, if it is not 0.
	most int
}

func newBroker(list ...object) *broker {
	return &broker{accounts: []string{account}, summary: object{"id": account, "currency": "USD", "hedgingEnabled": false, "alias": "Main"}, list: list}
}

// newTransaction returns a transaction at a time after the start.
func newTransaction(id int, after time.Duration, kind string, values object) object {
	all := object{"id": strconv.Itoa(id), "time": start.Add(after).Format(time.RFC3339Nano), "type": kind, "accountID": account}
	maps.Copy(all, values)
	return all
}

func newFill(id int, after time.Duration, values object) object {
	all := object{
		"orderID": strconv.Itoa(id - 1), "instrument": "EUR_USD", "units": "10000", "price": "1.08512", "pl": "0.0", "financing": "0.0",
		"commission": "0.0", "guaranteedExecutionFee": "0.0", "halfSpreadCost": "0.7", "accountBalance": "10000.0", "reason": "MARKET_ORDER",
		"tradeOpened": object{"tradeID": strconv.Itoa(id), "units": "10000", "price": "1.08512"},
	}
	maps.Copy(all, values)
	return newTransaction(id, after, "ORDER_FILL", all)
}

func newCase(b *broker) connectortest.Case {
	return connectortest.Case{
		Connector:   oanda.New(),
		Credentials: map[string]string{"token": connectortest.Secret, "environment": "practice"},
		Query:       connector.Query{From: start, To: start.AddDate(0, 0, 10), Currency: "USD"},
		Now:         start.AddDate(0, 0, 20),
		Answer:      b.serve,
	}
}

func (b *broker) serve(w http.ResponseWriter, r *http.Request) {
	isKnown := r.Header.Get("Authorization") == "Bearer "+connectortest.Secret && r.Host == "api-fxpractice.oanda.com"
	if !isKnown || r.Header.Get("Accept-Datetime-Format") != "RFC3339" {
		http.Error(w, `{"errorMessage": "Insufficient authorization to perform request."}`, http.StatusUnauthorized)
		return
	}
	var answer any
	switch r.URL.Path {
	case "/v3/accounts":
		list := []object{}
		for _, id := range b.accounts {
			list = append(list, object{"id": id, "tags": []string{}})
		}
		answer = object{"accounts": list}
	case "/v3/accounts/" + account + "/summary":
		answer = object{"account": b.summary, "lastTransactionID": "9999"}
	case "/v3/accounts/" + account + "/transactions":
		answer = b.findPages(r)
	case "/v3/accounts/" + account + "/transactions/idrange":
		answer = b.findTransactions(r)
	}
	if answer == nil {
		http.Error(w, `{"errorMessage": "Invalid value specified"}`, http.StatusBadRequest)
		return
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// findPages answers with the addresses of pages, or nil if the query is not valid. Both
// ends of the time are included.
func (b *broker) findPages(r *http.Request) any {
	q := r.URL.Query()
	from, err := time.Parse(time.RFC3339, q.Get("from"))
	to, err2 := time.Parse(time.RFC3339, q.Get("to"))
	size, err3 := strconv.Atoi(q.Get("pageSize"))
	if err != nil || err2 != nil || err3 != nil || size < 1 || size > 1000 {
		return nil
	}
	var ids []string
	for _, t := range b.list {
		at, _ := time.Parse(time.RFC3339, t["time"].(string))
		if !at.Before(from) && !at.After(to) {
			ids = append(ids, t["id"].(string))
		}
	}
	slices.SortFunc(ids, func(a, b string) int { return strings.Compare(fmt.Sprintf("%6s", a), fmt.Sprintf("%6s", b)) })
	pages := []string{}
	for first := 0; first < len(ids); first += size {
		last := min(first+size, len(ids)) - 1
		pages = append(pages, fmt.Sprintf("https://example.com/v3/accounts/%s/transactions/idrange?from=%s&to=%s", account, ids[first], ids[last]))
	}
	return object{"from": q.Get("from"), "to": q.Get("to"), "pageSize": size, "count": len(ids), "pages": pages, "lastTransactionID": "9999"}
}

func (b *broker) findTransactions(r *http.Request) any {
	from, err := strconv.Atoi(r.URL.Query().Get("from"))
	to, err2 := strconv.Atoi(r.URL.Query().Get("to"))
	if err != nil || err2 != nil || to-from >= 1000 {
		return nil
	}
	list := []object{}
	for _, t := range b.list {
		id, _ := strconv.Atoi(t["id"].(string))
		if id >= from && id <= to && (b.most == 0 || len(list) < b.most) {
			list = append(list, t)
		}
	}
	return object{"transactions": list, "lastTransactionID": "9999"}
}

func TestDescription(t *testing.T) {
	t.Parallel()
	newCase(newBroker()).TestDescription(t)
}

func TestCheck(t *testing.T) {
	t.Parallel()
	if got := newCase(newBroker()).MustCheck(t); got.Account != account || got.Name != account+" Main (practice)" {
		t.Errorf("identity %+v", got)
	}
	for chosen, want := range map[string]error{account: nil, "": connector.ErrSetup, "001": connector.ErrSetup} {
		b := newBroker()
		b.accounts = []string{other, account}
		c := newCase(b)
		c.Credentials["account_id"] = chosen
		if _, err := c.Check(t, b.serve); !errors.Is(err, want) {
			t.Errorf("account %q: error %v, want %v", chosen, err, want)
		}
	}
	wrong := newCase(newBroker())
	wrong.Credentials["environment"] = "live"
	if _, err := wrong.Check(t, wrong.Answer); !remotetest.IsError(err, remote.ErrUnauthorized) {
		t.Errorf("a token of the other environment: error %v", err)
	}
}

func TestFetch(t *testing.T) {
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
			b.summary["hedgingEnabled"] = c.hedging
			got := newCase(b).MustFetch(t)
			if diff := cmp.Diff(c.want, connectortest.Describe(got)); diff != "" {
				t.Error(diff)
			}
			if text := connectortest.Messages(got); text != "" {
				t.Errorf("messages %s", text)
			}
		})
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

func TestWindows(t *testing.T) {
	t.Parallel()
	for _, most := range []int{0, 7} {
		b := newBroker(newHistory()...)
		b.most = most
		c := newCase(b)
		c.TestWindows(t)
		if got := strings.Count(connectortest.Describe(c.MustFetch(t)), "\n"); got != 60+59 {
			t.Errorf("%d rows", got)
		}
	}
}

func TestManyTransactions(t *testing.T) {
	t.Parallel()
	b := newBroker()
	for i := range 2500 {
		b.list = append(b.list, newFill(i+500, time.Duration(i)*time.Minute, object{"tradeOpened": nil}))
	}
	var rows []int
	for _, d := range newCase(b).MustFetch(t) {
		rows = append(rows, d.Statement.Rows)
	}
	if diff := cmp.Diff([]int{2000, 500}, rows); diff != "" {
		t.Error(diff)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	newCase(newBroker(newHistory()...)).TestFaults(t)
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path, body string
		want       error
	}{
		"no accounts":       {"/v3/accounts", `{}`, remote.ErrMalformed},
		"no currency":       {"summary", `{"account": {"id": "` + account + `"}}`, remote.ErrMalformed},
		"another account":   {"summary", `{"account": {"id": "` + other + `", "currency": "USD"}}`, remote.ErrMalformed},
		"no pages":          {"transactions", `{"count": 1}`, remote.ErrMalformed},
		"page without ids":  {"transactions", `{"pages": ["https://example.com/"]}`, remote.ErrMalformed},
		"page of no ids":    {"transactions", `{"pages": ["https://example.com/?from=5&to=4"]}`, remote.ErrMalformed},
		"page that is none": {"transactions", `{"pages": [":"]}`, remote.ErrMalformed},
		"nothing":           {"transactions", `{"pages": []}`, nil},
		"no transactions":   {"idrange", `{}`, remote.ErrMalformed},
		"foreign id":        {"idrange", `{"transactions": [{"id": "7777"}]}`, remote.ErrMalformed},
		"no id":             {"idrange", `{"transactions": [{"type": "ORDER_FILL"}]}`, remote.ErrMalformed},
		"no longer there":   {"idrange", `{"transactions": []}`, nil},
	} {
		b := newBroker(newHistory()...)
		_, err := newCase(b).Fetch(t, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, c.path) {
				_, _ = w.Write([]byte(c.body))
				return
			}
			b.serve(w, r)
		})
		if !remotetest.IsError(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	newCase(newBroker(newHistory()[:4]...)).FuzzAnswer(f, `{"accounts": [{"id": "a"}], "account": {"id": "a", "currency": "USD"}, "pages": ["/?from=1&to=2"], "transactions": [{"id": "1"}]}`)
}
