package db

import (
	"cmp"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// directRows reads rows from SQLite itself. The driver makes an interface value of each
// column first, and most of them are allocated.
type directRows struct {
	rows      *Rows
	columns   int
	tls       *libc.TLS
	statement uintptr
}

// newDirectRows returns the rows of a statement that has run. The caller must close tls when
// all are read.
func newDirectRows(rows *Rows) (*directRows, error) {
	statement := statementHandle(rows.lite)
	if statement == 0 {
		return nil, errors.New("the SQLite driver has no statement handle where it is expected")
	}
	return &directRows{rows: rows, columns: len(rows.values), tls: libc.NewTLS(), statement: statement}, nil
}

// statementHandle returns the SQLite handle of a statement whose rows are read, which the
// driver has in a field it does not export, or 0 if there is no such field.
func statementHandle(rows driver.Rows) uintptr {
	value := reflect.Indirect(reflect.ValueOf(rows))
	if value.Kind() != reflect.Struct {
		return 0
	}
	if field := value.FieldByName("pstmt"); field.Kind() == reflect.Uintptr {
		return uintptr(field.Uint())
	}
	return 0
}

// next is [Rows.Next] without the values. The first row is read with [Rows.Next].
func (d *directRows) next() bool {
	r := d.rows
	if r.err = r.ctx.Err(); r.err == nil {
		switch result := sqlite3.Xsqlite3_step(d.tls, d.statement); result {
		case sqlite3.SQLITE_ROW:
			return true
		case sqlite3.SQLITE_DONE:
			r.err = io.EOF
		default: // closing the rows returns the statement's error
			r.err = cmp.Or(r.Close(), fmt.Errorf("reading a row: result %d", result))
		}
	}
	_ = r.Close()
	return false
}

// rowBatch contains some rows' values, one row after the other.
type rowBatch struct {
	values []storedValue
	bytes  []byte // of texts and blobs
}

// storedValue is a value as SQLite returned it.
type storedValue struct {
	kind   int32 // such as SQLITE_TEXT
	length int32 // of a text or a blob
	number int64 // an integer, a float's bits, or where a text or a blob begins
}

// appendRow appends the current row. SQLite has its columns in one array.
func (b *rowBatch) appendRow(d *directRows) {
	first := sqlite3.Xsqlite3_column_value(d.tls, d.statement, 0)
	for i := range d.columns {
		column := first + uintptr(i)*unsafe.Sizeof(sqlite3.Tsqlite3_value{})
		v := storedValue{kind: sqlite3.Xsqlite3_value_type(d.tls, column)}
		switch v.kind {
		case sqlite3.SQLITE_INTEGER:
			v.number = sqlite3.Xsqlite3_value_int64(d.tls, column)
		case sqlite3.SQLITE_FLOAT:
			v.number = int64(math.Float64bits(sqlite3.Xsqlite3_value_double(d.tls, column)))
		case sqlite3.SQLITE_TEXT, sqlite3.SQLITE_BLOB:
			content := bytesAt(sqlite3.Xsqlite3_value_blob(d.tls, column), sqlite3.Xsqlite3_value_bytes(d.tls, column))
			v.number, v.length = int64(len(b.bytes)), int32(len(content)) // it was an int32
			b.bytes = append(b.bytes, content...)
		}
		b.values = append(b.values, v)
	}
}

// batchRow is a row of a batch.
type batchRow struct {
	values []storedValue
	bytes  []byte
	names  []string
}

// Destinations that need not keep the bytes, which are only valid during the call.
type (
	textScanner interface{ ScanText(text []byte) error }
	blobScanner interface{ ScanBlob(blob []byte) error }
)

// Scan copies the columns to dest, one for each, as [Rows.Scan] does.
func (r *batchRow) Scan(dest ...any) error {
	if len(dest) != len(r.values) {
		return fmt.Errorf("%d destinations for %d columns", len(dest), len(r.values))
	}
	for i := range r.values {
		if err := r.assign(dest[i], &r.values[i]); err != nil {
			return fmt.Errorf("column %d (%s): %w", i, r.names[i], err)
		}
	}
	return nil
}

// assign is [assign] for a stored value. It allocates nothing for the most frequent
// destinations.
func (r *batchRow) assign(dest any, v *storedValue) error {
	switch v.kind {
	case sqlite3.SQLITE_INTEGER:
		switch d := dest.(type) {
		case *int64:
			*d = v.number
			return nil
		case instant:
			*d.at = FromMicros(v.number)
			return nil
		}
		return assign(dest, v.number)
	case sqlite3.SQLITE_FLOAT:
		return assign(dest, math.Float64frombits(uint64(v.number)))
	case sqlite3.SQLITE_TEXT:
		text := r.content(v)
		switch d := dest.(type) {
		case *string:
			*d = string(text)
			return nil
		case textScanner:
			return d.ScanText(text)
		}
		return assign(dest, string(text))
	case sqlite3.SQLITE_BLOB:
		blob := r.content(v)
		if d, ok := dest.(blobScanner); ok {
			return d.ScanBlob(blob)
		}
		return assign(dest, append([]byte(nil), blob...))
	}
	return assign(dest, nil)
}

// content returns the bytes of a text or a blob.
func (r *batchRow) content(v *storedValue) []byte {
	return r.bytes[v.number : v.number+int64(v.length)]
}
