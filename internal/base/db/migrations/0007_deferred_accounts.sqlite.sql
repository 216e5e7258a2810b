-- See the file of the same name for PostgreSQL. SQLite cannot change a foreign
-- key, so both tables are made anew; nothing refers to either of them.

CREATE TABLE new_executions (
  user_id TEXT NOT NULL,
  account INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  id TEXT NOT NULL,
  stream INTEGER NOT NULL,
  executed_at INTEGER NOT NULL,
  is_buy INTEGER NOT NULL,
  quantity TEXT NOT NULL,
  price TEXT NOT NULL,
  fees TEXT NOT NULL,
  commission TEXT NOT NULL,
  multiplier TEXT NOT NULL,
  stated_pnl TEXT,
  external_id TEXT,
  origin TEXT,
  details TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  trade_id TEXT NOT NULL,
  flip_trade_id TEXT,
  PRIMARY KEY (user_id, account, executed_at, seq),
  FOREIGN KEY (user_id, account) REFERENCES accounts (user_id, number) ON DELETE CASCADE
    DEFERRABLE INITIALLY DEFERRED
) STRICT, WITHOUT ROWID;
INSERT INTO new_executions SELECT
  user_id, account, seq, id, stream, executed_at, is_buy, quantity, price, fees, commission,
  multiplier, stated_pnl, external_id, origin, details, created_at, trade_id, flip_trade_id
FROM executions ORDER BY user_id, account, executed_at, seq;
DROP TABLE executions;
ALTER TABLE new_executions RENAME TO executions;
CREATE UNIQUE INDEX executions_id ON executions (user_id, id);
CREATE UNIQUE INDEX executions_stream ON executions (user_id, stream, executed_at, seq);
CREATE INDEX executions_external ON executions (user_id, account, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX executions_origin ON executions (user_id, account, origin) WHERE origin IS NOT NULL;

CREATE TABLE new_trades (
  user_id TEXT NOT NULL,
  id TEXT NOT NULL,
  account INTEGER NOT NULL,
  stream INTEGER NOT NULL,
  is_open INTEGER NOT NULL,
  is_long INTEGER NOT NULL,
  opened_at INTEGER NOT NULL,
  first_seq INTEGER NOT NULL,
  head TEXT NOT NULL,
  last_at INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  list_at INTEGER NOT NULL,
  qty_opened TEXT NOT NULL,
  qty_remaining TEXT NOT NULL,
  entry_notional TEXT NOT NULL,
  exit_notional TEXT NOT NULL,
  volume TEXT NOT NULL,
  avg_entry TEXT NOT NULL,
  avg_exit TEXT,
  multiplier TEXT NOT NULL,
  fees TEXT NOT NULL,
  commission TEXT NOT NULL,
  gross_pnl TEXT,
  net_pnl TEXT,
  realized_pnl TEXT NOT NULL,
  return_pct TEXT,
  execution_count INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  PRIMARY KEY (user_id, id),
  FOREIGN KEY (user_id, account) REFERENCES accounts (user_id, number) ON DELETE CASCADE
    DEFERRABLE INITIALLY DEFERRED
) STRICT;
INSERT INTO new_trades SELECT
  user_id, id, account, stream, is_open, is_long, opened_at, first_seq, head, last_at, last_seq,
  list_at, qty_opened, qty_remaining, entry_notional, exit_notional, volume, avg_entry, avg_exit,
  multiplier, fees, commission, gross_pnl, net_pnl, realized_pnl, return_pct, execution_count,
  revision
FROM trades ORDER BY user_id, id;
DROP TABLE trades;
ALTER TABLE new_trades RENAME TO trades;
CREATE INDEX trades_stream ON trades (user_id, stream, opened_at, first_seq);
CREATE INDEX trades_listed ON trades (user_id, account, list_at, id);
CREATE INDEX trades_opened ON trades (user_id, account, opened_at, id);
