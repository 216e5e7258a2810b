package analytics

import (
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// convertedScale is the most decimals of a converted amount.
const convertedScale = 8

// Exchange converts the amounts of accounts with several currencies into one. Accounts
// are numbered in the order of their columns, and days are those of UTC since 1970.
type Exchange struct {
	// Balances are the accounts' starting balances in their own currencies.
	Balances []decimal.Decimal
	// RateAt returns an account's rate on a day, if there is one.
	RateAt func(account int, day int64) (decimal.Decimal, bool)
	// Need is called with the rates that an answer needs, whether they exist or not.
	Need func(account int, day int64)
	// Today values balances without an event.
	Today int64
}

// Convert returns the columns with all amounts in another currency. Each trade is converted
// once, with the rate of its closing day; an open trade has no result. Rows keep their
// own amounts for conditions, outcomes and risk multiples, which do not depend on the
// rate. A trade without a rate has amounts of 0; see [Selection.EachRate].
func (c *Columns) Convert(rateAt func(day int64) (decimal.Decimal, bool)) *Columns {
	return c.convert(rateAt, nil)
}

// ConvertUnits is [Columns.Convert] for columns with units: a unit's amounts are the sums
// of its trades' converted ones.
func (c *Columns) ConvertUnits(rateAt func(day int64) (decimal.Decimal, bool), units []Unit, converted *Columns) *Columns {
	known := converted.findMembers(units)
	sums := map[journal.TradeID]Trade{}
	for i := range units {
		if sum, some := units[i].merge(known); some {
			sums[sum.ID] = sum
		}
	}
	return c.convert(rateAt, sums)
}

// convert converts each row, or takes the amounts from sums, which may be nil.
func (c *Columns) convert(rateAt func(day int64) (decimal.Decimal, bool), sums map[journal.TradeID]Trade) *Columns {
	converted := *c
	converted.pages = make([]*page, len(c.pages))
	for i, p := range c.pages {
		converted.pages[i] = p.convert(rateAt, sums)
	}
	return &converted
}

// convert returns a page with converted amounts, which shares everything else.
func (c *page) convert(rateAt func(day int64) (decimal.Decimal, bool), sums map[journal.TradeID]Trade) *page {
	out := *c
	out.own = c
	out.rates = newRowRates(c.closed, rateAt)
	known := map[int32]Trade{}
	if len(sums) > 0 {
		for row := range int32(c.len()) {
			if sum, found := sums[c.ids.at(row)]; found {
				known[row] = sum
			}
		}
	}
	convert := func(column *amounts, of func(*Trade) decimal.Decimal) amounts {
		list := amounts{narrow: make([]int64, 0, c.len())}
		for row := range int32(c.len()) {
			if sum, found := known[row]; found {
				list.push(of(&sum))
			} else {
				list.push(out.rates.apply(row, column.at(row)))
			}
		}
		return list
	}
	out.net = convert(&c.net, func(t *Trade) decimal.Decimal { return t.Net })
	out.gross = convert(&c.gross, func(t *Trade) decimal.Decimal { return t.Gross })
	// The costs are the difference, so a net result is exactly gross less costs.
	out.fees = amounts{narrow: make([]int64, 0, c.len())}
	for row := range int32(c.len()) {
		out.fees.push(out.gross.at(row).Sub(out.net.at(row)))
	}
	out.size = convert(&c.size, func(t *Trade) decimal.Decimal { return t.EntryNotional })
	out.volume = convert(&c.volume, func(t *Trade) decimal.Decimal { return t.Volume })
	out.mae, out.mfe = out.rates.convertOptional(&c.mae), out.rates.convertOptional(&c.mfe)
	for i := range out.excursion {
		if i <= mfeHighAt || i >= afterExitAt {
			out.excursion[i] = out.rates.convertOptional(&c.excursion[i])
		}
	}
	out.setLazyValues()
	return &out
}

// original returns the page with the account's own amounts.
func (c *page) original() *page {
	if c.own != nil {
		return c.own
	}
	return c
}

// rowRates are the rates of a page's rows.
type rowRates struct {
	// of has each row's place in list, or nowhere without a rate.
	of   []int32
	list []decimal.Decimal
}

func newRowRates(closed []int64, rateAt func(day int64) (decimal.Decimal, bool)) *rowRates {
	r := &rowRates{of: make([]int32, len(closed))}
	places := map[int64]int32{}
	for row, at := range closed {
		day := dayNumber(at)
		place, known := places[day]
		if !known {
			place = nowhere
			if rate, ok := rateAt(day); ok {
				place = int32(len(r.list))
				r.list = append(r.list, rate)
			}
			places[day] = place
		}
		r.of[row] = place
	}
	return r
}

// apply returns an amount in the other currency.
func (r *rowRates) apply(row int32, amount decimal.Decimal) decimal.Decimal {
	if r.of[row] == nowhere {
		return decimal.Zero
	}
	return convertAmount(amount, r.list[r.of[row]])
}

// convertAmount returns an amount in another currency. The own currency has a rate of 1,
// which rounds nothing.
func convertAmount(amount, rate decimal.Decimal) decimal.Decimal {
	if rate.Equal(decimal.New(1)) {
		return amount
	}
	return amount.Mul(rate).Round(convertedScale)
}

func (r *rowRates) convertOptional(column *optional) optional {
	out := optional{room: len(r.of)}
	if column.present == nil {
		out.rows = column.rows
		return out
	}
	for row := range int32(len(r.of)) {
		value := column.at(row)
		value.Decimal = r.apply(row, value.Decimal)
		out.push(value)
	}
	return out
}

// ownNetOf returns the net results in the account's own currency.
func ownNetOf(c *page) *amounts { return &c.original().net }

// isConverted reports whether amounts are converted.
func (s *Selection) isConverted() bool { return s.converted }

// ownResults returns the results that decide outcomes and risk multiples: those in the
// accounts' own currencies. net are the same trades' converted results.
func ownResults[T number[T]](s *Selection, net []T) []T {
	if !s.isConverted() {
		return net
	}
	if list, merged := s.ownSums.([]T); merged {
		return list
	}
	return readColumn[T](s, ownNetOf)
}

// EachRate calls fn with the accounts and closing days of the selected trades that need a
// rate, each once.
func (s *Selection) EachRate(fn func(account int, day int64)) {
	if !s.isConverted() {
		return
	}
	type accountDay struct{ account, day int64 }
	accounts, seen := s.numberAccounts(), map[accountDay]bool{}
	for i, p := range s.picks {
		key := accountDay{int64(accounts[p.source]), dayNumber(s.closed(i))}
		if s.pages[p.source].own != nil && !seen[key] {
			seen[key] = true
			fn(accounts[p.source], key.day)
		}
	}
}

// EachCashRate calls fn with the account and the day of each cash result in the selection's
// period.
func (s *Selection) EachCashRate(capital Capital, fn func(account int, day int64)) {
	if s.filter.isNarrowed() {
		return // cash results do not count
	}
	for _, run := range capital.Cash {
		for i := range run {
			if e := &run[i]; !e.Flow && s.filter.Period.Contains(e.At) {
				fn(e.Account, dayNumber(e.At.UnixMicro()))
			}
		}
	}
}

// numberAccounts returns each page's account.
func (s *Selection) numberAccounts() []int {
	places := make(map[*Columns]int, len(s.columns))
	for i, c := range s.columns {
		places[c] = i
	}
	list := make([]int, len(s.pages))
	for source, c := range s.owner {
		list[source] = places[c]
	}
	return list
}

// balances are the accounts' balances in their own currencies. It values them in one.
type balances struct {
	exchange *Exchange
	own      []decimal.Decimal
	values   []decimal.Decimal // on the day
	isKnown  []bool
	day      int64
}

func newBalances(x *Exchange) *balances {
	b := &balances{exchange: x, own: make([]decimal.Decimal, len(x.Balances)), values: make([]decimal.Decimal, len(x.Balances)), isKnown: make([]bool, len(x.Balances))}
	copy(b.own, x.Balances)
	b.setDay(x.Today)
	return b
}

// add adds an amount in the account's own currency.
func (b *balances) add(account int, amount decimal.Decimal) {
	b.own[account] = b.own[account].Add(amount)
	b.valueAccount(account)
}

func (b *balances) setDay(day int64) {
	b.day = day
	for account := range b.own {
		b.valueAccount(account)
	}
}

// valueAccount values a balance on the day. A balance of 0 needs no rate.
func (b *balances) valueAccount(account int) {
	if b.own[account].IsZero() {
		b.values[account], b.isKnown[account] = decimal.Zero, true
		return
	}
	rate, ok := b.exchange.RateAt(account, b.day)
	b.values[account], b.isKnown[account] = convertAmount(b.own[account], rate), ok
}

// valueOn returns the sum of all balances with the rates of a day. It calls need, which may
// be nil, with the rates; ok is false if one does not exist.
func (b *balances) valueOn(day int64, need func(account int, day int64)) (sum decimal.Decimal, ok bool) {
	if day != b.day {
		b.setDay(day)
	}
	ok = true
	for account, value := range b.values {
		if need != nil && !b.own[account].IsZero() {
			need(account, day)
		}
		ok = ok && b.isKnown[account]
		sum = sum.Add(value)
	}
	return sum, ok
}

// floatOn is valueOn as a float, 0 if a rate is missing.
func (b *balances) floatOn(day int64) float64 {
	sum, ok := b.valueOn(day, nil)
	if !ok {
		return 0
	}
	return sum.Float64()
}

// eachMove calls fn with everything that changes the accounts' balances, in order, with
// the amount in the account's own currency.
func (t *timeline[T]) eachMove(fn func(at int64, account int, own decimal.Decimal)) {
	accounts := t.whole.numberAccounts()
	trade, cash := 0, 0
	for trade < len(t.net) || cash < len(t.amounts) {
		if t.isCashNext(cash, trade) {
			e := &t.cash.events[cash]
			fn(e.At.UnixMicro(), e.Account, e.Own)
			cash++
			continue
		}
		p := t.whole.picks[trade]
		fn(t.whole.closed(trade), accounts[p.source], t.whole.pages[p.source].original().net.at(p.row))
		trade++
	}
}

// convertedOpenings is openingEquities with balances in several currencies: the equity
// before the first event of each day with that day's rates.
func (t *timeline[T]) convertedOpenings(days []int64) (equity []float64, positive bool) {
	held, last := newBalances(t.cash.exchange), days[len(days)-1]
	positive = true
	value := func(day int64) float64 {
		v := held.floatOn(day)
		positive = positive && v > 0
		return v
	}
	upTo := func(day int64) {
		for len(equity) < len(days) && days[len(equity)] <= day {
			equity = append(equity, value(days[len(equity)]))
		}
	}
	t.eachMove(func(at int64, account int, own decimal.Decimal) {
		if day := dayNumber(at); day >= days[0] && day <= last {
			upTo(day)
		}
		held.add(account, own)
	})
	upTo(last)
	return equity, positive
}

// isConvertedCapitalKnown is isCapitalKnown with balances in several currencies; first is
// the first opening.
func (t *timeline[T]) isConvertedCapitalKnown(first int64) bool {
	held, day := newBalances(t.cash.exchange), t.cash.exchange.Today
	if len(t.s.picks) > 0 {
		day = dayNumber(first)
	}
	for i := range t.cash.events {
		if e := &t.cash.events[i]; e.Flow && e.Own.Sign() > 0 && e.At.UnixMicro() <= first {
			held.add(e.Account, e.Own)
		}
	}
	return held.floatOn(day) > 0
}
