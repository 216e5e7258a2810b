package main

import (
	"context"
	"fmt"
	"net"
)

// listeners are a server's listeners. metrics is nil if it has no address.
type listeners struct {
	api, metrics net.Listener
}

// listen opens the configured addresses. It runs before the database is opened, so a bad
// address has no effect except an error naming the setting.
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

// close closes the listeners. They may already be closed.
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
		return nil, fmt.Errorf("%w: %s is %q: %w", errCannotStart, setting, address, err)
	}
	return listener, nil
}
