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
		Handler:           withWriteDeadline(handler),
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

// writePatience is how long a client may take to receive an answer; long
// lists push it further out as they are taken (see ExtendWrite).
const writePatience = 60 * time.Second

func withWriteDeadline(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ExtendWrite(w)
		next.ServeHTTP(w, r)
	})
}

// ExtendWrite gives the client another minute to receive what follows.
func ExtendWrite(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writePatience))
}
