package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
)

// killRounds is how often a server is killed on each engine in both tests together;
// SVC_TEST_KILL_ROUNDS overrides it.
func killRounds(t *testing.T) int {
	t.Helper()
	text := os.Getenv("SVC_TEST_KILL_ROUNDS")
	if text == "" {
		return 8 // make soak asks for 1000
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// victim is a repeatedly killed server, always with the same database, and its client.
type victim struct {
	t        *testing.T
	env      []string
	p        *process
	account  string
	token    string
	signedIn time.Time
	rounds   int
}

// newVictim starts the first server, with more settings, and creates a user and an
// account.
func newVictim(t *testing.T, engine db.Engine, settings ...string) *victim {
	t.Helper()
	v := &victim{t: t, env: append(engineEnv(t, engine), settings...)}
	v.p = serve(t, v.env)
	made := v.p.must("POST", "/setup", "", map[string]any{
		"email": someone["email"], "password": someone["password"], "account": map[string]any{"name": "Main"},
	}, http.StatusCreated)
	v.account = made["account"].(map[string]any)["id"].(string)
	v.signIn()
	return v
}

// signIn gets an access token, which stays valid after a restart.
func (v *victim) signIn() {
	v.t.Helper()
	if time.Since(v.signedIn) < 10*time.Minute {
		return
	}
	v.token = v.p.must("POST", "/auth/login", "", someone, http.StatusOK)["access_token"].(string)
	v.signedIn = time.Now()
}

// revive waits until the killed server has ended and starts another.
func (v *victim) revive() {
	v.t.Helper()
	v.p.wait()
	v.restart()
}

// restart starts another server. It runs check alternately before the start, when it is
// the first to open the database, and after.
func (v *victim) restart() {
	v.t.Helper()
	v.rounds++
	if v.rounds%2 == 0 {
		v.check()
	}
	v.p = serve(v.t, v.env)
	if v.rounds%2 == 1 {
		v.check()
	}
	v.signIn()
}

func (v *victim) check() {
	v.t.Helper()
	if output, err := program(v.t, v.env, "check").CombinedOutput(); err != nil {
		v.t.Fatalf("round %d: %v\n%s", v.rounds, err, output)
	}
}

// send sends a request and returns the response, or an error if there was none.
func (v *victim) send(method, path string, body io.Reader, contentType string) (content []byte, status int, err error) {
	request, err := http.NewRequestWithContext(v.t.Context(), method, v.p.address+"/api/v1"+path, body)
	if err != nil {
		return nil, 0, err
	}
	request.Header.Set("Authorization", "Bearer "+v.token)
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, 0, err
	}
	defer response.Body.Close() //nolint:errcheck // only read
	content, err = io.ReadAll(response.Body)
	return content, response.StatusCode, err
}

// listAll requests all pages in a list.
func (v *victim) listAll(path string) (all []map[string]any) {
	v.t.Helper()
	for next := "/api/v1" + path; next != ""; {
		request, err := http.NewRequestWithContext(v.t.Context(), http.MethodGet, v.p.address+next, http.NoBody)
		if err != nil {
			v.t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+v.token)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			v.t.Fatal(err)
		}
		var page []map[string]any
		err = json.NewDecoder(response.Body).Decode(&page)
		_ = response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK {
			v.t.Fatalf("GET %s: %d %v", next, response.StatusCode, err)
		}
		all = append(all, page...)
		link, _, _ := strings.Cut(response.Header.Get("Link"), ">")
		next = strings.TrimPrefix(link, "<")
	}
	return all
}

// list requests a list.
func (v *victim) list(path string) (list []map[string]any) {
	v.t.Helper()
	content, status, err := v.send("GET", path, http.NoBody, "")
	if err != nil || status != http.StatusOK {
		v.t.Fatalf("GET %s: %d %v", path, status, err)
	}
	if err := json.Unmarshal(content, &list); err != nil {
		v.t.Fatal(err)
	}
	return list
}

// TestKilledWhileTrading kills the server while several clients add, change and delete
// fills and preferences. After each round, check must find no problems, and all
// acknowledged changes must exist.
func TestKilledWhileTrading(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine db.Engine) {
		v := newVictim(t, engine)
		log := &tradingLog{fills: map[string]bool{}, doubted: map[string]bool{}, prefs: map[string]bool{}}
		for range (killRounds(t) + 1) / 2 {
			tradeUntilKilled(v, log)
			v.revive()
			log.compare(v)
		}
		v.p.stop()
		if log.acknowledged < 5*v.rounds {
			t.Fatalf("only %d writes were acknowledged in %d rounds: the test has no effect", log.acknowledged, v.rounds)
		}
	})
}

// tradingLog contains what the server has acknowledged. Requests in progress at the
// kill may have been applied or not.
type tradingLog struct {
	mu           sync.Mutex
	fills        map[string]bool
	doubted      map[string]bool
	prefs        map[string]bool
	acknowledged int
}

