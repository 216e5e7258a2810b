package hyperliquid_test

import (
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
	"fillbook/internal/providers/hyperliquid"
	"fillbook/internal/providers/providertest"
)

const (
	address = "0xabcdef0123456789abcdef0123456789abcdef01"
	other   = "0x00000000000000000000000000000000000000aa"
)

// millis is 2026-01-02 03:04:05.678 UTC.
const millis = 1767323045678

var start = time.UnixMilli(millis).UTC()

// The request types with records.
const (
	fills   = "userFillsByTime"
	funding = "userFunding"
	updates = "userNonFundingLedgerUpdates"
)

// records are a server's, by request type, oldest first.
type records map[string]providertest.List

// pageSizes are how many records an answer has at most.
var pageSizes = map[string]int64{fills: 2000, funding: 500, updates: 500}

// serve answers like Hyperliquid. It does not accept parameters it does not have.
func (r records) serve(q url.Values) http.HandlerFunc {
	refusal := providertest.Reply(http.StatusUnprocessableEntity, "Failed to deserialize the JSON body into the target type")
	for name := range q {
		if !slices.Contains([]string{"type", "user", "startTime", "endTime"}, name) {
			return refusal
		}
	}
	kind, from, to := q.Get("type"), providertest.Int(q, "startTime"), providertest.Int(q, "endTime")
	switch size := pageSizes[kind]; {
	case kind == "spotMeta":
		return providertest.OK(`{"universe": [{"tokens": [1, 0], "name": "PURR/USDC", "index": 0}, {"tokens": [150, 0], "name": "@107", "index": 107}],
			"tokens": [{"name": "USDC", "index": 0}, {"name": "PURR", "index": 1}, {"name": "HYPE", "index": 150}]}`)
	case q.Get("user") != address:
		return providertest.OK("[]")
	case kind == "userRole":
		return providertest.OK(`{"role": "user"}`)
	case size == 0 || !q.Has("startTime"):
		return refusal
	default:
		list := r[kind].Select(func(r providertest.Record) bool { return r.Int("time") >= from && (to == 0 || r.Int("time") <= to) })
		return providertest.OK(list.Page(0, size).String())
	}
}

// newFill returns a fill some milliseconds after the start.
func newFill(after int64, id int, more string) string {
	return fmt.Sprintf(`{"coin": "ETH", "px": "3120.5", "sz": "0.4", "side": "A", "time": %d, "startPosition": "0.9", "dir": "Close Long", "closedPnl": "12.2",
		"hash": "0x0", "oid": 771, "crossed": true, "fee": "0.43", "feeToken": "USDC", "tid": %d, "twapId": null%s}`, millis+after, id, more)
}

func newFunding(after int64, coin, amount string) string {
	return fmt.Sprintf(`{"time": %d, "hash": "0x0", "delta": {"type": "funding", "coin": %q, "usdc": %q, "szi": "0.5", "fundingRate": "0.0000125", "nSamples": null}}`,
		millis+after, coin, amount)
}

func newUpdate(after int64, hash, delta string) string {
	return fmt.Sprintf(`{"time": %d, "hash": %q, "delta": %s}`, millis+after, hash, delta)
}

