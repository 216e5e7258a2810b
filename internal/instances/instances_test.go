package instances_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"golang.org/x/sync/errgroup"

	"fillbook/internal/base/db"
	"fillbook/internal/testkit"
)

// TestInstances runs three servers on one database without a schema. All of them migrate
// it at once; after that it makes no difference which one answers.
func TestInstances(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock()
	url := testkit.Empty(t, db.PostgreSQL).URL
	f := newFleet(t, url, clock.Now)
	t.Run("one effect a key", func(t *testing.T) { f.of(t).idempotency() })
	t.Run("figures are never stale", func(t *testing.T) { f.of(t).figures() })
	t.Run("a revoked token is refused at once", func(t *testing.T) { f.of(t).revocation() })
	t.Run("files", func(t *testing.T) { f.of(t).attachments() })
	t.Run("views add up", func(t *testing.T) { f.of(t).views() })
	t.Run("sweeps side by side", func(t *testing.T) { f.of(t).sweeps(clock) })
	t.Run("each alert once", func(t *testing.T) { f.of(t).alerts(clock) })
	t.Run("second factor", func(t *testing.T) { f.of(t).secondFactor(clock, url) })
}

// of is the same fleet for a part of the test.
func (f *fleet) of(t *testing.T) *fleet {
	part := &fleet{t: t, token: f.token, account: f.account}
	for _, s := range f.servers {
		mine := *s
		mine.t = t
		part.servers = append(part.servers, &mine)
	}
	return part
}

func (f *fleet) idempotency() {
	f.t.Helper()
	for round := range 5 {
		key := fmt.Sprintf("key-%d", round)
		answers := f.atOnce(func(s *server) (reply, error) {
			return s.call("POST", "/notes", f.token, map[string]any{"body": key, "occurred_at": "2026-03-02"}, "Idempotency-Key", key)
		})
		for _, answer := range answers {
			if answer.status != http.StatusCreated || !bytes.Equal(answer.body, answers[0].body) {
				f.t.Errorf("one answers %d %s, another %d %s", answers[0].status, answers[0].body, answer.status, answer.body)
			}
		}
	}
	if n := len(f.next().must("GET", "/notes", f.token, nil, http.StatusOK).list()); n != 5 {
		f.t.Errorf("five keys made %d notes", n)
	}
}

// figures writes by way of one instance and reads by way of the others, whose
// caches are warm.
func (f *fleet) figures() {
	f.t.Helper()
	for i := range 12 {
		side := []string{"buy", "sell"}[i%2]
		f.next().must("POST", "/executions", f.token, map[string]any{
			"account_id": f.account, "symbol": "AAPL", "side": side, "quantity": 1, "price": 10 + i,
			"executed_at": time.Date(2026, 3, 2, 10, i, 0, 0, time.UTC).Format(time.RFC3339),
		}, http.StatusCreated)
		for _, s := range f.servers {
			got := s.must("GET", "/analytics/summary", f.token, nil, http.StatusOK)
			if got.value("total_trades") != float64((i+1)/2) || got.value("net_pnl") != float64((i+1)/2) {
				f.t.Fatalf("after %d fills an instance answers %s", i+1, got.body)
			}
		}
	}
}

func (f *fleet) revocation() {
	f.t.Helper()
	made := f.next().must("POST", "/access-tokens", f.token, map[string]any{"name": "cron"}, http.StatusCreated)
	for _, s := range f.servers {
		s.must("GET", "/me", made.text("token"), nil, http.StatusOK)
	}
	f.next().must("DELETE", "/access-tokens/"+made.text("id"), f.token, nil, http.StatusNoContent)
	for _, s := range f.servers {
		s.must("GET", "/me", made.text("token"), nil, http.StatusUnauthorized)
	}
}

// attachments are rows of the database, so every instance has them.
func (f *fleet) attachments() {
	f.t.Helper()
	note := f.next().must("POST", "/notes", f.token, map[string]any{"body": "with a picture", "occurred_at": "2026-03-02"}, http.StatusCreated)
	content := append([]byte("%PDF-1.4\n"), bytes.Repeat([]byte("x"), 5000)...)
	content = append(content, []byte("\n%%EOF\n")...)
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	in, err := form.CreateFormFile("file", "page.pdf")
	if err != nil {
		f.t.Fatal(err)
	}
	_, _ = in.Write(content)
	_ = form.Close()
	request, err := http.NewRequestWithContext(f.t.Context(), http.MethodPost, f.next().address+"/api/v1/notes/"+note.text("id")+"/attachments", &body)
	if err != nil {
		f.t.Fatal(err)
	}
	request.Header.Set("Content-Type", form.FormDataContentType())
	request.Header.Set("Authorization", "Bearer "+f.token)
	made, err := send(request)
	if err != nil || made.status != http.StatusCreated {
		f.t.Fatalf("attaching: %d %v %s", made.status, err, made.body)
	}
	for _, s := range f.servers {
		got := s.must("GET", "/attachments/"+made.text("id"), f.token, nil, http.StatusOK)
		if !bytes.Equal(got.body, content) {
			f.t.Errorf("an instance answers %d bytes", len(got.body))
		}
	}
}

