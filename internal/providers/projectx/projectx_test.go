package projectx_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
	"fillbook/internal/providers/projectx"
	"fillbook/internal/providers/providertest"
)

var start = time.Date(2026, 7, 2, 0, 0, 0, 0, time.UTC)

type object = providertest.Record

// broker is a server like that of TopstepX.
type broker struct {
	accounts []object
	trades   []object
	// tokens is how many tokens were issued; only the last one is valid.
	tokens int
	// expiring makes the first token invalid after a number of queries.
	expiring, queries int
}

func newBroker(trades ...object) *broker {
	return &broker{accounts: []object{{"id": 203, "name": "50KTC-1", "balance": 50000, "canTrade": true, "isVisible": true}}, trades: trades}
}

// newTrade returns a trade at a time after the start.
func newTrade(id int, after time.Duration, values object) object {
	return object{
		"id": id, "accountId": 203, "contractId": "CON.F.US.MNQ.U26", "creationTimestamp": start.Add(after).Format("2006-01-02T15:04:05.999999-07:00"),
		"price": json.Number("30148.750000000"), "profitAndLoss": nil, "fees": json.Number("0.3700"), "side": 0, "size": 3, "voided": false, "orderId": id + 1000,
	}.With(values)
}

// contracts are the ones the server has. The E-mini of 2020 is not among them.
var contracts = map[string]object{
	"CON.F.US.MNQ.U26":  {"id": "CON.F.US.MNQ.U26", "name": "MNQU6", "tickSize": 0.25, "tickValue": 0.5},
	"CON.F.US.EP.U26":   {"id": "CON.F.US.EP.U26", "name": "ESU6", "tickSize": 0.25, "tickValue": 12.5},
	"CON.F.US.TICK.U26": {"id": "CON.F.US.TICK.U26", "name": "TICKU6", "tickSize": 0},
}

// newServer returns a broker's server, which checks the token.
func (b *broker) newServer() *providertest.Server {
	return &providertest.Server{
		Public: providertest.Routes{"/api/Auth/loginKey": b.signIn},
		Private: providertest.Routes{
			"/api/Account/search": func(q url.Values) http.HandlerFunc {
				if q.Get("onlyActiveAccounts") != "false" {
					return reply(object{"accounts": []object{}})
				}
				return reply(object{"accounts": b.accounts})
			},
			"/api/Trade/search": func(q url.Values) http.HandlerFunc { return reply(object{"trades": b.findTrades(q)}) },
			"/api/Contract/searchById": func(q url.Values) http.HandlerFunc {
				found := contracts[q.Get("contractId")]
				if found == nil {
					return providertest.OK(`{"contract": null, "success": false, "errorCode": 1, "errorMessage": null}`)
				}
				return reply(object{"contract": found})
			},
		},
		Verify: func(r *http.Request, _ string) http.HandlerFunc {
			b.queries++
			isExpired := b.tokens == 1 && b.expiring > 0 && b.queries > b.expiring
			switch {
			case r.Host != "api.topstepx.com" || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json":
				return providertest.Reply(http.StatusBadRequest, "")
			case isExpired || r.Header.Get("Authorization") != fmt.Sprintf("Bearer token-%d", b.tokens):
				return providertest.Reply(http.StatusUnauthorized, "")
			}
			return nil
		},
	}
}

func reply(values object) http.HandlerFunc {
	return providertest.OK(values.With(object{"success": true, "errorCode": 0, "errorMessage": nil}).JSON())
}

func (b *broker) signIn(q url.Values) http.HandlerFunc {
	if q.Get("userName") != "trader" || q.Get("apiKey") != providertest.Secret {
		return providertest.OK(`{"token": null, "success": false, "errorCode": 3, "errorMessage": null}`)
	}
	b.tokens++
	return reply(object{"token": fmt.Sprintf("token-%d", b.tokens)})
}