func newHistory() records {
	return records{
		fills: {
			newFill(0, 1, ``),
			newFill(0, 2, `, "coin": "kPEPE", "side": "B", "crossed": false, "fee": "-0.02", "dir": "Long > Short", "builderFee": "0.01"`),
			newFill(1, 3, `, "coin": "@107", "side": "B", "sz": "10", "px": "25", "fee": "0.007", "feeToken": "HYPE", "dir": "Buy"`),
			newFill(2, 4, `, "coin": "PURR/USDC", "side": "A", "dir": "Sell", "newField": {"a": [1]}`),
			newFill(2, 5, `, "coin": "@999", "fee": "0.1", "feeToken": "USDC"`),
			newFill(3, 6, `, "coin": "xyz:AAPL", "side": "B", "fee": "0.1", "feeToken": "HYPE"`),
			newFill(4, 7, `, "side": "B", "liquidation": {"method": "market", "markPx": "3000"}, "dir": "Liquidated Cross Short"`),
			newFill(4, 7, `, "crossed": false`),
			newFill(5, 8, `, "side": "C"`),
			newFill(5, 9, `, "px": "much"`),
			newFill(1_000_000, 10, ""),
		},
		funding: {newFunding(10, "BTC", "-0.31"), newFunding(10, "ETH", "0.2"), newFunding(11, "BTC", "0.0")},
		updates: {
			newUpdate(20, "0x1", `{"type": "deposit", "usdc": "1000.0"}`),
			newUpdate(21, "0x2", `{"type": "withdraw", "usdc": "99.0", "nonce": 17, "fee": "1.0"}`),
			newUpdate(22, "0x3", `{"type": "internalTransfer", "usdc": "5", "user": "`+address+`", "destination": "`+other+`", "fee": "1"}`),
			newUpdate(22, "0x3", `{"type": "internalTransfer", "usdc": "7", "user": "`+other+`", "destination": "`+address+`", "fee": "1"}`),
			newUpdate(23, "0x4", `{"type": "subAccountTransfer", "usdc": "3", "user": "`+address+`", "destination": "`+other+`"}`),
			newUpdate(24, "0x5", `{"type": "accountClassTransfer", "usdc": "50", "toPerp": true}`),
			newUpdate(25, "0x6", `{"type": "spotTransfer", "token": "HYPE", "amount": "2", "usdcValue": "50", "user": "`+other+`", "destination": "`+address+`", "fee": "0"}`),
			newUpdate(26, "0x7", `{"type": "send", "token": "USDC", "amount": "8", "user": "`+address+`", "destination": "`+address+`", "sourceDex": "", "destinationDex": "xyz", "fee": "0"}`),
			newUpdate(27, "0x8", `{"type": "vaultDeposit", "vault": "`+other+`", "usdc": "20"}`),
			newUpdate(28, "0x9", `{"type": "vaultWithdraw", "vault": "`+other+`", "user": "`+address+`", "requestedUsd": "22", "netWithdrawnUsd": "21"}`),
			newUpdate(29, "0xa", `{"type": "vaultLeaderCommission", "user": "`+address+`", "usdc": "0.5"}`),
			newUpdate(30, "0xb", `{"type": "rewardsClaim", "amount": "0.25"}`),
			newUpdate(31, "0xc", `{"type": "liquidation", "liquidatedNtlPos": "100"}`),
			newUpdate(32, "0xd", `{"type": "teleport", "usdc": "1"}`),
			newUpdate(33, "0xe", `{"type": "deployGasAuction", "token": "HYPE", "amount": "0.5"}`),
		},
	}
}

