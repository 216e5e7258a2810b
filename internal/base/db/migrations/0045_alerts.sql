-- Alerts. dedup identifies the fact: kind, subject, and day or level. It is what stops
-- several servers from storing an alert twice. several is set if it concerns more than one
-- account; account_id is then NULL. counts is JSON.
CREATE TABLE alerts (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  id TEXT COLLATE "C" NOT NULL,
  kind TEXT NOT NULL,
  dedup TEXT COLLATE "C" NOT NULL,
  severity TEXT NOT NULL,
  title TEXT NOT NULL,
  at BIGINT NOT NULL,
  fired_at BIGINT NOT NULL,
  read_at BIGINT,
  snoozed_until BIGINT,
  link TEXT NOT NULL,
  account_id TEXT COLLATE "C",
  several BOOLEAN NOT NULL,
  rule_id TEXT,
  trade_id UUID,
  enrollment_id TEXT,
  goal_id TEXT,
  import_batch_id TEXT,
  source_id TEXT,
  day TEXT,
  level TEXT,
  counts TEXT NOT NULL,
  PRIMARY KEY (user_id, id),
  UNIQUE (user_id, dedup),
  FOREIGN KEY (user_id, account_id) REFERENCES accounts (user_id, id) ON DELETE CASCADE
);
CREATE INDEX alerts_newest ON alerts (user_id, fired_at, id);
CREATE INDEX alerts_account ON alerts (user_id, account_id);

-- Which alerts a user wants. kinds and quiet_hours are JSON.
CREATE TABLE alert_settings (
  user_id INTEGER NOT NULL PRIMARY KEY REFERENCES users (number) ON DELETE CASCADE,
  kinds TEXT NOT NULL,
  quiet_hours TEXT,
  max_per_hour INTEGER
);

-- Up to where a user's journal was evaluated: position is that of the last change in the
-- history, due_at is when the clock alone can fire an alert. A server that evaluates has
-- the lease.
CREATE TABLE alert_states (
  user_id INTEGER NOT NULL PRIMARY KEY REFERENCES users (number) ON DELETE CASCADE,
  position BIGINT NOT NULL,
  due_at BIGINT NOT NULL,
  lease_until BIGINT NOT NULL
);

-- What is in a journal before this version fires no alert.
INSERT INTO alert_states SELECT user_id, position, 0, 0 FROM history_streams WHERE account_id = '';

-- The programs with which a user has signed in, by the text with which they name themselves.
CREATE TABLE alert_devices (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  user_agent TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (user_id, user_agent)
);
INSERT INTO alert_devices SELECT DISTINCT user_id, user_agent FROM sessions;
