package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"sync"
	"testing"

	"fillbook/internal/db"
)

// killRounds is how often the server is killed; SVC_TEST_KILL_ROUNDS asks for
// more or fewer.
func killRounds(t *testing.T) int {
	t.Helper()
	text := os.Getenv("SVC_TEST_KILL_ROUNDS")
	if text == "" {
		return 4
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestKilledWhileTrading kills the server while several clients add, change and
// delete fills. After each round the journal must prove itself: every trade is
// what its fills make, and every fill that was acknowledged is there.
func TestKilledWhileTrading(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine db.Engine) {
		env := engineEnv(t, engine)
		log := &tradingLog{fills: map[string]bool{}}
		var account string
		for round := range killRounds(t) {
			p := serve(t, env)
			if round == 0 {
				made := p.must("POST", "/setup", "", map[string]any{
					"email": someone["email"], "password": someone["password"], "account": map[string]any{"name": "Main"},
				}, http.StatusCreated)
				account = made["account"].(map[string]any)["id"].(string)
			}
			token := p.must("POST", "/auth/login", "", someone, http.StatusOK)["access_token"].(string)
			log.compare(p, token, round)
			tradeUntilKilled(p, token, account, log)
			p.wait()
			if output, err := program(t, env, "check").CombinedOutput(); err != nil {
				t.Fatalf("round %d: %v\n%s", round, err, output)
			}
		}
		if len(log.fills) < 20 {
			t.Fatalf("only %d fills are left: the test tests nothing", len(log.fills))
		}
	})
}

// tradingLog is what the server has acknowledged. What was under way when it
// died is in doubt: it may be there or not.
type tradingLog struct {
	mu      sync.Mutex
	fills   map[string]bool
	doubted map[string]bool
}

func (l *tradingLog) compare(p *process, token string, round int) {
	p.t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for id := range l.fills {
		status, _, err := p.call("GET", "/executions/"+id, token, nil)
		if err != nil || status != http.StatusOK && !l.doubted[id] {
			p.t.Fatalf("round %d: fill %s was acknowledged and answers %d %v", round, id, status, err)
		}
		if status != http.StatusOK {
			delete(l.fills, id)
		}
	}
	l.doubted = map[string]bool{}
}

// pick gives some fill, taken out of the log while it is being changed.
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
	delete(l.doubted, id)
	if there {
		l.fills[id] = true
	} else {
		delete(l.fills, id)
	}
}

// tradeUntilKilled lets clients write and kills the server after some writes.
func tradeUntilKilled(p *process, token, account string, log *tradingLog) {
	var clients sync.WaitGroup
	var once sync.Once
	deadline := 5 + rand.IntN(25)
	for range 4 {
		clients.Go(func() {
			for n := 0; ; n++ {
				if n == deadline {
					once.Do(func() { _ = p.command.Process.Kill() })
				}
				if err := tradeOnce(p, token, account, log); err != nil {
					return
				}
			}
		})
	}
	clients.Wait()
}

func tradeOnce(p *process, token, account string, log *tradingLog) error {
	switch rand.IntN(4) {
	case 0:
		if id := log.pick(); id != "" {
			status, _, err := p.call("DELETE", "/executions/"+id, token, nil)
			if err == nil {
				log.settle(id, status != http.StatusNoContent)
			}
			return err
		}
	case 1:
		if id := log.pick(); id != "" {
			_, _, err := p.call("PATCH", "/executions/"+id, token, map[string]any{"quantity": 1 + rand.IntN(9), "executed_at": someInstant()})
			if err == nil {
				log.settle(id, true)
			}
			return err
		}
	}
	status, answer, err := p.call("POST", "/executions", token, map[string]any{
		"account_id": account, "symbol": []string{"AAPL", "MSFT", "TSLA"}[rand.IntN(3)], "side": []string{"buy", "sell"}[rand.IntN(2)],
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
