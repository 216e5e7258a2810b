package db

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"fillbook/internal/base/lazyregexp"
)

// ErrNoCitus means that a database cannot be distributed because Citus is not
// installed in it, or has no node for its data.
var ErrNoCitus = errors.New("the database cannot be distributed")

// distributedByOther are tables not distributed by user_id although they have it, with
// their column.
var distributedByOther = map[string]string{"token_owners": "hash"}

// anchorTable is the table the others are co-located with: a user's rows are on one node.
const anchorTable = "accounts"

// distributionColumn returns the column by whose value a distributed database assigns a
// table's rows to its nodes. It is empty for a reference table, which each node copies.
func distributionColumn(table string, hasColumn func(string) bool) string {
	if column, ok := distributedByOther[table]; ok {
		return column
	}
	if hasColumn(userColumn) {
		return userColumn
	}
	return ""
}

// DistributionColumns returns the distribution column for each table that a distributed
// database spreads over its nodes; see [DB.Distribute].
func DistributionColumns(ctx context.Context) (map[string]string, error) {
	steps, err := migrations(embedded)
	if err != nil {
		return nil, err
	}
	tables, err := schemaTables(ctx, steps)
	if err != nil {
		return nil, err
	}
	columns := map[string]string{}
	for _, t := range tables {
		column := distributionColumn(t.name, func(name string) bool { return slices.Contains(t.columns, name) })
		if column != "" {
			columns[t.name] = column
		}
	}
	return columns, nil
}

// Distribution describes what [DB.Distribute] changed. It is empty if the
// database was already distributed.
type Distribution struct {
	Distributed []string // tables that were spread over the nodes, with their column
	Reference   []string // tables copied to each node
	Constraints []string // unique constraints that now include the distribution column
}

// Distribute spreads a Citus database's tables over its nodes, by user, in one
// transaction. It needs the current schema. Other connected programs must be started
// again afterwards.
func (d *DB) Distribute(ctx context.Context) (changes Distribution, err error) {
	if d.engine != PostgreSQL {
		return changes, fmt.Errorf("%w: it is not a PostgreSQL database", ErrNoCitus)
	}
	steps, err := migrations(embedded)
	if err != nil {
		return changes, err
	}
	tables, err := schemaTables(ctx, steps)
	if err != nil {
		return changes, err
	}
	names := []string{"schema_migrations"}
	for _, t := range tables {
		names = append(names, t.name)
	}
	err = d.Update(ctx, func(tx *Tx) error {
		if err := lockMigrations(ctx, tx); err != nil {
			return err
		}
		if err := checkCitus(ctx, tx); err != nil {
			return err
		}
		changes, err = distributeTables(ctx, tx, names)
		return err
	})
	if err != nil {
		return Distribution{}, err
	}
	d.setDistributed()
	return changes, nil
}

