package instances_test

import (
	"fmt"
	"net/http"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"fillbook/internal/base/journal"
)

// recoveryTime is how long an instance may refuse requests after its database
// works again.
const recoveryTime = 5 * time.Second

// TestOutage writes through three instances while their PostgreSQL server is
// stopped, killed, and replaced by its standby. Clients get success or a 503 with
// Retry-After and nothing else, every acknowledged write is stored afterwards, and
// no instance has to be restarted.
func TestOutage(t *testing.T) {
	t.Parallel()
	primary := newCluster(t)
	standby := primary.follow()
	f := newFleet(t, urlOf(primary, standby), journal.SystemClock)
	load := f.write()
	for round := range outageRounds(t) {
		outage := []func(){primary.stop, primary.kill}[round%2]
		f.interrupt(load, fmt.Sprintf("restart %d", round), outage, primary.start)
	}
	f.interrupt(load, "failover", primary.kill, standby.promote)
	load.end()
	f.compare(load)
}

// outageRounds returns how often the server is restarted: twice, or as often as
// SVC_TEST_OUTAGES says.
func outageRounds(t *testing.T) int {
	t.Helper()
	text := os.Getenv("SVC_TEST_OUTAGES")
	if text == "" {
		return 2
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// load is the writes by several clients, and the answers they got.
type load struct {
	stop    chan struct{}
	once    sync.Once
	clients sync.WaitGroup

	mu           sync.Mutex
	acknowledged map[string]string // id by what was written
	refused      int
	wrong        []string
	since        int // writes acknowledged since progress was called

	last    time.Time     // when the last write was acknowledged
	longest time.Duration // between two acknowledged writes, since measurePause was called
}

// write starts clients writing notes one after the other, each through the next instance.
func (f *fleet) write() *load {
	l := &load{stop: make(chan struct{}), acknowledged: map[string]string{}}
	f.t.Cleanup(l.end) // before the instances end, which wait for their clients
	for client := range 4 {
		l.clients.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-l.stop:
					return
				default:
					f.writeOnce(l, fmt.Sprintf("client %d, note %d", client, n))
				}
			}
		})
	}
	return l
}

func (f *fleet) writeOnce(l *load, text string) {
	got, err := f.next().call("POST", "/notes", f.token, map[string]any{"body": text, "occurred_at": "2026-03-02T10:00:00Z"})
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err == nil && got.status == http.StatusCreated:
		l.acknowledged[text] = got.text("id")
		l.since++
		l.longest = max(l.longest, time.Since(l.last))
		l.last = time.Now()
	case err == nil && got.status == http.StatusServiceUnavailable && got.header.Get("Retry-After") != "":
		l.refused++
		<-time.After(5 * time.Millisecond)
	default:
		l.wrong = append(l.wrong, fmt.Sprintf("%s: %d %v %s", text, got.status, err, got.body))
	}
}

func (l *load) end() {
	l.once.Do(func() { close(l.stop) })
	l.clients.Wait()
}

// progress reports whether so many more writes were acknowledged within a time.
func (l *load) progress(writes int, within time.Duration) bool {
	l.mu.Lock()
	l.since = 0
	l.mu.Unlock()
	for deadline := time.Now().Add(within); time.Now().Before(deadline); <-time.After(5 * time.Millisecond) {
		l.mu.Lock()
		done := l.since >= writes
		l.mu.Unlock()
		if done {
			return true
		}
	}
	return false
}

// interrupt stops the database under load, checks the instances' answers meanwhile, and
// starts it again.
func (f *fleet) interrupt(l *load, what string, away, back func()) {
	f.t.Helper()
	if !l.progress(20, 30*time.Second) {
		f.t.Fatalf("%s: nothing was written before it", what)
	}
	away()
	for i, s := range f.servers {
		for path, want := range map[string]int{
			"//healthz": http.StatusOK, "//readyz": http.StatusServiceUnavailable,
			"/accounts": http.StatusServiceUnavailable, "/trades": http.StatusServiceUnavailable,
		} {
			got := s.must("GET", path, f.token, nil, want)
			if want != http.StatusOK && got.header.Get("Retry-After") == "" {
				f.t.Errorf("%s: instance %d answers %s without Retry-After", what, i, path)
			}
		}
	}
	back()
	if !l.progress(20, recoveryTime) {
		f.t.Errorf("%s: nothing was written within %s after the database was back", what, recoveryTime)
	}
	for _, s := range f.servers {
		s.must("GET", "//readyz", "", nil, http.StatusOK)
		s.must("GET", "/accounts", f.token, nil, http.StatusOK)
	}
}

// compare checks that every acknowledged write is stored once, and that clients got only
// success and 503.
func (f *fleet) compare(l *load) {
	f.t.Helper()
	for _, wrong := range l.wrong {
		f.t.Errorf("a client got neither success nor 503: %s", wrong)
	}
	if l.refused == 0 {
		f.t.Error("no client was refused, so the database was never away")
	}
	stored := map[string]string{}
	for _, note := range f.next().must("GET", "/notes", f.token, nil, http.StatusOK).list() {
		if stored[note["body"].(string)] != "" {
			f.t.Errorf("%q was written twice", note["body"])
		}
		stored[note["body"].(string)] = note["id"].(string)
	}
	for text, id := range l.acknowledged {
		if stored[text] != id {
			f.t.Errorf("%q was acknowledged as %s and is %q", text, id, stored[text])
		}
	}
	f.t.Logf("%d writes acknowledged, %d refused, %d stored", len(l.acknowledged), l.refused, len(stored))
}
