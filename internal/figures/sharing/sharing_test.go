package sharing_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/sharing"
	"fillbook/internal/trading/ledger"
)

func TestALinkShowsItsScope(t *testing.T) {
	t.Parallel()
	eachEnv(t, func(t *testing.T, h *env) {
		h.addTrade("BBB", 20, 17, 1)
		h.addTrade("CCC", 1, 2, 9)
		from, to := time.Date(2026, 1, 6, 0, 0, 0, 0, time.UTC), time.Date(2026, 1, 14, 22, 1, 0, 0, time.UTC)
		for name, c := range map[string]struct {
			scope      sharing.Scope
			trades     int
			first, net string
			currency   string
		}{
			"everything":      {sharing.Scope{}, 3, "2026-01-05", "", "USD"},
			"amounts":         {sharing.Scope{ShowAmounts: true}, 3, "2026-01-05", "3", "USD"},
			"from":            {sharing.Scope{From: &from, ShowAmounts: true}, 2, "2026-01-06", "-2", "USD"},
			"to":              {sharing.Scope{From: &from, To: &to, ShowAmounts: true}, 2, "2026-01-06", "-2", "USD"},
			"a zone":          {sharing.Scope{Zone: "Asia/Kolkata"}, 3, "2026-01-06", "", "USD"},
			"a currency":      {sharing.Scope{Currency: "usd"}, 3, "2026-01-05", "", "USD"},
			"an account":      {sharing.Scope{Account: h.account, ShowAmounts: true}, 3, "2026-01-05", "3", "USD"},
			"before its time": {sharing.Scope{To: &time.Time{}}, 0, "", "", "USD"},
		} {
			link := h.mint(c.scope)
			view, err := h.Sharing.Open(t.Context(), link.Token)
			must(t, err)
			net := ""
			if view.Summary.NetPnL != nil {
				net = view.Summary.NetPnL.String()
			}
			if view.Summary.TotalTrades != c.trades || string(view.FirstDay) != c.first || net != c.net || view.Currency != c.currency {
				t.Errorf("%s: %d trades from %q, net %q in %q", name, view.Summary.TotalTrades, view.FirstDay, net, view.Currency)
			}
		}
	})
}

func TestInvalidScopes(t *testing.T) {
	t.Parallel()
	eachEnv(t, func(t *testing.T, h *env) {
		early, late := time.Unix(0, 0), time.Unix(1, 0)
		for name, c := range map[string]struct {
			scope sharing.Scope
			days  int
			kind  journal.Kind
		}{
			"an unknown account": {sharing.Scope{Account: "unknown"}, 0, journal.KindNotFound},
			"an unknown zone":    {sharing.Scope{Zone: "Mars/Phobos"}, 0, journal.KindInvalid},
			"a period backwards": {sharing.Scope{From: &late, To: &early}, 0, journal.KindInvalid},
			"no currency":        {sharing.Scope{Currency: "points"}, 0, journal.KindInvalid},
			"no rate":            {sharing.Scope{Currency: "EUR"}, 0, journal.KindConflict},
			"a day too many":     {sharing.Scope{}, sharing.MaxDays + 1, journal.KindInvalid},
			"an end in the past": {sharing.Scope{}, -1, journal.KindInvalid},
		} {
			if _, err := h.Sharing.Mint(t.Context(), h.by, c.scope, c.days); !journal.IsKind(err, c.kind) {
				t.Errorf("%s: %v", name, err)
			}
		}
		_, err := h.Ledger.CreateAccount(t.Context(), h.by.UserID, ledger.NewAccount{Name: "Euro", BaseCurrency: "EUR"})
		must(t, err)
		if _, err := h.Sharing.Mint(t.Context(), h.by, sharing.Scope{}, 0); !journal.IsKind(err, journal.KindInvalid) {
			t.Errorf("two currencies: %v", err)
		}
		h.mint(sharing.Scope{Account: h.account})
	})
}

// TestEndedLinksAreNotFound checks that they all have the same error.
func TestEndedLinksAreNotFound(t *testing.T) {
	t.Parallel()
	eachEnv(t, func(t *testing.T, h *env) {
		h.checkNotFound("nothing", "")
		h.checkNotFound("a word", "word")
		h.checkNotFound("an unknown token", strings.Repeat("A", 43))

		revoked := h.mint(sharing.Scope{})
		must(t, h.Sharing.Revoke(t.Context(), h.by, revoked.ID, nil))
		h.checkNotFound("revoked", revoked.Token)
		if err := h.Sharing.Revoke(t.Context(), h.by, revoked.ID, nil); !journal.IsKind(err, journal.KindNotFound) {
			t.Errorf("revoked twice: %v", err)
		}

		dated, err := h.Sharing.Mint(t.Context(), h.by, sharing.Scope{}, 2)
		must(t, err)
		h.clock.Advance(48*time.Hour - time.Microsecond)
		_, err = h.Sharing.Open(t.Context(), dated.Token)
		must(t, err)
		h.clock.Advance(time.Microsecond)
		h.checkNotFound("expired", dated.Token)

		kept := h.mint(sharing.Scope{Account: h.account})
		must(t, h.Ledger.DeleteAccount(t.Context(), h.by.UserID, h.account, nil))
		h.checkNotFound("of a deleted account", kept.Token)
		links, err := h.Sharing.Links(t.Context(), h.by.UserID)
		must(t, err)
		if len(links) != 1 || links[0].ID != dated.ID {
			t.Errorf("what is left is %v, want the expired link alone", links)
		}
	})
}