func (f *fleet) views() {
	f.t.Helper()
	link := f.next().must("POST", "/share-links", f.token, map[string]any{"account_id": f.account}, http.StatusCreated)
	const each = 4
	for range each {
		f.atOnce(func(s *server) (reply, error) {
			return s.must("GET", "/public/share/"+link.text("token"), "", nil, http.StatusOK), nil
		})
	}
	for _, s := range f.servers {
		s.must("GET", "/share-links", f.token, nil, http.StatusOK) // each writes down its own
	}
	// Each list writes the views of its server, or waits for half a second.
	var n any
	for range 120 {
		got := f.next().must("GET", "/share-links", f.token, nil, http.StatusOK).list()
		if n = got[0]["view_count"]; n == float64(each*len(f.servers)) {
			return
		}
	}
	f.t.Errorf("%v views are counted, %d came", n, each*len(f.servers))
}

// sweeps lets all instances forget at the same moment, with something to
// forget, while they are written to.
func (f *fleet) sweeps(clock *testkit.Clock) {
	f.t.Helper()
	clock.Advance(2 * time.Minute)
	var group errgroup.Group
	for i, s := range f.servers {
		group.Go(func() error {
			for n := range 5 {
				if err := s.services.Sweep(f.t.Context()); err != nil {
					return err
				}
				if err := s.api.Sweep(f.t.Context()); err != nil {
					return err
				}
				key := fmt.Sprintf("swept-%d-%d", i, n)
				s.must("POST", "/tags", f.token, map[string]any{"name": key}, http.StatusCreated, "Idempotency-Key", key)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		f.t.Fatal(err)
	}
	if n := len(f.next().must("GET", "/tags", f.token, nil, http.StatusOK).list()); n != 5*len(f.servers) {
		f.t.Errorf("%d tags are there", n)
	}
}

// alerts lets all instances evaluate the same journal at the same moment, again after its
// leases: an alert is stored once.
func (f *fleet) alerts(clock *testkit.Clock) {
	f.t.Helper()
	f.next().must("POST", "/trading-rules", f.token, map[string]any{
		"kind": "max_daily_loss", "params": map[string]any{"amount": 100}, "valid_from": "2020-01-01",
	}, http.StatusCreated)
	for round := range 3 {
		for i, side := range []string{"buy", "sell"} {
			f.next().must("POST", "/executions", f.token, map[string]any{
				"account_id": f.account, "symbol": fmt.Sprint("LOSS", round), "side": side, "quantity": 1, "price": 1000 - i*60,
				"executed_at": clock.Now().Add(time.Duration(i-2) * time.Second).Format(time.RFC3339),
			}, http.StatusCreated)
		}
		var group errgroup.Group
		for _, s := range f.servers {
			group.Go(func() error { return s.services.Alerts.RunDue(f.t.Context()) })
		}
		if err := group.Wait(); err != nil {
			f.t.Fatal(err)
		}
		clock.Advance(time.Minute)
	}
	levels := map[string]int{}
	for _, alert := range f.next().must("GET", "/alerts", f.token, nil, http.StatusOK).list() {
		if alert["kind"] == "daily_loss" {
			levels[fmt.Sprint(alert["level"])]++
		}
	}
	if fmt.Sprint(levels) != fmt.Sprint(map[string]int{"50": 1, "100": 1}) {
		f.t.Errorf("three losses of 60%% fired %v", levels)
	}
}

// secondFactor uses a code once over all instances, and the budget for wrong codes as
// well, which no restart fills again.
func (f *fleet) secondFactor(clock *testkit.Clock, url string) {
	f.t.Helper()
	secret := f.next().must("POST", "/me/totp/start", f.token, nil, http.StatusOK).text("secret")
	code := func() string {
		text, err := totp.GenerateCode(secret, clock.Now())
		if err != nil {
			f.t.Fatal(err)
		}
		return text
	}
	f.next().must("POST", "/me/totp/confirm", f.token, map[string]any{"secret": secret, "code": code()}, http.StatusNoContent)
	login := func(s *server, code string) (reply, error) {
		return s.call("POST", "/auth/login", "", map[string]any{"email": "ann@example.org", "password": password, "totp_code": code})
	}
	clock.Advance(time.Minute)
	admitted := 0
	for _, answer := range f.atOnce(func(s *server) (reply, error) { return login(s, code()) }) {
		if answer.status == http.StatusOK {
			admitted++
		}
	}
	if admitted != 1 {
		f.t.Errorf("one code opened %d sessions", admitted)
	}
	clock.Advance(time.Minute)
	refused := 0
	for ; refused < 50; refused++ {
		answer, err := login(f.next(), "000000")
		if err != nil {
			f.t.Fatal(err)
		}
		if answer.status == http.StatusTooManyRequests {
			break
		}
	}
	if refused > 10 {
		f.t.Errorf("%d wrong codes were judged", refused)
	}
	fresh, err := newServer(f.t, url, clock.Now)
	if err != nil {
		f.t.Fatal(err)
	}
	for _, s := range append(f.servers, fresh) {
		if answer, err := login(s, code()); err != nil || answer.status != http.StatusTooManyRequests || answer.header.Get("Retry-After") == "" {
			f.t.Errorf("after that a right code is answered with %d %v %s", answer.status, err, answer.body)
		}
	}
	clock.Advance(time.Hour)
	if answer, err := login(fresh, code()); err != nil || answer.status != http.StatusOK {
		f.t.Errorf("an hour later a right code is answered with %d %v %s", answer.status, err, answer.body)
	}
}
