package db

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// undoLog collects what undoes the changes of one part of a long write, from
// SQLite's pre-update hook: the key of an inserted row, the old values of a
// deleted one, both for a changed one.
//
// A log is a sequence of entries. Tables are numbered in the order in which their
// names occur.
type undoLog struct {
	tables map[string]undoTable // of the database
	bytes  []byte
	known  map[string]int // the numbers of tables in this log
	err    error

	handle uintptr // of the connection
	tls    *libc.TLS
	value  uintptr // C memory for a pointer to a value
}

// undoTable is what must be known of a table.
type undoTable struct {
	columns []string
	key     []int // the columns of the primary key
}

// The kinds of entries.
const (
	undoName   = iota + 1 // the name of the next table
	undoInsert            // table and key of an inserted row
	undoDelete            // table and values of a deleted row
	undoUpdate            // table, key of the changed row, values before
)

// The kinds of values.
const (
	undoNull = iota + 1
	undoInt
	undoFloat
	undoText
	undoBlob
)

var errUndoLog = fmt.Errorf("%w: the log of an unfinished write cannot be read", ErrDamaged)

// reset empties the log for the next part.
func (u *undoLog) reset() {
	u.bytes, u.known, u.err = u.bytes[:0], map[string]int{}, nil
}

// undoLogs are the logs of connections that record their changes, by handle.
var undoLogs sync.Map

// start makes a connection record its changes.
func (u *undoLog) start(handle uintptr) {
	u.handle, u.tls = handle, libc.NewTLS()
	u.value = libc.Xcalloc(u.tls, 1, 8)
	undoLogs.Store(handle, u)
	u.resume()
}

// stop ends start.
func (u *undoLog) stop() {
	u.pause()
	undoLogs.Delete(u.handle)
	libc.Xfree(u.tls, u.value)
	u.tls.Close()
}

// pause ends the recording until resume is called.
func (u *undoLog) pause() { sqlite3.Xsqlite3_preupdate_hook(u.tls, u.handle, 0, 0) }

func (u *undoLog) resume() { sqlite3.Xsqlite3_preupdate_hook(u.tls, u.handle, preUpdateHook, 0) }

// preUpdateHook is recordChange as a pointer that C code, translated to Go, can
// call.
var preUpdateHook = *(*uintptr)(unsafe.Pointer(&struct {
	f func(tls *libc.TLS, context, handle uintptr, op int32, database, table uintptr, before, after int64)
}{recordChange}))

// recordChange is called by SQLite before it changes a row.
func recordChange(tls *libc.TLS, _, handle uintptr, op int32, _, table uintptr, _, _ int64) {
	found, ok := undoLogs.Load(handle)
	if !ok {
		return
	}
	u := found.(*undoLog)
	if err := u.record(tls, handle, op, libc.GoString(table)); err != nil && u.err == nil {
		u.err = err
	}
}

func (u *undoLog) record(tls *libc.TLS, handle uintptr, op int32, name string) error {
	kind := byte(undoUpdate)
	switch op {
	case sqlite3.SQLITE_INSERT:
		kind = undoInsert
	case sqlite3.SQLITE_DELETE:
		kind = undoDelete
	}
	t, err := u.beginEntry(kind, name)
	if err != nil {
		return err
	}
	if kind != undoDelete {
		for _, column := range t.key {
			if err := u.appendValue(tls, sqlite3.Xsqlite3_preupdate_new(tls, handle, int32(column), u.value)); err != nil { // it is small
				return err
			}
		}
	}
	if kind != undoInsert {
		for column := range t.columns {
			if err := u.appendValue(tls, sqlite3.Xsqlite3_preupdate_old(tls, handle, int32(column), u.value)); err != nil { // it is small
				return err
			}
		}
	}
	return nil
}

