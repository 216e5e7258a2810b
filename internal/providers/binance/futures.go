package binance

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/outbound"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
)

const (
	balancePath       = "/fapi/v3/balance"
	incomePath        = "/fapi/v1/income"
	futuresTradesPath = "/fapi/v1/userTrades"

	// weightFutures is the address's limit by weight.
	weightFutures = "fapi"
)

type futuresClient struct{}

// FuturesFills returns the connector for USD-M futures.
func FuturesFills() connector.Connector { return futuresClient{} }

// Describe implements connector.Connector.
func (futuresClient) Describe() connector.Description {
	return connector.Description{
		Name:   "binance_usdm",
		Title:  "Binance USD-M futures",
		Covers: "Fills of USD-M futures, funding, transfers and rebates",
		Notes: "Binance lists the contracts that you traded for three months only; import CSV files for the time before. " +
			"A key that you created before you opened the futures account can't read it.",
		Steps: newSteps(),
		Hosts: []string{futuresHost, mainHost},
		Calls: append(newCalls(), []connector.Call{
			{Method: http.MethodGet, Path: futuresTimePath, Weights: map[string]int{weightFutures: 1}},
			{Method: http.MethodGet, Path: balancePath, Weights: map[string]int{weightFutures: 5}},
			{Method: http.MethodGet, Path: incomePath, Weights: map[string]int{weightFutures: 30}},
			{Method: http.MethodGet, Path: futuresTradesPath, Weights: map[string]int{weightFutures: 5}},
		}...),
		Fields:            newFields(),
		RequestsPerMinute: 600,
		Buckets:           append(newBuckets(), outbound.Bucket{Name: weightFutures, PerMinute: 1800}), // the limit is 2,400
		DailyAt:           30 * time.Minute,
		History:           89 * day,
		Window:            7 * day,
		Delay:             time.Minute,
		Overlap:           day,
		Rights:            connector.RightsChecked,
	}
}

// Check implements connector.Connector.
func (futuresClient) Check(ctx context.Context, session *remote.Session) (connector.Identity, error) {
	var identity connector.Identity
	if err := checkRights(ctx, session, &identity); err != nil {
		return connector.Identity{}, err
	}
	var balances []struct {
		Account string `json:"accountAlias"`
	}
	if err := send(ctx, session, futuresHost, balancePath, nil, &balances); err != nil {
		return connector.Identity{}, err
	}
	if len(balances) == 0 || balances[0].Account == "" {
		return connector.Identity{}, remote.Malformed("it has no account")
	}
	identity.Account = balances[0].Account
	identity.Name = "USD-M futures " + identity.Account
	return identity, nil
}

// futuresRun is one query.
type futuresRun struct {
	session *remote.Session
	query   connector.Query
	rows    *connector.Rows
	// kept has the query's symbols, and the commission sign.
	kept map[string]string
	// commissions are what was paid for fills, by symbol and id, as far as this delivery has
	// them. Costs are positive.
	commissions map[string]decimal.Decimal
}

// The names of kept values.
const (
	symbolsKey = "symbols"
	signKey    = "commission"
)

// Fetch implements connector.Connector. The income has the symbols whose fills are fetched
// after it.
func (futuresClient) Fetch(ctx context.Context, session *remote.Session, query connector.Query) (connector.Delivery, error) {
	r := &futuresRun{
		session: session, query: query, rows: connector.NewRows(query, "Binance"), kept: connector.Kept(query), commissions: map[string]decimal.Decimal{},
	}
	if !query.IsContinued {
		delete(r.kept, symbolsKey)
	}
	return r.rows.Walk(ctx, r.kept, []connector.Stream{{Name: "income", Fetch: r.fetchIncome}, {Name: "trades", Fetch: r.fetchTrades}})
}

// setTimes adds a time to parameters.
func setTimes(parameters map[string]string, from, to time.Time) {
	parameters["startTime"] = strconv.FormatInt(from.UnixMilli(), 10)
	parameters["endTime"] = strconv.FormatInt(to.UnixMilli(), 10)
}

// bookingTime is how much later than a fill its commission may be booked.
const bookingTime = time.Minute

// fetchIncome adds an income page, whose position is its number.
func (r *futuresRun) fetchIncome(ctx context.Context, position string) (string, error) {
	number := 1
	if position != "" {
		number, _ = strconv.Atoi(position)
	}
	parameters := map[string]string{"limit": strconv.Itoa(pageSize), "page": strconv.Itoa(number)}
	setTimes(parameters, r.query.From, r.query.To.Add(bookingTime))
	var page *[]income
	if err := send(ctx, r.session, futuresHost, incomePath, parameters, &page); err != nil {
		return "", err
	}
	if page == nil {
		return "", remote.Malformed("it has no list")
	}
	for i := range *page {
		r.addIncome(&(*page)[i])
	}
	if len(*page) < pageSize {
		return "", nil
	}
	return strconv.Itoa(number + 1), nil
}

// symbols returns the query's symbols.
func (r *futuresRun) symbols() []string { return strings.Fields(r.kept[symbolsKey]) }

// noteSymbol adds a symbol to the query's sorted symbols.
func (r *futuresRun) noteSymbol(symbol string) {
	list := r.symbols()
	if i, isKnown := slices.BinarySearch(list, symbol); !isKnown && symbol != "" && !strings.ContainsAny(symbol, " \t\n") {
		r.kept[symbolsKey] = strings.Join(slices.Insert(list, i, symbol), " ")
	}
}

// fetchTrades adds a page with a symbol's fills. A position is a symbol, and the page's
// first fill id unless it is the first page.
func (r *futuresRun) fetchTrades(ctx context.Context, position string) (string, error) {
	list := r.symbols()
	symbol, id, _ := strings.Cut(position, " ")
	if position == "" {
		if len(list) == 0 {
			return "", nil
		}
		symbol = list[0]
	}
	parameters := map[string]string{"symbol": symbol, "limit": strconv.Itoa(pageSize)}
	if id == "" {
		setTimes(parameters, r.query.From, r.query.To)
	} else {
		parameters["fromId"] = id // not together with times
	}
	var page *[]futuresTrade
	err := send(ctx, r.session, futuresHost, futuresTradesPath, parameters, &page)
	switch {
	case errors.Is(err, remote.ErrNotFound):
		r.rows.AddMessage("Binance no longer returns the fills of %s. Import them from a CSV file.", symbol)
		return findNext(list, symbol), nil
	case err != nil:
		return "", err
	case page == nil:
		return "", remote.Malformed("it has no list")
	}
	next, err := r.addTrades(symbol, *page)
	if next == "" && err == nil {
		return findNext(list, symbol), nil
	}
	return next, err
}