// TestLinkOfAnotherInstallation: a server with another secret finds the link, as its
// token's hash needs none, but cannot read the token.
func TestLinkOfAnotherInstallation(t *testing.T) {
	t.Parallel()
	eachEnv(t, func(t *testing.T, h *env) {
		link := h.mint(sharing.Scope{})
		same, other := newEnv(t, h.DB, "k"), newEnv(t, h.DB, "x")
		links, err := same.Sharing.Links(t.Context(), h.by.UserID)
		must(t, err)
		if len(links) != 1 || links[0].Token != link.Token || links[0].ID != link.ID {
			t.Errorf("a server with the same secret lists %v", links)
		}
		if links, err := other.Sharing.Links(t.Context(), h.by.UserID); err == nil {
			t.Errorf("a server with another secret lists %v", links)
		}
		for _, server := range []*env{same, other} {
			_, err := server.Sharing.Open(t.Context(), link.Token)
			must(t, err)
		}
		must(t, other.Sharing.Revoke(t.Context(), h.by, link.ID, nil)) // it can be revoked all the same
	})
}

func TestMintingAndRevokingAreAudited(t *testing.T) {
	t.Parallel()
	eachEnv(t, func(t *testing.T, h *env) {
		link := h.mint(sharing.Scope{})
		must(t, h.Sharing.Revoke(t.Context(), h.by, link.ID, nil))
		for _, action := range []string{string(sharing.ActionMint), string(sharing.ActionRevoke)} {
			var n int
			must(t, h.DB.View(t.Context(), func(tx *db.Tx) error {
				return tx.QueryRow(t.Context(), `SELECT count(*) FROM audit_events WHERE action = $1 AND target = $2`, action, string(link.ID)).Scan(&n)
			}))
			if n != 1 {
				t.Errorf("%s is in the audit %d times", action, n)
			}
		}
	})
}

// TestViewsAreCountedExactly checks the counts for concurrent views, and that a revoked
// link's views are dropped.
func TestViewsAreCountedExactly(t *testing.T) {
	t.Parallel()
	eachEnv(t, func(t *testing.T, h *env) {
		first, second := h.mint(sharing.Scope{}), h.mint(sharing.Scope{ShowAmounts: true})
		gone := h.mint(sharing.Scope{})
		var all sync.WaitGroup
		for i := range 40 {
			token := first.Token
			if i%4 == 0 {
				token = second.Token
			}
			all.Go(func() {
				if _, err := h.Sharing.Open(t.Context(), token); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		_, err := h.Sharing.Open(t.Context(), gone.Token)
		must(t, err)
		must(t, h.Sharing.Revoke(t.Context(), h.by, gone.ID, nil))
		must(t, h.Sharing.Close(t.Context())) // a list on a busy machine does not wait for the views
		if got := h.storedViews(); got != "[10 30]" {
			t.Errorf("the views are %s", got)
		}
		h.checkNotFound("a guess", strings.Repeat("A", 43))
		must(t, h.Sharing.Close(t.Context()))
		if got := h.storedViews(); got != "[10 30]" {
			t.Errorf("after a guess the views are %s", got)
		}
	})
}

// TestFlushesWaitForEachOther: while views are being written, a list or the end of the
// server waits for them, as long as it may.
func TestFlushesWaitForEachOther(t *testing.T) {
	t.Parallel()
	eachEnv(t, func(t *testing.T, h *env) {
		link := h.mint(sharing.Scope{})
		_, err := h.Sharing.Open(t.Context(), link.Token)
		must(t, err)
		release := h.Sharing.HoldViews()
		brief, end := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer end()
		if h.Sharing.Close(brief) == nil {
			t.Error("Close returned before the views were stored")
		}
		release()
		must(t, h.Sharing.Close(t.Context()))
		if got := newEnv(t, h.DB, "k").countViews(h); got != 1 {
			t.Errorf("%d views are stored, want 1", got)
		}
	})
}

// TestViewsSurviveAFailure: what could not be written is written later.
func TestViewsSurviveAFailure(t *testing.T) {
	t.Parallel()
	eachEnv(t, func(t *testing.T, h *env) {
		link := h.mint(sharing.Scope{})
		for range 3 {
			_, err := h.Sharing.Open(t.Context(), link.Token)
			must(t, err)
		}
		ended, end := context.WithCancel(t.Context())
		end()
		if err := h.Sharing.Close(ended); err == nil {
			t.Error("views were written without time")
		}
		_, err := h.Sharing.Open(t.Context(), link.Token)
		must(t, err)
		must(t, h.Sharing.Close(t.Context()))
		must(t, h.Sharing.Close(t.Context())) // there is nothing left
		if got := newEnv(t, h.DB, "k").countViews(h); got != 4 {
			t.Errorf("%d views were written, want 4", got)
		}
	})
}

// countViews returns the view count for the only link of another server's user.
func (h *env) countViews(of *env) int64 {
	h.t.Helper()
	links, err := h.Sharing.Links(h.t.Context(), of.by.UserID)
	must(h.t, err)
	return links[0].Views
}
