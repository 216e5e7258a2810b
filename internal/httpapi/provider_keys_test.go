package httpapi_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/outbound"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/providers"
	"fillbook/internal/transport"
)

// providerKey has characters to escape in addresses. The server below breaks the
// connection if a key is brokenKey.
const (
	providerKey = "canary+c4n4ry/5c1e="
	brokenKey   = providerKey + "broken"
)

// repeatRequest refuses a request and repeats its content.
func repeatRequest(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	user, _, _ := r.BasicAuth()
	sent := fmt.Sprint(user, r.URL, r.Header, string(body))
	if strings.Contains(sent, brokenKey) {
		panic(http.ErrAbortHandler)
	}
	text, _ := json.Marshal("refused: " + sent)
	w.WriteHeader(http.StatusUnauthorized)
	_, _ = fmt.Fprintf(w, `{"message":%s,"detail":%s}`, text, text)
}

// keyHolder is a user with trades who enters provider keys, and keeps all answers.
type keyHolder struct {
	trader
	answers strings.Builder
}

func (h *keyHolder) note(r *reply) *reply {
	h.answers.Write(r.body)
	_, _ = fmt.Fprint(&h.answers, r.header)
	return r
}

// contains requires a part in the text at a path.
func (r *reply) contains(path, part string) {
	r.t.Helper()
	if text := r.text(path); !strings.Contains(text, part) {
		r.t.Errorf("%s: %s is %q", r.call, path, text)
	}
}

func (h *keyHolder) runDue() {
	h.w.t.Helper()
	if err := h.w.services.Jobs.RunDue(h.w.t.Context()); err != nil {
		h.w.t.Fatal(err)
	}
}

func (h *keyHolder) trade(symbol, kind string) {
	h.w.t.Helper()
	for i, side := range []string{"buy", "sell"} {
		h.made("/executions", more{
			"account_id": h.account, "symbol": symbol, "instrument_type": kind, "side": side, "quantity": 1, "price": 100,
			"executed_at": h.w.clock.Now().AddDate(0, 0, -5).Add(time.Duration(i) * time.Minute).Format(time.RFC3339),
		})
	}
}

// use enters a provider key in all ways, right and wrong.
func (h *keyHolder) use(provider barsource.Provider) {
	h.w.t.Helper()
	about := provider.Describe()
	right, misplaced := more{}, more{}
	for _, f := range about.Fields {
		if misplaced[f.Name] = []string{providerKey}; f.IsSecret {
			right[f.Name] = providerKey
		}
	}
	if len(right) == 0 {
		return
	}
	body := more{"provider": about.Name, "credentials": right}
	h.note(h.post("/bars/sources", more{"provider": about.Name, "credentials": misplaced})).wantShape()
	path := "/bars/sources/" + h.note(h.keyed(about.Name).post("/bars/sources", body)).want(http.StatusCreated).text("id")
	h.note(h.keyed(about.Name).post("/bars/sources", body)).want(http.StatusCreated) // the stored answer
	h.note(h.post("/bars/sources", body)).want(http.StatusConflict)
	if _, charges := provider.(barsource.Pricer); charges {
		h.note(h.post(path+"/price", nil)).want(http.StatusConflict)
		h.note(h.post(path+"/run?max_price=1", nil)).want(http.StatusAccepted)
	}
	h.runDue()
	h.note(h.get(path)).is("status", `"needs_attention"`).contains("message", "refused: ")
	h.note(h.get(path+"/runs")).is("0.outcome", `"needs_attention"`)
	if about.Name == "alpaca" { // which allows another request at once
		h.note(h.patch(path, more{"credentials": more{"key_id": "PK1", "secret_key": brokenKey}})).want(http.StatusOK)
		h.runDue()
		h.note(h.get(path)).contains("message", "doesn't answer")
	}
}

// TestKeysOfProvidersStayInside checks that no answer, log, metric, export or database
// byte has a provider key.
func TestKeysOfProvidersStayInside(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(repeatRequest))
	t.Cleanup(server.Close)
	to, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	endpoints, metrics := outbound.Endpoints{}, transport.NewMetrics()
	for _, name := range providers.Names() {
		endpoints[name] = to
	}
	eachWorld(t, func(t *testing.T, w *world) {
		h := &keyHolder{trader: w.trader()}
		h.trade("AAPL", "stock")
		h.trade("EURUSD", "forex")
		h.trade("ESH6", "future")
		for _, provider := range providers.Bars() {
			h.use(provider)
		}
		w.settle()
		h.note(h.get("/admin/audit")).want(http.StatusOK)
		counted := httptest.NewRecorder()
		metrics.Handler().ServeHTTP(counted, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		for _, place := range []struct{ name, text, known string }{
			{"an answer", h.answers.String(), "doesn't accept the key"},
			{"the log", w.log.String(), "outbound request failed"},
			{"the database", w.everyByte(), "doesn't accept the key"},
			{"the export", string(h.get("/exports?format=json&bars=true").want(http.StatusOK).body), `"twelvedata"`},
			{"the metrics", counted.Body.String(), "/bars/sources"},
		} {
			if !strings.Contains(place.text, place.known) {
				t.Errorf("%s: the search does not see what is there", place.name)
			}
			for _, form := range []string{
				"c4n4ry", hex.EncodeToString([]byte("c4n4ry")), base64.StdEncoding.EncodeToString([]byte(providerKey + ":")),
			} {
				if at := strings.Index(place.text, form); at >= 0 {
					t.Errorf("%s has the key: %q", place.name, place.text[max(0, at-100):min(len(place.text), at+100)])
				}
			}
		}
	}, func(s *settle) {
		s.api.Metrics = metrics
		s.outbound = outbound.New(outbound.Options{Enabled: true, Endpoints: endpoints, Log: s.api.Log})
	})
}
