-- Connections to brokers, from which fills and cash are fetched into an account.
-- credentials are sealed; NULL after a backup was restored. Everything from covers_from
-- to covers_to has been fetched. position is where the next window of a pass begins, and
-- window_to the end of a window that is fetched in part; state is what the connector
-- keeps. revision counts the changes after which a run must begin again.
CREATE TABLE connections (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  id TEXT COLLATE "C" NOT NULL,
  provider TEXT COLLATE "C" NOT NULL,
  account_id TEXT COLLATE "C" NOT NULL,
  name TEXT NOT NULL,
  schedule TEXT COLLATE "C" NOT NULL CHECK (schedule IN ('manual', 'hourly', 'daily')),
  since TEXT NOT NULL,
  accepts_trading_key BOOLEAN NOT NULL,
  environment TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('ok', 'waiting', 'failed', 'needs_attention')),
  message TEXT NOT NULL,
  broker_account TEXT NOT NULL,
  broker_name TEXT NOT NULL,
  can_trade BOOLEAN NOT NULL,
  can_withdraw BOOLEAN NOT NULL,
  notes TEXT NOT NULL,
  expires_at BIGINT,
  checked_at BIGINT,
  covers_from BIGINT,
  covers_to BIGINT,
  position BIGINT,
  window_to BIGINT,
  state TEXT NOT NULL,
  completed_at BIGINT,
  revision BIGINT NOT NULL,
  last_run_at BIGINT,
  credentials BYTEA,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, id),
  FOREIGN KEY (user_id, account_id) REFERENCES accounts (user_id, id) ON DELETE CASCADE
);
CREATE INDEX connections_account ON connections (user_id, account_id);

CREATE TABLE connection_runs (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  id TEXT COLLATE "C" NOT NULL,
  connection_id TEXT COLLATE "C" NOT NULL,
  started_at BIGINT NOT NULL,
  ended_at BIGINT,
  outcome TEXT NOT NULL CHECK (outcome IN ('running', 'ok', 'waiting', 'failed', 'needs_attention', 'interrupted')),
  requests BIGINT NOT NULL,
  fetched_from BIGINT,
  fetched_to BIGINT,
  inserted BIGINT NOT NULL,
  skipped BIGINT NOT NULL,
  completed BIGINT NOT NULL,
  withdrawn BIGINT NOT NULL,
  cash_inserted BIGINT NOT NULL,
  problems BIGINT NOT NULL,
  batch_id TEXT COLLATE "C" NOT NULL,
  message TEXT NOT NULL,
  PRIMARY KEY (user_id, id)
);
CREATE INDEX connection_runs_connection ON connection_runs (user_id, connection_id, started_at);
