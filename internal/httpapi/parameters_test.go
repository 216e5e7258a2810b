package httpapi_test

import (
	"net/http"
	"testing"
)

func TestParameterSpellings(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		for _, path := range []string{
			"/trades?limit=1", "/trades?limit=%2B1000", "/trades?limit=", "/trades?reviewed=TRUE", "/trades?reviewed=0", "/trades?reviewed=",
			"/trades?status=&side=&date_basis=&sort=&order=", "/trades?sort=r_multiple&order=desc", "/trades?from=2026-01-01t00:00:00%2B01:00",
			"/analytics/montecarlo?ruin_pct=1e1", "/analytics/montecarlo?ruin_pct=100&paths=100&trades=1", "/analytics/calendar?week_start=0",
			"/analytics/equity-curve?max_points=8", "/analytics/summary?tz=nowhere", "/exports?format=&rows=", "/routines?day=", "/routines/history?to=2026-01-31",
		} {
			d.get(path).want(http.StatusOK)
		}
		// An empty value in a list does not hide the others.
		d.fill("AAPL", "buy 1@10", 0)
		other := d.addAccount("Other")
		for path, want := range map[string]int{"": 1, "?account_id=": 1, "?account_id=&account_id=" + other.account: 0, "?account_id=," + d.account: 1} {
			if got := d.get("/executions" + path).want(http.StatusOK).count(""); got != want {
				w.t.Errorf("%q lists %d fills, want %d", path, got, want)
			}
		}
	})
}

// TestParameterErrors checks that an error names the parameter and its valid values.
func TestParameterErrors(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		const instant = " must be a date and time with an offset, such as 2026-01-31T14:30:00Z."
		const day = " must be a calendar day such as 2026-01-31."
		for _, c := range []struct{ path, field, message string }{
			{"/trades?limit=0", "limit", " must be a whole number from 1 to 1000."},
			{"/admin/audit?limit=1e2", "limit", " must be a whole number from 1 to 1000."},
			{"/analytics/drawdowns?limit=1001", "limit", " must be a whole number from 1 to 1000."},
			{"/analytics/equity-curve?max_points=7", "max_points", " must be a whole number from 8 to 20000."},
			{"/analytics/insights?limit=11", "limit", " must be a whole number from 1 to 10."},
			{"/analytics/montecarlo?paths=99", "paths", " must be a whole number from 100 to 5000."},
			{"/analytics/montecarlo?trades=0", "trades", " must be a whole number from 1 to 2000."},
			{"/analytics/montecarlo?ruin_pct=0", "ruin_pct", " must be a number above 0 and up to 100."},
			{"/analytics/montecarlo?ruin_pct=x", "ruin_pct", " must be a number above 0 and up to 100."},
			{"/analytics/calendar?year=1969", "year", " must be a whole number from 1970 to 2199."},
			{"/analytics/calendar?week_start=7", "week_start", " must be a whole number from 0 to 6."},
			{"/trades?reviewed=yes", "reviewed", " must be true or false."},
			{"/analytics/breakdown?by=side&evidence=2", "evidence", " must be true or false."},
			{"/trades?status=shut", "status", " must be open or closed."},
			{"/trades?side=LONG", "side", " must be long or short."},
			{"/trades?date_basis=opened", "date_basis", " must be close or open."},
			{"/trades?sort=symbol&order=up", "order", " must be asc or desc."},
			{"/analytics/daily?pnl_basis=paper", "pnl_basis", " must be closed or realized."},
			{"/exports?format=pdf", "format", " must be json, csv, xlsx, zip or history."},
			{"/exports?format=csv&rows=fills", "rows", " must be trades, executions or realized-gains."},
			{"/trades?from=2026-01-01", "from", instant},
			{"/analytics/compare?other_to=now", "other_to", instant},
			{"/routines?day=today", "day", day},
			{"/routines/day/2026-02-30", "day", day},
			{"/routines/history?from=2026-1-1", "from", day},
		} {
			got := d.get(c.path).wantError(http.StatusBadRequest, "bad_request").wantField(c.field).wantShape()
			if message := got.text("error.message"); message != c.field+c.message {
				t.Errorf("%s: message %q, want %q", c.path, message, c.field+c.message)
			}
		}
		const dimensions = "by must be one of symbol, root, setup, tag, mistake, side, instrument, weekday, hour, month, session, hold_time, size, grade, account, mae_r, mfe_r, exit_efficiency, atr_pct, gap_pct, relative_volume, opening_range, trading_rule, strategy_kind, dte_at_open, legs, ended_by, credit_debit, defined_risk."
		for _, query := range []string{"", "?by=", "?by=sector"} {
			got := d.get("/analytics/breakdown"+query).wantError(http.StatusBadRequest, "bad_request").wantField("by")
			if message := got.text("error.message"); message != dimensions {
				t.Errorf("%s: message %q, want %q", query, message, dimensions)
			}
		}
	})
}

// TestParametersOfOtherCalls checks that another call's filter is refused, so an answer
// is never mistaken for a filtered one. Names unknown to every call are ignored.
func TestParametersOfOtherCalls(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		for path, field := range map[string]string{
			"/executions?symbol=ES": "symbol", "/notes?tag_id=x": "tag_id", "/imports?account_id=x": "account_id", "/tags?q=late": "q",
			"/trades?by=side": "by", "/analytics/summary?max_points=8": "max_points", "/accounts?from=": "from",
		} {
			got := d.get(path).wantError(http.StatusBadRequest, "bad_request").wantField(field)
			if message, want := got.text("error.message"), "This call has no parameter "+field+"."; message != want {
				t.Errorf("%s: message %q, want %q", path, message, want)
			}
		}
		for _, path := range []string{"/executions?tz=UTC", "/symbols?limit=5", "/routines?cursor=x", "/trades?symbol=ES&tz=UTC", "/executions?unknown=1"} {
			d.get(path).want(http.StatusOK)
		}
	})
}
