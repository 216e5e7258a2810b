-- Accounts, their fills and cash, and the trades that fills make.
--
-- Inside its user an account is known by a small number, and so are a stream
-- and, inside its account, a fill: the keys of the many rows stay short, and
-- what comes later is appended and not scattered.

-- revision is raised by every write to what the account holds. next_seq and
-- next_stream are the numbers that the next fill and the next stream get.
-- logged_since says after which revision trade_log is complete.
CREATE TABLE accounts (
  user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  id TEXT COLLATE "C" NOT NULL,
  number BIGINT NOT NULL,
  name TEXT NOT NULL,
  broker TEXT NOT NULL,
  account_type TEXT NOT NULL,
  base_currency TEXT COLLATE "C" NOT NULL,
  starting_balance TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  revision BIGINT NOT NULL DEFAULT 0,
  next_seq BIGINT NOT NULL DEFAULT 1,
  next_stream BIGINT NOT NULL DEFAULT 1,
  logged_since BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (user_id, id),
  UNIQUE (user_id, number)
);

-- What the user says a contract root is worth, where the built-in table does
-- not know or is wrong.
CREATE TABLE instrument_overrides (
  user_id TEXT COLLATE "C" NOT NULL,
  account BIGINT NOT NULL,
  root TEXT COLLATE "C" NOT NULL,
  multiplier TEXT NOT NULL,
  tick_size TEXT,
  PRIMARY KEY (user_id, account, root),
  FOREIGN KEY (user_id, account) REFERENCES accounts (user_id, number) ON DELETE CASCADE
) /* clustered */;

-- A stream is one instrument, and one lot of it where the source keeps lots
-- apart, in one account. What does not apply is empty. The number has that of
-- the account in its upper half, so that each account can give its own. Fills
-- and trades name their stream without a foreign key: to look for its children
-- would cost more with every stream that goes; fillbook check does it.
CREATE TABLE streams (
  user_id TEXT COLLATE "C" NOT NULL,
  account BIGINT NOT NULL,
  number BIGINT NOT NULL,
  symbol TEXT COLLATE "C" NOT NULL,
  instrument_type TEXT COLLATE "C" NOT NULL,
  option_right TEXT COLLATE "C" NOT NULL,
  strike TEXT COLLATE "C" NOT NULL,
  expiry TEXT COLLATE "C" NOT NULL,
  lot TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (user_id, number),
  UNIQUE (user_id, account, symbol, instrument_type, option_right, strike, expiry, lot),
  FOREIGN KEY (user_id, account) REFERENCES accounts (user_id, number) ON DELETE CASCADE
) /* clustered */;

