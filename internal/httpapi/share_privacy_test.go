package httpapi_test

import (
	"context"
	"encoding/json"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/db"
)

// TestScaledJournalsLookTheSame: without amounts, a journal looks the same as one with a
// thousand times the size. The factor is a power of two, by which floats scale without
// rounding, so the answers are equal to the byte.
func TestScaledJournalsLookTheSame(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		plain := owner.scaled("Plain", 1, 1)
		for name, other := range map[string]trader{
			"quantities": owner.scaled("Quantities", 1024, 1), "prices": owner.scaled("Prices", 1, 1024), "both": owner.scaled("Both", 32, 32),
		} {
			for _, zone := range []string{"UTC", "Australia/Lord_Howe"} {
				want := w.visit(plain.link(more{"account_id": plain.account, "tz": zone}).text("token")).want(http.StatusOK)
				got := w.visit(other.link(more{"account_id": other.account, "tz": zone}).text("token")).want(http.StatusOK)
				if string(got.body) != string(want.body) {
					w.t.Errorf("%s: the payload is\n%s\nwant\n%s", name, got.body, want.body)
				}
			}
			a := w.visit(plain.link(more{"account_id": plain.account, "show_amounts": true}).text("token"))
			b := w.visit(other.link(more{"account_id": other.account, "show_amounts": true}).text("token"))
			if string(a.body) == string(b.body) {
				w.t.Errorf("%s: with amounts the two are the same: nothing was scaled", name)
			}
		}
	}, shareLinksOn)
}

// scaled opens an account with a journal in which quantities and prices are
// multiplied. What is money by itself grows with both.
func (c *client) scaled(name string, quantities, prices int64) trader {
	c.w.t.Helper()
	number := func(text string, factors ...int64) json.Number {
		r := fraction(text)
		for _, factor := range factors {
			r.Mul(r, big.NewRat(factor, 1))
		}
		places, _ := r.FloatPrec()
		return json.Number(r.FloatString(places))
	}
	d := c.addAccount(name, more{"starting_balance": number("1000", quantities, prices)})
	for i, f := range []struct{ symbol, side, quantity, price, fees string }{
		{"AAA", "buy", "3", "10.1", "0.7"},
		{"AAA", "sell", "3", "11.37", "0.3"},
		{"BBB", "sell", "7", "99.9", "0"},
		{"BBB", "buy", "7", "101.3", "1.1"},
		{"AAA", "buy", "1", "10", "0"},
		{"AAA", "sell", "2", "10.003", "0.001"},
		{"AAA", "buy", "1", "9.77", "-0.05"},
		{"CCC", "buy", "0.3", "1.7", "0"},
		{"CCC", "sell", "0.3", "1.7", "0"},
		{"BBB", "buy", "5", "100", "0"},
		{"BBB", "sell", "5", "107.77", "0.13"},
	} {
		done := d.made("/executions", more{
			"account_id": d.account, "symbol": f.symbol, "side": f.side, "quantity": number(f.quantity, quantities), "price": number(f.price, prices),
			"fees": number(f.fees, quantities, prices), "executed_at": at(700 * i),
		})
		if i == 1 {
			d.annotate(done.text("trade_id"), more{"initial_risk": number("2.5", quantities, prices)})
		}
		if i == 10 {
			d.annotate(done.text("trade_id"), more{"stop_price": number("98.7", prices), "mfe": number("60", quantities, prices)})
		}
	}
	d.made("/cash-transactions", more{
		"account_id": d.account, "type": "deposit", "amount": number("500", quantities, prices), "occurred_at": at(1000),
	})
	return d
}

