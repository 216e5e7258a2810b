-- Addresses that programs send fills to. Only the hash of a secret is stored. batch_id is
-- the import of what arrived on batch_day, a day in UTC. The counts are those of the last
-- delivery.
CREATE TABLE hooks (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  id TEXT COLLATE "C" NOT NULL,
  account_id TEXT COLLATE "C" NOT NULL,
  name TEXT NOT NULL,
  secret_hash BYTEA NOT NULL,
  batch_id TEXT COLLATE "C" NOT NULL,
  batch_day TEXT NOT NULL,
  last_at BIGINT,
  accepted BIGINT NOT NULL,
  skipped BIGINT NOT NULL,
  quarantined BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, id),
  FOREIGN KEY (user_id, account_id) REFERENCES accounts (user_id, id) ON DELETE CASCADE
);

-- The bodies that a hook received within a day, by hash, so that a repeated one is not
-- stored twice. quarantined counts the fills that could not be stored.
CREATE TABLE hook_bodies (
  user_id INTEGER NOT NULL,
  hook_id TEXT COLLATE "C" NOT NULL,
  hash BYTEA NOT NULL,
  received_at BIGINT NOT NULL,
  quarantined BIGINT NOT NULL,
  PRIMARY KEY (user_id, hook_id, hash),
  FOREIGN KEY (user_id, hook_id) REFERENCES hooks (user_id, id) ON DELETE CASCADE
);
CREATE INDEX hook_bodies_received ON hook_bodies (received_at);

-- What a hook received and could not store.
CREATE TABLE hook_quarantine (
  user_id INTEGER NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  hook_id TEXT COLLATE "C" NOT NULL,
  received_at BIGINT NOT NULL,
  reason TEXT NOT NULL,
  body BYTEA NOT NULL,
  size BIGINT NOT NULL,
  PRIMARY KEY (user_id, id),
  FOREIGN KEY (user_id, hook_id) REFERENCES hooks (user_id, id) ON DELETE CASCADE
);
CREATE INDEX hook_quarantine_hook ON hook_quarantine (user_id, hook_id, id);
CREATE INDEX hook_quarantine_received ON hook_quarantine (received_at);
