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

	"pgregory.net/rapid"

	"fillbook/internal/figures/analytics/oracle"
	"fillbook/internal/testkit"
)

// TestFiguresAgreeWithTheOracle writes random journals and asks random questions
// about them. Every figure must be what the oracle makes of the same fills.
func TestFiguresAgreeWithTheOracle(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		c := w.setUp()
		rapid.Check(t, testkit.LimitChecks(8, func(rt *rapid.T) {
			tr := newTrial(rt, c)
			tr.ask(tr.question())
			tr.share()
			tr.disturb()
			tr.ask(tr.question())
		}))
	}, shareLinksOn)
}

func shareLinksOn(s *settle) { s.api.ShareLinks = true }

var zones = []string{"UTC", "America/New_York", "Europe/Athens", "Asia/Kolkata", "Australia/Lord_Howe", "America/Santiago"}

// asked is a question in the terms of the oracle and of the API.
type asked struct {
	oracle.Question
	values url.Values
}

func (a asked) path(endpoint string, extra ...string) string {
	values := url.Values{}
	maps.Copy(values, a.values)
	for i := 0; i < len(extra); i += 2 {
		values.Set(extra[i], extra[i+1])
	}
	return endpoint + "?" + values.Encode()
}

// question draws a scope, a period and filters.
func (tr *trial) question() asked {
	q := asked{values: url.Values{}}
	set := func(name, value string) string {
		q.values.Set(name, value)
		return value
	}
	zone, err := time.LoadLocation(set("tz", pick(tr.T, "tz", zones...)))
	if err != nil {
		tr.Fatal(err)
	}
	q.Zone = zone
	if oneIn(tr.T, 3, "some accounts") {
		for _, a := range tr.journal.Accounts {
			if rapid.Bool().Draw(tr.T, "this account") {
				q.Accounts = append(q.Accounts, a.ID)
			}
		}
		if len(q.Accounts) > 0 {
			set("account_id", strings.Join(q.Accounts, ","))
		}
	}
	tr.period(&q)
	if q.ByOpening = oneIn(tr.T, 3, "by opening"); q.ByOpening {
		set("date_basis", "open")
	}
	if oneIn(tr.T, 8, "symbols") {
		q.Symbols = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"PAR", "AAA", "BBB", "MES", "CLX", "QQQ", "EURJPY"}), 1, 3, rapid.ID).Draw(tr.T, "symbols")
		set("symbol", strings.ToLower(strings.Join(q.Symbols, ",")))
	}
	if oneIn(tr.T, 9, "side") {
		q.Side = set("side", pick(tr.T, "side", "long", "short"))
	}
	if oneIn(tr.T, 12, "instrument") {
		q.Instruments = []string{set("instrument_type", pick(tr.T, "instrument", "stock", "future", "option", "forex"))}
	}
	if oneIn(tr.T, 9, "tags") {
		q.Tags = rapid.SliceOfNDistinct(rapid.SampledFrom(tr.tags), 1, 2, rapid.ID).Draw(tr.T, "tags")
		q.values["tag_id"] = q.Tags
	}
	if oneIn(tr.T, 12, "setups") {
		q.Setups = []string{set("setup_id", pick(tr.T, "setup", tr.setups...))}
	}
	if q.ClosedOnly = oneIn(tr.T, 3, "closed"); q.ClosedOnly {
		set("status", "closed")
	}
	if q.OpenOnly = oneIn(tr.T, 20, "open"); q.OpenOnly {
		set("status", "open")
		q.ClosedOnly = false
	}
	return q
}

// period draws from and to at, or a hair beside, instants of the journal.
func (tr *trial) period(q *asked) {
	edge := func(name string) *time.Time {
		if len(tr.fills) == 0 || !oneIn(tr.T, 5, name) {
			return nil
		}
		at := pick(tr.T, name, tr.fills...).at.Add(pick(tr.T, "beside", 0, 0, time.Microsecond, -time.Microsecond))
		return &at
	}
	q.From, q.To = edge("from"), edge("to")
	if q.From != nil && q.To != nil && q.From.After(*q.To) {
		q.From, q.To = q.To, q.From
	}
	if q.From != nil {
		q.values.Set("from", q.From.Format(time.RFC3339Nano))
	}
	if q.To != nil {
		east := time.FixedZone("", 5*3600+1800)
		q.values.Set("to", q.To.In(east).Format(time.RFC3339Nano))
	}
}

// agrees holds an answer against what was foretold.
func (tr *trial) agrees(path string, want any) {
	got := tr.c.get(path).want(http.StatusOK)
	tr.same(path, want, got)
}

