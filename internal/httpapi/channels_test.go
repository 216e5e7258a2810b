package httpapi_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/outbound"
	"fillbook/internal/testkit"
)

// received is a request that a receiver got.
type received struct {
	path   string
	header http.Header
	body   string
}

// receiver is a server on this machine that receives deliveries.
type receiver struct {
	*httptest.Server

	mu     sync.Mutex
	got    []received
	status int
	header map[string]string
	text   string
}

// newReceiver starts a receiver and returns the settings that let channels reach it.
func newReceiver(t *testing.T) (*receiver, func(*settle)) {
	t.Helper()
	r := &receiver{status: http.StatusOK}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.got = append(r.got, received{request.URL.RequestURI(), request.Header, string(body)})
		for name, value := range r.header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(r.status)
		_, _ = io.WriteString(w, r.text)
	}))
	t.Cleanup(r.Close)
	private, err := outbound.ParsePrivate([]string{strings.TrimPrefix(r.URL, "http://")})
	if err != nil {
		t.Fatal(err)
	}
	return r, func(s *settle) {
		unknown := func(context.Context, string, string) ([]netip.Addr, error) { return nil, errors.New("no such host") }
		s.outbound = outbound.New(outbound.Options{Enabled: true, Private: private, Lookup: unknown})
	}
}

// eachReceiver runs a test on each engine, with a receiver that channels can reach.
func eachReceiver(t *testing.T, fn func(t *testing.T, w *world, r *receiver)) {
	t.Helper()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		r, on := newReceiver(t)
		fn(t, newWorld(t, d, on), r)
	})
}

func (r *receiver) answer(status int, header map[string]string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status, r.header = status, header
}

// answerText sets the status and the body of the answers.
func (r *receiver) answerText(status int, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status, r.text = status, text
}

// take returns what was received since the last call.
func (r *receiver) take() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	got := r.got
	r.got = nil
	return got
}

