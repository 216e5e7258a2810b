// Package binance fetches the fills of the spot market, deposits and withdrawals from
// Binance.
//
// The client was written from Binance's documentation and tested against a server of our
// own. It was never tried with an account.
package binance

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
	"fillbook/internal/providers/binanceapi"
)

const (
	accountPath     = "/api/v3/account"
	tradesPath      = "/api/v3/myTrades"
	pricesPath      = "/api/v3/ticker/price"
	depositsPath    = "/sapi/v1/capital/deposit/hisrec"
	withdrawalsPath = "/sapi/v1/capital/withdraw/history"

	symbolsField = "symbols"

	// pageSize is the largest one that Binance allows, for every list.
	pageSize = 1000

	day = 24 * time.Hour
)

type client struct{}

// New returns the connector.
func New() connector.Connector { return client{} }

// Describe implements connector.Connector.
func (client) Describe() connector.Description {
	return connector.Description{
		Name:   "binance",
		Title:  "Binance spot",
		Covers: "Fills of the spot market, deposits and withdrawals of coins",
		Notes: "Binance returns fills for one pair at a time: enter your pairs, or Fillbook tries the coins that you own, deposited or traded before with the usual " +
			"quote coins. Fills of delisted pairs, conversions, dust, fiat deposits and transfers to other wallets are only in the CSV files.",
		Steps: append(binanceapi.Steps(), "Enter the pairs that you trade, such as BTCUSDT, ETHUSDT."),
		Hosts: []string{binanceapi.MainHost},
		Calls: append(binanceapi.Calls(), []connector.Call{
			{Method: http.MethodGet, Path: accountPath, Weights: map[string]int{binanceapi.WeightAPI: 20}},
			{Method: http.MethodGet, Path: tradesPath, Weights: map[string]int{binanceapi.WeightAPI: 20}},
			{Method: http.MethodGet, Path: pricesPath, Weights: map[string]int{binanceapi.WeightAPI: 4}},
			{Method: http.MethodGet, Path: depositsPath, Weights: map[string]int{binanceapi.WeightSAPI: 1}},
			{Method: http.MethodGet, Path: withdrawalsPath, Weights: map[string]int{binanceapi.WeightAccount: 18_000}},
		}...),
		Fields: append(binanceapi.Fields(), remote.Field{
			Name: symbolsField, Title: "Pairs", Help: "The pairs that you trade, with commas between them. If empty, they are guessed.", IsOptional: true,
		}),
		RequestsPerMinute: 600,
		Buckets:           binanceapi.Buckets(),
		DailyAt:           30 * time.Minute,
		Delay:             time.Minute,
		// With this overlap an hourly run is not longer than the longest time of one request.
		Overlap: 22 * time.Hour,
		Rights:  connector.RightsChecked,
	}
}

type account struct {
	User     remote.Number `json:"uid"`
	Balances []struct {
		Coin string `json:"asset"`
	} `json:"balances"`
}

// loadAccount returns the account with the coins that it has.
func loadAccount(ctx context.Context, session *remote.Session) (a account, err error) {
	err = binanceapi.Send(ctx, session, binanceapi.MainHost, accountPath, map[string]string{"omitZeroBalances": "true"}, &a)
	if err == nil && a.User == "" && a.Balances == nil {
		err = remote.Malformed("it has no account")
	}
	return a, err
}

// Check implements connector.Connector.
func (client) Check(ctx context.Context, session *remote.Session) (connector.Identity, error) {
	var identity connector.Identity
	if err := binanceapi.CheckRights(ctx, session, &identity); err != nil {
		return connector.Identity{}, err
	}
	found, err := loadAccount(ctx, session)
	if err != nil {
		return connector.Identity{}, err
	}
	if identity.Account = string(found.User); identity.Account != "" {
		identity.Name = "UID " + identity.Account
	}
	return identity, nil
}

// run is one query.
type run struct {
	session *remote.Session
	query   connector.Query
	rows    *connector.Rows
	kept    map[string]string
}

// The names of what is kept.
const (
	// coinsKey are the coins of all queries.
	coinsKey = "coins"
	// pairsKey are the pairs of this query.
	pairsKey = "pairs"
	// doneKey are the pairs of earlier queries, and firstKey the earliest time of all
	// queries. A pair that is new is fetched from then on.
	doneKey  = "done"
	firstKey = "first"
	// triedKey is set if the pairs of this query were guessed without a list of all pairs.
	triedKey = "tried"
)

// Fetch implements connector.Connector. Deposits come first, because they show which coins
// the account has had.
func (client) Fetch(ctx context.Context, session *remote.Session, query connector.Query) (connector.Delivery, error) {
	r := &run{session: session, query: query, rows: connector.NewRows(query, "Binance"), kept: connector.Kept(query)}
	if first := r.first(); first == 0 || query.From.UnixMilli() < first {
		r.kept[firstKey] = strconv.FormatInt(query.From.UnixMilli(), 10)
	}
	return r.rows.Walk(ctx, r.kept, []connector.Stream{
		newTransfers(r, "deposits", depositsPath, r.addDeposit),
		newTransfers(r, "withdrawals", withdrawalsPath, r.addWithdrawal),
		{Name: "pairs", Fetch: r.findPairs},
		{Name: "trades", Fetch: r.fetchTrades},
	})
}

// first returns the earliest time of all queries, or 0 if there was none.
func (r *run) first() int64 {
	first, _ := strconv.ParseInt(r.kept[firstKey], 10, 64)
	return first
}