// beginEntry appends an entry's start.
func (u *undoLog) beginEntry(kind byte, name string) (undoTable, error) {
	t, ok := u.tables[name]
	if !ok || len(t.key) == 0 {
		return undoTable{}, fmt.Errorf("changes of table %s cannot be undone", name)
	}
	number, ok := u.known[name]
	if !ok {
		number = len(u.known)
		u.known[name] = number
		u.bytes = appendText(append(u.bytes, undoName), name)
	}
	u.bytes = binary.AppendUvarint(append(u.bytes, kind), uint64(number)) // it is small
	return t, nil
}

// recordInserted records the rows of an INSERT of many rows, whose arguments are those of
// insertArgs. That takes a fraction of the hook's time.
func (u *undoLog) recordInserted(table string, columns []string, shared []bool, args []driver.NamedValue, rows int) error {
	first, own := make([]int, len(columns)), 0
	for i, is := range shared {
		if is {
			first[i] = own
			own++
		}
	}
	next := own
	for i, is := range shared {
		if !is {
			first[i] = next
			next++
		}
	}
	for row := range rows {
		t, err := u.beginEntry(undoInsert, table)
		if err != nil {
			return err
		}
		for _, key := range t.key {
			i := slices.Index(columns, t.columns[key])
			if i < 0 {
				return fmt.Errorf("rows of table %s are inserted without %s", table, t.columns[key])
			}
			at := first[i]
			if !shared[i] {
				at += row * (len(columns) - own)
			}
			if err := u.appendKey(args[at].Value); err != nil {
				return err
			}
		}
	}
	return nil
}

func (u *undoLog) appendKey(value driver.Value) error {
	switch v := value.(type) {
	case int64:
		u.bytes = binary.AppendVarint(append(u.bytes, undoInt), v)
	case string:
		u.bytes = appendText(append(u.bytes, undoText), v)
	case []byte:
		u.bytes = appendText(append(u.bytes, undoBlob), v)
	default:
		return fmt.Errorf("a key has type %T", value)
	}
	return nil
}

// appendValue appends the value SQLite has put into u.value.
func (u *undoLog) appendValue(tls *libc.TLS, result int32) error {
	if result != sqlite3.SQLITE_OK {
		return fmt.Errorf("reading a changed row: result %d", result)
	}
	value := *(*uintptr)(pointerAt(u.value))
	switch sqlite3.Xsqlite3_value_type(tls, value) {
	case sqlite3.SQLITE_INTEGER:
		u.bytes = binary.AppendVarint(append(u.bytes, undoInt), sqlite3.Xsqlite3_value_int64(tls, value))
	case sqlite3.SQLITE_FLOAT:
		bits := math.Float64bits(sqlite3.Xsqlite3_value_double(tls, value))
		u.bytes = binary.LittleEndian.AppendUint64(append(u.bytes, undoFloat), bits)
	case sqlite3.SQLITE_TEXT:
		text := sqlite3.Xsqlite3_value_text(tls, value)
		u.bytes = appendText(append(u.bytes, undoText), bytesAt(text, sqlite3.Xsqlite3_value_bytes(tls, value)))
	case sqlite3.SQLITE_BLOB:
		blob := sqlite3.Xsqlite3_value_blob(tls, value)
		u.bytes = appendText(append(u.bytes, undoBlob), bytesAt(blob, sqlite3.Xsqlite3_value_bytes(tls, value)))
	default:
		u.bytes = append(u.bytes, undoNull)
	}
	return nil
}

func appendText[T string | []byte](to []byte, text T) []byte {
	return append(binary.AppendUvarint(to, uint64(len(text))), text...)
}

// pointerAt returns a pointer to C memory.
func pointerAt(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

// bytesAt returns C memory, which is valid until the hook returns.
func bytesAt(address uintptr, n int32) []byte {
	if address == 0 || n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(pointerAt(address)), n)
}

// undoEntry is an entry of a log.
type undoEntry struct {
	kind   byte
	table  string
	key    []any // of undoInsert and undoUpdate
	values []any // of undoDelete and undoUpdate
}

