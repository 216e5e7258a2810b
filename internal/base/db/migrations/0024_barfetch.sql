-- Work that runs in the background and survives a crash: a server claims a job for a
-- limited time. The column is not called user_id, so that a distributed database has a
-- copy of the table on each node: servers look for due jobs of all users.
CREATE TABLE jobs (
  owner INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  kind TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  due_at BIGINT,
  request TEXT NOT NULL,
  run BIGINT NOT NULL,
  lease_until BIGINT NOT NULL,
  started_at BIGINT,
  failures BIGINT NOT NULL,
  failing_since BIGINT,
  PRIMARY KEY (owner, kind, id)
);
CREATE INDEX jobs_due ON jobs (due_at);

-- Providers that a user fetches price bars from. credentials are sealed; NULL after a
-- backup was restored.
CREATE TABLE bar_sources (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  id TEXT COLLATE "C" NOT NULL,
  provider TEXT COLLATE "C" NOT NULL,
  enabled BOOLEAN NOT NULL,
  symbols TEXT NOT NULL,
  since TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('ok', 'waiting', 'failed', 'needs_attention')),
  message TEXT NOT NULL,
  last_run_at BIGINT,
  credentials BYTEA,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, id),
  UNIQUE (user_id, provider)
);

-- The sessions that a source was asked for, by the start of the session in seconds.
CREATE TABLE bar_source_sessions (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  source_id TEXT COLLATE "C" NOT NULL,
  instrument TEXT COLLATE "C" NOT NULL,
  session_at BIGINT NOT NULL,
  fetched_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, source_id, instrument, session_at)
) /* clustered */;

CREATE TABLE bar_source_runs (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  id TEXT COLLATE "C" NOT NULL,
  source_id TEXT COLLATE "C" NOT NULL,
  started_at BIGINT NOT NULL,
  ended_at BIGINT,
  outcome TEXT NOT NULL CHECK (outcome IN ('running', 'ok', 'waiting', 'failed', 'needs_attention', 'interrupted')),
  requests BIGINT NOT NULL,
  inserted BIGINT NOT NULL,
  replaced BIGINT NOT NULL,
  unchanged BIGINT NOT NULL,
  imports TEXT NOT NULL,
  message TEXT NOT NULL,
  PRIMARY KEY (user_id, id)
);
CREATE INDEX bar_source_runs_source ON bar_source_runs (user_id, source_id, id);
