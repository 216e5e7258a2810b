package main

import (
	"context"
	"fmt"
	"net"
)

// listeners are the addresses that a server accepts connections on. metrics is
// nil when no address is set for it.
type listeners struct {
	api, metrics net.Listener
}

// listen opens the addresses of the settings. It runs before the database is
// opened and before the first log line, so that a bad address is one line that
// names its setting and nothing else has happened.
func (s *settings) listen(ctx context.Context) (listeners, error) {
	var open listeners
	var err error
	if open.api, err = listenOn(ctx, "SVC_HTTP_ADDR", s.HTTPAddr); err != nil {
		return listeners{}, err
	}
	if s.MetricsAddr == "" {
		return open, nil
	}
	if open.metrics, err = listenOn(ctx, "SVC_METRICS_ADDR", s.MetricsAddr); err != nil {
		open.close()
		return listeners{}, err
	}
	return open, nil
}

// close closes what is still open. Closing a listener twice is harmless.
func (l listeners) close() {
	for _, listener := range []net.Listener{l.api, l.metrics} {
		if listener != nil {
			_ = listener.Close()
		}
	}
}

func listenOn(ctx context.Context, setting, address string) (net.Listener, error) {
	var network net.ListenConfig
	listener, err := network.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%w: %s is %q: %w", errUnusable, setting, address, err)
	}
	return listener, nil
}
