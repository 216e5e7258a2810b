package binance

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
)

const (
	accountPath     = "/api/v3/account"
	tradesPath      = "/api/v3/myTrades"
	pricesPath      = "/api/v3/ticker/price"
	depositsPath    = "/sapi/v1/capital/deposit/hisrec"
	withdrawalsPath = "/sapi/v1/capital/withdraw/history"

	symbolsField = "symbols"
)

type spotClient struct{}

// Fills returns the connector for the spot market.
func Fills() connector.Connector { return spotClient{} }

// Describe implements connector.Connector.
func (spotClient) Describe() connector.Description {
	return connector.Description{
		Name:   "binance",
		Title:  "Binance spot",
		Covers: "Fills of the spot market, deposits and withdrawals of coins",
		Notes: "Binance returns fills for one pair at a time: enter your pairs, or Fillbook tries the coins that you own, deposited or traded before with the usual " +
			"quote coins. Fills of delisted pairs, conversions, dust, fiat deposits and transfers to other wallets are only in the CSV files.",
		Steps: append(newSteps(), "Enter the pairs that you trade, such as BTCUSDT, ETHUSDT."),
		Hosts: []string{mainHost},
		Calls: append(newCalls(), []connector.Call{
			{Method: http.MethodGet, Path: accountPath, Weights: map[string]int{weightAPI: 20}},
			{Method: http.MethodGet, Path: tradesPath, Weights: map[string]int{weightAPI: 20}},
			{Method: http.MethodGet, Path: pricesPath, Weights: map[string]int{weightAPI: 4}},
			{Method: http.MethodGet, Path: depositsPath, Weights: map[string]int{weightSAPI: 1}},
			{Method: http.MethodGet, Path: withdrawalsPath, Weights: map[string]int{weightAccount: 18_000}},
		}...),
		Fields: append(newFields(), remote.Field{
			Name: symbolsField, Title: "Pairs", Help: "The pairs that you trade, with commas between them. If empty, they are guessed.", IsOptional: true,
		}),
		RequestsPerMinute: 600,
		Buckets:           newBuckets(),
		DailyAt:           30 * time.Minute,
		Delay:             time.Minute,
		// With this overlap an hourly run is not longer than the longest request period.
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

// loadAccount returns the account with the coins it has.
func loadAccount(ctx context.Context, session *remote.Session) (a account, err error) {
	err = send(ctx, session, mainHost, accountPath, map[string]string{"omitZeroBalances": "true"}, &a)
	if err == nil && a.User == "" && a.Balances == nil {
		err = remote.Malformed("it has no account")
	}
	return a, err
}

// Check implements connector.Connector.
func (spotClient) Check(ctx context.Context, session *remote.Session) (connector.Identity, error) {
	var identity connector.Identity
	if err := checkRights(ctx, session, &identity); err != nil {
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

// spotRun is one query.
type spotRun struct {
	session *remote.Session
	query   connector.Query
	rows    *connector.Rows
	kept    map[string]string
}

// The names of kept values.
const (
	// coinsKey are the coins from all queries.
	coinsKey = "coins"
	// pairsKey are this query's pairs.
	pairsKey = "pairs"
	// doneKey are the pairs in earlier queries, and firstKey the earliest time in all
	// queries. A new pair is fetched from then on.
	doneKey  = "done"
	firstKey = "first"
	// triedKey is set if this query's pairs were guessed without a list.
	triedKey = "tried"
)

// Fetch implements connector.Connector. Deposits come first, because they show which coins
// the account has had.
func (spotClient) Fetch(ctx context.Context, session *remote.Session, query connector.Query) (connector.Delivery, error) {
	r := &spotRun{session: session, query: query, rows: connector.NewRows(query, "Binance"), kept: connector.Kept(query)}
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

// first returns the earliest time in all queries, or 0 if there was none.
func (r *spotRun) first() int64 {
	first, _ := strconv.ParseInt(r.kept[firstKey], 10, 64)
	return first
}
