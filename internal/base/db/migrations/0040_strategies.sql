-- What a user decided about strategies, or wrote on them. members has the trades and the keys
-- of their fills, as JSON; see the package strategybook.
CREATE TABLE strategies (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  id TEXT COLLATE "C" NOT NULL,
  account_id TEXT COLLATE "C" NOT NULL,
  underlying TEXT COLLATE "C" NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('proposed', 'accepted', 'manual', 'alone')),
  kind TEXT NOT NULL,
  evidence TEXT NOT NULL,
  name TEXT NOT NULL,
  members TEXT NOT NULL,
  tags TEXT NOT NULL,
  setups TEXT NOT NULL,
  notes TEXT NOT NULL,
  initial_risk TEXT,
  stop_price TEXT,
  target_price TEXT,
  mae TEXT,
  mfe TEXT,
  emotional_state TEXT NOT NULL,
  confidence BIGINT CHECK (confidence BETWEEN 1 AND 5),
  trade_quality BIGINT CHECK (trade_quality BETWEEN 1 AND 5),
  reviewed_at BIGINT,
  last_stop TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, id),
  FOREIGN KEY (user_id, account_id) REFERENCES accounts (user_id, id) ON DELETE CASCADE
);
CREATE INDEX strategies_account ON strategies (user_id, account_id);
-- off, propose or accept_strong; NULL means propose.
ALTER TABLE journal_settings ADD COLUMN strategy_detection TEXT;
