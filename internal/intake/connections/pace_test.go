package connections_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"fillbook/internal/base/journal"
	"fillbook/internal/base/outbound"
	"fillbook/internal/installation"
	"fillbook/internal/intake/connections"
	"fillbook/internal/intake/connector"
	"fillbook/internal/people/identity"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
)

// TestWaitingRunsHoldNoWorker lets two users have two runs each, waiting for a provider
// with a limit of one request a minute. A third user's run at another provider goes on.
func TestWaitingRunsHoldNoWorker(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		server := httptest.NewServer(http.HandlerFunc(f.serve))
		f.Cleanup(server.Close)
		to, err := url.Parse(server.URL)
		f.must(err)
		f.options.Outbound = outbound.New(outbound.Options{Enabled: true, Endpoints: outbound.Endpoints{"acme": to, "slow": to}})
		f.options.Connectors = append(f.options.Connectors, acme{func(d *connector.Description) { d.Name, d.RequestsPerMinute = "slow", 1 }})
		f.Installation, err = installation.New(f.options)
		f.must(err)

		ctx, stop := context.WithCancel(f.Context())
		defer stop()
		atSlow, atAcme := 0, 0
		f.answer = func(w http.ResponseWriter, r *http.Request) bool {
			if r.Header.Get("X-Key") == "slow key" {
				atSlow++
				_, _ = w.Write([]byte(`{"account": "S1"}`))
				return true
			}
			if atAcme++; r.URL.Path == "/fills" {
				stop()
			}
			return false
		}
		connect := func(provider, key string) {
			owner, _ := testkit.NewUser(f.T, f.options.DB)
			by := connections.Actor{Principal: identity.Principal{UserID: owner}}
			for _, name := range []string{"A", "B"} {
				account, err := f.Ledger.CreateAccount(ctx, owner, ledger.NewAccount{Name: name, BaseCurrency: "USD"})
				f.must(err)
				_, err = f.Connections.Create(ctx, by, connections.Change{
					Provider: journal.Some(provider), Account: journal.Some(account.ID), Credentials: journal.Some(map[string]string{"key": key}),
				}, false)
				f.must(err)
			}
		}
		connect("slow", "slow key")
		connect("slow", "slow key")
		f.clock.Advance(time.Second) // due after the others
		connect("acme", f.key)
		f.Jobs.Run(ctx)
		if atSlow != 1 || atAcme == 0 {
			f.Errorf("%d requests reached the slow provider, %d the other one", atSlow, atAcme)
		}
	})
}
