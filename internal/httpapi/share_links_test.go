package httpapi_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"fillbook/internal/transport"
)

var linkKeys = []string{"id", "token", "scope", "created_at", "expires_at", "view_count"}

// link mints a share link.
func (c *client) link(fields ...more) *reply {
	c.w.t.Helper()
	return c.made("/share-links", fieldsOf(more{}, fields...)).wantKeys("", linkKeys...)
}

// visit opens a link without a credential.
func (w *world) visit(token string) *reply {
	w.t.Helper()
	return w.anonymous().get("/public/share/" + token)
}

func TestShareLinksAreOffByDefault(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		for _, refused := range []*reply{d.get("/share-links"), d.post("/share-links", `{}`), d.delete("/share-links/" + unknown())} {
			refused.wantError(http.StatusNotFound, "share_links_disabled")
		}
		// What was minted before the feature was switched off is not found.
		on := newWorld(t, w.db, shareLinksOn)
		token := on.as(d.token).link().text("token")
		on.visit(token).want(http.StatusOK)
		off := w.visit(token).wantError(http.StatusNotFound, "not_found")
		off.wantSame(on.visit(freshToken()))
	})
}

// freshToken returns a well-formed unknown token.
func freshToken() string {
	return base64.RawURLEncoding.EncodeToString([]byte(strings.Repeat("x", 32)))
}

// TestShareLinksHaveAURL if SVC_PUBLIC_URL is set.
func TestShareLinksHaveAURL(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		made := d.made("/share-links", `{}`)
		address := `"https://journal.example.org/s/` + made.text("token") + `"`
		made.is("url", address)
		d.get("/share-links").is("0.url", address)
	}, shareLinksOn, func(s *settle) { s.api.PublicURL = "https://journal.example.org/" })
}

func TestCreatingShareLinks(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		d.get("/share-links").want(http.StatusOK).is("", "[]")
		plain := d.link().is("scope", `{"show_amounts":false}`).is("view_count", "0").
			is("created_at", `"2026-03-10T15:04:05Z"`).is("expires_at", `"2026-06-08T15:04:05Z"`) // 90 days
		if raw, err := base64.RawURLEncoding.DecodeString(plain.text("token")); err != nil || len(raw) != 32 {
			t.Errorf("the token %q is not 256 bits: %v", plain.text("token"), err)
		}
		for days, expires := range map[string]string{
			"0": "null", "1": `"2026-03-11T15:04:05Z"`, "3650": `"2036-03-07T15:04:05Z"`, `"30"`: `"2026-04-09T15:04:05Z"`, "null": `"2026-06-08T15:04:05Z"`,
		} {
			d.made("/share-links", `{"expires_in_days":`+days+`}`).is("expires_at", expires)
		}
		for _, days := range []string{"3651", "-1", "1.5", `"x"`, "true", "1e9"} {
			d.post("/share-links", `{"expires_in_days":`+days+`}`).wantField("expires_in_days")
		}
		full := more{
			"account_id": d.account, "from": "2026-01-01T00:00:00+02:00", "to": "2026-02-01T00:00:00Z", "tz": "Europe/Athens",
			"currency": " usd ", "show_amounts": true,
		}
		const kept = `{"from":"2025-12-31T22:00:00Z","to":"2026-02-01T00:00:00Z","tz":"Europe/Athens","show_amounts":true,"currency":"USD"}`
		top := d.link(full).holds("scope", kept).is("scope.account_id", `"`+d.account+`"`)
		inside := d.link(more{"scope": full}).is("scope", top.json("scope"))
		// What stands at the top counts before what stands inside.
		d.link(more{"scope": full, "show_amounts": false, "tz": "UTC"}).is("scope.show_amounts", "false").is("scope.tz", `"UTC"`)
		d.get("/share-links").is("1.id", `"`+inside.text("id")+`"`).is("2.id", `"`+top.text("id")+`"`).is("1.token", `"`+inside.text("token")+`"`)
	}, shareLinksOn)
}

