package channels

import (
	"strings"
	"testing"
	"time"
)

const (
	vectorSecret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	vectorOld    = "whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8="
	vectorID     = "evt_01JQ8Z5K3V7W2M4N6P8R0S2T4V"
	vectorBodyA  = `{"type":"trade.closed","timestamp":"2026-01-01T00:00:00Z","data":{"id":"0192f0c1-7a4e-7b3c-9d2e-5f6a7b8c9d0e"}}`
	vectorBodyB  = `{"type":"note.created","timestamp":"2026-01-01T00:00:00Z","data":{"title":"Überblick – 5€"}}`
)

// TestStandardWebhooksVectors has the vectors by name; the last one is published with the
// specification's Go library.
func TestStandardWebhooksVectors(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]struct {
		secret, id string
		at         int64
		body, want string
	}{
		"body A":            {vectorSecret, vectorID, 1767225600, vectorBodyA, "v1,xwq5/OVqT5McQ9naU1NZjsUfHpDbg6FUDI/XyQMc/Co="},
		"body A, old":       {vectorOld, vectorID, 1767225600, vectorBodyA, "v1,nolTQvABI2qrWJotfpXNvmn70qcfs0sLjJ683NLJv8U="},
		"body B, not ASCII": {vectorSecret, vectorID, 1767225600, vectorBodyB, "v1,J7JORu6TolN7cxRHMTGDrk6ZO6me4ZfHgArYakkvEJg="},
		"empty body":        {vectorSecret, vectorID, 1767225600, "", "v1,va0McBf4ZP1fsx5Fg+cFPvf4KZ+BQY7jhtO+B9fqu2Q="},
		"published": {
			"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, `{"test": 2432232314}`,
			"v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
		},
	} {
		key, err := parseSecret(v.secret)
		if got := sign(key, v.id, v.at, v.body); err != nil || got != v.want {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}

// TestRotation: both secrets sign for a day, the new one first.
func TestRotation(t *testing.T) {
	t.Parallel()
	at := time.Unix(1767225600, 0)
	values := map[string]string{secretKey: vectorSecret, oldSecretKey: vectorOld, oldUntilKey: at.Add(time.Second).UTC().Format(time.RFC3339)}
	p := &parcel{eventID: vectorID, now: at, body: vectorBodyA}
	if got := signatures(values, p); got != "v1,xwq5/OVqT5McQ9naU1NZjsUfHpDbg6FUDI/XyQMc/Co= v1,nolTQvABI2qrWJotfpXNvmn70qcfs0sLjJ683NLJv8U=" {
		t.Error(got)
	}
	p.now = at.Add(time.Second)
	if got := signatures(values, p); strings.Contains(got, " ") || got == "" {
		t.Errorf("after the day: %q", got)
	}
}

func TestParseSecret(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "whsec_", "whsec_AAEC", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "whsec_!", "whsec_" + strings.Repeat("AAAA", 22)} {
		if _, err := parseSecret(text); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
	if _, err := parseSecret(newSecret()); err != nil {
		t.Error(err)
	}
}

// TestQuietEnd has quiet hours over midnight, within a day, and over a change of the clocks.
func TestQuietEnd(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ from, to, now, want string }{
		{"22:00", "07:00", "2026-03-10T21:59:00+01:00", ""},
		{"22:00", "07:00", "2026-03-10T22:00:00+01:00", "2026-03-11T07:00:00+01:00"},
		{"22:00", "07:00", "2026-03-11T06:59:00+01:00", "2026-03-11T07:00:00+01:00"},
		{"22:00", "07:00", "2026-03-11T07:00:00+01:00", ""},
		{"22:00", "07:00", "2026-03-28T23:00:00+01:00", "2026-03-29T07:00:00+02:00"},
		{"12:00", "13:00", "2026-03-10T12:30:00+01:00", "2026-03-10T13:00:00+01:00"},
		{"12:00", "12:00", "2026-03-10T12:00:00+01:00", ""},
		{"", "", "2026-03-10T12:00:00+01:00", ""},
	} {
		now, err := time.Parse(time.RFC3339, c.now)
		if err != nil {
			t.Fatal(err)
		}
		end := Limits{QuietFrom: c.from, QuietTo: c.to, Zone: berlin}.quietEnd(now)
		want := now
		if c.want != "" {
			if want, err = time.Parse(time.RFC3339, c.want); err != nil {
				t.Fatal(err)
			}
		}
		if !end.Equal(want) {
			t.Errorf("%s to %s at %s: %s, want %s", c.from, c.to, c.now, end, want)
		}
	}
}

func TestLastDay(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for now, want := range map[string]string{
		"2026-03-10T00:04:59+01:00": "2026-03-08", "2026-03-10T00:05:00+01:00": "2026-03-09", "2026-03-29T12:00:00+02:00": "2026-03-28",
		"2026-03-30T00:05:00+02:00": "2026-03-29",
	} {
		at, err := time.Parse(time.RFC3339, now)
		if err != nil {
			t.Fatal(err)
		}
		day, from, to := lastDay(at, berlin)
		if string(day) != want || from.In(berlin).Format(time.DateOnly) != want || !to.After(from) || to.After(at) {
			t.Errorf("at %s: %s, %s to %s", now, day, from, to)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"": 0, "x": 0, "-1": 0, "NaN": 0, "120": 2 * time.Minute, "1e99": maxWait, "Tue, 10 Mar 2026 12:01:00 GMT": time.Minute, "Tue, 10 Mar 2026 11:00:00 GMT": 0,
	} {
		if got := parseRetryAfter(text, now); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
