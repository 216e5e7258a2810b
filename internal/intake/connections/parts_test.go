package connections_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"fillbook/internal/installation"
	"fillbook/internal/intake/connections"
	"fillbook/internal/intake/connector"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
)

// TestOthersWriteDuringLongDeliveries: another user can write while a delivery of many
// rows is being stored. Most of its rows are problems, which takes less time.
func TestOthersWriteDuringLongDeliveries(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		other, _ := testkit.NewUser(f.T, f.options.DB)
		writes := 0
		f.options.BeforeLargeImport = func() func() { // it is called in the transaction
			writes++
			_, err := f.Ledger.CreateAccount(f.Context(), other, ledger.NewAccount{Name: fmt.Sprint(writes), BaseCurrency: "USD"})
			f.must(err)
			return func() {}
		}
		again, err := installation.New(f.options)
		f.must(err)
		f.Installation = again
		since := f.clock.Now().Add(-5 * day)
		f.addFills(2100, since)
		for i := range f.fills {
			f.fills[i].At = since.Add(time.Duration(i) * time.Minute)
		}
		sent := f.fills
		for i := range 18_000 {
			sent = append(sent, record{ID: fmt.Sprint("x", i), Symbol: "AAPL", At: since, Price: 1, Side: "buy"})
		}
		f.answer = func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/fills" {
				_ = json.NewEncoder(w).Encode(map[string]any{"fills": sent})
			}
			return r.URL.Path == "/fills"
		}
		c := f.run(f.connect(connections.Change{}).ID)
		if c.LastRun.Inserted != 2100 || writes == 0 {
			f.Errorf("the run is %+v, with %d other writes", c.LastRun, writes)
		}
		f.wantStored()
	}, func(d *connector.Description) { d.History = 8 * day }) // one window
}