func (l *tradingLog) compare(v *victim) {
	v.t.Helper()
	stored := map[string]bool{}
	for _, fill := range v.list("/executions") {
		stored[fill["id"].(string)] = true
	}
	for id := range l.fills {
		if !stored[id] && !l.doubted[id] {
			v.t.Fatalf("round %d: fill %s was acknowledged and is lost", v.rounds, id)
		}
	}
	prefs := v.p.must("GET", "/me/preferences", v.token, nil, http.StatusOK)["prefs"].(map[string]any)
	for key := range l.prefs {
		if prefs[key] == nil {
			v.t.Fatalf("round %d: preference %s was acknowledged and is lost", v.rounds, key)
		}
	}
	l.fills, l.doubted = stored, map[string]bool{}
	compareWithHistory(v, prefs)
}

// compareWithHistory replays the history: each stored value must be in a change, and each
// change stored.
func compareWithHistory(v *victim, prefs map[string]any) {
	v.t.Helper()
	quantities, values := map[string]any{}, map[string]any{}
	changes := v.listAll("/history?type=execution&type=preferences&limit=1000")
	for _, change := range slices.Backward(changes) {
		for _, one := range change["objects"].([]any) {
			object := one.(map[string]any)
			id := object["id"].(string)
			if object["type"] == "execution" && object["action"] == "deleted" {
				delete(quantities, id)
				continue
			}
			for _, changed := range object["fields"].([]any) {
				field := changed.(map[string]any)
				if object["type"] == "preferences" {
					values[field["name"].(string)] = field["after"]
				} else if field["name"] == "quantity" {
					quantities[id] = field["after"]
				}
			}
		}
	}
	stored := map[string]any{}
	for _, fill := range v.listAll("/executions?limit=1000") {
		stored[fill["id"].(string)] = fmt.Sprint(fill["quantity"])
	}
	if diff := cmp.Diff(quantities, stored); diff != "" {
		v.t.Fatalf("round %d: the fills are not those of the history (-history +stored):\n%s", v.rounds, diff)
	}
	for key, value := range prefs {
		if n, err := strconv.ParseFloat(fmt.Sprint(values[key]), 64); err != nil || n != value {
			v.t.Fatalf("round %d: preference %s is %v, and %v in the history", v.rounds, key, value, values[key])
		}
	}
	if len(values) != len(prefs) {
		v.t.Fatalf("round %d: the history has %d preferences, and %d are stored", v.rounds, len(values), len(prefs))
	}
}

// pick removes a fill from the log during a change and returns it.
func (l *tradingLog) pick() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id := range l.fills {
		if !l.doubted[id] {
			l.doubted[id] = true
			return id
		}
	}
	return ""
}

func (l *tradingLog) settle(id string, there bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.acknowledged++
	delete(l.doubted, id)
	if there {
		l.fills[id] = true
	} else {
		delete(l.fills, id)
	}
}

func (l *tradingLog) prefer(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.acknowledged++
	l.prefs[key] = true
}

// tradeUntilKilled lets clients write and kills the server after some writes.
func tradeUntilKilled(v *victim, log *tradingLog) {
	var clients sync.WaitGroup
	writes := make(chan struct{}, 1000)
	for range 4 {
		clients.Go(func() {
			for tradeOnce(v, log) == nil {
				writes <- struct{}{}
			}
		})
	}
	for range 8 + rand.IntN(20) {
		<-writes
	}
	<-time.After(rand.N(4 * time.Millisecond)) // any moment will do
	_ = v.p.command.Process.Kill()
	clients.Wait()
}

func tradeOnce(v *victim, log *tradingLog) error {
	p := v.p
	switch rand.IntN(6) {
	case 0:
		if id := log.pick(); id != "" {
			status, _, err := p.call("DELETE", "/executions/"+id, v.token, nil)
			if err == nil {
				log.settle(id, status != http.StatusNoContent)
			}
			return err
		}
	case 1:
		if id := log.pick(); id != "" {
			_, _, err := p.call("PATCH", "/executions/"+id, v.token, map[string]any{"quantity": 1 + rand.IntN(9), "executed_at": someInstant()})
			if err == nil {
				log.settle(id, true)
			}
			return err
		}
	case 2:
		key := fmt.Sprintf("k%d", rand.IntN(400))
		status, _, err := p.call("PATCH", "/me/preferences", v.token, map[string]any{key: rand.Int()})
		if err == nil && status == http.StatusNoContent {
			log.prefer(key)
		}
		return err
	}
	status, answer, err := p.call("POST", "/executions", v.token, map[string]any{
		"account_id": v.account, "symbol": []string{"AAPL", "MSFT", "TSLA"}[rand.IntN(3)], "side": []string{"buy", "sell"}[rand.IntN(2)],
		"quantity": 1 + rand.IntN(9), "price": fmt.Sprintf("%d.%02d", 10+rand.IntN(90), rand.IntN(100)), "executed_at": someInstant(),
	})
	if err != nil {
		return err
	}
	if status != http.StatusCreated && status != http.StatusOK {
		p.t.Errorf("POST /executions: %d %v", status, answer)
		return fmt.Errorf("status %d", status)
	}
	log.settle(answer["id"].(string), true)
	return nil
}

func someInstant() string {
	return fmt.Sprintf("2026-03-%02dT%02d:%02d:%02dZ", 1+rand.IntN(28), rand.IntN(24), rand.IntN(60), rand.IntN(60))
}
