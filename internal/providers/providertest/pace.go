package providertest

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"fillbook/internal/base/outbound"
)

// Meter refuses requests like a broker that counts their weights.
type Meter struct {
	// PerMinute are the documented limits, by the bucket's name.
	PerMinute map[string]int
	// Weights are the documented weights, by path and bucket. The test fails for a path
	// that is not listed.
	Weights map[string]map[string]int
	// Refuse is the answer to a request beyond a limit.
	Refuse http.HandlerFunc

	sent []weighed
	// Refused counts the refused requests.
	Refused int
}

type weighed struct {
	at      time.Time
	weights map[string]int
}

// Limit returns a handler that refuses requests beyond the limits in any minute.
func (m *Meter) Limit(t testing.TB, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		weights, isKnown := m.Weights[r.URL.Path]
		if !isKnown {
			t.Errorf("%s has no documented weight", r.URL.Path)
		}
		now := time.Now() //nolint:forbidigo // the fake clock of the test
		m.sent = append(m.sent, weighed{now, weights})
		for bucket, limit := range m.PerMinute {
			sum := 0
			for _, s := range m.sent {
				if now.Sub(s.at) < time.Minute {
					sum += s.weights[bucket]
				}
			}
			if sum > limit {
				m.Refused++
				m.Refuse(w, r)
				return
			}
		}
		next(w, r)
	}
}

// pacedDoer calls a handler at a connector's pace.
type pacedDoer struct {
	handler http.HandlerFunc
	pacer   *outbound.Pacer
}

// Do implements remote.Doer.
func (d pacedDoer) Do(request *http.Request) (*http.Response, error) {
	if err := d.pacer.Wait(request); err != nil {
		return nil, err
	}
	recorder := httptest.NewRecorder()
	d.handler(recorder, request)
	return recorder.Result(), nil
}

// TestPace checks the key and fetches the query at the connector's pace, with a fake
// clock, from a server that refuses what its limits do not allow. No request may be
// refused. It returns how long it took.
func (c FillCase) TestPace(t *testing.T, meter *Meter) (took time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		session := c.newSession(t, pacedDoer{meter.Limit(t, c.Answer), outbound.NewPacer(c.Connector.Describe().Limits())})
		start := time.Now() //nolint:forbidigo // the fake clock of the test
		if _, err := c.Connector.Check(t.Context(), session); err != nil {
			t.Error(err)
		}
		for _, delivery := range c.fetchCut(t, session, nil) {
			if delivery.Stopped != nil {
				t.Error(delivery.Stopped)
			}
		}
		took = time.Since(start)
	})
	if meter.Refused > 0 {
		t.Errorf("%d of %d requests were refused", meter.Refused, len(meter.sent))
	}
	return took
}
