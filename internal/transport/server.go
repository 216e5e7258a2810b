package transport

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

const (
	// maxConnections bounds what clients can make us hold open. From
	// crowdedAt on, a new connection closes the one that was silent for longest.
	maxConnections = 2000
	crowdedAt      = 1800
	drainFor       = 30 * time.Second
)

// Serve answers requests on a listener until ctx ends, then lets running
// requests finish for half a minute. A client that keeps a connection waiting,
// in whatever state it is, is cut off; see [Timeouts].
func Serve(ctx context.Context, listener net.Listener, handler http.Handler, log *slog.Logger) error {
	return serve(ctx, newConnTracker(listener, maxConnections, crowdedAt), handler, log, defaultTimeouts())
}

func serve(ctx context.Context, listener *connTracker, handler http.Handler, log *slog.Logger, timeouts Timeouts) error {
	server := &http.Server{
		Handler:           withDeadlines(handler, timeouts),
		ReadHeaderTimeout: timeouts.Header,
		// For what net/http does without our handler; withDeadlines replaces it.
		ReadTimeout:                  timeouts.Header + timeouts.Stall,
		IdleTimeout:                  timeouts.Idle,
		MaxHeaderBytes:               64 << 10,
		DisableGeneralOptionsHandler: true,
		ConnState:                    followState,
		ConnContext:                  withConn,
		ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
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
	// stallPatience is how long a client may take nothing of a long answer.
	stallPatience = 15 * time.Second
	// slowestRate is the bytes a second below which a client is cut off.
	slowestRate = 16 << 10
)

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
