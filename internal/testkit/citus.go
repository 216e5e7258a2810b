package testkit

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"

	"fillbook/internal/base/db"
)

// IsDistributed reports whether tests run on a Citus cluster: SVC_TEST_CITUS contains its
// workers' ports, and SVC_TEST_POSTGRES is its coordinator. See scripts/with-citus.
func IsDistributed() bool { return os.Getenv("SVC_TEST_CITUS") != "" }

// createCluster creates a database with Citus on all servers, without tables.
func createCluster(name string) error {
	workers := strings.Fields(os.Getenv("SVC_TEST_CITUS"))
	for _, port := range append(workers, serverPort()) {
		if err := execOn(port, "postgres", "CREATE DATABASE "+name+" TEMPLATE template0"); err != nil {
			return err
		}
		if err := execOn(port, name, "CREATE EXTENSION citus"); err != nil {
			return err
		}
	}
	statements := []string{"SELECT citus_set_coordinator_host('127.0.0.1', " + serverPort() + ")"}
	for _, port := range workers {
		statements = append(statements, "SELECT citus_add_node('127.0.0.1', "+port+")")
	}
	for _, statement := range statements {
		if err := execAgain(serverPort(), name, statement); err != nil {
			return err
		}
	}
	return nil
}

// execAgain runs a statement up to three times: on a busy machine Citus sometimes
// loses its first connection to a new database.
func execAgain(port, name, statement string) (err error) {
	for range 3 {
		if err = execOn(port, name, statement); err == nil {
			return nil
		}
	}
	return err
}

// createDistributed creates a migrated and distributed database.
func createDistributed(name string) error {
	if err := createCluster(name); err != nil {
		return err
	}
	ctx := context.Background()
	d, err := db.Open(ctx, db.Options{URL: databaseURL(name), Readers: 4})
	if err != nil {
		return err
	}
	defer d.Close() //nolint:errcheck // what was written is committed
	if err := d.Migrate(ctx); err != nil {
		return err
	}
	if _, err = d.Distribute(ctx); err != nil {
		return err
	}
	return withConnection(name, func(ctx context.Context, conn *sql.DB) error {
		shape, err := readShape(ctx, conn)
		clusterShapes.Store(name, shape)
		return err
	})
}

// clusterShapes are the distributed databases' shapes by name. They differ, because the
// shard names do.
var clusterShapes sync.Map

// emptyDistributed deletes all rows. Most go with their user; truncating each table's
// shards would take seconds.
func emptyDistributed(name string) error {
	return withConnection(name, func(ctx context.Context, conn *sql.DB) error {
		for _, statement := range []string{
			`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
				WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
			"DELETE FROM users", "DELETE FROM audit_events", "DELETE FROM instance", "DELETE FROM instance_secret",
		} {
			if _, err := conn.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		shape, err := readShape(ctx, conn)
		if known, _ := clusterShapes.Load(name); err == nil && known != shape {
			err = fmt.Errorf("the schema of %s has changed", name)
		}
		return err
	})
}

func serverPort() string {
	u, err := url.Parse(os.Getenv("SVC_TEST_POSTGRES"))
	if err != nil {
		return ""
	}
	return u.Port()
}

// execOn runs statements on a server.
func execOn(port, name string, statements ...string) error {
	conn, err := sql.Open("pgx", "postgres://postgres@127.0.0.1:"+port+"/"+name+"?sslmode=disable")
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // a test server
	conn.SetMaxOpenConns(1)
	for _, statement := range statements {
		if _, err := conn.ExecContext(context.Background(), statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}