// deliver runs the jobs that are due.
func (w *world) deliver() {
	w.t.Helper()
	if err := w.services.Jobs.RunDue(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// wantSigned checks the signatures of a delivery, one for each secret.
func (r received) wantSigned(t *testing.T, secrets ...string) {
	t.Helper()
	var want []string
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil {
			t.Fatal(err)
		}
		mac := hmac.New(sha256.New, key)
		_, _ = io.WriteString(mac, r.header.Get("webhook-id")+"."+r.header.Get("webhook-timestamp")+"."+r.body)
		want = append(want, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	if got := r.header.Get("webhook-signature"); got != strings.Join(want, " ") {
		t.Errorf("the signature is %s, want %s", got, want)
	}
}

// event returns the type and the data of a delivery.
func (r received) event(t *testing.T) (kind string, data map[string]any) {
	t.Helper()
	var body struct {
		Type string         `json:"type"`
		Data map[string]any `json:"data"`
	}
	if err := json.Unmarshal([]byte(r.body), &body); err != nil {
		t.Fatal(err)
	}
	return body.Type, body.Data
}

func TestWebhookReceivesEvents(t *testing.T) {
	t.Parallel()
	eachReceiver(t, func(t *testing.T, w *world, r *receiver) {
		r.take()
		r.answer(http.StatusOK, nil)
		d := w.trader()
		made := d.made("/channels", more{"kind": "webhook", "name": "Mine", "url": r.URL + "/hook?key=canary-url"})
		secret, path := made.text("secret"), "/channels/"+made.text("id")
		thin := d.made("/channels", more{"kind": "webhook", "url": r.URL + "/figures", "with_figures": true, "events": []string{"trade.closed"}})
		if !strings.HasPrefix(secret, "whsec_") || thin.text("secret") == secret {
			t.Errorf("the secrets are %s and %s", secret, thin.text("secret"))
		}
		for _, answer := range []*reply{d.get("/channels"), d.get(path), d.get("/exports?format=json"), d.get("/history?limit=50")} {
			if text := string(answer.body); strings.Contains(text, secret) || strings.Contains(text, "canary-url") {
				t.Errorf("an answer has the secret or the address: %s", text)
			}
		}

		d.roundTrip("AAPL")
		d.made("/notes", more{"body": "canary-note"})
		w.deliver()
		types := map[string]int{}
		last := map[string]float64{}
		for _, got := range r.take() {
			kind, data := got.event(t)
			types[got.path+" "+kind]++
			if strings.Contains(got.body, "canary-note") {
				t.Errorf("a delivery has the text of a note: %s", got.body)
			}
			if got.path == "/figures" {
				if data["symbol"] != "AAPL" || data["net"] == nil {
					t.Errorf("with figures: %s", got.body)
				}
				continue
			}
			got.wantSigned(t, secret)
			account, _ := data["account_id"].(string)
			if n := data["sequence"].(float64); n <= last[account] {
				t.Errorf("sequence %v after %v", n, last[account])
			} else {
				last[account] = n
			}
			if _, has := data["symbol"]; has {
				t.Errorf("a thin event has a symbol: %s", got.body)
			}
		}
		hook := "/hook?key=canary-url "
		if types[hook+"trade.opened"]+types[hook+"trade.closed"] == 0 || types[hook+"trade.closed"] != 1 || types[hook+"note.created"] != 1 || types["/figures trade.closed"] != 1 {
			t.Errorf("received %v", types)
		}
		w.deliver()
		if again := r.take(); len(again) != 0 {
			t.Errorf("sent again: %+v", again)
		}

		d.upload("/imports/commit", twoFills).want(http.StatusOK)
		w.deliver()
		if got := r.take(); len(got) != 1 {
			t.Errorf("an import sent %d events", len(got))
		} else if kind, data := got[0].event(t); kind != "import.committed" || data["import_batch_id"] == nil {
			t.Errorf("an import sent %s", got[0].body)
		}
	})
}

// TestWebhookIsRepeated: failures are repeated by the schedule, with the same id and body; 429
// says when; 410 switches the channel off.
func TestWebhookIsRepeated(t *testing.T) {
	t.Parallel()
	eachReceiver(t, func(t *testing.T, w *world, r *receiver) {
		r.take()
		d := w.trader()
		other := w.addUser(d.client, "other@example.org")
		other = w.as(other.post("/access-tokens", more{"name": "test", "scope": "full"}).want(http.StatusCreated).text("token"))
		d.client = w.as(d.made("/access-tokens", more{"name": "test", "scope": "full"}).text("token")) // the clock moves beyond a session
		path := "/channels/" + d.made("/channels", more{"kind": "webhook", "url": r.URL, "events": []string{"note.created"}}).text("id")
		r.answer(http.StatusInternalServerError, nil)
		d.made("/notes", more{"body": "x"})
		w.deliver()
		first := r.take()
		if len(first) != 1 {
			t.Fatalf("%d attempts", len(first))
		}
		d.get(path+"/deliveries").is("0.state", `"pending"`).is("0.attempts", `1`).is("0.last_status", `500`).is("0.last_error", `"HTTP 500"`)
		r.answer(http.StatusFound, map[string]string{"Location": r.URL + "/elsewhere"})
		w.clock.Advance(6 * time.Second)
		w.deliver()
		second := r.take()
		if len(second) != 1 || second[0].path != "/" || second[0].body != first[0].body ||
			second[0].header.Get("webhook-id") != first[0].header.Get("webhook-id") ||
			second[0].header.Get("webhook-timestamp") == first[0].header.Get("webhook-timestamp") {
			t.Errorf("the second attempt is %+v", second)
		}
		r.answer(http.StatusTooManyRequests, map[string]string{"Retry-After": "3600"})
		w.clock.Advance(6 * time.Minute)
		w.deliver()
		r.answer(http.StatusOK, nil)
		w.clock.Advance(59 * time.Minute)
		w.deliver()
		if got := r.take(); len(got) != 1 {
			t.Errorf("%d attempts before the end of Retry-After", len(got))
		}
		w.clock.Advance(time.Minute)
		w.deliver()
		if got := r.take(); len(got) != 1 {
			t.Errorf("%d attempts after Retry-After", len(got))
		}
		delivered := d.get(path+"/deliveries").is("0.state", `"delivered"`).is("0.attempts", `4`)
		d.post("/deliveries/"+delivered.text("0.id")+"/replay", nil).want(http.StatusAccepted)
		w.deliver()
		if got := r.take(); len(got) != 1 || got[0].body != first[0].body || got[0].header.Get("webhook-id") != first[0].header.Get("webhook-id") {
			t.Errorf("the replay is %+v", got)
		}
		r.answer(http.StatusGone, nil)
		d.made("/notes", more{"body": "y"})
		w.deliver()
		d.get(path).is("enabled", `false`)
		d.get(path+"/deliveries").is("0.state", `"failed"`)
		d.patch(path, more{"enabled": true}).want(http.StatusOK).is("enabled", `true`).is("message", `""`)
		other.get(path).wantError(http.StatusNotFound, "not_found")
		other.post("/deliveries/"+delivered.text("0.id")+"/replay", nil).wantError(http.StatusNotFound, "not_found")
	})
}

func TestChannelTestAndRotation(t *testing.T) {
	t.Parallel()
	eachReceiver(t, func(t *testing.T, w *world, r *receiver) {
		r.take()
		r.answer(http.StatusNoContent, nil)
		d := w.trader()
		d.client = w.as(d.made("/access-tokens", more{"name": "test", "scope": "full"}).text("token")) // the clock moves beyond a session
		made := d.made("/channels", more{"kind": "webhook", "url": r.URL})
		path, old := "/channels/"+made.text("id"), made.text("secret")
		d.post(path+"/test", nil).want(http.StatusOK).is("ok", `true`).is("status", `204`)
		renewed := d.post(path+"/secret", nil).want(http.StatusOK).text("secret")
		d.post(path+"/test", nil).want(http.StatusOK)
		w.clock.Advance(24 * time.Hour)
		d.post(path+"/test", nil).want(http.StatusOK)
		got := r.take()
		if len(got) != 3 {
			t.Fatalf("%d tests", len(got))
		}
		got[0].wantSigned(t, old)
		got[1].wantSigned(t, renewed, old)
		got[2].wantSigned(t, renewed)
		if kind, _ := got[0].event(t); kind != "webhook.test" {
			t.Errorf("the test is %s", got[0].body)
		}
		r.answer(http.StatusNotFound, nil)
		d.post(path+"/test", nil).want(http.StatusOK).is("ok", `false`).is("status", `404`).is("error", `"HTTP 404"`)
		for field, body := range map[string]more{
			"url": {"kind": "webhook", "url": "https://127.0.0.1/"}, "kind": {"kind": "fax"}, "topic": {"kind": "ntfy", "url": r.URL},
			"secret": {"kind": "webhook", "url": r.URL, "secret": "whsec_AAAA"}, "address": {"kind": "webhook", "url": r.URL, "address": "a@example.org"},
			"events":      {"kind": "webhook", "url": r.URL, "events": []string{"x"}},
			"account_ids": {"kind": "webhook", "url": r.URL, "account_ids": []string{"x"}},
		} {
			d.post("/channels", body).wantField(field)
		}
		d.post("/channels", more{"kind": "email", "address": "a@example.org"}).wantField("kind")
		for _, address := range []string{"http://example.org/hook", "http://8.8.8.8/"} {
			d.post("/channels", more{"kind": "webhook", "url": address}).wantField("url")
			d.patch(path, more{"url": address}).wantField("url")
		}
	})
}

// TestKindsOfChannels has what each service receives.
func TestKindsOfChannels(t *testing.T) {
	t.Parallel()
	eachReceiver(t, func(t *testing.T, w *world, r *receiver) {
		d := w.trader()
		for _, c := range []struct {
			body               more
			path, header, want string
		}{
			{more{"kind": "ntfy", "topic": "mine", "token": "tk_1"}, "/", "Authorization: Bearer tk_1", `"topic":"mine"`},
			{more{"kind": "gotify", "token": "app"}, "/message", "X-Gotify-Key: app", `"message":"Test from Fillbook"`},
			{more{"kind": "discord"}, "/?wait=true", "", `"allowed_mentions":{"parse":[]}`},
			{more{"kind": "slack"}, "/", "", `{"text":"Test from Fillbook`},
		} {
			r.take()
			r.answer(http.StatusOK, nil)
			c.body["url"] = r.URL
			path := "/channels/" + d.made("/channels", c.body).is("secret", `null`).text("id")
			d.post(path+"/test", nil).want(http.StatusOK).is("ok", `true`)
			got := r.take()
			name, value, _ := strings.Cut(c.header, ": ")
			if len(got) != 1 || got[0].path != c.path || !strings.Contains(got[0].body, c.want) || got[0].header.Get(name) != value {
				t.Errorf("%v received %+v", c.body["kind"], got)
			}
			r.answer(http.StatusUnauthorized, nil)
			d.post(path+"/test", nil).want(http.StatusOK).is("ok", `false`).is("status", `401`)
		}
	})
}

func TestChannelsNeedOutbound(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.post("/channels", more{"kind": "webhook", "url": "https://example.org"}).wantError(http.StatusConflict, "outbound_disabled")
		d.post("/channels/unknown/test", nil).wantError(http.StatusConflict, "outbound_disabled")
		d.get("/channels").is("", `[]`)
		d.get("/channels/kinds").is("0.kind", `"webhook"`).is("0.available", `false`)
	})
}

// TestDeletedRecordsStayNamed: settings and channels that name a deleted channel or account
// can be sent back as they were read, and an undo makes the names valid again.
func TestDeletedRecordsStayNamed(t *testing.T) {
	t.Parallel()
	eachReceiver(t, func(_ *testing.T, w *world, r *receiver) {
		d := w.trader()
		extra := d.made("/accounts", more{"name": "Extra", "base_currency": "USD"}).text("id")
		newChannel := func() string {
			return d.made("/channels", more{"kind": "webhook", "url": r.URL, "account_ids": []string{extra}}).text("id")
		}
		gone, stays := newChannel(), newChannel()
		settings := more{"kinds": more{"rule_broken": more{"channels": []string{gone}}}}
		d.put("/alert-settings", settings).want(http.StatusOK)
		d.delete("/channels/" + gone).want(http.StatusNoContent)
		d.put("/alert-settings", settings).want(http.StatusOK).is("kinds.rule_broken.channels", `["`+gone+`"]`)
		d.put("/alert-settings", more{"kinds": more{"rule_broken": more{"channels": []string{gone, stays}}}}).want(http.StatusOK)
		d.put("/alert-settings", more{"kinds": more{"daily_loss": more{"channels": []string{gone}}}}).wantField("kinds")
		d.delete("/accounts/" + extra).want(http.StatusNoContent)
		d.patch("/channels/"+stays, more{"name": "Mine", "account_ids": []string{extra, d.account}}).want(http.StatusOK).is("name", `"Mine"`)
		d.patch("/channels/"+stays, more{"account_ids": []string{unknown()}}).wantField("account_ids")
	})
}