// TestSharedMonth: a link shows its title and text, and the days of a single month.
func TestSharedMonth(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		d.nets("AAA", "5", "-2") // on days of one month
		link := d.link(more{"title": " <b>March</b> ", "text": "Held to the plan.\nSee you."}).
			holds("scope", `{"title":"<b>March</b>","text":"Held to the plan.\nSee you."}`)
		page := w.visit(link.text("token")).want(http.StatusOK).is("title", `"<b>March</b>"`).is("text", `"Held to the plan.\nSee you."`)
		days := page.count("days")
		if days == 0 {
			t.Fatalf("no days: %s", page.body)
		}
		if strings.Contains(page.json("days"), "pnl") {
			t.Errorf("the days have amounts: %s", page.body)
		}
		open := w.visit(d.link(more{"show_amounts": true}).text("token")).is("title", `""`)
		if !strings.Contains(open.json("days"), `"pnl":`) {
			t.Errorf("the days have no amounts: %s", open.body)
		}
		d.post("/share-links", more{"title": strings.Repeat("x", 101)}).wantField("title")
		d.post("/share-links", more{"title": "a\nb"}).wantField("title")
		d.post("/share-links", more{"text": strings.Repeat("x", 1001)}).wantField("text")
		d.post("/share-links", more{"text": "a\x01b"}).wantField("text")
		d.link(more{"scope": more{"title": "Inside"}}).is("scope.title", `"Inside"`)
		d.fill("AAA", "buy 1@10", 60*24*70)
		d.fill("AAA", "sell 1@12", 60*24*70+5)
		w.visit(link.text("token")).is("days", "[]") // two months
	}, shareLinksOn)
}

func TestShareLinkRefusals(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		stranger := w.addUser(d.client, "stranger@example.org").addAccount("Theirs")
		for body, field := range map[string]string{
			`{"tz":"Mars/Phobos"}`: "tz", `{"scope":{"tz":"Mars/Phobos"}}`: "tz", `{"from":"x"}`: "from", `{"to":5}`: "to",
			`{"from":"2026-01-02T00:00:00Z","to":"2026-01-01T00:00:00Z"}`: "from",
			`{"show_amounts":"yes"}`: "show_amounts", `{"currency":"` + strings.Repeat("x", 17) + `"}`: "currency", `{"account_id":[]}`: "account_id",
		} {
			d.post("/share-links", body).want(http.StatusBadRequest)
			if got := d.post("/share-links", body).text("error.details.field"); !strings.HasSuffix(got, field) {
				w.t.Errorf("%s: the field is %q, want %q", body, got, field)
			}
		}
		for _, account := range []string{stranger.account, unknown()} {
			d.post("/share-links", more{"account_id": account}).wantError(http.StatusNotFound, "not_found")
		}
		theirs := stranger.link().text("id")
		d.get("/share-links").is("", "[]")
		for _, id := range []string{theirs, unknown(), "x"} {
			d.delete("/share-links/"+id).wantError(http.StatusNotFound, "not_found")
		}
		euro := d.addAccount("Euro", more{"base_currency": "EUR"})
		d.post("/share-links", `{}`).wantError(http.StatusBadRequest, "mixed_currencies")
		token := euro.link(more{"account_id": euro.account}).text("token")
		w.visit(token).want(http.StatusOK).is("currency", `"EUR"`)
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete} {
			w.anonymous().do(method, "/public/share/"+token, nil).wantError(http.StatusMethodNotAllowed, "method_not_allowed")
		}
		w.anonymous().get("/share-links").wantError(http.StatusUnauthorized, "unauthorized")
	}, shareLinksOn)
}