func (tr *trial) same(path string, want any, got *reply) {
	if differences := oracle.Differences(want, got.value("")); len(differences) > 0 {
		tr.Fatalf("GET %s\n%s", path, strings.Join(differences, "\n"))
	}
}

// ask queries every endpoint the same.
func (tr *trial) ask(q asked) {
	j := &tr.journal
	tr.agrees(q.path("/analytics/summary"), j.Summary(&q.Question))
	withEvidence := j.Summary(&q.Question)
	withEvidence["evidence"] = j.Evidence(&q.Question)
	tr.agrees(q.path("/analytics/summary", "evidence", "true"), withEvidence)
	tr.agrees(q.path("/analytics/daily"), j.Daily(&q.Question))
	tr.agrees(q.path("/analytics/equity-curve"), j.Equity(&q.Question))
	tr.agrees(q.path("/analytics/behavior"), j.Behavior(&q.Question))
	tr.agrees(q.path("/analytics/r"), j.RStats(&q.Question))
	tr.agrees(q.path("/analytics/rules"), j.Rules(&q.Question))
	tr.agrees(q.path("/analytics/drawdowns"), j.Drawdowns(&q.Question, 50))
	tr.agrees(q.path("/analytics/drawdowns", "limit", "1"), j.Drawdowns(&q.Question, 1))
	year := pick(tr.T, "year", 2025, 2026)
	tr.agrees(q.path("/analytics/calendar", "year", itoa(year)), j.Calendar(&q.Question, year))
	for range 3 {
		by := pick(tr.T, "by", oracle.Dimensions()...)
		tr.agrees(q.path("/analytics/breakdown", "by", by, "evidence", "false"), j.Breakdown(&q.Question, by))
	}
	tr.rows(q, oracle.Dimensions())
	tr.agrees(q.path("/analytics/tag-effects"), j.TagEffects(&q.Question, false))
	tr.agrees(q.path("/analytics/tag-effects", "kind", "mistake"), j.TagEffects(&q.Question, true))
	tr.askRealized(q, year)
	tr.sameSums(q)
	tr.checkGains(q)
	tr.compare(q)
	tr.thinned(q)
	tr.listed(q)
}

// timeDimensions are what realized results can be broken down by.
var timeDimensions = []string{"weekday", "hour", "month", "session"}

// askRealized calls the endpoints that have realized results.
func (tr *trial) askRealized(q asked, year int) {
	j := &tr.journal
	q.Realized = true
	const name, value = "pnl_basis", "realized"
	tr.agrees(q.path("/analytics/summary", name, value), j.Summary(&q.Question))
	withEvidence := j.Summary(&q.Question)
	withEvidence["evidence"] = j.Evidence(&q.Question)
	tr.agrees(q.path("/analytics/summary", name, value, "evidence", "true"), withEvidence)
	tr.agrees(q.path("/analytics/daily", name, value), j.Daily(&q.Question))
	tr.agrees(q.path("/analytics/equity-curve", name, value), j.Equity(&q.Question))
	tr.agrees(q.path("/analytics/calendar", name, value, "year", itoa(year)), j.Calendar(&q.Question, year))
	for _, by := range timeDimensions {
		tr.agrees(q.path("/analytics/breakdown", name, value, "by", by, "evidence", "false"), j.Breakdown(&q.Question, by))
	}
	tr.rows(q, timeDimensions, name, value)
}

// sameSums requires that sums over all trades are the same on both bases, once
// everything is flat.
func (tr *trial) sameSums(q asked) {
	if q.From != nil || q.To != nil || q.OpenOnly || len(tr.journal.Open) > 0 && !q.ClosedOnly {
		return
	}
	closed := tr.c.get(q.path("/analytics/summary")).want(http.StatusOK)
	realized := tr.c.get(q.path("/analytics/summary", "pnl_basis", "realized")).want(http.StatusOK)
	for _, name := range []string{"total_trades", "wins", "losses", "net_pnl", "gross_pnl", "total_fees", "volume"} {
		if a, b := closed.json(name), realized.json(name); a != b {
			tr.Fatalf("%s: %s is %s closed and %s realized", q.path("/analytics/summary"), name, a, b)
		}
	}
}

// rows requests a breakdown by one of some dimensions, with its intervals.
func (tr *trial) rows(q asked, dimensions []string, extra ...string) {
	by := pick(tr.T, "by", dimensions...)
	evidence := tr.journal.RowEvidence(&q.Question, by)
	want := tr.journal.Breakdown(&q.Question, by)
	for _, element := range want {
		row, _ := element.(oracle.Object)
		key, _ := row["key"].(string)
		row["evidence"] = evidence[key]
	}
	tr.agrees(q.path("/analytics/breakdown", append(extra, "by", by)...), want)
}

