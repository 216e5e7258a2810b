package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"fillbook/internal/base/db"
	"fillbook/internal/httpapi"
	"fillbook/internal/installation"
	"fillbook/internal/intake/watch"
	"fillbook/internal/transport"
	"fillbook/internal/webui"
)

type serveCommand struct{}

// Run serves until a signal arrives, then waits for running requests.
func (serveCommand) Run(env *environment, s *settings) error {
	return s.runServer(env, func(context.Context, *server) error { return nil })
}

// runServer opens the database and serves it. It calls prepare before it
// accepts requests.
func (s *settings) runServer(env *environment, prepare func(context.Context, *server) error) error {
	ports, err := s.listen(env.ctx)
	if err != nil {
		return err
	}
	defer ports.close()
	log := s.logger(env.stderr)
	log.Info("starting", "version", version, "settings", s)
	warnRemovedSettings(log)
	d, err := s.openDatabaseAs(env.ctx, log, true)
	if err != nil {
		return err
	}
	err = s.serve(env.ctx, d, log, ports, prepare)
	return errors.Join(err, d.Close())
}

func (s *settings) serve(
	ctx context.Context, d *db.DB, log *slog.Logger, ports listeners, prepare func(context.Context, *server) error,
) error {
	clean, err := s.claim(ctx, d, log)
	if err != nil {
		return err
	}
	if err := migrate(ctx, d); err != nil {
		return errors.Join(err, clean())
	}
	server, err := s.assemble(ctx, d, log)
	if err == nil {
		err = upgrade(ctx, server.services)
	}
	if err != nil {
		return errors.Join(err, clean()) // a failed start is not a crash
	}
	server.services.Identity.Start()
	if err = prepare(ctx, server); err == nil {
		err = server.run(ctx, ports)
	}
	flush, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	err = errors.Join(err, server.services.Identity.Close(flush), server.services.Sharing.Close(flush), server.services.Close())
	if errors.Is(err, db.ErrUnsafe) {
		return err // the mark stays, so the next start checks the file
	}
	return errors.Join(err, clean())
}

// migrate updates the schema. It returns an error if the database is read-only
// and older.
func migrate(ctx context.Context, d *db.DB) error {
	err := d.Migrate(ctx)
	if errors.Is(err, db.ErrReadOnly) {
		return fmt.Errorf("%w: the database has an older schema and cannot be updated because it is read-only", errCannotStart)
	}
	return err
}

// upgrade recomputes results that an older program version computed by other rules. It
// does nothing if everything is current.
func upgrade(ctx context.Context, services *installation.Installation) error {
	err := services.Ledger.Upgrade(ctx, nil)
	if errors.Is(err, db.ErrReadOnly) {
		return fmt.Errorf("%w: trades must be recomputed by this version, but the database is read-only", errCannotStart)
	}
	return err
}

// server is a running server.
type server struct {
	log      *slog.Logger
	services *installation.Installation
	api      *httpapi.API
	metrics  *transport.Metrics
	folders  *folderWatcher // nil if no folders are watched
}

// assemble creates the services and the API.
func (s *settings) assemble(ctx context.Context, d *db.DB, log *slog.Logger) (*server, error) {
	keys, err := s.serverKeys()
	if err != nil {
		return nil, err
	}
	metrics := transport.NewMetrics()
	services, err := s.install(d, keys, log, metrics)
	if err != nil {
		return nil, err
	}
	if err := services.Identity.CheckSecret(ctx); err != nil {
		return nil, err
	}
	result := &server{log: log, metrics: metrics, services: services}
	result.api, err = httpapi.New(result.services, httpapi.Options{
		Version: version, Log: log, Proxies: toPrefixes(s.TrustedProxies), Origins: s.CORSOrigins, Metrics: result.metrics,
		AuthFailures: s.RateAuth, SecretFailures: s.RateSecrets, ShareRate: s.RateShare, HookRate: s.RateHook,
		ImportsAtOnce: s.ImportsAtOnce, SpoolDir: filepath.Join(s.DataDir, "spool"), Web: webui.Handler(),
		AttachmentMaxBytes: s.AttachmentMaxBytes, ImportMaxBytes: s.ImportMaxBytes, BarsMaxBytes: s.BarsMaxBytes, ShareLinks: s.ShareLinksEnabled,
		PublicURL: s.PublicURL, Assistants: s.MCP, AssistantCalls: s.RateMCP, AssistantWrites: s.RateMCPWrite, AssistantOAuth: s.MCPOAuth,
	})
	if err == nil && s.WatchDir != "" {
		result.folders = &folderWatcher{
			dir: s.WatchDir, stateDir: filepath.Join(s.DataDir, "watch"), services: services, handlerFor: result.api.HandlerFor,
			log: log, now: time.Now, wait: watch.WaitFor,
		}
	}
	return result, err
}

