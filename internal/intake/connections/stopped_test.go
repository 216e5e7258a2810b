package connections_test

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/remote"
	"fillbook/internal/installation"
	"fillbook/internal/intake/connections"
	"fillbook/internal/intake/connector"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
)

// pagedAcme fetches all pages of a window in one delivery.
type pagedAcme struct{ acme }

func (a pagedAcme) Fetch(ctx context.Context, session *remote.Session, query connector.Query) (connector.Delivery, error) {
	rows := connector.NewRows(query, "Acme")
	return rows.Walk(ctx, nil, []connector.Stream{{Name: "fills", Fetch: func(ctx context.Context, after string) (string, error) {
		var page struct {
			Fills []record
			More  bool
		}
		err := a.send(ctx, session, "/fills", map[string]string{
			"from": query.From.Format(time.RFC3339Nano), "to": query.To.Format(time.RFC3339Nano), "after": after,
		}, &page)
		if err != nil {
			return "", err
		}
		for _, f := range page.Fills {
			row, _ := rows.Start(f.ID)
			row.AddFill(statement.Fill{
				ID: f.ID, At: f.At, Side: f.Side, Symbol: f.Symbol, Type: instruments.TypeStock, Quantity: decimal.New(f.Quantity), Price: decimal.New(f.Price),
			}, "USD")
		}
		if !page.More {
			return "", nil
		}
		return page.Fills[len(page.Fills)-1].ID, nil
	}}})
}

// TestStoppedDeliveryIsKept lets the broker refuse the third page of a window. The two
// before it are stored, the window does not count as covered, and the next run goes on with
// the third.
func TestStoppedDeliveryIsKept(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		change := func(d *connector.Description) { d.Window = 0 }
		f.options.Connectors = []connector.Connector{pagedAcme{acme{change}}}
		var err error
		f.Installation, err = installation.New(f.options)
		f.must(err)
		f.addFills(10, f.clock.Now().Add(-40*day))
		pages := 0
		var after []string
		f.answer = func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/fills" {
				return false
			}
			after = append(after, r.URL.Query().Get("after"))
			if pages++; pages != 3 {
				return false
			}
			w.WriteHeader(http.StatusTooManyRequests)
			return true
		}
		c := f.run(f.connect(connections.Change{}).ID)
		f.wantStatus(c, connections.StatusWaiting, "Acme got too many requests. Fillbook tries again later.")
		if stored := f.stored(); len(stored) != 6 || c.CoversTo != nil || c.LastRun.Inserted != 6 {
			f.Errorf("%d fills are stored, covered to %v, run %+v", len(stored), c.CoversTo, c.LastRun)
		}
		c = f.run(c.ID)
		f.wantStatus(c, connections.StatusOK, "")
		f.wantStored()
		if c.CoversTo == nil || c.LastRun.Inserted != 4 {
			f.Errorf("covered to %v, run %+v", c.CoversTo, c.LastRun)
		}
		if want := []string{"", "0003", "0006", "0006", "0009", ""}; !slices.Equal(after, want) {
			f.Errorf("the pages after %q were fetched, want %q: the last is of the time since the first run", after, want)
		}
	})
}