// findTrades returns the trades in a period, the newest first. Without a valid period it
// returns all, as ProjectX does.
func (b *broker) findTrades(q url.Values) []object {
	from, _ := time.Parse(time.RFC3339, q.Get("startTimestamp"))
	to, err := time.Parse(time.RFC3339, q.Get("endTimestamp"))
	list := []object{}
	for _, t := range slices.Backward(b.trades) {
		at, _ := time.Parse(time.RFC3339, t.Text("creationTimestamp"))
		if q.Get("accountId") == "203" && !at.Before(from) && (err != nil || !at.After(to)) {
			list = append(list, t)
		}
	}
	return list
}

func newFills(b *broker) providertest.FillCase {
	return providertest.FillCase{
		Connector:   projectx.Fills(),
		Credentials: map[string]string{"username": "trader", "api_key": providertest.Secret},
		Query:       connector.Query{From: start, To: start.AddDate(0, 0, 20), Currency: "USD"},
		Now:         start.AddDate(0, 0, 30),
		Answer:      b.newServer().ServeHTTP,
		Identity:    connector.Identity{Account: "203", Name: "50KTC-1 (203)"},
		KeyPath:     "loginKey",
		Keys: map[string]providertest.Key{
			`{"success": true}`:                  {Err: remote.ErrMalformed},
			`{"success": false, "errorCode": 3}`: {Err: remote.ErrUnauthorized, Words: "code 3"},
		},
	}
}

func TestFills(t *testing.T) {
	providertest.Run(t, func() providertest.FillCase { return newFills(newBroker(newHistory()...)) })
}

func TestAccounts(t *testing.T) {
	t.Parallel()
	for chosen, want := range map[string]error{"203": nil, "xfa-2": nil, "": connector.ErrSetup, "205": connector.ErrSetup} {
		b := newBroker()
		b.accounts = append(b.accounts, object{"id": 204, "name": "XFA-2"})
		c := newFills(b)
		c.Credentials["account_id"] = chosen
		if _, err := c.Check(t, c.Answer); !errors.Is(err, want) {
			t.Errorf("account %q: error %v, want %v", chosen, err, want)
		}
	}
	c := newFills(newBroker())
	c.Credentials["username"] = "other"
	if _, err := c.Check(t, c.Answer); !errors.Is(err, remote.ErrUnauthorized) {
		t.Errorf("a wrong user: error %v", err)
	}
}

func TestTrades(t *testing.T) {
	t.Parallel()
	const hour = time.Hour
	for name, c := range map[string]struct {
		list            []object
		want, withdrawn string
		messages        []string
	}{
		"fills": {
			list: []object{
				newTrade(8603, hour+671500*time.Microsecond, nil),
				newTrade(8604, 2*hour, object{"side": 1, "contractId": "CON.F.US.EP.U26", "profitAndLoss": 202.5, "size": 1, "fees": 0}),
				newTrade(8605, 3*hour, object{"side": 1, "fees": nil}),
			},
			want: `2026-07-02T01:00:00.6715Z buy 3 future MNQU6 @ 30148.75 x 2 fees 0.37 order_id "9603" id 8603
2026-07-02T02:00:00Z sell 1 future ESU6 @ 30148.75 x 50 order_id "9604" id 8604
2026-07-02T03:00:00Z sell 3 future MNQU6 @ 30148.75 x 2 order_id "9605" id 8605
`,
		},
		"order of one instant": {
			list: []object{newTrade(99, hour, nil), newTrade(100, hour, object{"side": 1})},
			want: `2026-07-02T01:00:00Z buy 3 future MNQU6 @ 30148.75 x 2 fees 0.37 order_id "1099" id 99
2026-07-02T01:00:00Z sell 3 future MNQU6 @ 30148.75 x 2 fees 0.37 order_id "1100" id 100
`,
		},
		"contracts that are not found": {
			list: []object{
				newTrade(1, hour, object{"contractId": "CON.F.US.EP.H20"}),
				newTrade(2, hour, object{"contractId": "CON.F.US.ZZZ9.H20"}),
				newTrade(3, hour, object{"contractId": "CON.F.US.TICK.U26"}),
			},
			want: `2026-07-02T01:00:00Z buy 3 future ESH0 @ 30148.75 fees 0.37 order_id "1001" id 1
2026-07-02T01:00:00Z buy 3 future CON.F.US.ZZZ9.H20 @ 30148.75 fees 0.37 order_id "1002" id 2
2026-07-02T01:00:00Z buy 3 future TICKU6 @ 30148.75 fees 0.37 order_id "1003" id 3
`,
			messages: []string{
				"The contract size of TICKU6 is not known and was taken as 1; give a multiplier to correct it.",
				"The contract size of CON.F.US.ZZZ9.H20 is not known and was taken as 1; give a multiplier to correct it.",
			},
		},
		"voided": {
			list:      []object{newTrade(1, hour, object{"voided": true}), newTrade(2, hour, nil)},
			want:      "2026-07-02T01:00:00Z buy 3 future MNQU6 @ 30148.75 x 2 fees 0.37 order_id \"1002\" id 2\nskipped canceled by the broker\n",
			withdrawn: "1",
		},
		"records that can't be read": {
			list: []object{
				newTrade(1, hour, object{"side": 2}),
				newTrade(2, hour, object{"side": nil}),
				newTrade(3, hour, object{"contractId": ""}),
				newTrade(4, hour, object{"price": nil}),
				newTrade(5, hour, object{"size": 0}),
			},
			want: `problem The broker's record has a quantity that is not positive.
problem The broker's record has a side that is not known.
problem The broker's record has a side that is not known.
problem The broker's record has no contract.
problem The broker's record has no price.
`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := newFills(newBroker(c.list...)).Expect(t, c.want, c.messages...)
			if withdrawn := strings.Join(got[0].Withdrawn, " "); withdrawn != c.withdrawn {
				t.Errorf("withdrawn %q, want %q", withdrawn, c.withdrawn)
			}
		})
	}
}

