package httpapi_test

import (
	"maps"
	"math/big"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"fillbook/internal/figures/analytics/oracle"
)

// linkedJournal is a journal where every trade's result is another power of two, so a sum
// of results names its trades.
type linkedJournal struct {
	trader
	other          trader
	tags           []string // the last is a mistake
	setups         []string
	first, between string // instants in the journal
}

func newLinkedJournal(w *world) *linkedJournal {
	j := &linkedJournal{trader: w.trader()}
	j.other = j.trader.client.addAccount("Other")
	for _, tag := range []more{{"name": "calm"}, {"name": "news"}, {"name": "chased", "kind": "mistake"}} {
		j.tags = append(j.tags, j.made("/tags", tag).text("id"))
	}
	for _, name := range []string{"gap", "range"} {
		j.setups = append(j.setups, j.made("/setups", more{"name": name}).text("id"))
	}
	symbols := []string{"AAA", "BBB", "A,B"}
	result, minute := int64(1), 0
	for i := range 12 {
		d := j.trader
		if i%4 == 3 {
			d = j.other
		}
		extra := more{"instrument_type": []string{"stock", "future"}[i/3%2]}
		sides := [2]string{"buy", "sell"}
		price := big.NewRat(1_000_000+result, 1)
		if i%5 == 4 {
			sides, price = [2]string{"sell", "buy"}, big.NewRat(1_000_000-result, 1)
		}
		if i%3 == 1 { // a loss
			price.Sub(big.NewRat(2_000_000, 1), price)
		}
		d.fill(symbols[i%3], sides[0]+" 1@1000000", minute, extra)
		id := d.fill(symbols[i%3], sides[1]+" 1@"+price.FloatString(0), minute+60*24*i, extra).text("trade_id")
		j.annotate(id, more{"tag_ids": j.tags[:i%4], "setup_ids": j.setups[i%3/2 : i%3], "initial_risk": 1 + i%2})
		result, minute = 2*result, minute+60*24*7
	}
	j.fill("AAA", "buy 1@5", minute)
	j.first, j.between = at(60*24*7*3), at(60*24*7*8)
	return j
}

// questions returns filters with every condition, alone and together.
func (j *linkedJournal) questions() []url.Values {
	parts := []url.Values{
		{},
		{"account_id": {j.account}},
		{"from": {j.first}},
		{"from": {j.first}, "to": {j.between}, "date_basis": {"open"}},
		{"to": {j.between}, "tz": {"Asia/Kolkata"}},
		{"symbol": {"aaa,bbb"}},
		{"symbol": {"BBB"}},
		{"side": {"short"}},
		{"instrument_type": {"future"}},
		{"instrument_type": {"Future,crypto"}},
		{"setup_id": {j.setups[0]}},
		{"tag_id": {j.tags[1]}},
		{"tag_id": {j.tags[0] + "," + j.tags[2]}},
		{"status": {"closed"}},
		{"status": {"open"}},
		{"outcome": {"win,breakeven"}},
		{"weekday": {"1,2"}, "filter_tz": {"Asia/Tokyo"}},
		{"hour": {"15,20"}, "tz": {"Asia/Kolkata"}},
		{"tag_id": {j.tags[0] + "," + j.tags[1]}, "tag_mode": {"all"}},
		{"tag_id": {j.tags[2]}, "tag_mode": {"none"}},
		{"setup_mode": {"none"}},
		{"hold_min": {"100000"}, "pnl_max": {"500"}},
		{"has_r": {"true"}, "mistake": {"false"}, "r_min": {"-50.5"}},
	}
	list := slices.Clone(parts)
	for i, a := range parts {
		b := parts[(i*5+3)%len(parts)]
		both := url.Values{}
		for _, values := range []url.Values{a, b} {
			maps.Copy(both, values)
		}
		list = append(list, both)
	}
	return list
}

// TestLinksListTheTradesOfTheirFigures follows every link in many answers. It lists
// exactly the figure's trades, and every figure with a matching list filter has a link.
func TestLinksListTheTradesOfTheirFigures(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		j := newLinkedJournal(w)
		followed := 0
		for _, values := range j.questions() {
			followed += j.followFigures(values)
			for _, by := range oracle.Dimensions() {
				followed += j.followRows(values, by)
			}
		}
		if followed < 500 {
			w.t.Errorf("only %d links were followed", followed)
		}
	})
}

func (j *linkedJournal) followFigures(values url.Values) (followed int) {
	path := "/analytics/summary?explain=true&" + values.Encode()
	answer := j.get(path).want(http.StatusOK)
	for i := range answer.count("explanation") {
		at := "explanation." + itoa(i) + "."
		link, which := answer.text(at+"trades_link"), answer.text(at+"which")
		linked := []string{"all", "winners", "losers", "breakeven", "winners_and_losers", "with_r"}
		if which == "losers" && values.Has("outcome") {
			linked = nil // no trades
		}
		wanted := slices.Contains(linked, which) && values.Get("status") != "open"
		if slices.Contains([]string{"largest_win", "largest_loss", "max_drawdown", "longest_run_of_wins", "longest_run_of_losses"}, which) {
			wanted = answer.count(at+"trade_ids") > 0
		}
		if wanted != (link != "") {
			j.w.t.Errorf("%s: %s of the trades %q has the link %q", path, answer.text(at+"figure"), which, link)
		}
		if link == "" {
			continue
		}
		followed++
		listed := j.follow(link).column("id")
		var named []string
		list, _ := answer.value(at + "trade_ids").([]any)
		for _, id := range list {
			named = append(named, id.(string))
		}
		slices.Sort(listed)
		slices.Sort(named)
		if !slices.Equal(listed, named) || itoa(len(listed)) != answer.text(at+"trade_count") {
			j.w.t.Errorf("%s: the link %s of %s lists %q, want %q", path, link, answer.text(at+"figure"), listed, named)
		}
	}
	return followed
}

