-- A long write of a user is committed in parts (ADR 29). Part 0 exists while the
-- write is under way; each other part has what undoes it. Only SQLite has rows:
-- PostgreSQL writes in one transaction.
CREATE TABLE unfinished_writes (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  part BIGINT NOT NULL,
  undo BYTEA NOT NULL,
  PRIMARY KEY (user_id, part)
);
