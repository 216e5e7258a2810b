package binance

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/matching"
)

type spotTrade struct {
	Symbol      string        `json:"symbol"`
	ID          remote.Number `json:"id"`
	Order       remote.Number `json:"orderId"`
	Price       remote.Number `json:"price"`
	Quantity    remote.Number `json:"qty"`
	Fee         remote.Number `json:"commission"`
	FeeCurrency string        `json:"commissionAsset"`
	Time        remote.Number `json:"time"`
	IsBuyer     *bool         `json:"isBuyer"`
	IsMaker     bool          `json:"isMaker"`
}

// byTime is how long a query may be so fills are fetched by time, a day with each
// request. A longer one is fetched by id from the first fill, which needs fewer requests.
const byTime = 3 * day

// place is where a page of fills begins: with an id, or else at a time.
type place struct {
	pair       string
	id, millis int64
	// start is the time from which the pair's fills are wanted.
	start time.Time
}

// parsePlace returns a position's place: "BTCUSDT", "BTCUSDT 1001" with an id, or
// "BTCUSDT @1767323045678" with a time.
func (r *spotRun) parsePlace(position string) place {
	pair, rest, _ := strings.Cut(position, " ")
	p := place{pair: pair, id: -1, start: r.query.From}
	if !slices.Contains(strings.Fields(r.kept[doneKey]), pair) {
		p.start = time.UnixMilli(min(r.first(), r.query.From.UnixMilli()))
	}
	p.millis = p.start.UnixMilli()
	isByTime := r.query.To.Sub(p.start) <= byTime
	switch millis, isTime := strings.CutPrefix(rest, "@"); {
	case isTime:
		p.millis, _ = strconv.ParseInt(millis, 10, 64)
	case rest != "" || !isByTime:
		p.id, _ = strconv.ParseInt(rest, 10, 64)
	}
	return p
}

// end returns the last millisecond on a page by time.
func (p place) end(query connector.Query) int64 {
	return min(p.millis+day.Milliseconds()-1, query.To.UnixMilli())
}

// fetchTrades adds a page with a pair's fills.
func (r *spotRun) fetchTrades(ctx context.Context, position string) (string, error) {
	pairs := strings.Fields(r.kept[pairsKey])
	if position == "" {
		if len(pairs) == 0 {
			return "", nil
		}
		position = pairs[0]
	}
	p := r.parsePlace(position)
	parameters := map[string]string{"symbol": p.pair, "limit": strconv.Itoa(pageSize)}
	if p.id >= 0 {
		parameters["fromId"] = strconv.FormatInt(p.id, 10) // not together with times
	} else {
		parameters["startTime"], parameters["endTime"] = strconv.FormatInt(p.millis, 10), strconv.FormatInt(p.end(r.query), 10)
	}
	var page *[]spotTrade
	err := send(ctx, r.session, mainHost, tradesPath, parameters, &page)
	switch {
	case errors.Is(err, remote.ErrNotFound):
		if r.kept[triedKey] == "" {
			r.rows.AddMessage("Binance has no pair %s. If it was delisted, import its fills from a CSV file.", p.pair)
		}
		return findNext(pairs, p.pair), nil
	case err != nil:
		return "", err
	case page == nil:
		return "", remote.Malformed("it has no list")
	}
	next, err := r.addTrades(p, *page)
	if next == "" && err == nil {
		r.addWords(doneKey, p.pair)
		return findNext(pairs, p.pair), nil
	}
	return next, err
}

// findNext returns the pair after another one, or an empty text.
func findNext(pairs []string, pair string) string {
	i, isKnown := slices.BinarySearch(pairs, pair)
	if isKnown {
		i++
	}
	if i < len(pairs) {
		return pairs[i]
	}
	return ""
}

// addTrades adds a page of fills, and returns the pair's next position, or an empty text.
func (r *spotRun) addTrades(p place, page []spotTrade) (string, error) {
	for i := range page {
		if page[i].Symbol != p.pair || page[i].ID == "" {
			return "", remote.Malformed("a fill is of another pair or has no id")
		}
		r.addTrade(&page[i], p.start)
	}
	if len(page) < pageSize {
		if next := p.end(r.query) + 1; p.id < 0 && next <= r.query.To.UnixMilli() {
			return p.pair + " @" + strconv.FormatInt(next, 10), nil
		}
		return "", nil
	}
	last := page[len(page)-1]
	id, err := strconv.ParseInt(string(last.ID), 10, 64)
	millis, timeErr := strconv.ParseInt(string(last.Time), 10, 64)
	if err != nil || timeErr != nil {
		return "", remote.Malformed("a fill has no id or no time")
	}
	if !time.UnixMilli(millis).Before(r.query.To) {
		return "", nil
	}
	return p.pair + " " + strconv.FormatInt(id+1, 10), nil
}

