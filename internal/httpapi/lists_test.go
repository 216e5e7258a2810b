package httpapi_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// scoped are the lists with an account parameter.
var scoped = []string{"/executions", "/trades", "/cash-transactions", "/notes", "/missed-trades"}

// record adds one record for each list to an account, all at the same instant or day.
func (d trader) record(symbol string, minute int) {
	d.w.t.Helper()
	d.fill(symbol, "buy 1@1", minute)
	d.made("/cash-transactions", more{"account_id": d.account, "type": "fee", "amount": 1, "occurred_at": at(minute)})
	d.made("/notes", more{"account_id": d.account, "body": "b", "occurred_at": at(minute)})
	d.made("/missed-trades", more{"account_id": d.account, "symbol": "M", "direction": "long", "observed_at": at(minute)})
}

// TestAccountScope reads the forms in which accounts may be named.
func TestAccountScope(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		a, b, c := owner.addAccount("A"), owner.addAccount("B"), owner.addAccount("C")
		euro := owner.addAccount("E", more{"base_currency": "EUR"})
		for _, d := range []trader{a, b, c, euro} {
			d.record("A", 0)
		}
		stranger := w.addUser(owner, "stranger@example.org").addAccount("S")
		for _, path := range scoped {
			for _, scope := range []struct {
				query string
				want  []string
			}{
				{"", []string{a.account, b.account, c.account, euro.account}}, // omitted: all, whatever the currencies
				{"?account_id=" + a.account, []string{a.account}},
				{"?account_id=" + a.account + "," + b.account, []string{a.account, b.account}},
				{"?account_id=" + a.account + "&account_id=" + b.account, []string{a.account, b.account}},
				{"?account_id=" + a.account + "," + b.account + "&account_id=" + c.account, []string{a.account, b.account, c.account}},
				{"?account_id=" + a.account + "," + a.account + "&account_id=" + a.account, []string{a.account}},
				{"?account_id=%20" + a.account + "%20,,", []string{a.account}},
				{"?account_id=" + euro.account, []string{euro.account}},
				{"?account_id=", []string{a.account, b.account, c.account, euro.account}},
			} {
				got := slices.Sorted(slices.Values(owner.get(path + scope.query).want(http.StatusOK).column("account_id")))
				if !slices.Equal(got, slices.Sorted(slices.Values(scope.want))) {
					t.Errorf("%s%s is of %v, want %v", path, scope.query, got, scope.want)
				}
			}
			mixed := path + "?account_id=" + a.account + "," + euro.account
			owner.get(mixed).wantError(http.StatusBadRequest, "mixed_currencies")
			owner.get(path+"?account_id="+a.account+"&account_id="+euro.account).wantError(http.StatusBadRequest, "mixed_currencies")
			// Another user's account is like an unknown one, also beside own accounts,
			// and reveals nothing about its currency.
			for _, with := range []string{"", a.account + ",", euro.account + ","} {
				foreign := owner.get(path+"?account_id="+with+stranger.account).wantError(http.StatusNotFound, "not_found")
				foreign.wantSame(owner.get(path + "?account_id=" + with + unknown()))
			}
			stranger.get(path).want(http.StatusOK).is("", "[]")
			var many []string
			for range 201 {
				many = append(many, unknown())
			}
			owner.get(path + "?account_id=" + strings.Join(many, ",")).wantField("account_id")
		}
		owner.get("/missed-trades/summary?account_id="+a.account+","+b.account).want(http.StatusOK).is("count", "2")
		owner.get("/missed-trades/summary").want(http.StatusOK).is("count", "4")
		owner.get("/missed-trades/summary?account_id="+a.account+","+euro.account).wantError(http.StatusBadRequest, "mixed_currencies")
		owner.get("/missed-trades/summary?account_id="+stranger.account).wantError(http.StatusNotFound, "not_found")
	})
}

// TestPeriods have both ends inside.
func TestPeriods(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		for minute := range 4 {
			d.fill(fmt.Sprint("S", minute), "buy 1@1", minute)
			d.made("/cash-transactions", more{"account_id": d.account, "type": "fee", "amount": 1, "occurred_at": at(minute)})
			d.made("/notes", more{"body": "b", "occurred_at": at(minute)})
			d.made("/missed-trades", more{"symbol": "M", "direction": "long", "observed_at": at(minute)})
		}
		instant := map[string]string{
			"/executions": "executed_at", "/trades": "opened_at", "/cash-transactions": "occurred_at", "/notes": "occurred_at", "/missed-trades": "observed_at",
		}
		for _, path := range scoped {
			for _, period := range []struct {
				query string
				want  []int
			}{
				{"from=" + at(1), []int{1, 2, 3}},
				{"to=" + at(1), []int{0, 1}},
				{"from=" + at(1) + "&to=" + at(2), []int{1, 2}},
				{"from=" + at(2) + "&to=" + at(2), []int{2}},
				{"from=2026-01-05T15:00:00.000001Z&to=2026-01-05T15:02:59.999999Z", []int{1, 2}},
				{"from=" + url.QueryEscape("2026-01-05T10:01:00-05:00"), []int{1, 2, 3}},
				{"from=2030-01-01T00:00:00Z", nil},
				{"tz=Nowhere/Land", []int{0, 1, 2, 3}}, // a list without days ignores it
				{"unknown=1", []int{0, 1, 2, 3}},
			} {
				want := []string{}
				for _, minute := range period.want {
					want = append(want, at(minute))
				}
				if path != "/executions" && path != "/cash-transactions" {
					slices.Reverse(want) // newest first
				}
				d.get(path+"?"+period.query).want(http.StatusOK).wantColumn(instant[path], want...)
			}
			for query, field := range map[string]string{
				"from=" + at(2) + "&to=" + at(1): "from", "from=x": "from", "to=2026-01-05": "to", "from=2026-01-05T15:00:00": "from",
				"to=1969-01-01T00:00:00Z": "to", "from=2026-01-05T15:00:00+00:00": "from", // a plus sign in a query is a space
				"from=" + at(0) + "&from=" + at(0): "from", "from=%00": "from",
			} {
				d.get(path + "?" + query).wantField(field)
			}
		}
	})
}