// follow lists all trades behind a link.
func (j *linkedJournal) follow(link string) *reply {
	return j.get(strings.TrimPrefix(link, "/api/v1")).want(http.StatusOK)
}

func (j *linkedJournal) followRows(values url.Values, by string) (followed int) {
	path := "/analytics/breakdown?explain=true&evidence=false&by=" + by + "&" + values.Encode()
	answer := j.get(path).want(http.StatusOK)
	for i := range answer.count("") {
		row := itoa(i) + "."
		link, key := answer.text(row+"explanation.trades_link"), answer.text(row+"key")
		if j.canLinkRow(values, by, key) != (link != "") {
			j.w.t.Errorf("%s: the row %q has the link %q", path, key, link)
		}
		if link == "" {
			continue
		}
		followed++
		sum := new(big.Rat)
		listed := j.follow(link)
		for _, net := range listed.column("net_pnl") {
			sum.Add(sum, fraction(net))
		}
		if sum.Cmp(fraction(answer.text(row+"net_pnl"))) != 0 || itoa(listed.count("")) != answer.text(row+"trades") {
			j.w.t.Errorf("%s: the link %s of the row %q lists %d trades that made %s; the row has %s and %s",
				path, link, key, listed.count(""), sum.RatString(), answer.text(row+"trades"), answer.text(row+"net_pnl"))
		}
	}
	return followed
}

// canLinkRow reports whether the list filter can express a row.
func (j *linkedJournal) canLinkRow(values url.Values, by, key string) bool {
	switch by {
	case "symbol", "root":
		return !strings.Contains(key, ",")
	case "side", "instrument", "account", "month", "session", "hold_time":
		return true
	case "weekday", "hour":
		return !values.Has("filter_tz") // the rows are in another zone
	case "tag", "mistake":
		return canLinkID(values, "tag", key)
	case "setup":
		return canLinkID(values, "setup", key)
	}
	return false // no trade has a grade
}

// canLinkID reports whether the list filter can add a tag or setup to the question's
// filter.
func canLinkID(values url.Values, name, key string) bool {
	asked := values.Get(name + "_id")
	switch values.Get(name + "_mode") {
	case "all":
		return true
	case "none":
		return key == ""
	}
	return key == "" || asked == "" || strings.Contains(asked, key) || !strings.Contains(asked, ",")
}

// TestMonthsWithoutALink: where clocks go back over the midnight between two months, the
// months overlap and no period equals one of them. Elsewhere the month's first instant is
// found, also without a midnight.
func TestMonthsWithoutALink(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		for _, c := range []struct{ zone, at, want string }{
			// Clocks went back from 00:01 on 1 November 2009 to 23:01 on 31 October.
			{"America/St_Johns", "2009-10-15T12:00:00Z", ""},
			{"America/St_Johns", "2009-11-15T12:00:00Z", ""},
			{"America/St_Johns", "2009-12-15T12:00:00Z", "from=2009-12-01T03:30:00Z to=2010-01-01T03:29:59.999999Z"},
			// Clocks went from 00:00 to 01:00 on 1 July 1999.
			{"Asia/Amman", "1999-07-15T12:00:00Z", "from=1999-06-30T22:00:00Z to=1999-07-31T20:59:59.999999Z"},
			{"UTC", "2012-12-31T12:00:00Z", "from=2012-12-01T00:00:00Z to=2012-12-31T23:59:59.999999Z"},
		} {
			instant, err := time.Parse(time.RFC3339, c.at)
			if err != nil {
				t.Fatal(err)
			}
			symbol := strings.NewReplacer("/", "", "_", "").Replace(c.zone) + instant.Format("0102")
			for i, side := range []string{"buy", "sell"} {
				d.made("/executions", more{
					"account_id": d.account, "symbol": symbol, "side": side, "quantity": 1, "price": 5 + i, "executed_at": c.at,
				})
			}
			row := d.get("/analytics/breakdown?by=month&explain=true&tz=" + c.zone + "&symbol=" + symbol).want(http.StatusOK)
			link, err := url.Parse(row.text("0.explanation.trades_link"))
			if err != nil {
				t.Fatal(err)
			}
			got := strings.TrimSpace(strings.Join([]string{"from=" + link.Query().Get("from"), "to=" + link.Query().Get("to")}, " "))
			if link.String() == "" {
				got = ""
			}
			if got != c.want {
				t.Errorf("%s of %s has the link %q, want %q", row.text("0.key"), c.zone, got, c.want)
			}
		}
	})
}
