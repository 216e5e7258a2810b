package oracle

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Dimensions returns the breakdown dimensions.
func Dimensions() []string {
	return []string{
		"symbol", "setup", "tag", "mistake", "side", "instrument", "weekday", "hour", "month", "session", "hold_time", "size", "grade", "account",
	}
}

// Breakdown predicts a dimension's rows, without random figures.
func (j *Journal) Breakdown(q *Question, by string) List {
	list := j.SelectTrades(q)
	groups := map[string][]*Trade{}
	for _, t := range list {
		for _, key := range j.rowKeys(q, by, t, list) {
			groups[key] = append(groups[key], t)
		}
	}
	out := List{}
	for _, key := range keysOf(groups, rowOrder(by, groups)) {
		row := j.newRow(by, key, mergeParts(groups[key])).set("rest", Unpredicted{})
		addShare(row, mergeParts(groups[key]), mergeParts(list), key != "" && (by == "tag" || by == "mistake"))
		out = append(out, row)
	}
	return out
}

func (j *Journal) newRow(by, key string, list []*Trade) Object {
	counted := listCounting(list)
	wins, losses := filterTrades(list, (*Trade).isWin), filterTrades(list, (*Trade).isLoss)
	r := resultsInR(counted)
	return newGroup(list).set("key", key).set("name", j.rowName(by, key)).
		set("losses", len(losses)).set("breakeven", len(counted)-len(wins)-len(losses)).
		set("gross_pnl", sum(mapTrades(list, func(t *Trade) *big.Rat { return t.Gross }))).
		set("fees", sum(mapTrades(list, func(t *Trade) *big.Rat { return t.Fees }))).
		set("volume", sum(mapTrades(list, volume))).
		set("avg_trade", average(mapTrades(counted, net))).
		set("profit_factor", float(divide(sum(mapTrades(wins, net)), neg(sum(mapTrades(losses, net)))))).
		set("avg_r", float(mean(r))).set("trades_with_r", len(r)).
		set("evidence", Unpredicted{}).set("p_value", Unpredicted{}).set("significant", Unpredicted{}).set("breakeven_tolerance", j.Tolerance)
}

func (j *Journal) rowName(by, key string) string {
	switch by {
	case "setup", "tag", "mistake":
		if name, known := j.Names[key]; known {
			return name
		}
	case "account":
		for _, a := range j.Accounts {
			if a.ID == key {
				return a.Name
			}
		}
	}
	return key
}

// rowKeys returns the keys for a trade's rows.
func (j *Journal) rowKeys(q *Question, by string, t *Trade, all []*Trade) []string {
	opened := t.OpenedAt.In(q.Zone)
	switch by {
	case "symbol":
		return []string{t.Symbol}
	case "instrument":
		return []string{t.Instrument}
	case "account":
		return []string{t.Account}
	case "side":
		return []string{map[bool]string{true: "long", false: "short"}[t.Long]}
	case "setup":
		return orNone(t.Setups)
	case "tag":
		return orNone(t.Tags)
	case "mistake":
		return orNone(slices.DeleteFunc(slices.Clone(t.Tags), func(tag string) bool { return !j.Mistakes[tag] }))
	case "weekday":
		return []string{strconv.Itoa(int(opened.Weekday()))}
	case "hour":
		return []string{strconv.Itoa(opened.Hour())}
	case "month":
		return []string{q.basis(t).In(q.Zone).Format("2006-01")}
	case "session":
		return []string{session(t.OpenedAt)}
	case "hold_time":
		return []string{holdBucket(t.holdTime())}
	case "size":
		return []string{fmt.Sprint("q", sizeQuarter(t, all))}
	default: // grade
		return []string{strings.TrimPrefix(strconv.Itoa(t.Grade), "0")}
	}
}

func orNone(keys []string) []string {
	if len(keys) == 0 {
		return []string{""}
	}
	return keys
}

// rowOrder returns the dimension's order, or else the best result first.
func rowOrder(by string, groups map[string][]*Trade) func(a, b string) int {
	switch by {
	case "session":
		return func(a, b string) int { return slices.Index(sessions(), a) - slices.Index(sessions(), b) }
	case "hold_time":
		return func(a, b string) int { return slices.Index(holdBuckets(), a) - slices.Index(holdBuckets(), b) }
	case "weekday", "hour":
		return func(a, b string) int {
			x, _ := strconv.Atoi(a)
			y, _ := strconv.Atoi(b)
			return x - y
		}
	case "month", "size", "grade":
		return strings.Compare
	}
	return func(a, b string) int {
		if c := sum(mapTrades(groups[b], net)).Cmp(sum(mapTrades(groups[a], net))); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	}
}

func sessions() []string { return []string{"premarket", "rth", "afterhours", "overnight"} }

// session returns an instant's session by New York time.
func session(at time.Time) string {
	exchange, err := time.LoadLocation("America/New_York")
	if err != nil {
		return err.Error()
	}
	switch clock := at.In(exchange).Format("15:04"); {
	case clock >= "04:00" && clock < "09:30":
		return "premarket"
	case clock >= "09:30" && clock < "16:00":
		return "rth"
	case clock >= "16:00" && clock < "20:00":
		return "afterhours"
	}
	return "overnight"
}

func holdBuckets() []string {
	return []string{"under_1m", "1m_5m", "5m_15m", "15m_1h", "1h_4h", "4h_1d", "1d_1w", "over_1w"}
}

func holdBucket(held time.Duration) string {
	const day = 24 * time.Hour
	found := holdBuckets()[0]
	for i, from := range []time.Duration{
		0, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 4 * time.Hour, day, 7 * day,
	} {
		if held >= from {
			found = holdBuckets()[i]
		}
	}
	return found
}

// sizeQuarter returns the first quarter whose limit a trade's size does not exceed.
func sizeQuarter(t *Trade, all []*Trade) int {
	sizes := sortedCopy(mapTrades(all, (*Trade).size), func(a, b *big.Rat) int { return a.Cmp(b) })
	for k := 1; k < 4; k++ {
		rank := (k*len(sizes) + 3) / 4
		if t.size().Cmp(sizes[rank-1]) <= 0 {
			return k
		}
	}
	return 4
}