// TestEveryRefusalOfALinkIsTheSame: an unknown link looks like an expired one.
func TestEveryRefusalOfALinkIsTheSame(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		first := w.visit(freshToken()).wantError(http.StatusNotFound, "not_found")
		for header, want := range map[string]string{"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex"} {
			if got := first.header.Get(header); got != want {
				t.Errorf("%s is %q, want %q", header, got, want)
			}
		}
		for _, malformed := range []string{
			"x", "!", strings.Repeat("A", 5000), freshToken() + "A", freshToken()[1:], "a%2Fb", "%C3%BC", "%0A", "%00", "%FF", "%2E%2E", "a/b",
		} {
			w.visit(malformed).wantSame(first)
		}

		revoked := d.link()
		w.visit(revoked.text("token")).want(http.StatusOK)
		d.delete("/share-links/" + revoked.text("id")).wantNone()
		w.visit(revoked.text("token")).wantSame(first)
		d.delete("/share-links/"+revoked.text("id")).wantError(http.StatusNotFound, "not_found")
		d.get("/share-links").is("", "[]")

		gone := d.addAccount("Gone")
		orphan := gone.link(more{"account_id": gone.account})
		w.visit(orphan.text("token")).want(http.StatusOK)
		d.delete("/accounts/" + gone.account).wantNone()
		w.visit(orphan.text("token")).wantSame(first)
		d.get("/share-links").is("", "[]") // deleting the account revoked it
		d.delete("/share-links/"+orphan.text("id")).wantError(http.StatusNotFound, "not_found")

		short := d.link(more{"account_id": d.account, "expires_in_days": 1}).text("token")
		w.clock.Advance(24*time.Hour - time.Microsecond)
		w.visit(short).want(http.StatusOK)
		w.clock.Advance(time.Microsecond)
		w.visit(short).wantSame(first)
		// A condition or a credential makes no difference.
		d.get("/public/share/" + short).wantSame(first)
		w.anonymous().with("If-None-Match", "*").get("/public/share/" + short).wantSame(first)
	}, shareLinksOn)
}

// TestShareLinksExpire: a link over all accounts continues when an account in another
// currency is added, and leaves that one out.
func TestShareLinksExpire(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		early := owner.link(more{"show_amounts": true}).text("token") // before there is an account
		main := owner.addAccount("Main")
		main.nets("AAA", "5", "-2")
		whole := main.link(more{"show_amounts": true}).is("scope", `{"show_amounts":true}`).text("token")
		before := w.visit(whole).want(http.StatusOK).is("summary.total_trades", "2").is("summary.net_pnl", "3").is("currency", `"USD"`)
		euro := owner.addAccount("Euro", more{"base_currency": "EUR"})
		euro.nets("BBB", "7")
		w.visit(whole).wantSame(before)
		w.visit(early).want(http.StatusOK).is("summary.net_pnl", "3")
		// Another account in the link's currency is shown.
		owner.addAccount("More").nets("AAA", "10")
		w.visit(whole).want(http.StatusOK).is("summary.total_trades", "3").is("summary.net_pnl", "13")
		// Nothing is left to show in that currency.
		for _, id := range owner.get("/accounts").column("id") {
			if id != euro.account {
				owner.delete("/accounts/" + id).wantNone()
			}
		}
		w.visit(whole).want(http.StatusOK).is("summary.total_trades", "0").is("currency", `"USD"`)
	}, shareLinksOn)
}

// TestShareLinkPagesAndConditions: the list pages like every list, and a link is
// revoked only as it was seen where the caller says so.
func TestShareLinkPagesAndConditions(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		var ids []string
		for range 3 {
			ids = append([]string{d.link().text("id")}, ids...)
		}
		got, _ := d.pages("/share-links?limit=2", "id")
		if total := d.get("/share-links?limit=2").header.Get("X-Total-Count"); !slices.Equal(got, ids) || total != "3" {
			t.Errorf("the pages hold %v of %s, want %v", got, total, ids)
		}
		d.get("/share-links?limit=0").wantField("limit")
		d.get("/share-links?limit=1&cursor=x").wantField("cursor")

		link := d.link()
		path := "/share-links/" + link.text("id")
		d.with("If-Match", `"stale"`).delete(path).wantError(http.StatusPreconditionFailed, "precondition_failed")
		w.visit(link.text("token")).want(http.StatusOK)
		w.storeViews()
		d.with("If-Match", link.tag()).delete(path).wantError(http.StatusPreconditionFailed, "precondition_failed") // a view was counted
		d.with("If-Match", "*").delete(path).wantNone()
		d.with("If-Match", `"stale"`).delete(path).wantError(http.StatusNotFound, "not_found")
		fresh := d.link()
		d.with("If-Match", fresh.tag()).delete("/share-links/" + fresh.text("id")).wantNone()
	}, shareLinksOn)
}

