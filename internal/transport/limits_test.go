package transport_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
	"fillbook/internal/transport"
)

func TestRateIsParsed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]transport.Rate{
		"2/20":      {PerSecond: 2, Burst: 20},
		"0.1667/10": {PerSecond: 0.1667, Burst: 10},
		"1000000/1": {PerSecond: 1e6, Burst: 1},
		"off":       {},
	} {
		var got transport.Rate
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%q is parsed as %v (%v), want %v", text, got, err, want)
		}
	}
}

func TestInvalidRateIsRejected(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "2", "2/", "/20", "/", "0/20", "-1/20", "2/0", "2/-1", "2/1.5", "2/20/3", "two/20", "NaN/5", "Inf/5",
		"1000001/5", "1e300/5", " 2/20", "2/20 ", "OFF", "2 / 20", "2/99999999999999999999",
	} {
		rate := transport.Rate{PerSecond: 3, Burst: 4}
		if err := rate.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is parsed as %v", text, rate)
		}
		if rate != (transport.Rate{PerSecond: 3, Burst: 4}) {
			t.Errorf("%q was rejected but changed the rate to %v", text, rate)
		}
	}
}

func TestRateRoundTrips(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := transport.Rate{
			PerSecond: rapid.Float64Range(1e-6, 1e6).Draw(t, "rate"),
			Burst:     rapid.IntRange(1, 1<<30).Draw(t, "burst"),
		}
		var got transport.Rate
		if err := got.UnmarshalText([]byte(want.String())); err != nil || got != want {
			t.Fatalf("%v is written %q and read %v (%v)", want, want, got, err)
		}
	})
	if got := (transport.Rate{}).String(); got != "off" {
		t.Errorf("no limit is written %q", got)
	}
}

func TestLimiterHasATokenBucketPerKey(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock()
	limiter := transport.NewLimiter(transport.Rate{PerSecond: 2, Burst: 3}, clock.Now)
	take := func(key string, times int) {
		t.Helper()
		for i := range times {
			if err := limiter.Take(key); err != nil {
				t.Fatalf("%s: take %d of %d: %v", key, i+1, times, err)
			}
		}
		if err := limiter.Take(key); !journal.IsKind(err, journal.KindLimited) {
			t.Fatalf("%s: after %d the error is %v", key, times, err)
		}
	}
	take("a", 3)
	take("b", 3) // another key has its own bucket
	clock.Advance(time.Second)
	take("a", 2)
	clock.Advance(time.Hour)
	take("a", 3) // and it never holds more than its burst
}

func TestRejectedTakesUseNoTokens(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock()
	limiter := transport.NewLimiter(transport.Rate{PerSecond: 1, Burst: 1}, clock.Now)
	_ = limiter.Take("a")
	for range 100 {
		if err := limiter.Take("a"); err == nil {
			t.Fatal("a second take within a second was allowed")
		}
	}
	clock.Advance(time.Second)
	if err := limiter.Take("a"); err != nil {
		t.Fatalf("calls during the wait make it longer: %v", err)
	}
}

func TestLimiterOff(t *testing.T) {
	t.Parallel()
	limiter := transport.NewLimiter(transport.Rate{}, testkit.NewClock().Now)
	for range 1000 {
		if err := limiter.Take("a"); err != nil {
			t.Fatal(err)
		}
	}
	if limiter.Buckets() != 0 {
		t.Error("a limiter that is off keeps keys")
	}
}

// TestLimiterMemoryIsBounded adds many keys and checks that the limiter stays small and
// keeps the recently used keys.
func TestLimiterMemoryIsBounded(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock()
	limiter := transport.NewLimiter(transport.Rate{PerSecond: 1, Burst: 1}, clock.Now)
	for i := range transport.MaxBuckets + 10 {
		_ = limiter.Take(fmt.Sprint("flood ", i))
	}
	if n := limiter.Buckets(); n > transport.MaxBuckets {
		t.Fatalf("%d keys are kept, want at most %d", n, transport.MaxBuckets)
	}
	// A full bucket can be removed.
	clock.Advance(time.Hour)
	for i := range transport.MaxBuckets / 4 {
		_ = limiter.Take(fmt.Sprint("second flood ", i))
	}
	_ = limiter.Take("the last")
	if err := limiter.Take("the last"); err == nil {
		t.Error("a recent key was removed")
	}
	if n := limiter.Buckets(); n > transport.MaxBuckets/2 {
		t.Errorf("%d keys are kept although those of an hour ago are full again", n)
	}
}

func TestLimiterResponse(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock()
	limiter := transport.NewLimiter(transport.Rate{PerSecond: 0.1, Burst: 1}, clock.Now)
	handler := observed(&logBuffer{}, nil, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	}, limiter.ByAddress())
	call := func(address string) *httptest.ResponseRecorder {
		request := httptest.NewRequest(http.MethodPost, "/", nil)
		request.RemoteAddr = address
		return serve(handler, request)
	}
	if got := call("203.0.113.7:1"); got.Code != http.StatusNoContent {
		t.Fatalf("the first call: %d", got.Code)
	}
	clock.Advance(2500 * time.Millisecond)
	got := call("203.0.113.7:2") // another port is the same client
	wantRefusal(t, got, http.StatusTooManyRequests, "rate_limited")
	if wait := got.Header().Get("Retry-After"); wait != "8" { // 7.5 s, rounded up: coming back then must work
		t.Errorf("Retry-After %q, want 8", wait)
	}
	clock.Advance(8 * time.Second)
	if got := call("203.0.113.7:3"); got.Code != http.StatusNoContent {
		t.Errorf("after Retry-After: %d", got.Code)
	}
}

func TestIPv6NetworkHasOneBucket(t *testing.T) {
	t.Parallel()
	limiter := transport.NewLimiter(transport.Rate{PerSecond: 1, Burst: 1}, testkit.NewClock().Now)
	handler := observed(&logBuffer{}, nil, func(http.ResponseWriter, *http.Request) {}, limiter.ByAddress())
	for _, c := range []struct {
		address string
		want    int
	}{
		{"[2001:db8:1:1::1]:1", http.StatusOK},
		{"[2001:db8:1:1:ffff:ffff:ffff:ffff]:1", http.StatusTooManyRequests}, // the same /64
		{"[2001:db8:1:2::1]:1", http.StatusOK},                               // the neighbour
		{"203.0.113.1:1", http.StatusOK},
		{"203.0.113.2:1", http.StatusOK}, // IPv4 addresses stand for themselves
		{"[::ffff:203.0.113.2]:1", http.StatusTooManyRequests},
	} {
		request := httptest.NewRequest(http.MethodPost, "/", nil)
		request.RemoteAddr = c.address
		if got := serve(handler, request).Code; got != c.want {
			t.Errorf("%s: status %d, want %d", c.address, got, c.want)
		}
	}
}
