-- People and their credentials, and what the HTTP layer must remember.
-- Every table leads with the user's id, so that a journal can be spread over
-- several PostgreSQL nodes by user; deleting a user is one DELETE.

-- One row, written by the setup call that wins. Its primary key is what makes
-- a second winner impossible.
CREATE TABLE instance (
  id BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
  set_up_at BIGINT NOT NULL
);

-- One row: which secret this database was made with (a fingerprint of it).
CREATE TABLE instance_secret (
  id BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
  fingerprint BYTEA NOT NULL
);

CREATE TABLE users (
  id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  email TEXT COLLATE "C" NOT NULL,
  email_key TEXT COLLATE "C" NOT NULL UNIQUE,
  password_hash TEXT NOT NULL,
  is_admin BOOLEAN NOT NULL,
  created_at BIGINT NOT NULL,
  last_seen_at BIGINT,
  preferences_updated_at BIGINT,
  totp_secret BYTEA,
  totp_last_step BIGINT NOT NULL DEFAULT 0,
  totp_failures BIGINT NOT NULL DEFAULT 0,
  totp_failures_since BIGINT NOT NULL DEFAULT 0
);

-- A session is a family of refresh tokens: one signed-in device.
CREATE TABLE sessions (
  user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  id TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  last_used_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  ip TEXT NOT NULL,
  user_agent TEXT NOT NULL,
  PRIMARY KEY (user_id, id)
);

CREATE TABLE refresh_tokens (
  user_id TEXT COLLATE "C" NOT NULL,
  session_id TEXT COLLATE "C" NOT NULL,
  hash BYTEA NOT NULL UNIQUE,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  spent_at BIGINT,
  PRIMARY KEY (user_id, session_id, hash),
  FOREIGN KEY (user_id, session_id) REFERENCES sessions (user_id, id) ON DELETE CASCADE
);

CREATE TABLE access_tokens (
  user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  id TEXT COLLATE "C" NOT NULL,
  name TEXT NOT NULL,
  token_prefix TEXT NOT NULL,
  hash BYTEA NOT NULL UNIQUE,
  scope TEXT NOT NULL CHECK (scope IN ('read', 'full')),
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  last_used_at BIGINT,
  PRIMARY KEY (user_id, id)
);

CREATE TABLE access_token_uses (
  user_id TEXT COLLATE "C" NOT NULL,
  token_id TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  used_at BIGINT NOT NULL,
  ip TEXT NOT NULL,
  user_agent TEXT NOT NULL,
  PRIMARY KEY (user_id, token_id, id),
  FOREIGN KEY (user_id, token_id) REFERENCES access_tokens (user_id, id) ON DELETE CASCADE
);

-- One row a key, so that the merge of two clients is two upserts and nothing
-- is ever read, changed and written back.
CREATE TABLE preferences (
  user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  key TEXT COLLATE "C" NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (user_id, key)
);

-- Security events. Append only; it outlives the people it speaks of.
CREATE TABLE audit_events (
  user_id TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  at BIGINT NOT NULL,
  action TEXT NOT NULL,
  outcome TEXT NOT NULL,
  credential TEXT NOT NULL,
  target TEXT NOT NULL,
  ip TEXT NOT NULL,
  user_agent TEXT NOT NULL,
  request_id TEXT NOT NULL,
  PRIMARY KEY (user_id, id)
);
CREATE INDEX audit_events_newest ON audit_events (at, id);

-- Answers of POSTs that carried an Idempotency-Key, kept for a day. answered
-- is false while the first call is still running.
CREATE TABLE idempotency_keys (
  user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  key TEXT COLLATE "C" NOT NULL,
  request_hash BYTEA NOT NULL,
  claimed_at BIGINT NOT NULL,
  answered BOOLEAN NOT NULL,
  status BIGINT NOT NULL,
  headers TEXT NOT NULL,
  body BYTEA NOT NULL,
  PRIMARY KEY (user_id, key)
);
CREATE INDEX idempotency_keys_oldest ON idempotency_keys (claimed_at);