// TestPages reads lists in pages with several sizes and finds every record once, in the
// order of the whole list.
func TestPages(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		traders := []trader{owner.addAccount("A"), owner.addAccount("B"), owner.addAccount("C")}
		for i := range 7 {
			traders[i%3].record(fmt.Sprint("S", i), i/4) // many at the same instant
		}
		for _, path := range scoped {
			whole := owner.get(path).want(http.StatusOK)
			if n := whole.count(""); n != 7 || whole.header.Get("Link") != "" {
				t.Fatalf("%s: %d records, Link %q", path, n, whole.header.Get("Link"))
			}
			for _, query := range []string{"?", "?account_id=" + traders[0].account + "," + traders[1].account + "&", "?from=" + at(1) + "&"} {
				all := owner.get(path + query).want(http.StatusOK).column("id")
				for _, size := range []int{1, 2, 3, len(all), 1000} {
					page := path + query + "limit=" + fmt.Sprint(size)
					first := owner.get(page).want(http.StatusOK)
					if got := first.header.Get("X-Total-Count"); got != fmt.Sprint(len(all)) {
						t.Errorf("%s: X-Total-Count %q, want %d", page, got, len(all))
					}
					ids, sizes := owner.pages(page, "id")
					if !slices.Equal(ids, all) || slices.Max(sizes) > size {
						t.Errorf("%s lists %v in pages of %v, want %v", page, ids, sizes, all)
					}
				}
			}
			// A cursor without a limit gives the whole rest.
			link := owner.get(path + "?limit=2").header.Get("Link")
			cursor := regexp.MustCompile(`cursor=[^&>]+`).FindString(link)
			owner.get(path+"?"+cursor).want(http.StatusOK).wantColumn("id", whole.column("id")[2:]...)
			for _, limit := range []string{"0", "-1", "1001", "x", "1.5", "1e2", "99999999999999999999"} {
				owner.get(path + "?limit=" + limit).wantField("limit")
			}
			for _, text := range []string{"k=1", "k=a&k=b&k=c", "k=1&k=%ff", "k=1&k=%00", "k=%ff&k=1&k=1"} {
				owner.get(path + "?limit=1&cursor=" + base64.RawURLEncoding.EncodeToString([]byte(text))).wantField("cursor")
			}
			owner.get(path + "?limit=1&cursor=!!").wantField("cursor")
			owner.get(path + "?limit=1&limit=2").wantField("limit")
		}
	})
}

// TestPagesAreStableUnderChange: what is written between two pages neither
// repeats a record nor hides one.
func TestPagesAreStableUnderChange(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		for i := range 4 {
			d.fill(fmt.Sprint("S", i), "buy 1@1", 10*i)
		}
		first := d.get("/executions?limit=2").want(http.StatusOK).wantColumn("symbol", "S0", "S1")
		d.fill("EARLY", "buy 1@1", 5)
		d.delete("/executions/" + first.text("1.id")).wantNone()
		d.fill("LATE", "buy 1@1", 25)
		next := strings.TrimPrefix(strings.TrimSuffix(first.header.Get("Link"), `>; rel="next"`), "</api/v1")
		rest, _ := d.pages(next, "symbol")
		if !slices.Equal(rest, []string{"S2", "LATE", "S3"}) {
			t.Errorf("the next page contains %v", rest)
		}
	})
}

// TestShortLists page like the long ones.
func TestShortLists(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		c := w.setUp()
		for _, path := range []string{"/accounts", "/tags", "/setups"} {
			var ids []string
			for i := range 5 {
				ids = append(ids, c.made(path, more{"name": fmt.Sprint("n", i)}).text("id"))
			}
			for _, size := range []int{1, 2, 5, 1000} {
				page := fmt.Sprintf("%s?limit=%d", path, size)
				got, _ := c.pages(page, "id")
				if total := c.get(page).header.Get("X-Total-Count"); !slices.Equal(got, ids) || total != "5" {
					t.Errorf("%s lists %v of %s, want %v", page, got, total, ids)
				}
			}
			first := c.get(path+"?limit=2").want(http.StatusOK).wantColumn("id", ids[0], ids[1])
			c.delete(path + "/" + ids[1]).wantNone() // the record in the cursor
			next := strings.TrimPrefix(strings.TrimSuffix(first.header.Get("Link"), `>; rel="next"`), "</api/v1")
			c.get(next).want(http.StatusOK).wantColumn("id", ids[2], ids[3])
			c.get(path + "?limit=0").wantField("limit")
			c.get(path + "?limit=1&cursor=x").wantField("cursor")
			c.get(path+"?limit=1&cursor="+base64.RawURLEncoding.EncodeToString([]byte("k=x&k=99"))).want(http.StatusOK).is("", "[]")
			c.get(path + "?limit=1&cursor=" + base64.RawURLEncoding.EncodeToString([]byte("k=x&k=-1"))).wantField("cursor")
		}
	})
}