func (v *server) run(ctx context.Context, ports listeners) error {
	v.announce(ctx, ports.api)
	context.AfterFunc(ctx, v.api.Drain)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return transport.Serve(ctx, ports.api, v.api.Handler(), v.log) })
	group.Go(func() error { v.sweep(ctx); return nil })
	group.Go(func() error { return v.watchDisk(ctx) })
	if v.services.BarSources.Enabled() && !v.services.DB.ReadOnly() {
		group.Go(func() error { v.services.Jobs.Run(ctx); return nil })
	}
	if !v.services.DB.ReadOnly() {
		group.Go(func() error { v.services.Alerts.Run(ctx); return nil })
	}
	if v.folders != nil && !v.services.DB.ReadOnly() {
		group.Go(func() error { v.folders.run(ctx); return nil })
	}
	if ports.metrics != nil {
		mux := http.NewServeMux()
		mux.Handle("GET /metrics", v.metrics.Handler())
		group.Go(func() error { return transport.Serve(ctx, ports.metrics, mux, v.log) })
	}
	err := group.Wait()
	v.log.Info("stopped")
	return err
}

// watchDisk returns an error if the disk has failed, which ends the process.
// The next start reads what was actually stored.
func (v *server) watchDisk(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-v.services.DB.Failed():
		return db.ErrUnsafe
	}
}

// announce logs the address, and warns if the database is read-only or there is
// no owner.
func (v *server) announce(ctx context.Context, listener net.Listener) {
	address := "http://" + strings.Replace(listener.Addr().String(), "[::]", "127.0.0.1", 1)
	v.log.Info("serving", "address", address)
	if v.services.DB.ReadOnly() {
		v.log.Warn("the database is read-only: sign-ins and changes fail until it is writable and the server is restarted",
			"file", v.services.DB.Path())
	}
	if status, err := v.services.Identity.SetupStatus(ctx); err == nil && status.NeedsSetup {
		v.log.Warn("the installation has no owner: the first visitor becomes its owner", "address", address)
	}
}

// sweep deletes expired data every hour.
func (v *server) sweep(ctx context.Context) {
	if v.services.DB.ReadOnly() {
		return
	}
	ticker := time.NewTicker(time.Hour)
	defer ticker.Stop()
	for {
		if err := errors.Join(v.services.Sweep(ctx), v.api.Sweep(ctx)); err != nil && ctx.Err() == nil {
			v.log.Warn("sweeping failed", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// quickCheckLimit is the maximum size of a file checked at every start, which takes less
// than a second.
const quickCheckLimit = 64 << 20

func isQuickToCheck(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Size() <= quickCheckLimit
}

// claim creates a mark in the data directory while the server runs. It checks
// the file first; a large one only if a mark exists, because the last process
// did not end cleanly.
func (s *settings) claim(ctx context.Context, d *db.DB, log *slog.Logger) (release func() error, err error) {
	if d.Engine() != db.SQLite {
		return func() error { return nil }, nil
	}
	mark := filepath.Join(s.DataDir, runningMark)
	unclean := fileExists(mark)
	if unclean {
		log.Info("checking the database file after an unclean stop")
	}
	if unclean || isQuickToCheck(d.Path()) {
		problems, err := d.Inspect(ctx, true)
		if err != nil {
			return nil, err
		}
		if len(problems) > 0 {
			return nil, fmt.Errorf("%w: %s", db.ErrDamaged, problems[0])
		}
	}
	if d.ReadOnly() {
		return func() error { return nil }, nil
	}
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		return nil, fmt.Errorf("%w: %w", errCannotStart, err)
	}
	return func() error { return os.Remove(mark) }, nil
}
