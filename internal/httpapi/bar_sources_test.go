package httpapi_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/outbound"
	"fillbook/internal/base/remote"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/prices/market"
	"fillbook/internal/trading/instruments"
)

// vendor is a provider with bars at 91,357.13, a price found nowhere else. With a price
// it is a shop.
type vendor struct{ name string }

func (v vendor) Describe() barsource.Description {
	return barsource.Description{
		Name: v.name, Title: strings.ToUpper(v.name), Covers: "Stocks", Notes: "A test.", Hosts: []string{"api." + v.name + ".example"},
		BarSecs: []int64{60}, PageBars: 10_000, Fields: []remote.Field{
			{Name: "key", Title: "key", Help: "From the website.", IsSecret: true}, {Name: "feed", Title: "feed", Choices: []remote.Choice{{Value: "all", Title: "All"}, {Value: "some", Title: "Some"}}},
		},
	}
}

func (vendor) Symbol(of instruments.Priced, _ time.Time) (string, bool) { return of.Symbol, true }

func (vendor) Fetch(_ context.Context, _ remote.Doer, _ map[string]string, q barsource.Query) (barsource.Result, error) {
	block := market.Block{Secs: 60, PriceScale: 2}
	for at := q.From; at.Before(q.To.Add(-time.Minute)); at = at.Add(time.Minute) {
		block.Bars = append(block.Bars, market.Bar{Time: at.Unix(), Open: 9135713, High: 9135713, Low: 9135713, Close: 9135713})
	}
	return barsource.Result{
		Symbol: q.Instrument.Symbol, Block: block, PriceKind: market.TradePrice, VolumeKind: market.NoVolume, IsComplete: true,
		Covered: market.Range{From: q.From.Unix(), To: q.To.Unix()},
	}, nil
}

type shop struct{ vendor }

func (shop) Price(context.Context, remote.Doer, map[string]string, barsource.Query) (barsource.Price, error) {
	return barsource.Price{Amount: decimal.Must("0.25"), Currency: "USD"}, nil
}

func vendorsOn(s *settle) {
	s.providers = []barsource.Provider{vendor{"acme"}, shop{vendor{"shop"}}}
	s.outbound = outbound.New(outbound.Options{Enabled: true})
}

const vendorKey = "canary-key-91357"

