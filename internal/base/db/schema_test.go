package db_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/testkit"
)

// column is what both engines must agree on.
type column struct {
	Table, Name, Kind string
	Required          bool
	Key               int64 // place in the primary key, 0 for none
}

// kinds maps both engines' type names to the same words.
var kinds = map[string]string{
	"INTEGER": "integer", "BIGINT": "integer", "SMALLINT": "integer", "BOOLEAN": "integer",
	"TEXT": "text", "BLOB": "bytes", "BYTEA": "bytes", "UUID": "bytes",
}

const sqliteColumns = `
	SELECT t.name, c.name, UPPER(c.type), c."notnull" OR c.pk > 0, c.pk
	FROM sqlite_master AS t, pragma_table_info(t.name) AS c
	WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'
	ORDER BY t.name, c.name`

// postgresColumns reads the catalog itself: the views of information_schema take seconds.
const postgresColumns = `
	SELECT c.relname, a.attname, UPPER(FORMAT_TYPE(a.atttypid, a.atttypmod)), a.attnotnull, COALESCE(ARRAY_POSITION(p.conkey, a.attnum), 0)
	FROM pg_class AS c
	JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
	LEFT JOIN pg_constraint AS p ON p.conrelid = c.oid AND p.contype = 'p'
	WHERE c.relnamespace = 'public'::REGNAMESPACE AND c.relkind = 'r'
	ORDER BY c.relname COLLATE "C", a.attname COLLATE "C"`

func schema(t *testing.T, d *db.DB) []column {
	t.Helper()
	query := sqliteColumns
	if d.Engine() == db.PostgreSQL {
		query = postgresColumns
	}
	var columns []column
	must(t, d.View(t.Context(), func(tx *db.Tx) (err error) {
		columns, err = db.List(t.Context(), tx, func(row db.Scanner) (c column, err error) {
			return c, row.Scan(&c.Table, &c.Name, &c.Kind, &c.Required, &c.Key)
		}, query)
		return err
	}))
	for i, c := range columns {
		kind, known := kinds[c.Kind]
		if !known {
			t.Errorf("%s.%s has the type %s, which is not one of the common subset (ADR 1)", c.Table, c.Name, c.Kind)
		}
		columns[i].Kind = kind
	}
	return columns
}

func TestBothEnginesHaveTheSameSchema(t *testing.T) {
	t.Parallel()
	lite, postgres := testkit.Open(t, db.SQLite), testkit.Open(t, db.PostgreSQL)
	if diff := cmp.Diff(schema(t, lite), schema(t, postgres)); diff != "" {
		t.Errorf("the schemas differ (-sqlite +postgresql):\n%s", diff)
	}
}

// notByUser are the tables that do not lead with user_id, and why.
var notByUser = map[string]string{
	"schema_migrations": "about the database, not about a person",
	"instance":          "one row: the installation was set up",
	"instance_secret":   "one row: which secret the installation has",
	"users":             "its number is the user's id",
	"token_owners":      "finds the user of a token",
	"app_clients":       "apps that registered themselves belong to no user",
}

// A journal can be spread over several PostgreSQL nodes by user only if each
// table's primary key begins with the user.
func TestEveryTableLeadsWithTheUser(t *testing.T) {
	t.Parallel()
	tables := map[string]string{} // first primary key column
	for _, c := range schema(t, testkit.Open(t, db.SQLite)) {
		if _, seen := tables[c.Table]; !seen {
			tables[c.Table] = "nothing"
		}
		if c.Key == 1 {
			tables[c.Table] = c.Name
		}
	}
	for _, table := range slices.Sorted(maps.Keys(tables)) {
		_, excused := notByUser[table]
		if leads := tables[table] == "user_id"; leads == excused {
			t.Errorf("%s: its primary key begins with %s, excused: %v", table, tables[table], excused)
		}
	}
	for table := range notByUser {
		if _, exists := tables[table]; !exists {
			t.Errorf("%s is excused but does not exist", table)
		}
	}
}

// A text in a key must sort by bytes on PostgreSQL as it does on SQLite.
func TestTextInKeysSortsByBytes(t *testing.T) {
	t.Parallel()
	d := testkit.Open(t, db.PostgreSQL)
	wrong := ids(t, d, `
		SELECT DISTINCT t.relname || '.' || a.attname AS place
		FROM pg_index AS i
		JOIN pg_class AS t ON t.oid = i.indrelid
		JOIN pg_namespace AS s ON s.oid = t.relnamespace AND s.nspname = 'public'
		JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum = ANY (i.indkey)
		JOIN pg_collation AS c ON c.oid = a.attcollation
		WHERE c.collname <> 'C' AND t.relname <> 'schema_migrations'
		ORDER BY place`)
	if len(wrong) != 0 {
		t.Errorf("these lack COLLATE \"C\": %s", strings.Join(wrong, ", "))
	}
}

// Deleting a user is one DELETE, so whatever has a user_id goes with the user.
func TestUsersTakeTheirRowsWithThem(t *testing.T) {
	t.Parallel()
	d := testkit.Open(t, db.PostgreSQL)
	cascading := ids(t, d, `
		SELECT DISTINCT t.relname AS place
		FROM pg_constraint AS k
		JOIN pg_class AS t ON t.oid = k.conrelid
		WHERE k.contype = 'f' AND k.confdeltype = 'c'
		ORDER BY place`)
	for _, c := range schema(t, d) {
		if c.Name == "user_id" && !slices.Contains(cascading, c.Table) && c.Table != "audit_events" {
			t.Errorf("%s keeps its rows when their user is deleted", c.Table)
		}
	}
}
