package httpapi_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// TestInsights plants effects in a journal of chance. The insights name them, and each
// filter lists exactly the group's trades: their number, and the same difference in a
// comparison with the rest.
func TestInsights(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		d.get("/analytics/insights").want(http.StatusOK).is("", "[]")
		setup := d.made("/setups", more{"name": "Gap & go", "checklist": []string{"wait, then enter"}}).text("id")
		d.imported(insightFills())
		ids := d.get("/trades?symbol=BBB").column("id")
		d.patch("/trades", more{"ids": ids, "set": more{"setup_ids": []string{setup}}}).want(http.StatusOK)
		for i, id := range ids {
			if i%2 == 0 {
				d.annotate(id, more{"rules": []more{{"setup_id": setup, "rule": "wait, then enter", "state": "broken"}}})
			}
		}
		found := d.get("/analytics/insights?limit=10&tz=America/New_York").want(http.StatusOK)
		kinds := map[string]bool{}
		for i := range len(found.value("").([]any)) {
			at := fmt.Sprint(i, ".")
			kinds[found.text(at+"kind")] = true
			query := url.Values{}
			for name, value := range found.value(at + "filter").(map[string]any) {
				query.Set(name, value.(string))
			}
			listed := d.get("/trades?limit=1&" + query.Encode()).want(http.StatusOK)
			if got := listed.header.Get("X-Total-Count"); got != found.text(at+"n") {
				t.Errorf("%s lists %s trades: %s", query.Encode(), got, found.text(at+"text"))
			}
			rest := d.get("/analytics/compare?against=rest&" + query.Encode()).want(http.StatusOK)
			rest.is("a.total_trades", found.text(at+"n")).is("difference.expectancy", found.text(at+"effect"))
			if !strings.Contains(found.text(at+"text"), "("+found.text(at+"n")+" trades)") {
				t.Errorf("%q does not say how many trades", found.text(at+"text"))
			}
		}
		for _, kind := range []string{"weekday", "setup"} {
			if !kinds[kind] {
				t.Errorf("there is no insight by %s in %s", kind, found.body)
			}
		}
		if again := d.get("/analytics/insights?limit=10&tz=America/New_York"); string(again.body) != string(found.body) {
			t.Errorf("the same journal gives %s and then %s", found.body, again.body)
		}
		first := d.get("/analytics/insights?limit=1&tz=America/New_York")
		if ids := first.column("id"); len(ids) != 1 || ids[0] != found.text("0.id") {
			t.Errorf("the first insight is %v", ids)
		}
		d.get("/analytics/insights?symbol=AAA&weekday=5").want(http.StatusOK).is("", "[]")
	})
}

// insightFills is a file with trades on every weekday: Fridays lose, and BBB wins.
func insightFills() string {
	dice := rand.New(rand.NewPCG(1, 2))
	var file strings.Builder
	file.WriteString(headLine)
	day := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	for i := range 400 {
		if i%4 == 0 {
			if day = day.AddDate(0, 0, 1); day.Weekday() == time.Saturday {
				day = day.AddDate(0, 0, 2)
			}
		}
		symbol := []string{"AAA", "BBB", "CCC"}[dice.IntN(3)]
		price := 100 + 6*dice.NormFloat64()
		if day.Weekday() == time.Friday {
			price -= 6
		}
		if symbol == "BBB" {
			price += 5
		}
		opened := day.Add(time.Duration(14*60+i%4*70+dice.IntN(40)) * time.Minute)
		fmt.Fprintf(&file, "%s,buy,10,100,%s,1\n", symbol, opened.Format(time.RFC3339))
		fmt.Fprintf(&file, "%s,sell,10,%.2f,%s,1\n", symbol, price, opened.Add(20*time.Minute).Format(time.RFC3339))
	}
	return file.String()
}