// readUndoLog parses a log.
func readUndoLog(log []byte, tables map[string]undoTable) ([]undoEntry, error) {
	r := undoReader{rest: log}
	var entries []undoEntry
	var names []string
	for len(r.rest) > 0 && !r.failed {
		kind := r.byte()
		if kind == undoName {
			names = append(names, string(r.text()))
			continue
		}
		number := r.uvarint()
		if r.failed || number >= uint64(len(names)) {
			return nil, errUndoLog
		}
		t, ok := tables[names[number]]
		if !ok {
			return nil, errUndoLog
		}
		e := undoEntry{kind: kind, table: names[number]}
		if kind != undoDelete {
			e.key = r.values(len(t.key))
		}
		if kind != undoInsert {
			e.values = r.values(len(t.columns))
		}
		entries = append(entries, e)
	}
	if r.failed {
		return nil, errUndoLog
	}
	return entries, nil
}

// undoReader reads a log. After the end it returns zeros and sets failed.
type undoReader struct {
	rest   []byte
	failed bool
}

func (r *undoReader) take(n uint64) []byte {
	if n > uint64(len(r.rest)) {
		r.failed, r.rest = true, nil
		return nil
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *undoReader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *undoReader) uvarint() uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.failed, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

func (r *undoReader) varint() int64 {
	n, size := binary.Varint(r.rest)
	if size <= 0 {
		r.failed, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

func (r *undoReader) text() []byte { return r.take(r.uvarint()) }

func (r *undoReader) values(n int) []any {
	list := make([]any, n)
	for i := range list {
		switch r.byte() {
		case undoNull:
		case undoInt:
			list[i] = r.varint()
		case undoFloat:
			if b := r.take(8); b != nil {
				list[i] = math.Float64frombits(binary.LittleEndian.Uint64(b))
			}
		case undoText:
			list[i] = string(r.text())
		case undoBlob:
			list[i] = append([]byte{}, r.text()...)
		default:
			r.failed, r.rest = true, nil
		}
	}
	return list
}

// undo applies a log, its last entry first. Foreign keys are checked at the
// commit.
func (t *Tx) undo(ctx context.Context, log []byte, tables map[string]undoTable) error {
	entries, err := readUndoLog(log, tables)
	if err != nil {
		return err
	}
	if _, err := t.Exec(ctx, "PRAGMA defer_foreign_keys = ON"); err != nil {
		return err
	}
	for i := len(entries) - 1; i >= 0; i-- {
		text, args := entries[i].statement(tables[entries[i].table])
		if _, err := t.Exec(ctx, text, args...); err != nil {
			return err
		}
	}
	return nil
}

// statement returns the statement that undoes an entry.
func (e *undoEntry) statement(t undoTable) (text string, args []any) {
	var key []string
	for _, column := range t.key {
		key = append(key, t.columns[column]+" = ?")
	}
	where := " WHERE " + strings.Join(key, " AND ")
	switch e.kind {
	case undoInsert:
		return "DELETE FROM " + e.table + where, e.key
	case undoDelete:
		return "INSERT OR IGNORE INTO " + e.table + " (" + strings.Join(t.columns, ", ") + ") VALUES (?" +
			strings.Repeat(", ?", len(t.columns)-1) + ")", e.values
	default:
		return "UPDATE " + e.table + " SET " + strings.Join(t.columns, " = ?, ") + " = ?" + where, append(e.values, e.key...)
	}
}

// undoTables reads the columns and keys of all tables.
func undoTables(ctx context.Context, tx *Tx) (map[string]undoTable, error) {
	tables := map[string]undoTable{}
	err := Each(ctx, tx, func(row Scanner) error {
		var name, column string
		var key int
		err := row.Scan(&name, &column, &key)
		t := tables[name]
		if key > 0 {
			t.key = append(t.key, len(t.columns))
		}
		t.columns = append(t.columns, column)
		tables[name] = t
		return err
	}, `SELECT t.name, c.name, c.pk FROM sqlite_master AS t, pragma_table_info(t.name) AS c WHERE t.type = 'table' ORDER BY t.name, c.cid`)
	if err == nil && len(tables) == 0 {
		err = errors.New("the database has no tables")
	}
	return tables, err
}
