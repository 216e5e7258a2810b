package questrade_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/remote"
	"fillbook/internal/base/remote/remotetest"
	"fillbook/internal/intake/connector"
	"fillbook/internal/providers/providertest"
	"fillbook/internal/providers/questrade"
)

var start = time.Date(2026, 1, 5, 5, 0, 0, 0, time.UTC)

type object = providertest.Record

// broker is a server like Questrade's. Each sign-in makes the refresh token before it
// invalid.
type broker struct {
	accounts               []object
	executions, activities []object
	server                 string
	signIns                int
	// isStrict refuses the user's token after its first use. Tests with several sessions
	// begin with it each time.
	isStrict bool
	// expiring makes the first access token invalid after a number of queries.
	expiring, queries int
}

func newBroker(executions, activities []object) *broker {
	return &broker{
		accounts:   []object{{"type": "Margin", "number": "26598145", "status": "Active", "isPrimary": true}},
		executions: executions, activities: activities, server: "https://api03.iq.questrade.com/",
	}
}

func (b *broker) refreshToken() string { return fmt.Sprintf("refresh-token-%d", b.signIns) }

func (b *broker) accessToken() string { return fmt.Sprintf("access-token-%d", b.signIns) }

// newHandler returns a broker's servers: one for tokens and one for the rest.
func (b *broker) newHandler() http.HandlerFunc {
	const account = "/v1/accounts/26598145"
	server := &providertest.Server{
		Public: providertest.Routes{"/oauth2/token": b.signIn},
		Private: providertest.Routes{
			"/v1/accounts":          func(url.Values) http.HandlerFunc { return reply(object{"accounts": b.accounts, "userId": 3000124}) },
			account + "/executions": func(q url.Values) http.HandlerFunc { return serveTime(q, "executions", b.executions, "timestamp") },
			account + "/activities": func(q url.Values) http.HandlerFunc { return serveTime(q, "activities", b.activities, "tradeDate") },
			"/v1/symbols":           func(q url.Values) http.HandlerFunc { return reply(object{"symbols": findSymbols(q.Get("ids"))}) },
		},
		Verify: func(r *http.Request, _ string) http.HandlerFunc {
			b.queries++
			isExpired := b.expiring > 0 && b.signIns == 1 && b.queries > b.expiring
			if isExpired || r.Header.Get("Authorization") != "Bearer "+b.accessToken() || r.Host != "api03.iq.questrade.com" || r.Method != http.MethodGet {
				return providertest.Reply(http.StatusUnauthorized, `{"code": 1017, "message": "Access token is invalid"}`)
			}
			return nil
		},
	}
	return func(w http.ResponseWriter, r *http.Request) {
		if isLogin := r.Host == "login.questrade.com"; isLogin && (r.Method != http.MethodPost || r.URL.RawQuery != "") || isLogin != (r.URL.Path == "/oauth2/token") {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		server.ServeHTTP(w, r)
	}
}

func reply(value object) http.HandlerFunc { return providertest.OK(value.JSON()) }

func (b *broker) signIn(q url.Values) http.HandlerFunc {
	token := q.Get("refresh_token")
	isFirst := token == providertest.Secret && (!b.isStrict || b.signIns == 0)
	if q.Get("grant_type") != "refresh_token" || !isFirst && token != b.refreshToken() {
		return providertest.Reply(http.StatusBadRequest, "Bad Request")
	}
	b.signIns++
	return reply(object{
		"access_token": b.accessToken(), "token_type": "Bearer", "expires_in": 1800, "refresh_token": b.refreshToken(), "api_server": b.server,
	})
}

// serveTime returns the records of a time of at most 31 days, with both ends.
func serveTime(q url.Values, name string, list []object, timeName string) http.HandlerFunc {
	from, err := time.Parse("2006-01-02T15:04:05.000000-07:00", q.Get("startTime"))
	to, err2 := time.Parse("2006-01-02T15:04:05.000000-07:00", q.Get("endTime"))
	if err != nil || err2 != nil || to.Sub(from) > 31*24*time.Hour {
		return providertest.Reply(http.StatusBadRequest, `{"code": 1003, "message": "Argument length exceeds imposed limit"}`)
	}
	found := []object{}
	for _, record := range list {
		at, _ := time.Parse(time.RFC3339, record.Text(timeName))
		if !at.Before(from) && !at.After(to) {
			found = append(found, record)
		}
	}
	return reply(object{name: found})
}

func newFills(b *broker) providertest.FillCase {
	return providertest.FillCase{
		Connector:     questrade.Fills(),
		Credentials:   map[string]string{"refresh_token": providertest.Secret},
		Query:         connector.Query{From: start, To: start.AddDate(0, 0, 60), Currency: "CAD"},
		Now:           start.AddDate(0, 0, 70),
		Answer:        b.newHandler(),
		Except:        []string{"400"}, // a token that is used up
		HasOtherTimes: true,            // day ends
		Identity:      connector.Identity{Account: "26598145", Name: "Margin (26598145)"},
	}
}

func TestFills(t *testing.T) {
	providertest.Run(t, func() providertest.FillCase { return newFills(newHistory()) })
}

func TestAccounts(t *testing.T) {
	t.Parallel()
	for chosen, want := range map[string]error{"26598145": nil, "": connector.ErrSetup, "1": connector.ErrSetup} {
		b := newBroker(nil, nil)
		b.accounts = append(b.accounts, object{"type": "TFSA", "number": "26598146"})
		c := newFills(b)
		c.Credentials["account_id"] = chosen
		if _, err := c.Check(t, c.Answer); !errors.Is(err, want) {
			t.Errorf("account %q: error %v, want %v", chosen, err, want)
		}
	}
}

func findSymbols(ids string) []object {
	list := []object{}
	for id := range strings.SplitSeq(ids, ",") {
		number, _ := strconv.Atoi(id)
		switch number {
		case 1:
			list = append(list, object{"symbol": "SHOP.TO", "symbolId": 1, "securityType": "Stock", "currency": "CAD", "optionContractDeliverables": object{"underlyings": []object{}}})
		case 2:
			list = append(list, object{"symbol": "AAPL", "symbolId": 2, "securityType": "Stock", "currency": "USD"})
		case 3:
			list = append(list, object{"symbol": "X16Jan26P11.00", "symbolId": 3, "securityType": "Option", "currency": "CAD", "optionContractDeliverables": object{
				"underlyings": []object{{"multiplier": 100, "underlyingSymbol": "X"}}, "cashInLieu": 0,
			}})
		}
	}
	return list
}

func newExecution(id int, after time.Duration, values object) object {
	zone := time.FixedZone("", -5*60*60)
	return object{
		"symbol": "SHOP.TO", "symbolId": 1, "quantity": 100, "side": "Buy", "price": json.Number("101.2"), "id": id, "orderId": id + 1000, "orderChainId": 5,
		"exchangeExecId": "XS" + strconv.Itoa(id), "timestamp": start.Add(after).In(zone).Format("2006-01-02T15:04:05.000000-07:00"), "notes": "", "venue": "TSX",
		"totalCost": 10120, "orderPlacementCommission": 0, "commission": json.Number("4.95"), "executionFee": json.Number("0.35"), "secFee": 0, "legId": 0,
		"canadianExecutionFee": 0, "parentId": 0,
	}.With(values)
}

// newActivity returns an activity of a day after the start.
func newActivity(kind, action string, days int, values object) object {
	day := start.AddDate(0, 0, days).In(time.FixedZone("", -5*60*60)).Format("2006-01-02T15:04:05.000000-07:00")
	return object{
		"tradeDate": day, "transactionDate": day, "settlementDate": day, "action": action, "symbol": "", "symbolId": 0, "description": "SOME  TEXT",
		"currency": "CAD", "quantity": 0, "price": 0, "grossAmount": 0, "commission": 0, "netAmount": 0, "type": kind,
	}.With(values)
}

// newSession returns a session that records the tokens which were stored, and how many
// requests were sent before each.
func newSession(t *testing.T, b *broker, token string, keep func(string) error) (*remote.Session, *remotetest.Client) {
	t.Helper()
	d := questrade.Fills().Describe()
	client := remotetest.NewClient(t, d.Hosts, b.newHandler())
	session, err := remote.NewSession(client, d.Fields, map[string]string{"refresh_token": token}, func() time.Time { return start }, remote.Options{
		KeepReplaced: func(_ context.Context, field, value string) error {
			if field != "refresh_token" {
				t.Errorf("the field %s was replaced", field)
			}
			return keep(value)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return session, client
}

// TestTokenIsStoredFirst checks that a new refresh token is stored before anything else
// is sent, and works in the next run.
func TestTokenIsStoredFirst(t *testing.T) {
	t.Parallel()
	b := newBroker(nil, nil)
	b.isStrict = true
	token := providertest.Secret
	for run := 1; run <= 3; run++ {
		var client *remotetest.Client
		session, client := newSession(t, b, token, func(value string) error {
			if token = value; len(client.Requests) != 1 {
				t.Errorf("run %d: stored after %d requests", run, len(client.Requests))
			}
			return nil
		})
		if _, err := questrade.Fills().Check(t.Context(), session); err != nil {
			t.Fatal(err)
		}
		if _, err := questrade.Fills().Fetch(t.Context(), session, connector.Query{From: start, To: start.AddDate(0, 0, 1)}); err != nil {
			t.Fatal(err)
		}
		if b.signIns != run || token != b.refreshToken() {
			t.Errorf("run %d: %d sign-ins, stored %s", run, b.signIns, token)
		}
	}
	failed := errors.New("the disk is full")
	session, client := newSession(t, b, token, func(string) error { return failed })
	if _, err := questrade.Fills().Check(t.Context(), session); !errors.Is(err, failed) || len(client.Requests) != 1 {
		t.Errorf("the token can't be stored: error %v, %d requests", err, len(client.Requests))
	}
	session, _ = newSession(t, b, token, func(string) error { return nil })
	if _, err := questrade.Fills().Check(t.Context(), session); !errors.Is(err, remote.ErrUnauthorized) || !strings.Contains(err.Error(), "Generate a new one") {
		t.Errorf("a token that was used: error %v", err)
	}
}

// TestTokenIsStoredBeforeFaults checks that a new token is stored even if the rest is
// useless.
func TestTokenIsStoredBeforeFaults(t *testing.T) {
	t.Parallel()
	for _, server := range []string{
		"https://example.com/", "http://api03.iq.questrade.com/", "https://api03.iq.questrade.com.example.com/", "https://api03.iq.questrade.com:444/", "", ":",
	} {
		b := newBroker(nil, nil)
		b.server = server
		stored := ""
		session, client := newSession(t, b, providertest.Secret, func(value string) error { stored = value; return nil })
		_, err := questrade.Fills().Check(t.Context(), session)
		if !errors.Is(err, remote.ErrMalformed) || stored != b.refreshToken() || len(client.Requests) != 1 {
			t.Errorf("server %q: error %v, stored %q, %d requests", server, err, stored, len(client.Requests))
		}
	}
}

func TestAccessTokenEnds(t *testing.T) {
	t.Parallel()
	for expiring := 1; expiring <= 4; expiring++ {
		b := newBroker([]object{newExecution(1, time.Hour, nil)}, nil)
		b.expiring, b.isStrict = expiring, true
		if got := providertest.Describe(newFills(b).MustFetch(t)); strings.Count(got, "\n") != 1 || b.signIns != 2 {
			t.Errorf("after %d queries: %d sign-ins, got\n%s", expiring, b.signIns, got)
		}
	}
}

func TestRecords(t *testing.T) {
	t.Parallel()
	const hour = time.Hour
	ids := regexp.MustCompile("activity:[0-9a-f]{24}")
	for name, c := range map[string]struct {
		executions, activities []object
		want                   string
		messages               []string
	}{
		"fills": {
			executions: []object{
				newExecution(1, 9*hour+123456*time.Microsecond, nil),
				newExecution(2, 10*hour, object{"side": "Sell", "symbol": "AAPL", "symbolId": 2, "commission": 0, "secFee": json.Number("0.02"), "venue": ""}),
				newExecution(3, 11*hour, object{"side": "Short", "canadianExecutionFee": json.Number("-0.1"), "orderPlacementCommission": 1}),
				newExecution(4, 12*hour, object{"side": "Cov", "symbolId": 99}),
				newExecution(5, 13*hour, object{"side": "STO", "symbol": "X16Jan26P11.00", "symbolId": 3, "quantity": 2}),
				newExecution(6, 14*hour, object{"side": "BTC", "symbol": "X16Jan26P11.00", "symbolId": 3, "quantity": 2}),
				newExecution(7, 15*hour, object{"side": "BTO"}),
				newExecution(8, 16*hour, object{"side": "STC"}),
			},
			want: `2026-01-05T14:00:00.123456Z buy 100 stock SHOP.TO @ 101.2 fees 0.35 commission 4.95 order_id "1001" venue "TSX" id 1
2026-01-05T15:00:00Z sell 100 stock AAPL @ 101.2 fees 0.37 currency "USD" order_id "1002" id 2
2026-01-05T16:00:00Z sell 100 stock SHOP.TO @ 101.2 fees 0.25 commission 5.95 order_id "1003" venue "TSX" id 3
2026-01-05T17:00:00Z buy 100 stock SHOP.TO @ 101.2 fees 0.35 commission 4.95 order_id "1004" venue "TSX" id 4
2026-01-05T18:00:00Z sell 2 option X 2026-01-16 11 put @ 101.2 x 100 fees 0.35 commission 4.95 order_id "1005" venue "TSX" id 5
2026-01-05T19:00:00Z buy 2 option X 2026-01-16 11 put @ 101.2 x 100 fees 0.35 commission 4.95 order_id "1006" venue "TSX" id 6
2026-01-05T20:00:00Z buy 100 stock SHOP.TO @ 101.2 fees 0.35 commission 4.95 order_id "1007" venue "TSX" id 7
2026-01-05T21:00:00Z sell 100 stock SHOP.TO @ 101.2 fees 0.35 commission 4.95 order_id "1008" venue "TSX" id 8
`,
			messages: []string{"Some fills are in USD, the account is in CAD: their amounts were taken as they are.", "Questrade states no currency for SHOP.TO: its amounts were taken as they are."},
		},
		"cash": {
			activities: []object{
				newActivity("Deposits", "CON", 1, object{"netAmount": 1000}),
				newActivity("Withdrawals", "WDR", 2, object{"netAmount": -50}),
				newActivity("Dividends", "DIV", 3, object{"netAmount": json.Number("1.25"), "symbol": "AAPL", "currency": "USD"}),
				newActivity("Interest", "", 4, object{"netAmount": json.Number("-0.75")}),
				newActivity("Fees and rebates", "FCH", 5, object{"netAmount": -9}),
				newActivity("FX conversion", "FXT", 6, object{"netAmount": -135}),
				newActivity("FX conversion", "FXT", 6, object{"netAmount": 100, "currency": "USD"}),
				newActivity("Transfers", "TFI", 7, object{"netAmount": 500}),
				newActivity("Transfers", "TFI", 7, object{"quantity": 10, "symbol": "AAPL"}),
				newActivity("Other", "BRW", 8, object{"netAmount": -1}),
				newActivity("New things", "", 8, object{"netAmount": 2}),
				newActivity("Trades", "Buy", 9, object{"netAmount": -10120, "quantity": 100, "symbol": "SHOP.TO"}),
				newActivity("Interest", "", 9, object{"netAmount": 0}),
				newActivity("Interest", "", 9, object{"netAmount": "much"}),
			},
			want: `2026-01-06T05:00:00Z cash deposit 1000 CAD "SOME TEXT"
2026-01-07T05:00:00Z cash withdrawal -50 CAD "SOME TEXT"
2026-01-08T05:00:00Z cash dividend 1.25 USD "SOME TEXT"
2026-01-09T05:00:00Z cash interest -0.75 CAD "SOME TEXT"
2026-01-10T05:00:00Z cash fee -9 CAD "SOME TEXT"
2026-01-11T05:00:00Z cash adjustment -135 CAD "SOME TEXT"
2026-01-11T05:00:00Z cash adjustment 100 USD "SOME TEXT"
2026-01-12T05:00:00Z cash deposit 500 CAD "SOME TEXT"
2026-01-13T05:00:00Z cash adjustment -1 CAD "SOME TEXT"
2026-01-13T05:00:00Z cash adjustment 2 CAD "SOME TEXT"
problem The broker's record has a net amount that is not a number.
skipped no money moved
skipped securities moved without a trade
`,
			messages: []string{"Transfers of AAPL on 2026-01-12 was skipped: it is not a trade. Adjust your position manually if it changed."},
		},
		"fills of a day": {
			activities: []object{
				newActivity("Trades", "EXP", 11, object{"quantity": -2, "symbol": "X16Jan26P11.00"}),
				newActivity("Other", "EXP", 11, object{"quantity": 1, "symbol": "X16Jan26P12.00"}),
				newActivity("Other", "ASN", 11, object{"quantity": 1, "symbol": "RY6Feb26C113.50.MX"}),
				newActivity("Other", "EXR", 11, object{"quantity": -1, "symbol": "X16Jan26P14.00"}),
				newActivity("Dividend reinvestment", "REI", 12, object{"quantity": 3, "symbol": "SHOP.TO", "netAmount": -300}),
				newActivity("Dividend reinvestment", "REI", 12, object{"quantity": 3, "symbol": "SHOP.TO", "netAmount": -300}),
				newActivity("Dividend reinvestment", "REI", 12, object{"quantity": 1, "price": json.Number("99.5"), "symbol": "SHOP.TO", "netAmount": -100}),
				newActivity("Other", "EXP", 11, object{"quantity": 1}),
			},
			want: `2026-01-17T04:59:59Z sell 2 option X 2026-01-16 11 put @ 0 action "EXP" id activity:…
2026-01-17T04:59:59Z buy 1 option X 2026-01-16 12 put @ 0 action "EXP" id activity:…
2026-01-17T04:59:59Z buy 1 option RY 2026-02-06 113.5 call @ 0 action "ASN" id activity:…
2026-01-17T04:59:59Z sell 1 option X 2026-01-16 14 put @ 0 action "EXR" id activity:…
2026-01-18T04:59:59Z buy 3 stock SHOP.TO @ 100 action "REI" id activity:…
2026-01-18T04:59:59Z buy 3 stock SHOP.TO @ 100 action "REI" id activity:…
2026-01-18T04:59:59Z buy 1 stock SHOP.TO @ 99.5 action "REI" id activity:…
problem The broker's record has no symbol.
`,
		},
		"records that can't be read": {
			executions: []object{
				newExecution(1, hour, object{"side": "Swap"}),
				newExecution(2, hour, object{"quantity": 0}),
				newExecution(3, hour, object{"price": nil}),
				newExecution(4, hour, object{"symbol": ""}),
				newExecution(5, hour, object{"commission": "x"}),
			},
			want: `problem The broker's record has a commission that is not a number.
problem The broker's record has a quantity that is not positive.
problem The broker's record has a side that is not known.
problem The broker's record has no price.
problem The broker's record has no symbol.
`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := newFills(newBroker(c.executions, c.activities)).MustFetch(t)
			if diff := cmp.Diff(c.want, ids.ReplaceAllString(providertest.Describe(got), "activity:…")); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.messages, providertest.Messages(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func newHistory() *broker {
	var executions, activities []object
	for i := range 60 {
		executions = append(executions, newExecution(i+1, time.Duration(i/3)*41*time.Hour, nil))
		day := newActivity("Deposits", "CON", i, object{"netAmount": i + 1})
		if i%7 == 6 {
			// Questrade selects by the trade date, which is before the transaction date.
			day["tradeDate"] = start.AddDate(0, 0, i-2).Format(time.RFC3339)
		}
		activities = append(activities, day)
		if i%20 == 19 {
			ending := object{"quantity": -1, "symbol": "X16Jan26P11.00"}
			activities = append(activities, newActivity("Other", "EXP", i, ending), newActivity("Other", "EXP", i, ending))
		}
	}
	return newBroker(executions, activities)
}

func TestManySymbols(t *testing.T) {
	t.Parallel()
	var executions []object
	for i := range 120 {
		executions = append(executions, newExecution(i+1, time.Hour, object{"symbolId": i + 1, "symbol": fmt.Sprintf("S%d", i)}))
	}
	c := newFills(newBroker(executions, nil))
	c.Query.To = start.AddDate(0, 0, 1)
	session, client := c.NewSession(t, c.Answer)
	if _, err := c.Connector.Fetch(t.Context(), session, c.Query); err != nil {
		t.Fatal(err)
	}
	requests := 0
	for _, r := range client.Requests {
		requests += strings.Count(r.URL.Path, "/v1/symbols")
		if ids := r.URL.Query().Get("ids"); strings.Count(ids, ",") >= 50 {
			t.Errorf("too many symbols: %s", ids)
		}
	}
	if requests != 3 {
		t.Errorf("%d requests for symbols", requests)
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	c := newFills(newHistory())
	c.TestPages(t, 60+6, 60)
	c.Query.To = start.AddDate(0, 0, 20)
	for path, bodies := range map[string][]string{
		"/token": {
			`{"access_token": "a", "api_server": "https://api01.iq.questrade.com/"}`, `{"refresh_token": "a", "api_server": "https://api01.iq.questrade.com/"}`,
		},
		"/accounts": {`{}`}, "/executions": {`{}`, `{"executions": [{"symbol": "A"}]}`}, "/symbols": {`{}`}, "/activities": {`{}`},
	} {
		c.TestBodies(t, path, remote.ErrMalformed, bodies...)
	}
	c.TestBodies(t, "/activities", nil, `{"activities": []}`)
	signIn := c.Answer
	_, err := c.Fetch(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Host == "login.questrade.com" {
			signIn(w, r)
			return
		}
		w.Header().Set("X-RateLimit-Reset", strconv.FormatInt(c.Now.Add(20*time.Second).Unix(), 10))
		w.WriteHeader(http.StatusTooManyRequests)
	})
	if !providertest.IsError(err, &remote.RateLimited{RetryAfter: 20 * time.Second}) {
		t.Errorf("too many requests: error %v", err)
	}
}

func FuzzFills(f *testing.F) {
	newFills(newHistory()).FuzzAnswer(f, `{"refresh_token": "r", "access_token": "a", "api_server": "https://api01.iq.questrade.com/", "accounts": [{"number": "1"}],
		"executions": [{"id": 1, "symbolId": 1}], "symbols": [{"symbolId": 1}], "activities": [{"type": "Other", "action": "EXP"}]}`)
}