func newFills(r records) providertest.FillCase {
	server := providertest.Server{Public: providertest.Routes{"/info": r.serve}}
	return providertest.FillCase{
		Connector:   hyperliquid.Fills(),
		Credentials: map[string]string{"address": "0xABCDEF0123456789abcdef0123456789abcdef01"},
		Query:       connector.Query{From: start.Add(-time.Hour), To: start.Add(time.Hour), Currency: "USD"},
		Now:         start.Truncate(time.Second).Add(2 * time.Hour),
		Answer:      server.ServeHTTP,
		Identity:    connector.Identity{Account: address, Name: address},
		KeyPath:     "/info",
		Keys: map[string]providertest.Key{
			`{"role": "subAccount", "data": {"master": "` + other + `"}}`: {Identity: connector.Identity{Account: address, Name: address + " (sub-account)"}},
			`{"role": "vault"}`:   {Identity: connector.Identity{Account: address, Name: address + " (vault)"}},
			`{"role": "missing"}`: {Err: connector.ErrSetup, Words: "no account with this address"},
			`{"role": "agent", "data": {"user": "` + other + `"}}`: {
				Err: connector.ErrSetup, Words: "Enter the address of the account: " + other + ".",
			},
			`{"role": "agent", "data": {"user": "<b>elsewhere</b>"}}`: {Err: connector.ErrSetup, Words: "the account that it belongs to."},
			`{}`: {Err: remote.ErrMalformed},
		},
		Want: `2026-01-02T03:04:05.678Z sell 0.4 future ETH @ 3120.5 x 1 fees 0.43 liquidity "taker" order_id "771" id 1
2026-01-02T03:04:05.678Z buy 0.4 future KPEPE @ 3120.5 x 1 fees -0.02 liquidity "maker" order_id "771" id 2
2026-01-02T03:04:05.679Z buy 9.993 crypto HYPE/USDC @ 25 fees 0.175 fee "0.007 HYPE" liquidity "taker" order_id "771" id 3
2026-01-02T03:04:05.68Z sell 0.4 crypto PURR/USDC @ 3120.5 fees 0.43 liquidity "taker" order_id "771" id 4
2026-01-02T03:04:05.68Z sell 0.4 crypto @999 @ 3120.5 fees 0.1 liquidity "taker" order_id "771" id 5
2026-01-02T03:04:05.681Z buy 0.4 future XYZ:AAPL @ 3120.5 x 1 fee "0.1 HYPE" liquidity "taker" order_id "771" id 6
2026-01-02T03:04:05.682Z buy 0.4 future ETH @ 3120.5 x 1 fees 0.43 liquidity "taker" order_id "771" id 7
2026-01-02T03:04:05.682Z sell 0.4 future ETH @ 3120.5 x 1 fees 0.43 liquidity "maker" order_id "771" id 7:A
2026-01-02T03:20:45.678Z sell 0.4 future ETH @ 3120.5 x 1 fees 0.43 liquidity "taker" order_id "771" id 10
2026-01-02T03:04:05.688Z cash interest -0.31 USD "funding BTC"
2026-01-02T03:04:05.688Z cash interest 0.2 USD "funding ETH"
2026-01-02T03:04:05.698Z cash deposit 1000 USD "deposit"
2026-01-02T03:04:05.699Z cash withdrawal -100 USD "withdraw"
2026-01-02T03:04:05.7Z cash withdrawal -6 USD "internalTransfer"
2026-01-02T03:04:05.7Z cash deposit 7 USD "internalTransfer"
2026-01-02T03:04:05.701Z cash withdrawal -3 USD "subAccountTransfer"
2026-01-02T03:04:05.705Z cash withdrawal -20 USD "vaultDeposit"
2026-01-02T03:04:05.706Z cash deposit 21 USD "vaultWithdraw"
2026-01-02T03:04:05.707Z cash adjustment 0.5 USD "vaultLeaderCommission"
2026-01-02T03:04:05.708Z cash adjustment 0.25 USD "rewardsClaim"
problem The broker's record has a price that is not a number.
problem The broker's record has an unknown side.
skipped it moves coins between the owner's own wallets
skipped it moves coins between the owner's own wallets
skipped it moves coins without a trade
skipped it moves coins without a trade
skipped no money moved
skipped results and fees of contracts come with their fills
skipped rows of this kind are ignored
`,
		Messages: []string{
			"The pair @999 is not in Hyperliquid's list of pairs. Its fills have this name.",
			`Hyperliquid has a kind of transfer that is not known here: "teleport". It was left out; enter it by hand if it moved money.`,
			"Fees in another coin than the price do not count as a cost: 0.1 HYPE. The details of the fills have them.",
			"Coins that moved without a trade were left out: 1.5 HYPE. If they changed a position, enter the change by hand.",
		},
		Errors: map[string]providertest.Answer{
			"not a list":       {Status: 200, Body: `{"error": "what"}`, Want: remote.ErrMalformed},
			"null":             {Status: 200, Body: `null`, Want: remote.ErrMalformed},
			"without a time":   {Status: 200, Body: `[{"coin": "ETH"}]`, Want: remote.ErrMalformed},
			"in another order": {Status: 200, Body: "[" + newFill(1, 1, "") + "," + newFill(0, 2, "") + "]", Want: remote.ErrMalformed},
			"wrong parameter":  {Status: 422, Body: `Failed to deserialize the JSON body into the target type`, Want: remote.ErrRefused},
			"empty":            {Status: 200, Body: `[]`},
		},
	}
}

