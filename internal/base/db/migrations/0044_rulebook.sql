-- Trading rules. params is JSON; the lists are JSON, empty for all. valid_to is NULL for a
-- rule without an end. predecessor is the rule that this one continues.
CREATE TABLE trading_rules (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  id TEXT COLLATE "C" NOT NULL,
  kind TEXT NOT NULL,
  params TEXT NOT NULL,
  account_ids TEXT NOT NULL,
  weekdays TEXT NOT NULL,
  tz TEXT NOT NULL,
  valid_from TEXT COLLATE "C" NOT NULL,
  valid_to TEXT COLLATE "C",
  name TEXT NOT NULL,
  predecessor_id TEXT COLLATE "C",
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, id)
);

-- Goals. rule_id is the rule that days_kept measures.
CREATE TABLE goals (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  id TEXT COLLATE "C" NOT NULL,
  kind TEXT NOT NULL,
  metric TEXT NOT NULL,
  target TEXT NOT NULL,
  period TEXT NOT NULL,
  account_ids TEXT NOT NULL,
  rule_id TEXT COLLATE "C",
  starts_on TEXT COLLATE "C" NOT NULL,
  ends_on TEXT COLLATE "C",
  name TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, id)
);

-- Positions held before the first file are few; rules do not judge their trades.
CREATE INDEX executions_opening ON executions (user_id, account) WHERE kind = 1;