// TestShareVector is the contract's worked example.
func TestShareVector(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		for day, net := range []int{100, 50, -30, -20, 80} {
			d.fill("AAA", "buy 1@1000", 24*60*day)
			d.fill("AAA", fmt.Sprintf("sell 1@%d", 1000+net), 24*60*day+5)
		}
		got := w.visit(d.link().text("token")).want(http.StatusOK)
		got.wantKeys("", "summary", "equity", "months", "top_symbols", "trading_days", "green_days", "red_days", "best_streak", "worst_streak", "title", "text", "days",
			"first_day", "last_day", "show_amounts", "currency", "unit")
		got.holds("", `{"trading_days": 5, "green_days": 3, "red_days": 2, "best_streak": 2, "worst_streak": 2, "first_day": "2026-01-05",
			"last_day": "2026-01-09", "show_amounts": false, "currency": "USD"}`)
		got.wantKeys("summary", "total_trades", "wins", "losses", "breakeven", "win_rate", "profit_factor", "payoff_ratio", "expectancy_r", "kelly_pct", "sqn")
		got.wantKeys("months.0", "month", "trades", "win_rate").wantKeys("top_symbols.0", "symbol", "trades", "win_rate").wantKeys("equity.0", "at", "value")
		got.is("equity.4.value", "1").is("equity.0.value", "0.5556")
		// No number in the answer is an amount in the journal.
		for _, amount := range []string{"100", "50", "-30", "30", "-20", "20", "80", "180", "230", "1000", "1100", "36", "76.66", "25"} {
			if holdsNumber(got.value(""), fraction(amount).RatString()) {
				t.Errorf("the payload contains %s: %s", amount, got.body)
			}
		}
		with := w.visit(d.link(more{"show_amounts": true}).text("token")).want(http.StatusOK)
		with.holds("summary", `{"net_pnl": 180, "gross_profit": 230, "gross_loss": 50, "expectancy": 36, "avg_loss": 25, "largest_win": 100,
			"largest_loss": 30, "total_fees": 0, "max_drawdown": 50}`)
		with.is("equity.4.value", "180").is("months.0.pnl", "180").is("top_symbols.0.pnl", "180")
		// Without trades there is a page all the same.
		w.visit(d.link(more{"to": "2020-01-01T00:00:00Z"}).text("token")).want(http.StatusOK).
			holds("", `{"first_day": "", "last_day": "", "trading_days": 0, "equity": [], "months": [], "top_symbols": [], "currency": "USD"}`)
	}, shareLinksOn)
}

// holdsNumber looks for a number anywhere in decoded JSON.
func holdsNumber(value any, number string) bool {
	switch v := value.(type) {
	case map[string]any:
		for _, inner := range v {
			if holdsNumber(inner, number) {
				return true
			}
		}
	case []any:
		for _, inner := range v {
			if holdsNumber(inner, number) {
				return true
			}
		}
	case json.Number:
		return fraction(v.String()).RatString() == number
	}
	return false
}

// TestShareLinksAreLimitedByAddress with Retry-After.
func TestShareLinksAreLimitedByAddress(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		token := w.trader().link().text("token")
		for _, guess := range []string{token, freshToken(), "x"} {
			w.visit(guess)
		}
		for _, guess := range []string{token, freshToken(), "x"} {
			limited := w.visit(guess).wantError(http.StatusTooManyRequests, "rate_limited")
			if limited.header.Get("Retry-After") != "1" {
				t.Errorf("Retry-After is %q", limited.header.Get("Retry-After"))
			}
		}
		w.anonymous().from("198.51.100.9:1").get("/public/share/" + token).want(http.StatusOK)
		w.clock.Advance(time.Second)
		w.visit(token).want(http.StatusOK)
	}, shareLinksOn, func(s *settle) { s.api.ShareRate = transport.Rate{PerSecond: 2, Burst: 3} })
}