func TestFills(t *testing.T) {
	providertest.Run(t, func() providertest.FillCase { return newFills(newHistory()) })
}

// TestVault checks that money users give to a vault is money it gets.
func TestVault(t *testing.T) {
	t.Parallel()
	newFills(records{updates: {
		newUpdate(0, "0x1", `{"type": "vaultDeposit", "vault": "`+address+`", "usdc": "20"}`),
		newUpdate(1, "0x2", `{"type": "vaultWithdraw", "vault": "`+address+`", "user": "`+other+`", "netWithdrawnUsd": "21"}`),
	}}).Expect(t, "2026-01-02T03:04:05.678Z cash deposit 20 USD \"vaultDeposit\"\n2026-01-02T03:04:05.679Z cash withdrawal -21 USD \"vaultWithdraw\"\n")
}

// TestPages has fills at one time around a page end, one of them being a trade with
// oneself.
func TestPages(t *testing.T) {
	t.Parallel()
	r := records{}
	for i := range 4500 {
		r[fills] = append(r[fills], newFill(int64(i/7), i+1, ""))
	}
	r[fills] = slices.Insert(r[fills], 2000, newFill(1999/7, 2000, `, "side": "B"`))
	for i := range 1001 {
		r[funding] = append(r[funding], newFunding(int64(i/3), fmt.Sprint("C", i%3), "0.5"))
	}
	c := newFills(r)
	c.TestPages(t, 4501, 1001)
	list := c.MustFetch(t)
	text := providertest.Describe(list)
	if !strings.Contains(text, " id 2000\n") || !strings.Contains(text, " id 2000:B\n") || len(providertest.Messages(list)) != 0 {
		t.Errorf("a fill with oneself is missing, or messages %q", providertest.Messages(list))
	}
}

func TestFullPageOfOneInstant(t *testing.T) {
	t.Parallel()
	r := records{}
	for i := range 2001 {
		r[fills] = append(r[fills], newFill(0, i+1, ""))
	}
	r[fills] = append(r[fills], newFill(1, 9999, ""))
	list := newFills(r).MustFetch(t)
	if got := strings.Join(providertest.Messages(list), " "); !strings.Contains(got, "2026-01-02T03:04:05.678Z") || !strings.Contains(providertest.Describe(list), "id 9999") {
		t.Errorf("messages %q", got)
	}
}

// TestGap has a server that no longer has the newest fill from the run before.
func TestGap(t *testing.T) {
	t.Parallel()
	r := records{fills: {newFill(0, 1, ""), newFill(1000, 2, "")}}
	c := newFills(r)
	expect := func(want ...string) {
		t.Helper()
		list := c.MustFetch(t)
		if got := providertest.Messages(list); !slices.Equal(got, want) {
			t.Errorf("messages %q", got)
		}
		c.Query.State = list[0].State
	}
	expect()
	expect()
	r[fills] = providertest.List{newFill(60_000, 3, "")}
	expect("Hyperliquid no longer returns the fills before 2026-01-02 03:05:05 UTC, and some may be missing: it keeps 10,000. " +
		"Import the CSV file for the time from 2026-01-02 03:04:06 UTC.")
	expect()
}

func TestShortAddress(t *testing.T) {
	t.Parallel()
	c := newFills(newHistory())
	c.Credentials = map[string]string{"address": "0x12"}
	if _, err := c.Check(t, c.Answer); !errors.Is(err, connector.ErrSetup) {
		t.Errorf("check: error %v", err)
	}
	if _, err := c.Fetch(t, c.Answer); !errors.Is(err, connector.ErrSetup) {
		t.Errorf("fetch: error %v", err)
	}
}

func FuzzFills(f *testing.F) {
	newFills(newHistory()).FuzzAnswer(f, `null`, `{"universe": [{"tokens": [0], "name": "@107"}]}`)
}
