package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
	_ "time/tzdata" // the exchange's time zone, wherever it runs
)

// The measured journal's prices: minutes for shares in New York hours, for up to two
// years, and one future around the clock. Each fill is at its bar's close.
const (
	barSymbols  = 40
	firstSymbol = 300 // the others are traded without prices
	mostBarDays = 504
	dayBars     = 390
	futureDay   = 1380
	futureName  = "ESH24"
)

// barDays returns for how many days there are prices: fewer for a small journal.
func (s *session) barDays() int { return min(mostBarDays, max(20, s.size/200)) }

// barJournal is an account whose trades have prices.
type barJournal struct {
	account string
	zone    *time.Location
	series  []*priceSeries
	posted  int // fills posted one by one
}

// measureBars measures price bars and the results computed from them, in a separate
// account.
func (s *session) measureBars(ctx context.Context) error {
	j, err := s.newBarJournal(ctx)
	if err != nil {
		return err
	}
	without, err := s.measure(ctx, "fill, without price bars", 200, func(int) reply { return j.post(ctx, s.client) })
	if err != nil {
		return err
	}
	if err := s.measureBarImports(ctx, j); err != nil {
		return err
	}
	if err := s.measureExcursions(ctx, j); err != nil {
		return err
	}
	with, err := s.measure(ctx, "fill, with price bars", 200, func(int) reply { return j.post(ctx, s.client) })
	if err != nil {
		return err
	}
	with.setLimit("the same without price bars", times{without.P50})
	if err := s.measureSessionWindow(ctx, j); err != nil {
		return err
	}
	_, err = s.measure(ctx, "page of 50 trades, right after a write, with bars", 50, func(int) reply {
		if wrote := j.post(ctx, s.client); wrote.err != nil {
			return wrote
		}
		return s.client.get(ctx, api+"/trades?limit=50&account_id="+j.account)
	})
	return err
}

// newBarJournal generates prices, and imports trades at these prices.
func (s *session) newBarJournal(ctx context.Context) (j *barJournal, err error) {
	j = &barJournal{}
	if j.zone, err = time.LoadLocation("America/New_York"); err != nil {
		return nil, err
	}
	if j.account, err = s.client.createAccount(ctx, "with prices"); err != nil {
		return nil, err
	}
	var fills []fill
	random := rand.New(rand.NewPCG(5, 6))
	for n := range barSymbols {
		p := &priceSeries{random: random, price: 10_000 + 500*int64(n), tick: 1, moves: 10, file: barHeader()}
		for day := range s.barDays() {
			p.addDay(openingOf(day, j.zone), dayBars)
		}
		j.series = append(j.series, p)
		fills = append(fills, p.trades(firstSymbol+n, s.size/barSymbols)...)
	}
	slices.SortStableFunc(fills, func(a, b fill) int { return a.at.Compare(b.at) })
	for part := range slices.Chunk(fills, fileRows) {
		if err := s.renewToken(ctx); err != nil {
			return nil, err
		}
		if r := s.client.commit(ctx, newUpload(j.account, csvFile(part))); r.err != nil {
			return nil, r.err
		}
	}
	return j, nil
}

// openingOf returns the exchange's opening time on a weekday.
func openingOf(day int, zone *time.Location) time.Time {
	return time.Date(2022, 1, 3+day/5*7+day%5, 9, 30, 0, 0, zone)
}

// post posts one fill; the fills open and close positions alternately, on the last day
// with prices, without other trades.
func (j *barJournal) post(ctx context.Context, c *client) reply {
	const most = 1000
	n := j.posted
	j.posted++
	number := n / 2 % len(j.series)
	p := j.series[number]
	first := len(p.times) - dayBars
	seconds := int64(n%most) * dayBars * 60 / most
	return c.send(ctx, http.MethodPost, api+"/executions", map[string]any{
		"account_id": j.account, "symbol": symbol(firstSymbol + number), "side": []string{"buy", "sell"}[n%2], "quantity": 7,
		"price":       string(appendCents(nil, p.closes[first+int(seconds/60)])),
		"executed_at": time.Unix(p.times[first]+seconds, 0).UTC().Format(time.RFC3339),
	})
}

// measureBarImports measures importing all files, and the space bars take.
func (s *session) measureBarImports(ctx context.Context, j *barJournal) error {
	before, err := s.databaseSize(ctx)
	if err != nil {
		return err
	}
	csv, err := timeCSV(j.series[0].file)
	if err != nil {
		return err
	}
	bars := len(j.series[0].times)
	r := s.startRecord("import of minute bars")
	var taken times
	begin := time.Now()
	for n, p := range j.series {
		if err := s.renewToken(ctx); err != nil {
			return err
		}
		answer := s.client.commitBars(ctx, symbol(firstSymbol+n), p.file)
		if answer.err != nil {
			return answer.err
		}
		taken = append(taken, answer.took)
	}
	r.Rate = float64(bars*len(j.series)) / time.Since(begin).Seconds()
	s.finishRecord(r, taken)
	r.setLimitRate("encoding/csv over the same file", float64(bars)/csv.median().Seconds())
	after, err := s.databaseSize(ctx)
	if err != nil {
		return err
	}
	s.addMemory("database, a minute bar of a share", (after-before)/int64(bars*len(j.series)))

	p := priceSeries{random: j.series[0].random, price: 450_000, tick: 25, moves: 6, file: barHeader()}
	for day := range s.barDays() {
		p.addDay(time.Date(2022, 1, 2+day/5*7+day%5, 23, 0, 0, 0, time.UTC), futureDay)
	}
	if answer := s.client.commitBars(ctx, futureName, p.file); answer.err != nil {
		return answer.err
	}
	last, err := s.databaseSize(ctx)
	if err == nil {
		s.addMemory("database, a minute bar of a future", (last-after)/int64(len(p.closes)))
	}
	return err
}

