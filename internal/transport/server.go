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
	maxConnections = 1000
	drainFor       = 30 * time.Second
)

// Serve answers requests on a listener until ctx ends, then lets running
// requests finish for half a minute. Slow clients are cut off: headers must
// come within ten seconds, and [Intake] watches over bodies.
func Serve(ctx context.Context, listener net.Listener, handler http.Handler, log *slog.Logger) error {
	server := &http.Server{
		Handler:           withWriteDeadline(writePatience, handler),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       90 * time.Second,
		MaxHeaderBytes:    64 << 10,
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

// writePatience is how long a client may take to receive one piece of an
// answer. A long list or export takes as long as it takes, as long as it moves;
// an answer that was long in the making still has its time to get there.
const writePatience = 60 * time.Second

func withWriteDeadline(patience time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := &patientWriter{ResponseWriter: w, patience: patience}
		next.ServeHTTP(p, r)
		p.extend() // what is left in the buffers goes out now
	})
}

// patientWriter pushes the deadline out with every piece that is written.
type patientWriter struct {
	http.ResponseWriter
	patience time.Duration
	extended time.Time
}

// Write implements [http.ResponseWriter].
func (w *patientWriter) Write(piece []byte) (int, error) {
	w.extend()
	return w.ResponseWriter.Write(piece)
}

// Unwrap lets [http.ResponseController] find what is below.
func (w *patientWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// extend gives the client its time anew, unless it was given a moment ago.
func (w *patientWriter) extend() {
	now := time.Now()
	if now.Sub(w.extended) < w.patience/60 {
		return
	}
	w.extended = now
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(now.Add(w.patience))
}