// compare requests the same question on another side.
func (tr *trial) compare(q asked) {
	other, extra := q.Question, []string{}
	other.From, other.To = nil, nil
	if rapid.Bool().Draw(tr.T, "other account") {
		other.Accounts = []string{pick(tr.T, "other account", tr.journal.Accounts...).ID}
		extra = append(extra, "other_account_id", other.Accounts[0])
	}
	if len(tr.fills) > 0 && rapid.Bool().Draw(tr.T, "other period") {
		at := pick(tr.T, "other from", tr.fills...).at
		other.From, extra = &at, append(extra, "other_from", at.Format(time.RFC3339Nano))
	}
	tr.agrees(q.path("/analytics/compare", extra...), tr.journal.Compare(&q.Question, &other))
}

// thinned requires of a thinned curve that it is part of the whole one, and that
// its ends and extremes are there.
func (tr *trial) thinned(q asked) {
	path := q.path("/analytics/equity-curve", "max_points", "8")
	whole := tr.journal.Equity(&q.Question)
	all, _ := whole["points"].(oracle.List)
	got := tr.c.get(path).want(http.StatusOK)
	points, _ := got.value("points").([]any)
	if len(all) <= 8 {
		tr.same(path, whole, got)
		return
	}
	if len(points) > 8 || len(points) < 2 {
		tr.Fatalf("GET %s: %d points", path, len(points))
	}
	next := 0
	for _, point := range points {
		for next < len(all) && len(oracle.Differences(all[next], point)) > 0 {
			next++
		}
		if next == len(all) {
			tr.Fatalf("GET %s: the point %v is not of the whole curve, or not in its order", path, point)
		}
		next++
	}
	ends := append(oracle.Differences(all[0], points[0]), oracle.Differences(all[len(all)-1], points[len(points)-1])...)
	if len(ends) > 0 {
		tr.Fatalf("GET %s: the ends differ: %q", path, ends)
	}
	for field, most := range map[string]bool{"drawdown": true, "equity": true} {
		tr.keeps(path, field, most, all, points)
	}
	tr.keeps(path, "equity", false, all, points)
	whole["points"] = oracle.Unpredicted{}
	tr.same(path, whole, got)
}

// keeps requires that the extreme of a field is among the points that were kept.
func (tr *trial) keeps(path, field string, most bool, all oracle.List, points []any) {
	var extreme *big.Rat
	for _, p := range all {
		point, _ := p.(oracle.Object)
		value, _ := point[field].(*big.Rat)
		if extreme == nil || most == (value.Cmp(extreme) > 0) && value.Cmp(extreme) != 0 {
			extreme = value
		}
	}
	kept := slices.ContainsFunc(points, func(p any) bool {
		point, _ := p.(map[string]any)
		return len(oracle.Differences(extreme, point[field])) == 0
	})
	if !kept {
		tr.Fatalf("GET %s: the extreme %s of %s is left out", path, extreme.RatString(), field)
	}
}

// listed requires that the list of trades names the trades that were counted.
func (tr *trial) listed(q asked) {
	if q.OpenOnly {
		return
	}
	path := q.path("/trades", "status", "closed")
	got := tr.c.get(path).want(http.StatusOK).column("id")
	want := []string{}
	for _, t := range tr.journal.SelectTrades(&q.Question) {
		want = append(want, t.ID)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		tr.Fatalf("GET %s lists %d trades %q\nbut the figures count %d: %q", path, len(got), got, len(want), want)
	}
}

// share mints a link and holds what it shows against the oracle.
func (tr *trial) share() {
	body, q := more{}, asked{values: url.Values{}}
	body["tz"] = pick(tr.T, "tz", zones...)
	zone, err := time.LoadLocation(body["tz"].(string))
	if err != nil {
		tr.Fatal(err)
	}
	q.Zone = zone
	if rapid.Bool().Draw(tr.T, "one account") {
		q.Accounts = []string{pick(tr.T, "account", tr.journal.Accounts...).ID}
		body["account_id"] = q.Accounts[0]
	}
	tr.period(&q)
	for name := range q.values {
		body[name] = q.values.Get(name)
	}
	amounts, label := rapid.Bool().Draw(tr.T, "amounts"), pick(tr.T, "label", "", "EUR")
	body["show_amounts"] = amounts
	if label != "" {
		body["currency"] = label
	}
	token := tr.c.made("/share-links", body).text("token")
	path := "/public/share/" + token
	tr.same(path, tr.journal.Share(&q.Question, amounts, label), tr.c.w.anonymous().get(path).want(http.StatusOK))
}
