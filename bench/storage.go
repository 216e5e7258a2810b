package main

import (
	"context"
	"fmt"
	"time"

	"fillbook/internal/base/db"
)

// storageOperation is the record for the database size.
const storageOperation = "database with all indexes, a fill"

// measureStorage records how many database bytes a fill takes, with its share in trades
// and all indexes. before is the size without them.
func (s *session) measureStorage(ctx context.Context, before int64) error {
	size, err := s.databaseSize(ctx)
	if err != nil {
		return err
	}
	s.addMemory(storageOperation, (size-before)/int64(s.size))
	return nil
}

// databaseSize returns the database size with all indexes.
func (s *session) databaseSize(ctx context.Context) (size int64, err error) {
	query := `SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size`
	if s.engine != "sqlite" {
		query = `SELECT CAST(SUM(pg_total_relation_size(c.oid)) AS BIGINT) FROM pg_class AS c
			WHERE c.relkind = 'r' AND c.relnamespace = CAST(current_schema() AS regnamespace)`
	}
	err = s.source.Peek(ctx, func(tx *db.Tx) error { return tx.QueryRow(ctx, query).Scan(&size) })
	return size, err
}

// releaseTime is how long an idle server needs to return memory to the system.
const releaseTime = 12 * time.Second

func (s *session) waitForRelease() { time.Sleep(releaseTime) }

// addMemory records a number of bytes.
func (s *session) addMemory(name string, bytes int64) {
	s.records = append(s.records, &Record{Engine: s.engine, Size: s.size, Operation: name, Samples: 1, Amount: bytes})
	fmt.Printf("  %-52s %10s\n", name, formatBytes(bytes))
}
