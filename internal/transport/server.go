package transport

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/netutil"
)

const (
	// maxConnections bounds what clients can make us hold open. From
	// crowdedAt on, whoever has been idle longest makes room for the next.
	maxConnections = 1000
	crowdedAt      = 900
	drainFor       = 30 * time.Second
)

// Serve answers requests on a listener until ctx ends, then lets running
// requests finish for half a minute. Slow clients are cut off: headers must
// come within ten seconds, and [Intake] watches over bodies.
func Serve(ctx context.Context, listener net.Listener, handler http.Handler, log *slog.Logger) error {
	server := &http.Server{
		Handler:           withWriteDeadline(handler),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       90 * time.Second,
		MaxHeaderBytes:    64 << 10,
		ConnState:         newCrowd(crowdedAt).observe,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(netutil.LimitListener(listener, maxConnections)) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainFor)
	defer cancel()
	err := server.Shutdown(drain)
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.Join(errors.New("some requests did not end in time"), server.Close())
	}
	return err
}

const (
	// writePatience is how long a client may take to receive an answer; one
	// that is streamed has its own pace.
	writePatience = 60 * time.Second
	// stallPatience is how long a client may take nothing of a long answer:
	// the database is kept open for it meanwhile.
	stallPatience = 15 * time.Second
	// slowestRate is the bytes a second below which a client is cut off.
	slowestRate = 16 << 10
)

func withWriteDeadline(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writePatience))
		next.ServeHTTP(w, r)
	})
}

// pace moves the deadline of a long answer as it is taken. A client that takes
// it steadily may take as long as it likes; one that stalls, or takes it drop
// by drop, is cut off.
type pace struct {
	begun      time.Time
	sent, next int64
}

// paceStep is after how many bytes the deadline is moved.
const paceStep = 64 << 10

// send is told of bytes that are about to be written.
func (p *pace) send(w http.ResponseWriter, n int) {
	if p.begun.IsZero() {
		p.begun = time.Now()
	}
	p.sent += int64(n)
	if p.sent < p.next {
		return
	}
	p.next = p.sent + paceStep
	_ = http.NewResponseController(w).SetWriteDeadline(p.deadline(time.Now()))
}

// deadline is when the client must have taken what was sent so far and the next
// step.
func (p *pace) deadline(now time.Time) time.Time {
	stalled := now.Add(stallPatience)
	slow := p.begun.Add(writePatience + time.Duration(p.sent/slowestRate)*time.Second)
	if slow.Before(stalled) {
		return slow
	}
	return stalled
}
