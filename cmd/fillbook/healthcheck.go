package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"
)

type healthcheckCommand struct{}

// Run checks whether the server on this machine is ready. Images without a shell or curl
// have no other way.
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
	// Ignore a proxy in the environment for the local address.
	client := &http.Client{Transport: &http.Transport{Proxy: nil, DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("the server does not respond: %w", err)
	}
	defer response.Body.Close() //nolint:errcheck // only its status matters
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the server is not ready: %s", response.Status)
	}
	_, err = fmt.Fprintln(env.stdout, "ready")
	return err
}

// localAddress returns the address by which a server is reached from the same
// machine.
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