// measureExcursions measures the first request for one trade after an import of prices,
// which computes and stores all excursions, and then the first trade list.
func (s *session) measureExcursions(ctx context.Context, j *barJournal) error {
	scan, err := s.timeScan(ctx, fillsClone, j.account)
	if err != nil {
		return err
	}
	var fills []struct {
		Trades []string `json:"trade_ids"`
	}
	first := s.client.fetch(ctx, api+"/executions?limit=1&account_id="+j.account)
	if err := first.decode(&fills); err != nil || len(fills) != 1 || len(fills[0].Trades) == 0 {
		return fmt.Errorf("looking for a trade: %d fills, error %v", len(fills), err) //nolint:errorlint // may be nil
	}
	r, err := s.measure(ctx, excursionsOperation, 1, func(int) reply {
		return s.client.fetch(ctx, api+"/trades/"+fills[0].Trades[0])
	})
	if err != nil {
		return err
	}
	r.setLimit("SQL scan of their fills", scan)
	var found []struct{ ID string }
	_, err = s.measure(ctx, "first list of trades after that", 1, func(int) reply {
		answer := s.client.fetch(ctx, api+"/trades?limit=1&has_excursion=true&account_id="+j.account)
		if err := answer.decode(&found); err == nil && len(found) != 1 {
			answer.err = fmt.Errorf("%d trades have an excursion", len(found))
		}
		return answer
	})
	return err
}

// excursionsOperation is the excursion computation for as many trades as the journal has
// fills.
const excursionsOperation = "excursions of as many trades, computed and stored"

// measureSessionWindow measures one session's bars, as a chart reads them.
func (s *session) measureSessionWindow(ctx context.Context, j *barJournal) error {
	return s.measureAnswer(ctx, "price bars of a session", 100, func(n int) reply {
		open := openingOf(n%s.barDays(), j.zone)
		query := url.Values{
			"symbol": {symbol(firstSymbol + n%barSymbols)},
			"from":   {open.UTC().Format(time.RFC3339)}, "to": {open.Add(dayBars * time.Minute).UTC().Format(time.RFC3339)},
		}
		return s.client.get(ctx, api+"/bars?"+query.Encode())
	})
}

// priceSeries generates a symbol's file, in TradingView's layout. Prices are whole cents.
type priceSeries struct {
	random *rand.Rand
	price  int64
	tick   int64
	moves  int64 // the most ticks between open and close

	file   []byte
	times  []int64
	closes []int64
}

func barHeader() []byte { return []byte("time,open,high,low,close,Volume\n") }

// addDay adds a day's minutes.
func (p *priceSeries) addDay(open time.Time, minutes int) {
	for i := range int64(minutes) {
		at, first := open.Unix()+60*i, p.price
		p.price = max(p.price+p.tick*(p.random.Int64N(2*p.moves+1)-p.moves), 40*p.tick)
		high := max(first, p.price) + p.tick*p.random.Int64N(5)
		low := min(first, p.price) - p.tick*p.random.Int64N(5)
		p.file = strconv.AppendInt(p.file, at, 10)
		for _, price := range []int64{first, high, low, p.price} {
			p.file = appendCents(append(p.file, ','), price)
		}
		p.file = append(strconv.AppendInt(append(p.file, ','), 100+p.random.Int64N(900), 10), '\n')
		p.times, p.closes = append(p.times, at), append(p.closes, p.price)
	}
}

// trades returns the fills in a symbol's trades, one after the other, held for up to half
// an hour.
func (p *priceSeries) trades(symbol, count int) (fills []fill) {
	bars := len(p.times) - dayBars // without the last day
	for n := range count {
		at := n * bars / count
		add := func(buy bool) {
			when := time.Unix(p.times[at]+p.random.Int64N(60), 0).UTC()
			fills = append(fills, fill{symbol: symbol, buy: buy, quantity: 100, cents: p.closes[at], at: when})
		}
		add(true)
		at += 1 + p.random.IntN(max(1, min(30, bars/count-2)))
		add(false)
	}
	return fills
}

// commitBars imports a bar file.
func (c *client) commitBars(ctx context.Context, symbol string, file []byte) reply {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	_ = form.WriteField("symbol", symbol) // writing to memory does not fail
	part, _ := form.CreateFormFile("file", symbol+".csv")
	_, _ = part.Write(file)
	_ = form.Close()
	return c.do(ctx, request{http.MethodPost, api + "/bars/imports/commit", form.FormDataContentType(), body.Bytes(), true})
}
