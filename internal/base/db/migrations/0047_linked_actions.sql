-- Renames, exchanges and spin-offs. new_symbol is empty for other kinds, the two numbers are
-- NULL if they are not stated.
CREATE TABLE new_corporate_actions (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  id TEXT COLLATE "C" NOT NULL,
  kind TEXT NOT NULL,
  symbol TEXT COLLATE "C" NOT NULL,
  new_symbol TEXT COLLATE "C" NOT NULL,
  ratio_new BIGINT NOT NULL,
  ratio_old BIGINT NOT NULL,
  cost_share TEXT,
  cash_per_share TEXT,
  effective_on TEXT COLLATE "C" NOT NULL,
  tz TEXT NOT NULL,
  at BIGINT NOT NULL,
  applies_to TEXT NOT NULL,
  account_ids TEXT NOT NULL,
  source TEXT NOT NULL,
  note TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, id)
);
INSERT INTO new_corporate_actions SELECT user_id, id, kind, symbol, '', ratio_new, ratio_old, NULL, NULL, effective_on, tz, at,
  applies_to, account_ids, source, note, created_at, updated_at FROM corporate_actions;
DROP TABLE corporate_actions;
ALTER TABLE new_corporate_actions RENAME TO corporate_actions;
CREATE INDEX corporate_actions_symbol ON corporate_actions (user_id, symbol);

-- lineage is empty for an instrument's own stream. Positions that an action moved to the
-- instrument have streams of their own, which it tells apart. events are those that act on
-- the stream, in order.
CREATE TABLE new_streams (
  user_id INTEGER NOT NULL,
  account INTEGER NOT NULL,
  number INTEGER NOT NULL,
  symbol TEXT COLLATE "C" NOT NULL,
  instrument_type TEXT COLLATE "C" NOT NULL,
  option_right TEXT COLLATE "C" NOT NULL,
  strike TEXT COLLATE "C" NOT NULL,
  expiry TEXT COLLATE "C" NOT NULL,
  lot TEXT COLLATE "C" NOT NULL,
  order_key TEXT COLLATE "C" NOT NULL,
  has_closings BOOLEAN,
  events TEXT,
  lineage TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (user_id, number),
  UNIQUE (user_id, account, symbol, instrument_type, option_right, strike, expiry, lot, lineage),
  FOREIGN KEY (user_id, account) REFERENCES accounts (user_id, number) ON DELETE CASCADE
) /* clustered */;
INSERT INTO new_streams SELECT user_id, account, number, symbol, instrument_type, option_right, strike, expiry, lot, order_key,
  has_closings, splits, '' FROM streams;
DROP TABLE streams;
ALTER TABLE new_streams RENAME TO streams;
CREATE INDEX streams_events ON streams (user_id) WHERE events IS NOT NULL;

-- A fill's stream is the one in which it is grouped. stated is that of its instrument, NULL if
-- it is the same.
ALTER TABLE executions ADD COLUMN stated INTEGER;
CREATE INDEX executions_stated ON executions (user_id, stated) WHERE stated IS NOT NULL;

-- shown is the stream whose instrument a trade has, NULL for its own. symbols are all its
-- symbols, each between line ends, NULL for one.
ALTER TABLE trades ADD COLUMN shown INTEGER;
ALTER TABLE trades ADD COLUMN symbols TEXT;