-- A fill. seq is its arrival number in the account: it breaks ties between
-- fills of one instant, and those of one import are consecutive.
-- trade_id is the trade it belongs to; a fill that crosses zero closes
-- trade_id and opens flip_trade_id. origin is kept of an edited fill only: the
-- key it arrived with, by which its source will name it again.
CREATE TABLE executions (
  user_id TEXT COLLATE "C" NOT NULL,
  account BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  stream BIGINT NOT NULL,
  executed_at BIGINT NOT NULL,
  is_buy BOOLEAN NOT NULL,
  quantity TEXT NOT NULL,
  price TEXT NOT NULL,
  fees TEXT NOT NULL,
  commission TEXT NOT NULL,
  multiplier TEXT NOT NULL,
  stated_pnl TEXT,
  external_id TEXT COLLATE "C",
  origin TEXT COLLATE "C",
  details TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  trade_id TEXT COLLATE "C" NOT NULL,
  flip_trade_id TEXT COLLATE "C",
  PRIMARY KEY (user_id, account, executed_at, seq),
  FOREIGN KEY (user_id, account) REFERENCES accounts (user_id, number) ON DELETE CASCADE
) /* clustered */;
CREATE UNIQUE INDEX executions_id ON executions (user_id, id);
CREATE UNIQUE INDEX executions_stream ON executions (user_id, stream, executed_at, seq);
CREATE INDEX executions_external ON executions (user_id, account, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX executions_origin ON executions (user_id, account, origin) WHERE origin IS NOT NULL;

-- Which arrival numbers an import took: its fills are those that are left of
-- them, and all lie between first_at and last_at. removed counts those that
-- were deleted one by one since.
CREATE TABLE import_spans (
  user_id TEXT COLLATE "C" NOT NULL,
  account BIGINT NOT NULL,
  first_seq BIGINT NOT NULL,
  last_seq BIGINT NOT NULL,
  first_at BIGINT NOT NULL,
  last_at BIGINT NOT NULL,
  batch_id TEXT COLLATE "C" NOT NULL,
  removed BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (user_id, account, first_seq),
  FOREIGN KEY (user_id, account) REFERENCES accounts (user_id, number) ON DELETE CASCADE
) /* clustered */;
CREATE INDEX import_spans_batch ON import_spans (user_id, batch_id);

-- A trade, flat to flat: always what grouping its stream's fills gives. The
-- fills from (opened_at, first_seq) to (last_at, last_seq) of the stream are
-- its own; head is how much of its first fill closed the trade before. list_at
-- is the instant that from and to test: of closing, or of opening while open.
-- revision is the account's revision that last touched the row.
CREATE TABLE trades (
  user_id TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  account BIGINT NOT NULL,
  stream BIGINT NOT NULL,
  is_open BOOLEAN NOT NULL,
  is_long BOOLEAN NOT NULL,
  opened_at BIGINT NOT NULL,
  first_seq BIGINT NOT NULL,
  head TEXT NOT NULL,
  last_at BIGINT NOT NULL,
  last_seq BIGINT NOT NULL,
  list_at BIGINT NOT NULL,
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
  execution_count BIGINT NOT NULL,
  revision BIGINT NOT NULL,
  PRIMARY KEY (user_id, id),
  FOREIGN KEY (user_id, account) REFERENCES accounts (user_id, number) ON DELETE CASCADE
);
CREATE INDEX trades_stream ON trades (user_id, stream, opened_at, first_seq);
CREATE INDEX trades_listed ON trades (user_id, account, list_at, id);
CREATE INDEX trades_opened ON trades (user_id, account, opened_at, id);

-- Which trades each of the last revisions touched, so that whoever keeps a
-- copy of an account's trades can follow: those that are not to be found any
-- more are gone. Old revisions are pruned, and large ones are not told.
CREATE TABLE trade_log (
  user_id TEXT COLLATE "C" NOT NULL,
  account BIGINT NOT NULL,
  revision BIGINT NOT NULL,
  trade_id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (user_id, account, revision, trade_id),
  FOREIGN KEY (user_id, account) REFERENCES accounts (user_id, number) ON DELETE CASCADE
) /* clustered */;

-- Money that moved without a fill. origin is the key the row arrived with, by
-- which a second import of the same file knows it, whatever was edited since.
CREATE TABLE cash_transactions (
  user_id TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  account BIGINT NOT NULL,
  type TEXT NOT NULL,
  amount TEXT NOT NULL,
  currency TEXT COLLATE "C" NOT NULL,
  occurred_at BIGINT NOT NULL,
  note TEXT NOT NULL,
  trade_id TEXT COLLATE "C",
  import_batch_id TEXT COLLATE "C",
  origin TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, id),
  FOREIGN KEY (user_id, account) REFERENCES accounts (user_id, number) ON DELETE CASCADE
);
CREATE INDEX cash_transactions_time ON cash_transactions (user_id, account, occurred_at, id);
CREATE INDEX cash_transactions_origin ON cash_transactions (user_id, account, origin);
CREATE INDEX cash_transactions_trade ON cash_transactions (user_id, trade_id) WHERE trade_id IS NOT NULL;
CREATE INDEX cash_transactions_batch ON cash_transactions (user_id, import_batch_id) WHERE import_batch_id IS NOT NULL;
