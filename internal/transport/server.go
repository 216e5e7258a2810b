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
	// maxConnections limits the open connections. Above evictAbove, a new connection
	// closes the one silent longest.
	maxConnections = 2000
	evictAbove     = 1800
	drainTimeout   = 30 * time.Second
)

// Serve handles requests on a listener until ctx is done, then waits up to drainTimeout
// for running requests. Clients keeping a connection waiting are disconnected; see
// [Timeouts].
func Serve(ctx context.Context, listener net.Listener, handler http.Handler, log *slog.Logger) error {
	return serve(ctx, newConnTracker(listener, maxConnections, evictAbove), handler, log, defaultTimeouts())
}

func serve(ctx context.Context, listener *connTracker, handler http.Handler, log *slog.Logger, timeouts Timeouts) error {
	server := &http.Server{
		Handler:           withDeadlines(handler, timeouts),
		ReadHeaderTimeout: timeouts.Header,
		// For requests handled by net/http itself; withDeadlines replaces it.
		ReadTimeout:                  timeouts.Header + timeouts.Stall,
		IdleTimeout:                  timeouts.Idle,
		MaxHeaderBytes:               64 << 10,
		DisableGeneralOptionsHandler: true,
		ConnState:                    trackIdle,
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
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	err := server.Shutdown(drain)
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.Join(errors.New("some requests did not finish in time"), server.Close())
	}
	return err
}

const (
	// writeTimeout is how long a client may take to read a response that is not streamed.
	writeTimeout = 60 * time.Second
	// stallTimeout is how long a client may stop reading a streamed response.
	stallTimeout = 15 * time.Second
	// slowestRate is a client's minimum rate in bytes per second.
	slowestRate = 16 << 10
)

// writePacer moves a streamed response's write deadline as the client reads it. A steady
// client may take any time; one that stalls or is slower than slowestRate is
// disconnected.
type writePacer struct {
	begun      time.Time
	sent, next int64
}

// pacerStep is the number of bytes after which the deadline is moved.
const pacerStep = 64 << 10

// extendDeadline must be called before n bytes are written.
func (p *writePacer) extendDeadline(w http.ResponseWriter, n int) {
	if p.begun.IsZero() {
		p.begun = time.Now()
	}
	p.sent += int64(n)
	if p.sent < p.next {
		return
	}
	p.next = p.sent + pacerStep
	_ = http.NewResponseController(w).SetWriteDeadline(p.deadline(time.Now()))
}

// deadline returns the time by which the client must have read everything so
// far and the next step.
func (p *writePacer) deadline(now time.Time) time.Time {
	stalled := now.Add(stallTimeout)
	slow := p.begun.Add(writeTimeout + time.Duration(p.sent/slowestRate)*time.Second)
	if slow.Before(stalled) {
		return slow
	}
	return stalled
}