// addTrade adds a fill that is not before a time.
func (r *spotRun) addTrade(t *spotTrade, start time.Time) {
	id := t.Symbol + ":" + string(t.ID) // unique for each pair only
	record, isNew := r.rows.Start(id)
	if !isNew {
		return
	}
	at := record.Millis(t.Time)
	if !record.Failed() && (at.Before(start) || !at.Before(r.query.To)) {
		return
	}
	record.Select()
	instrument := statement.NamePair(t.Symbol, "")
	fill := connector.NewFill(instrument)
	fill.ID, fill.At = id, at
	fill.Quantity, fill.Price = record.Decimal("quantity", t.Quantity), record.Decimal("price", t.Price)
	switch {
	case t.IsBuyer == nil:
		record.Fail("The broker's record has no side.")
	case *t.IsBuyer:
		fill.Side = matching.Buy
	default:
		fill.Side = matching.Sell
	}
	record.ChargeCoins(&fill, instrument, record.Decimal("commission", t.Fee), t.FeeCurrency)
	connector.AddDetail(&fill, "order_id", string(t.Order))
	connector.AddLiquidity(&fill, t.IsMaker)
	record.AddFill(fill, instrument.Quote)
}

// The complete transfers: 6 means that deposited coins can be traded but not withdrawn
// yet.
const (
	depositDone     = 1
	depositCredited = 6
	withdrawalDone  = 6
)

type deposit struct {
	ID     remote.Number `json:"id"`
	Amount remote.Number `json:"amount"`
	Coin   string        `json:"coin"`
	Status int           `json:"status"`
	Hash   string        `json:"txId"`
	Time   remote.Number `json:"insertTime"`
}

func (r *spotRun) addDeposit(d *deposit) {
	if d.Status != depositDone && d.Status != depositCredited {
		return
	}
	r.addWords(coinsKey, normalize(d.Coin))
	record, isNew := r.rows.Start(strings.Join([]string{"deposit", string(d.ID), d.Hash, string(d.Time), string(d.Amount)}, " "))
	if !isNew {
		return
	}
	record.AddCash(statement.Cash{
		Type: "deposit", Amount: record.Decimal("amount", d.Amount), Currency: d.Coin, At: record.Millis(d.Time), Note: "Deposit",
	})
}

type withdrawal struct {
	ID     string        `json:"id"`
	Amount remote.Number `json:"amount"`
	Fee    remote.Number `json:"transactionFee"`
	Coin   string        `json:"coin"`
	Status int           `json:"status"`
	Time   string        `json:"applyTime"`
}

func (r *spotRun) addWithdrawal(w *withdrawal) {
	if w.Status != withdrawalDone {
		return
	}
	r.addWords(coinsKey, normalize(w.Coin))
	record, isNew := r.rows.Start("withdrawal " + w.ID + " " + w.Time)
	if !isNew {
		return
	}
	at, err := time.Parse(time.DateTime, w.Time)
	if err != nil {
		record.Fail("The broker's record has no time that can be read.")
	}
	amount := record.Decimal("amount", w.Amount).Add(record.Optional("fee", w.Fee))
	record.AddCash(statement.Cash{Type: "withdrawal", Amount: amount.Neg(), Currency: w.Coin, At: at, Note: "Withdraw"})
}

// transferWindow is the longest period for one transfer request.
const transferWindow = 89 * day

// firstTransfer is before the first transfer: Binance opened in July 2017.
var firstTransfer = time.Date(2017, 7, 1, 0, 0, 0, 0, time.UTC)

// newTransfers returns the deposits or the withdrawals. A position is a window's start
// and how many of its transfers are known. Withdrawal times have no fraction, so whole
// seconds are fetched.
func newTransfers[T any](r *spotRun, name, path string, add func(*T)) connector.Stream {
	return connector.Stream{Name: name, Fetch: func(ctx context.Context, position string) (string, error) {
		from, offset := max(r.query.From.Truncate(time.Second).UnixMilli(), firstTransfer.UnixMilli()), 0
		end := r.query.To.Add(time.Second).UnixMilli()
		if first, second, found := strings.Cut(position, " "); found {
			from, _ = strconv.ParseInt(first, 10, 64)
			offset, _ = strconv.Atoi(second)
		}
		if from > end {
			return "", nil
		}
		to := min(from+transferWindow.Milliseconds()-1, end)
		var page *[]T
		err := send(ctx, r.session, mainHost, path, map[string]string{
			"startTime": strconv.FormatInt(from, 10), "endTime": strconv.FormatInt(to, 10), "limit": strconv.Itoa(pageSize), "offset": strconv.Itoa(offset),
		}, &page)
		if errors.Is(err, remote.ErrNotFound) { // as on Binance's servers for tests
			r.rows.AddMessage("Binance has no list of %s here, so they are missing.", name)
			return "", nil
		}
		if err != nil {
			return "", err
		}
		if page == nil {
			return "", remote.Malformed("it has no list")
		}
		for i := range *page {
			add(&(*page)[i])
		}
		switch {
		case len(*page) >= pageSize:
			return strconv.FormatInt(from, 10) + " " + strconv.Itoa(offset+len(*page)), nil
		case to < end:
			return strconv.FormatInt(to+1, 10) + " 0", nil
		}
		return "", nil
	}}
}