func checkCitus(ctx context.Context, tx *Tx) error {
	var installed bool
	if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus')`).Scan(&installed); err != nil {
		return err
	}
	if !installed {
		return fmt.Errorf("%w: it has no extension citus; run CREATE EXTENSION citus on all nodes and add the workers with citus_add_node", ErrNoCitus)
	}
	var nodes int
	if err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM pg_dist_node WHERE noderole = 'primary' AND isactive AND shouldhaveshards`).Scan(&nodes); err != nil {
		return err
	}
	if nodes == 0 {
		return fmt.Errorf("%w: it has no worker node; add the workers with citus_add_node", ErrNoCitus)
	}
	return nil
}

// setDistributed makes all transactions suit a distributed database: Citus runs a
// statement on one shard after the other. Otherwise a transaction could not change a
// reference table and then all shards in a table referring to it.
func (d *DB) setDistributed() {
	if !d.distributed {
		d.distributed = true
		d.limits = addSetting(d.limits, "citus.multi_shard_modify_mode", "sequential")
	}
}

// foreignKey is a foreign key as PostgreSQL prints it.
type foreignKey struct{ table, name, definition string }

// distributeTables distributes tables that are not distributed yet. Their foreign keys
// are dropped first and added at the end, because a table can refer to distributed tables
// only if it is distributed, and the other way around.
func distributeTables(ctx context.Context, tx *Tx, names []string) (changes Distribution, err error) {
	done, err := List(ctx, tx, Single[string], `SELECT CAST(logicalrelid AS TEXT) FROM pg_dist_partition`)
	if err != nil {
		return changes, err
	}
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(done, name) })
	if len(names) == 0 {
		return changes, nil
	}
	if _, err := tx.Exec(ctx, `SET LOCAL citus.multi_shard_modify_mode = 'sequential'`); err != nil {
		return changes, err
	}
	keys, err := dropForeignKeys(ctx, tx, names)
	if err != nil {
		return changes, err
	}
	columns, err := liveColumns(ctx, tx)
	if err != nil {
		return changes, err
	}
	slices.SortStableFunc(names, func(a, b string) int { return rankOf(a) - rankOf(b) })
	for _, name := range names {
		column := distributionColumn(name, func(column string) bool { return columns[name][column] != "" })
		if err := distributeTable(ctx, tx, name, column, &changes); err != nil {
			return changes, fmt.Errorf("distributing %s: %w", name, err)
		}
	}
	for _, key := range keys {
		if _, err := tx.Exec(ctx, fmt.Sprintf(`ALTER TABLE %s ADD CONSTRAINT %s %s`, key.table, key.name, key.definition)); err != nil {
			return changes, fmt.Errorf("adding %s to %s: %w", key.name, key.table, err)
		}
	}
	return changes, nil
}

// rankOf returns 0 for the table others are co-located with.
func rankOf(table string) int {
	if table == anchorTable {
		return 0
	}
	return 1
}

func dropForeignKeys(ctx context.Context, tx *Tx, tables []string) ([]foreignKey, error) {
	args := []any{}
	keys, err := List(ctx, tx, func(row Scanner) (k foreignKey, err error) {
		err = row.Scan(&k.table, &k.name, &k.definition)
		return k, err
	}, `SELECT CAST(CAST(conrelid AS regclass) AS TEXT), quote_ident(conname), pg_get_constraintdef(oid) FROM pg_constraint
		WHERE contype = 'f' AND connamespace = CAST(current_schema() AS regnamespace)
			AND CAST(CAST(conrelid AS regclass) AS TEXT) IN `+In(&args, tables)+` ORDER BY 1, 2`, args...)
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		if _, err := tx.Exec(ctx, fmt.Sprintf(`ALTER TABLE %s DROP CONSTRAINT %s`, key.table, key.name)); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

func distributeTable(ctx context.Context, tx *Tx, name, column string, changes *Distribution) error {
	if column == "" {
		changes.Reference = append(changes.Reference, name)
		_, err := tx.Exec(ctx, `SELECT create_reference_table($1)`, name)
		return err
	}
	widened, err := widenUniqueConstraints(ctx, tx, name, column)
	if err != nil {
		return err
	}
	changes.Constraints = append(changes.Constraints, widened...)
	group := "none"
	if column == userColumn {
		group = anchorTable
	}
	if name == anchorTable {
		group = "default"
	}
	_, err = tx.Exec(ctx, `SELECT create_distributed_table($1, $2, colocate_with => $3)`, name, column, group)
	changes.Distributed = append(changes.Distributed, fmt.Sprintf("%s (%s)", name, column))
	return err
}

// widenUniqueConstraints replaces the unique constraints that do not contain the
// distribution column, which Citus cannot check across nodes, by ones that do.
func widenUniqueConstraints(ctx context.Context, tx *Tx, table, column string) ([]string, error) {
	type constraint struct{ name, columns string }
	narrow, err := List(ctx, tx, func(row Scanner) (c constraint, err error) {
		err = row.Scan(&c.name, &c.columns)
		return c, err
	}, `SELECT quote_ident(k.conname), string_agg(quote_ident(a.attname), ', ' ORDER BY array_position(k.conkey, a.attnum))
		FROM pg_constraint AS k JOIN pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey)
		WHERE k.contype = 'u' AND k.conrelid = to_regclass($1)
		GROUP BY k.conname HAVING NOT bool_or(a.attname = $2) ORDER BY 1`, table, column)
	if err != nil {
		return nil, err
	}
	var changed []string
	for _, c := range narrow {
		text := fmt.Sprintf(`ALTER TABLE %s DROP CONSTRAINT %s, ADD CONSTRAINT %s UNIQUE (%s, %s)`, table, c.name, c.name, column, c.columns)
		if _, err := tx.Exec(ctx, text); err != nil {
			return nil, err
		}
		changed = append(changed, fmt.Sprintf("%s (%s, %s)", table, column, c.columns))
	}
	return changed, nil
}

var createsTable = lazyregexp.New(`^CREATE TABLE ([a-z_]+)`)

// execDistributed runs a migration statement in a distributed database. A new table is
// created on the coordinator alone, where it may refer to any table, and distributed at
// once, before rows are inserted.
func execDistributed(ctx context.Context, tx *Tx, statement string) error {
	created := createsTable().FindStringSubmatch(statement)
	if created == nil {
		_, err := tx.Exec(ctx, statement)
		return err
	}
	for _, text := range []string{
		`SET LOCAL citus.enable_ddl_propagation = off`, statement, `SET LOCAL citus.enable_ddl_propagation = on`,
	} {
		if _, err := tx.Exec(ctx, text); err != nil {
			return err
		}
	}
	_, err := distributeTables(ctx, tx, created[1:])
	return err
}

// viewWhole is View for a function reading all users' rows. A distributed database's
// nodes have no common snapshot, so writers are locked out until each node has one, which
// takes a moment.
func (d *DB) viewWhole(ctx context.Context, tables []table, fn func(*Tx) error) error {
	if !d.distributed {
		return d.View(ctx, fn)
	}
	return d.View(ctx, func(tx *Tx) error {
		unlock, err := d.lockTables(ctx, tables)
		if err != nil {
			return fmt.Errorf("locking the tables for a snapshot: %w", err)
		}
		err = openSnapshots(ctx, tx)
		if err := errors.Join(err, unlock()); err != nil {
			return fmt.Errorf("opening a snapshot on each node: %w", err)
		}
		return fn(tx)
	})
}

// openSnapshots makes a transaction use one connection to each node, and opens a snapshot
// on each.
func openSnapshots(ctx context.Context, tx *Tx) error {
	if _, err := tx.Exec(ctx, `SET LOCAL citus.max_adaptive_executor_pool_size = 1`); err != nil {
		return err
	}
	var rows int
	return tx.QueryRow(ctx, `SELECT COUNT(*) FROM `+anchorTable).Scan(&rows)
}

// lockTables locks tables against writing, in its own transaction, until unlock is
// called.
func (d *DB) lockTables(ctx context.Context, tables []table) (unlock func() error, err error) {
	names := make([]string, len(tables))
	for i, t := range tables {
		names[i] = t.name
	}
	locked, release, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- d.withPostgres(ctx, func(s *session) error {
			return s.transact(ctx, beginWrite(d.engine), func(tx *Tx) error {
				if _, err := tx.Exec(ctx, `LOCK TABLE `+strings.Join(names, ", ")+` IN SHARE MODE`); err != nil {
					return err
				}
				close(locked)
				<-release
				return nil
			})
		})
	}()
	select {
	case err := <-ended:
		return nil, err
	case <-locked:
		return func() error { close(release); return <-ended }, nil
	}
}