func TestBarSources(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		d.roundTrip("AAPL")
		d.get("/bars/providers").want(http.StatusOK).is("0.provider", `"acme"`).is("0.name", `"ACME"`).is("0.available", `true`).is("0.charges", `false`).
			is("0.hosts", `["api.acme.example"]`).is("0.fields.0.secret", `true`).is("0.fields.0.required", `true`).
			is("0.fields.1.choices", `[{"title":"All","value":"all"},{"title":"Some","value":"some"}]`).is("0.fields.1.required", `false`).is("1.charges", `true`)
		d.post("/bars/sources", more{"provider": "acme"}).wantField("credentials.key")
		d.post("/bars/sources", more{"provider": "acme", "credentials": more{"key": vendorKey}, "since": "tomorrow"}).wantField("since")
		source := d.made("/bars/sources", more{"provider": "acme", "credentials": more{"key": vendorKey}, "since": "2020-01-01"})
		source.is("status", `"waiting"`).is("enabled", `true`).is("symbols", `[]`).is("since", `"2020-01-01"`).is("has_credentials", `true`)
		id := source.text("id")
		d.post("/bars/sources", more{"provider": "acme", "credentials": more{"key": vendorKey}}).wantError(http.StatusConflict, "conflict")

		if err := w.services.Jobs.RunDue(t.Context()); err != nil {
			t.Fatal(err)
		}
		d.get("/bars/sources").is("0.id", `"`+id+`"`).is("0.status", `"ok"`)
		d.get("/bars/sources/"+id+"/runs").want(http.StatusOK).is("0.outcome", `"ok"`).is("0.message", `""`)
		series := d.get("/bars/series").is("0.symbol", `"AAPL"`)
		if series.count("") != 1 {
			t.Errorf("the series are %s", series.body)
		}
		d.get("/bars/imports").is("0.layout", `"ACME"`)

		d.post("/bars/sources/"+id+"/run", nil).wantError(http.StatusTooManyRequests, "rate_limited")
		w.clock.Advance(time.Minute)
		d.post("/bars/sources/"+id+"/run?max_price=1", nil).wantField("max_price")
		d.post("/bars/sources/"+id+"/run", nil).want(http.StatusAccepted).is("id", `"`+id+`"`)
		d.post("/bars/sources/"+id+"/price", nil).wantError(http.StatusConflict, "conflict")
		d.patch("/bars/sources/"+id, more{"enabled": false, "symbols": []string{"aapl", "AAPL"}, "since": nil}).want(http.StatusOK).
			is("enabled", `false`).is("symbols", `["AAPL"]`).is("since", `null`).is("next_run_at", `null`)
		d.patch("/bars/sources/"+id, more{"provider": "shop"}).wantField("provider")

		paid := d.made("/bars/sources", more{"provider": "shop", "credentials": more{"key": vendorKey}}).is("next_run_at", `null`).text("id")
		d.post("/bars/sources/"+paid+"/price", nil).want(http.StatusOK).is("price", `0.25`).is("currency", `"USD"`).is("symbols", `1`)
		d.post("/bars/sources/"+paid+"/run", nil).wantField("max_price")
		d.post("/bars/sources/"+paid+"/run?max_price=x", nil).wantField("max_price")
		d.post("/bars/sources/"+paid+"/run?max_price=0.25", nil).want(http.StatusAccepted)

		other := w.addUser(d.client, "other@example.org")
		other.get("/bars/sources").is("", `[]`)
		for _, call := range []string{"GET ", "PATCH ", "DELETE ", "POST /run", "POST /price", "GET /runs"} {
			method, rest, _ := strings.Cut(call, " ")
			body := any(nil)
			if method == "PATCH" {
				body = more{"enabled": true}
			}
			other.do(method, "/bars/sources/"+id+rest, body).wantError(http.StatusNotFound, "not_found")
		}
		for _, path := range []string{"/bars/sources", "/bars/sources/" + id, "/bars/sources/" + id + "/runs", "/exports"} {
			if body := string(d.get(path).body); strings.Contains(body, vendorKey) {
				t.Errorf("%s has the key: %s", path, body)
			}
		}
		if strings.Contains(w.log.String(), vendorKey) {
			t.Error("the log has the key")
		}
		tag := d.get("/bars/sources/" + id).tag()
		d.with("If-Match", `"other"`).delete("/bars/sources/"+id).wantError(http.StatusPreconditionFailed, "precondition_failed")
		d.with("If-Match", tag).delete("/bars/sources/" + id).wantNone()
		d.get("/bars/sources/"+id).wantError(http.StatusNotFound, "not_found")
		d.get("/bars/series").is("0.symbol", `"AAPL"`)
	}, vendorsOn)
}

func TestBarSourcesNeedOutbound(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.get("/bars/providers").want(http.StatusOK).is("0.available", `false`)
		refused := d.post("/bars/sources", more{"provider": "acme", "credentials": more{"key": "x"}}).wantError(http.StatusConflict, "outbound_disabled")
		refused.is("error.details.setting", `"SVC_OUTBOUND"`)
		d.get("/bars/sources").is("", `[]`)
	}, vendorsOn, func(s *settle) { s.outbound = nil })
}

// TestShareLinksHaveNoBars checks that a public page shows no bars from a paid provider.
func TestShareLinksHaveNoBars(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		d.roundTrip("AAPL")
		d.made("/bars/sources", more{"provider": "acme", "credentials": more{"key": vendorKey}})
		if err := w.services.Jobs.RunDue(t.Context()); err != nil {
			t.Fatal(err)
		}
		if bars := string(d.get("/bars?symbol=AAPL").body); !strings.Contains(bars, "9135713") {
			t.Fatalf("no bars were fetched: %s", bars)
		}
		token := d.link(more{"show_amounts": true}).text("token")
		page := w.visit(token).want(http.StatusOK)
		for _, word := range []string{"91357", "9135713", "bars", "bar_secs", "excursion", "ACME", "acme"} {
			if strings.Contains(string(page.body), word) {
				t.Errorf("the public page has %s: %s", word, page.body)
			}
		}
		for _, path := range []string{"/bars?symbol=AAPL", "/bars/series", "/public/share/" + token + "/bars"} {
			if got := w.anonymous().get(path); got.status == http.StatusOK {
				t.Errorf("%s answers without a credential: %s", path, got.body)
			}
		}
	}, vendorsOn, shareLinksOn)
}
