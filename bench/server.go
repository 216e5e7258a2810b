package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// startTimeout is how long a process may take to start or stop.
const startTimeout = 2 * time.Minute

// process is a started program answering on a loopback port.
type process struct {
	cmd   *exec.Cmd
	base  string        // http://127.0.0.1:port
	ready time.Duration // from its start to its first successful answer
}

// launch starts a program on a free port and waits until
// path answers 200.
func launch(ctx context.Context, path string, command func(address string) *exec.Cmd) (*process, error) {
	var network net.ListenConfig
	listener, err := network.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		return nil, err
	}
	p := &process{cmd: command(address), base: "http://" + address}
	p.cmd.Stderr = os.Stderr
	// Ctrl-C is for bench, which stops its processes itself.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	begin := time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	for time.Since(begin) < startTimeout && ctx.Err() == nil {
		if isReady(ctx, p.base+path) {
			p.ready = time.Since(begin)
			return p, nil
		}
		time.Sleep(time.Millisecond)
	}
	return nil, errors.Join(fmt.Errorf("%s did not answer in time", p.cmd.Path), p.stop())
}

func isReady(ctx context.Context, url string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// stop terminates the process, and kills it after a timeout.
func (p *process) stop() error {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	late := time.AfterFunc(startTimeout, func() { _ = p.cmd.Process.Kill() })
	defer late.Stop()
	return p.cmd.Wait()
}

// settings are the measured server's settings.
type settings struct {
	binary  string
	data    string   // its data directory
	url     string   // for PostgreSQL; empty for SQLite
	further []string // NAME=VALUE, overriding other settings
}

// environment returns the server's environment, without rate limits.
func (s settings) environment(address string) []string {
	env := []string{
		"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "HOME=" + s.data,
		"SVC_HTTP_ADDR=" + address, "SVC_DATA_DIR=" + s.data, "SVC_DATABASE_URL=" + s.url, "SVC_LOG_LEVEL=error",
		"SVC_SHARE_LINKS_ENABLED=true", "SVC_IMPORT_MAX_BYTES=67108864",
		"SVC_RATE_LIMIT_AUTH=off", "SVC_RATE_LIMIT_SHARE=off", "SVC_RATE_LIMIT_SECRETS=off",
	}
	return append(env, s.further...)
}

// serve starts `fillbook serve`.
func (s settings) serve(ctx context.Context) (*process, error) {
	return launch(ctx, "/readyz", func(address string) *exec.Cmd {
		cmd := exec.CommandContext(context.WithoutCancel(ctx), s.binary, "serve")
		cmd.Env = s.environment(address)
		return cmd
	})
}

// build builds the program like `make build`.
func build(ctx context.Context, dir string) (string, error) {
	binary := filepath.Join(dir, "fillbook")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", binary, "./cmd/fillbook")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the program (run bench in the root of the repository): %w: %s", err, output)
	}
	return binary, nil
}
