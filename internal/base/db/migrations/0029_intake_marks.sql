-- Cash transactions that the user deleted by hand, so that connections and watched files
-- do not bring them back. content is the type and the amount with which one arrived, and
-- occurred_at its instant.
CREATE TABLE deleted_cash (
  user_id INTEGER NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  account INTEGER NOT NULL,
  content TEXT NOT NULL,
  occurred_at BIGINT NOT NULL,
  deleted_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, id),
  FOREIGN KEY (user_id, account) REFERENCES accounts (user_id, number) ON DELETE CASCADE
);
CREATE INDEX deleted_cash_time ON deleted_cash (user_id, account, occurred_at, id);

-- How many fills of a connection a run found that the broker no longer reports.
ALTER TABLE connection_runs ADD COLUMN missing BIGINT NOT NULL DEFAULT 0;
