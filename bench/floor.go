package main

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"
)

// plainCommand is the internal command running a server which only answers a number of
// bytes. It is a separate process, like the journal.
const plainCommand = "floor"

// startPlainServer starts the plain server.
func startPlainServer(ctx context.Context) (*process, error) {
	own, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return launch(ctx, "/?bytes=2", func(address string) *exec.Cmd {
		return exec.CommandContext(context.WithoutCancel(ctx), own, plainCommand, address)
	})
}

// servePlain runs the plain server until ctx ends.
func servePlain(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return errUsage
	}
	server := &http.Server{Addr: args[0], Handler: http.HandlerFunc(handleBytes), ReadHeaderTimeout: time.Minute}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.ListenAndServe(); ctx.Err() == nil {
		return err
	}
	return nil
}

func handleBytes(w http.ResponseWriter, r *http.Request) {
	left, err := strconv.Atoi(r.URL.Query().Get("bytes"))
	if err != nil {
		http.Error(w, "bytes must be a number", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	part := make([]byte, 32<<10)
	for ; left > 0; left -= len(part) {
		if _, err := w.Write(part[:min(left, len(part))]); err != nil {
			return
		}
	}
}

// timePlainAnswers measures plain answers with a number of bytes.
func (s *session) timePlainAnswers(ctx context.Context, bytes int64) times {
	plain := newClient(s.plain.base)
	path := "/?bytes=" + strconv.FormatInt(bytes, 10)
	var taken times
	for begin := time.Now(); len(taken) < 50 && time.Since(begin) < 2*time.Second; {
		r := plain.get(ctx, path)
		if r.err != nil {
			break
		}
		taken = append(taken, r.took)
	}
	return taken
}

// runClients runs concurrent clients calling without a pause. It returns the call times
// and the calls per second.
func runClients(clients int, length time.Duration, call func(client, n int) reply) (taken times, rate float64, failures []error) {
	var lock sync.Mutex
	var wait sync.WaitGroup
	begin := time.Now()
	for c := range clients {
		wait.Go(func() {
			var own times
			var failed []error
			for n := 0; time.Since(begin) < length; n++ {
				r := call(c, n)
				if r.err != nil {
					failed = append(failed, r.err)
					continue
				}
				own = append(own, r.took)
			}
			lock.Lock()
			defer lock.Unlock()
			taken, failures = append(taken, own...), append(failures, failed...)
		})
	}
	wait.Wait()
	return taken, float64(len(taken)) / time.Since(begin).Seconds(), failures
}
