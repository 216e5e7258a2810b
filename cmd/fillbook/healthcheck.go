package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"
)

type healthcheckCommand struct{}

// Run asks the server on this machine whether it is ready. Images without a
// shell or curl have nothing else to ask with.
func (healthcheckCommand) Run(env *environment, s *settings) error {
	address, err := localAddress(s.HTTPAddr)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(env.ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/readyz", nil)
	if err != nil {
		return err
	}
	// A proxy named in the environment is not for talking to ourselves.
	client := &http.Client{Transport: &http.Transport{Proxy: nil, DisableKeepAlives: true}}
	answer, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("the server does not answer: %w", err)
	}
	defer answer.Body.Close() //nolint:errcheck // only its status matters
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the server is not ready: it answers %s", answer.Status)
	}
	_, err = fmt.Fprintln(env.stdout, "ready")
	return err
}

// localAddress is where a server that listens on an address is reached from
// the same machine.
func localAddress(listening string) (string, error) {
	host, port, err := net.SplitHostPort(listening)
	if err != nil {
		return "", fmt.Errorf("SVC_HTTP_ADDR: %w", err)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port), nil
}
