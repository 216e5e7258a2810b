-- Splits and stock dividends. account_ids is a JSON list, empty for all accounts; at is the
-- start of the day in its zone.
CREATE TABLE corporate_actions (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  id TEXT COLLATE "C" NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('split', 'stock_dividend')),
  symbol TEXT COLLATE "C" NOT NULL,
  ratio_new BIGINT NOT NULL,
  ratio_old BIGINT NOT NULL,
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
CREATE INDEX corporate_actions_symbol ON corporate_actions (user_id, symbol);
-- The splits that act on a stream, in order: "instant new old" for each, separated by semicolons.
ALTER TABLE streams ADD COLUMN splits TEXT;
CREATE INDEX streams_splits ON streams (user_id) WHERE splits IS NOT NULL;