// TestPublicPayloadHasNothingPrivate fills every text field with canaries, and looks for
// them and for every id in a shared page.
func TestPublicPayloadHasNothingPrivate(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.setUp().addAccount("canary-account", more{"broker": "canary-broker"})
		tag := d.made("/tags", more{"name": "canary-tag", "description": "canary-tag-text"}).text("id")
		setup := d.made("/setups", more{"name": "canary-setup", "thesis": "canary-thesis"}).text("id")
		trade := d.roundTrip("AAA")
		fill := d.fill("AAA", "buy 1@10", 50, more{"external_id": "canary-external", "details": more{"exchange": "canary-details"}})
		d.annotate(trade, more{"notes": "canary-notes", "tag_ids": []string{tag}, "setup_ids": []string{setup}, "emotional_state": "canary-mood"})
		note := d.made("/notes", more{"type": "note", "title": "canary-title", "body": "canary-body", "occurred_at": "2026-01-05", "trade_id": trade})
		cash := d.made("/cash-transactions", more{"account_id": d.account, "type": "deposit", "amount": 77777, "occurred_at": at(1), "note": "canary-cash"})
		private := []string{
			"canary", d.account, tag, setup, trade, fill.text("id"), fill.text("trade_id"), note.text("id"), cash.text("id"), "77777",
			d.get("/me").text("id"), ownerEmail,
		}
		for _, amounts := range []bool{false, true} {
			link := d.link(more{"account_id": d.account, "show_amounts": amounts})
			shown := w.visit(link.text("token")).want(http.StatusOK)
			for _, word := range append(private, link.text("id"), link.text("token")) {
				if word == "" || strings.Contains(string(shown.body), word) {
					t.Errorf("with amounts %v the payload contains %q: %s", amounts, word, shown.body)
				}
			}
			if !strings.Contains(string(shown.body), `"AAA"`) {
				t.Errorf("the payload is empty: %s", shown.body)
			}
		}
	}, shareLinksOn)
}

// TestTheTokenOfALinkIsNotInTheLog, nor readable in the database.
func TestTheTokenOfALinkIsNotInTheLog(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		token, dead := d.link().text("token"), freshToken()
		w.visit(token).want(http.StatusOK)
		w.visit(dead).want(http.StatusNotFound)
		w.anonymous().do(http.MethodPost, "/public/share/"+token, nil).want(http.StatusMethodNotAllowed)
		w.anonymous().get("/public/share/" + token + "/more").want(http.StatusNotFound)
		w.anonymous().get("//share/" + token)
		w.anonymous().get("//s/" + token)
		d.get("/share-links").is("0.token", `"`+token+`"`)
		if !strings.Contains(w.log.String(), "/public/share/{token}") {
			t.Fatal("the log does not tell of the visits")
		}
		for name, text := range map[string]string{"the log": w.log.String(), "the database": w.everyByte()} {
			if strings.Contains(text, token) || strings.Contains(text, dead) {
				t.Errorf("%s contains the token", name)
			}
		}
	}, shareLinksOn)
}

// storeViews writes the views that were counted, as the end of the server does. A list on a
// busy machine does not wait for that.
func (w *world) storeViews() {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.t.Context()), time.Minute)
	defer cancel()
	if err := w.services.Sharing.Close(ctx); err != nil {
		w.t.Fatal(err)
	}
}

// TestViewsAreCountedInTheBackground holds the writer while visitors come.
func TestViewsAreCountedInTheBackground(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		link, other := d.link(), d.link()
		d.roundTrip("AAA")
		release, held := make(chan struct{}), make(chan struct{})
		done := make(chan error, 1)
		go func() {
			done <- w.db.Update(context.WithoutCancel(t.Context()), func(tx *db.Tx) error {
				// The row itself is locked, too, where rows can be.
				_, err := tx.Exec(t.Context(), `UPDATE share_links SET view_count = view_count WHERE id = $1`, link.text("id"))
				close(held)
				<-release
				return err
			})
		}()
		<-held
		for range 7 {
			w.visit(link.text("token")).want(http.StatusOK).is("summary.total_trades", "1")
		}
		w.visit(other.text("token")).want(http.StatusOK)
		w.visit(freshToken()).want(http.StatusNotFound)
		d.get("/share-links").want(http.StatusOK) // the owner does not wait for long, either
		close(release)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		w.storeViews()
		d.get("/share-links").is("0.view_count", "1").is("1.view_count", "7")

		// What was counted last is written when the server ends.
		w.visit(other.text("token")).want(http.StatusOK)
		w.storeViews()
		if got := w.count(`SELECT view_count FROM share_links WHERE id = $1`, other.text("id")); got != 2 {
			t.Errorf("%d views survive the end, want 2", got)
		}
	}, shareLinksOn)
}
