package main

import (
	"context"
	"net/http"
	"os/exec"
	"time"

	"golang.org/x/crypto/argon2"

	"fillbook/internal/people/identity"
)

// The names for limits used by several operations.
const (
	limitAnswer  = "plain HTTP answer of the same bytes"
	limitCommit  = "one small row, stored durably"
	limitProcess = "the same program printing its version"
)

// clients is the number of concurrent clients when throughput is measured.
const clients = 8

// measureVisits measures operations without a journal: start, sign-in, reading
// the own user.
func (s *session) measureVisits(ctx context.Context) error {
	if err := s.recordStart(ctx, "start, empty database"); err != nil {
		return err
	}
	r, err := s.measure(ctx, "sign in", 10, func(int) reply {
		return s.client.withToken("").send(ctx, http.MethodPost, api+"/auth/login", map[string]any{"email": email, "password": password})
	})
	if err != nil {
		return err
	}
	r.setLimit("the password hash alone", timeHashes())
	token, err := s.client.accessToken(ctx)
	if err != nil {
		return err
	}
	for _, visit := range []struct {
		name, path string
		client     *client
	}{
		{"healthz", "/healthz", s.client},
		{"who am I, session", api + "/me", s.client},
		{"who am I, access token", api + "/me", s.client.withToken(token)},
	} {
		call := func(int) reply { return visit.client.get(ctx, visit.path) }
		if err := s.measureAnswer(ctx, visit.name, 300, call); err != nil {
			return err
		}
	}
	return s.measureThroughput(ctx, "who am I, session", api+"/me")
}

// recordStart records how long the current server took to start.
func (s *session) recordStart(ctx context.Context, name string) error {
	r := s.startRecord(name)
	s.finishRecord(r, times{s.server.ready})
	limit, err := timeRepeated(5, 2*time.Second, func() error {
		return exec.CommandContext(ctx, s.settings.binary, "version").Run()
	})
	r.setLimit(limitProcess, limit)
	return err
}

func timeHashes() times {
	cost := identity.DefaultPasswordCost()
	taken, _ := timeRepeated(5, time.Second, func() error {
		argon2.IDKey([]byte(password), []byte("sixteen bytes salt"), cost.Passes, cost.MemoryKiB, 1, 32)
		return nil
	})
	return taken
}

// measureAnswer measures calls whose limit is a plain answer with the same size.
func (s *session) measureAnswer(ctx context.Context, name string, calls int, call func(n int) reply) error {
	r, err := s.measure(ctx, name, calls, call)
	if err != nil {
		return err
	}
	r.setLimit(limitAnswer, s.timePlainAnswers(ctx, r.Bytes))
	return nil
}

// measureThroughput measures the answers per second to several concurrent
// clients, compared with plain answers.
func (s *session) measureThroughput(ctx context.Context, name, path string) error {
	const length = 3 * time.Second
	if err := s.renewToken(ctx); err != nil {
		return err
	}
	r := s.startRecord(name + ", 8 clients at once")
	taken, rate, failed := runClients(clients, length, func(int, int) reply { return s.client.get(ctx, path) })
	r.Rate = rate
	for _, err := range failed {
		r.fail(err)
	}
	s.finishRecord(r, taken)
	plain := newClient(s.plain.base)
	_, limit, _ := runClients(clients, length, func(int, int) reply { return plain.get(ctx, "/?bytes=300") })
	r.setLimitRate("plain HTTP answers to as many", limit)
	return nil
}
