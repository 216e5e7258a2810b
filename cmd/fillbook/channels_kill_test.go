package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"fillbook/internal/base/db"
)

// eventReceiver receives the events of a channel.
type eventReceiver struct {
	mu     sync.Mutex
	hangs  bool
	bodies map[string]string // by webhook-id
	notes  map[string]bool   // answered
	// arrived gets a value for each request, unless it is full.
	arrived chan struct{}
	t       *testing.T
}

func (r *eventReceiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	text, err := io.ReadAll(request.Body)
	if err != nil {
		return
	}
	var body struct {
		Data struct {
			NoteID string `json:"note_id"`
		}
	}
	if err := json.Unmarshal(text, &body); err != nil {
		r.t.Errorf("%v: %s", err, text)
	}
	id := request.Header.Get("webhook-id")
	r.mu.Lock()
	if before, repeated := r.bodies[id]; repeated && before != string(text) {
		r.t.Errorf("event %s was\n%s and is\n%s", id, before, text)
	}
	r.bodies[id] = string(text)
	hangs := r.hangs
	if !hangs {
		r.notes[body.Data.NoteID] = true
	}
	r.mu.Unlock()
	select {
	case r.arrived <- struct{}{}:
	default:
	}
	if hangs {
		<-request.Context().Done() // until the server is killed
	}
}

func (r *eventReceiver) setHangs(hangs bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hangs = hangs
}

// missing returns how many notes did not arrive.
func (r *eventReceiver) missing(notes []string) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range notes {
		if !r.notes[id] {
			n++
		}
	}
	return n
}

// TestKilledBeforeDelivery kills a server between the commit of a change and the delivery of
// its event, and during deliveries: each event arrives, and again only with the same id and
// body.
func TestKilledBeforeDelivery(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine db.Engine) {
		r := &eventReceiver{bodies: map[string]string{}, notes: map[string]bool{}, arrived: make(chan struct{}, 1), t: t}
		receiver := httptest.NewServer(r)
		t.Cleanup(receiver.Close)
		env := append(engineEnv(t, engine), "SVC_OUTBOUND=true", "SVC_OUTBOUND_PRIVATE="+strings.TrimPrefix(receiver.URL, "http://"))
		p := serve(t, env)
		token := p.must("POST", "/setup", "", someone, http.StatusCreated)["access_token"].(string)
		p.must("POST", "/channels", token, map[string]any{"kind": "webhook", "url": receiver.URL, "events": []string{"note.created"}}, http.StatusCreated)
		var notes []string
		lost := 0 // before the restart
		for round := range 4 {
			r.setHangs(round%2 == 1)
			select { // of the round before
			case <-r.arrived:
			default:
			}
			for i := range 1 + rand.IntN(4) {
				note := p.must("POST", "/notes", token, map[string]any{"body": fmt.Sprint(round, i)}, http.StatusCreated)
				notes = append(notes, note["id"].(string))
			}
			if round == 1 {
				select { // the delivery has begun and gets no answer
				case <-r.arrived:
				case <-time.After(60 * time.Second):
					t.Fatalf("nothing is delivered\n%s", p.stderr)
				}
			}
			_ = p.command.Process.Kill()
			p.wait()
			lost += r.missing(notes)
			endClaims(t, env)
			p = serve(t, env)
		}
		r.setHangs(false)
		_ = p.command.Process.Kill()
		p.wait()
		endClaims(t, env)
		p = serve(t, env)
		for begin := time.Now(); r.missing(notes) > 0; <-time.After(50 * time.Millisecond) {
			if time.Since(begin) > 90*time.Second {
				t.Fatalf("%d of %d events are lost\n%s", r.missing(notes), len(notes), p.stderr)
			}
		}
		if lost == 0 {
			t.Error("every event was delivered before the server was killed: the test has no effect")
		}
		p.stop()
	})
}
