package instances_test

import (
	"fmt"
	"net/http"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"fillbook/internal/journal"
)

// healsWithin is how long after its database is back an instance may go on
// refusing.
const healsWithin = 5 * time.Second

// TestOutage lets clients write through three instances while their PostgreSQL
// server is stopped, killed, and replaced by its standby. No client ever sees
// anything but success or a 503 that says when to come back; what was
// acknowledged is there afterwards; and nothing has to be started again.
func TestOutage(t *testing.T) {
	t.Parallel()
	primary := newCluster(t)
	standby := primary.follow()
	f := newFleet(t, urlOf(primary, standby), journal.SystemClock)
	load := f.write()
	for round := range outageRounds(t) {
		outage := []func(){primary.stop, primary.kill}[round%2]
		f.survive(load, fmt.Sprintf("restart %d", round), outage, primary.start)
	}
	f.survive(load, "failover", primary.kill, standby.promote)
	load.end()
	f.compare(load)
}

// outageRounds is how often the server is restarted; SVC_TEST_OUTAGES asks for
// more.
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

// load is what clients do meanwhile, and what they were told.
type load struct {
	stop    chan struct{}
	once    sync.Once
	clients sync.WaitGroup

	mu           sync.Mutex
	acknowledged map[string]string // id by what was written
	refused      int
	wrong        []string
	since        int // writes acknowledged since last asked
}

// write lets clients write notes one after the other, each by way of the next
// instance.
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
	case err == nil && got.status == http.StatusServiceUnavailable && got.header.Get("Retry-After") != "":
		l.refused++
		<-time.After(5 * time.Millisecond) // more patient than that is only slower
	default:
		l.wrong = append(l.wrong, fmt.Sprintf("%s: %d %v %s", text, got.status, err, got.body))
	}
}

func (l *load) end() {
	l.once.Do(func() { close(l.stop) })
	l.clients.Wait()
}

// progress waits until so many more writes were acknowledged, or gives up.
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

// survive takes the database away under load, looks at what the instances say
// of it, and brings it back.
func (f *fleet) survive(l *load, what string, away, back func()) {
	f.t.Helper()
	if !l.progress(20, 30*time.Second) {
		f.t.Fatalf("%s: nothing is written beforehand", what)
	}
	away()
	for i, s := range f.servers {
		for path, want := range map[string]int{
			"//healthz": http.StatusOK, "//readyz": http.StatusServiceUnavailable,
			"/accounts": http.StatusServiceUnavailable, "/trades": http.StatusServiceUnavailable,
		} {
			got := s.must("GET", path, f.token, nil, want)
			if want != http.StatusOK && got.header.Get("Retry-After") == "" {
				f.t.Errorf("%s: instance %d does not say on %s when to come back", what, i, path)
			}
		}
	}
	back()
	if !l.progress(20, healsWithin) {
		f.t.Errorf("%s: nothing is written %s after the database is back", what, healsWithin)
	}
	for _, s := range f.servers {
		s.must("GET", "//readyz", "", nil, http.StatusOK)
		s.must("GET", "/accounts", f.token, nil, http.StatusOK)
	}
}

// compare holds what clients were told against what is there.
func (f *fleet) compare(l *load) {
	f.t.Helper()
	for _, wrong := range l.wrong {
		f.t.Errorf("a client got something else than success or 503: %s", wrong)
	}
	if l.refused == 0 {
		f.t.Error("no client was refused: the test tests nothing")
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