func TestVoidedOutsideOfQuery(t *testing.T) {
	t.Parallel()
	c := newFills(newBroker(newTrade(1, -time.Second, object{"voided": true})))
	if got := c.MustFetch(t)[0]; len(got.Withdrawn) > 0 || got.Statement.Rows > 0 {
		t.Errorf("withdrawn %v, %d rows", got.Withdrawn, got.Statement.Rows)
	}
}

// TestTokenEnds checks that a token which ends during a run is replaced, at any query.
func TestTokenEnds(t *testing.T) {
	t.Parallel()
	for expiring := 1; expiring <= 3; expiring++ {
		b := newBroker(newTrade(1, time.Hour, nil))
		b.expiring = expiring
		if got := providertest.Describe(newFills(b).MustFetch(t)); strings.Count(got, "\n") != 1 || b.tokens != 2 {
			t.Errorf("after %d queries: %d tokens, got\n%s", expiring, b.tokens, got)
		}
	}
}

func newHistory() (list []object) {
	for i := range 40 {
		list = append(list, newTrade(i+1, time.Duration(i/2)*11*time.Hour, object{"side": i % 2}))
	}
	return list
}

func TestBodies(t *testing.T) {
	t.Parallel()
	c := newFills(newBroker(newHistory()...))
	c.TestBodies(t, "loginKey", remote.ErrUnauthorized, `{"success": false, "errorCode": 9, "errorMessage": "no subscription for secret-3f9a1c"}`)
	c.TestBodies(t, "loginKey", remote.ErrMalformed, `{"success": true}`)
	c.TestBodies(t, "Account/search", remote.ErrMalformed, `{"success": true}`)
	c.TestBodies(t, "Account/search", remote.ErrRefused, `{"success": false, "errorCode": 1}`)
	c.TestBodies(t, "Trade/search", remote.ErrMalformed, `{"success": true}`, `{"success": true, "trades": [{"id": 1, "accountId": 1}]}`,
		`{"success": true, "trades": [{"accountId": 203}]}`)
	c.TestBodies(t, "Trade/search", remote.ErrRefused, `{"success": false, "errorCode": 1}`)
	c.TestBodies(t, "searchById", nil, `{"success": true}`)
}

func FuzzFills(f *testing.F) {
	newFills(newBroker(newHistory()[:2]...)).FuzzAnswer(f, `{"success": true, "token": "t", "accounts": [{"id": 203}], "trades": [{"id": 1, "accountId": 203}], "contract": {"name": "x"}}`)
}
