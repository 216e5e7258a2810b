package db

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// Prefetch sends queries before they are needed. It calls read with a transaction in which
// every SELECT has no rows, to learn the queries. PostgreSQL receives them after the next
// SELECT, in the same round trip, and their rows are kept until a SELECT with the same text
// and arguments has asked for them as often as read did, or the transaction deletes rows or
// writes to one of their tables. So they must have few rows. A query that is never asked for costs its time and
// nothing else. On SQLite, which has no round trips, Prefetch does nothing.
func (t *Tx) Prefetch(read func(*Tx)) {
	switch {
	case t.session.engine == SQLite:
	case t.session.learns != nil:
		read(t)
	default:
		read(&Tx{session: &session{engine: PostgreSQL, learns: t.session}})
	}
}

// learn keeps a query of [Tx.Prefetch]. One that is known is only counted.
func (s *session) learn(query string, args []any) {
	if i := slices.IndexFunc(s.ahead, func(r request) bool { return r.equal(query, args) }); i >= 0 {
		s.ahead[i].uses++
		return
	}
	if i := slices.IndexFunc(s.fetched, func(f fetchedRows) bool { return f.equal(query, args) }); i >= 0 {
		s.fetched[i].uses++
		return
	}
	s.ahead = append(s.ahead, request{query, args, 1})
}

// request is a SELECT with its arguments, and how often it will be asked for.
type request struct {
	query string
	args  []any
	uses  int
}

func (r request) equal(query string, args []any) bool {
	return r.query == query && len(r.args) == len(args) && (len(args) == 0 || reflect.DeepEqual(r.args, args))
}

// fetchedRows are a SELECT's rows in memory.
type fetchedRows struct {
	request
	types  *pgtype.Map
	fields []pgconn.FieldDescription
	rows   [][][]byte
}

// queryAhead sends the queued statements, of which the last is a SELECT, and after them the
// announced ones. It returns the rows of the first SELECT.
func (s *session) queryAhead(ctx context.Context) (*Rows, error) {
	reads := append([]request{{uses: 1}}, s.ahead...) // the first has no text, because it is taken at once
	for _, read := range s.ahead {
		s.queue(read.query, read.args)
	}
	s.ahead = nil
	results, _, err := s.send(ctx, len(reads))
	if err != nil {
		return nil, err
	}
	defer results.Close() //nolint:errcheck // an error of the rows comes first
	for i := range reads {
		rows, err := results.Query()
		if err != nil {
			return nil, err
		}
		found := fetchedRows{request: reads[i], types: s.pg.TypeMap()}
		for rows.Next() {
			found.rows = append(found.rows, copyValues(rows.RawValues()))
		}
		found.fields = slices.Clone(rows.FieldDescriptions()) // the driver uses the memory again
		if err := rows.Err(); err != nil {
			return nil, err
		}
		s.fetched = append(s.fetched, found)
	}
	taken, _ := s.takeFetched("", nil)
	return taken, results.Close()
}

// copyValues copies a row's values, whose memory the driver uses again.
func copyValues(row [][]byte) [][]byte {
	size := 0
	for _, value := range row {
		size += len(value)
	}
	memory, values := make([]byte, 0, size), make([][]byte, len(row))
	for i, value := range row {
		if value != nil { // NULL stays nil
			begin := len(memory)
			memory = append(memory, value...)
			values[i] = memory[begin:len(memory):len(memory)]
		}
	}
	return values
}

// takeFetched returns a SELECT's rows if they were fetched with equal arguments, as often as
// it was announced.
func (s *session) takeFetched(query string, args []any) (*Rows, bool) {
	for i, found := range s.fetched {
		if found.equal(query, args) {
			if s.fetched[i].uses--; s.fetched[i].uses == 0 {
				s.fetched = slices.Delete(s.fetched, i, i+1)
			}
			return &Rows{fetched: &found}, true
		}
	}
	return nil, false
}

// scan copies the row that was moved to.
func (f *fetchedRows) scan(row int, dest []any) error {
	return pgx.ScanRow(f.types, f.fields, f.rows[row], dest...)
}

// forgetFetched drops rows that a statement may change.
func (s *session) forgetFetched(statement string) {
	if len(s.fetched) == 0 {
		return
	}
	words := strings.Fields(statement)
	switch {
	case len(words) < 3 || words[0] == "SELECT":
	case words[0] == "DELETE": // foreign keys may delete rows in other tables too
		s.fetched = nil
	case words[0] == "UPDATE":
		s.forgetTable(words[1])
	default: // INSERT INTO
		s.forgetTable(words[2])
	}
}

func (s *session) forgetTable(table string) {
	s.fetched = slices.DeleteFunc(s.fetched, func(f fetchedRows) bool { return strings.Contains(f.query, table) })
}
