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

	"fillbook/internal/db"
	"fillbook/internal/httpapi"
	"fillbook/internal/installation"
	"fillbook/internal/transport"
	"fillbook/internal/webui"
)

type serveCommand struct{}

// Run serves until a signal asks it to stop; then running requests may end.
func (serveCommand) Run(env *environment, s *settings) error {
	return s.runServer(env, func(context.Context, *server) error { return nil })
}

// runServer opens the database and serves it; prepare runs before the first
// request is taken.
func (s *settings) runServer(env *environment, prepare func(context.Context, *server) error) error {
	ports, err := s.listen(env.ctx)
	if err != nil {
		return err
	}
	defer ports.close()
	log := s.logger(env.stderr)
	log.Info("fillbook starts", "version", version, "settings", s)
	warnOfRemoved(log)
	d, err := s.openDatabase(env.ctx, log)
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
		return errors.Join(err, clean()) // a start that was refused is no crash
	}
	server.services.Identity.Start()
	if err = prepare(ctx, server); err == nil {
		err = server.run(ctx, ports)
	}
	flush, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	err = errors.Join(err, server.services.Identity.Close(flush), server.services.Sharing.Close(flush), server.services.Close())
	if errors.Is(err, db.ErrUnsafe) {
		return err // the mark stays, so that the next start looks the file over
	}
	return errors.Join(err, clean())
}

// migrate brings the schema up to date. What can only be read must be so
// already.
func migrate(ctx context.Context, d *db.DB) error {
	err := d.Migrate(ctx)
	if errors.Is(err, db.ErrReadOnly) {
		return fmt.Errorf("%w: the database is of an older version, and it cannot be brought up to date because it can only be read", errUnusable)
	}
	return err
}

// upgrade computes again what an older version of the program computed by other
// rules. It does nothing where everything is current.
func upgrade(ctx context.Context, services *installation.Installation) error {
	err := services.Ledger.Upgrade(ctx, nil)
	if errors.Is(err, db.ErrReadOnly) {
		return fmt.Errorf("%w: trades must be computed again by the rules of this version, and the database can only be read", errUnusable)
	}
	return err
}

// server is everything that runs while we serve.
type server struct {
	log      *slog.Logger
	services *installation.Installation
	api      *httpapi.API
	metrics  *transport.Metrics
}

// assemble builds the parts and ties them together.
func (s *settings) assemble(ctx context.Context, d *db.DB, log *slog.Logger) (*server, error) {
	keys, err := s.serverKeys()
	if err != nil {
		return nil, err
	}
	services, err := s.install(d, keys, log)
	if err != nil {
		return nil, err
	}
	if err := services.Identity.CheckSecret(ctx); err != nil {
		return nil, err
	}
	result := &server{log: log, metrics: transport.NewMetrics(), services: services}
	result.api, err = httpapi.New(result.services, httpapi.Options{
		Version: version, Log: log, Proxies: prefixes(s.TrustedProxies), Origins: s.CORSOrigins, Metrics: result.metrics,
		AuthFailures: s.RateAuth, SecretFailures: s.RateSecrets, ShareRate: s.RateShare,
		ImportsAtOnce: s.ImportsAtOnce, SpoolDir: filepath.Join(s.DataDir, "spool"), Web: webui.Handler(),
		AttachmentMaxBytes: s.AttachmentMaxBytes, ImportMaxBytes: s.ImportMaxBytes, ShareLinks: s.ShareLinksEnabled,
		PublicURL: s.PublicURL,
	})
	return result, err
}

func (v *server) run(ctx context.Context, ports listeners) error {
	v.announce(ctx, ports.api)
	context.AfterFunc(ctx, v.api.Drain)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return transport.Serve(ctx, ports.api, v.api.Handler(), v.log) })
	group.Go(func() error { v.sweep(ctx); return nil })
	group.Go(func() error { return v.watchDisk(ctx) })
	if ports.metrics != nil {
		mux := http.NewServeMux()
		mux.Handle("GET /metrics", v.metrics.Handler())
		group.Go(func() error { return transport.Serve(ctx, ports.metrics, mux, v.log) })
	}
	err := group.Wait()
	v.log.Info("fillbook stopped")
	return err
}

// watchDisk ends the process when its disk has failed: a restart on it, or on
// another, reads what was really kept.
func (v *server) watchDisk(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-v.services.DB.Failed():
		return db.ErrUnsafe
	}
}

// announce says where the journal is, and warns while it belongs to nobody.
func (v *server) announce(ctx context.Context, listener net.Listener) {
	address := "http://" + strings.Replace(listener.Addr().String(), "[::]", "127.0.0.1", 1)
	v.log.Info("serving", "address", address)
	if v.services.DB.ReadOnly() {
		v.log.Warn("the database can only be read; nothing can be changed and nobody can sign in until it can be written and fillbook is started again",
			"file", v.services.DB.Path())
	}
	if status, err := v.services.Identity.SetupStatus(ctx); err == nil && status.NeedsSetup {
		v.log.Warn("nobody owns this installation yet; the first to open it becomes its owner", "address", address)
	}
}

// sweep forgets once an hour what is no longer needed.
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

// soonChecked is the size up to which a file is looked over at every start; it
// takes well below a second.
const soonChecked = 64 << 20

func isSoonChecked(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Size() <= soonChecked
}

// claim leaves a mark in the data directory for as long as we serve. The file is
// looked over before it is used, a large one only where an earlier mark is
// found: then the last process did not end well.
func (s *settings) claim(ctx context.Context, d *db.DB, log *slog.Logger) (release func() error, err error) {
	if d.Engine() != db.SQLite {
		return func() error { return nil }, nil
	}
	mark := filepath.Join(s.DataDir, runningMark)
	unclean := fileExists(mark)
	if unclean {
		log.Info("the last run did not end cleanly; checking the database file")
	}
	if unclean || isSoonChecked(d.Path()) {
		complaints, err := d.Inspect(ctx, true)
		if err != nil {
			return nil, err
		}
		if len(complaints) > 0 {
			return nil, fmt.Errorf("%w: %s", db.ErrDamaged, complaints[0])
		}
	}
	if d.ReadOnly() {
		return func() error { return nil }, nil
	}
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		return nil, fmt.Errorf("%w: %w", errUnusable, err)
	}
	return func() error { return os.Remove(mark) }, nil
}
