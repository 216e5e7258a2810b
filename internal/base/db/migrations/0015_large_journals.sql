-- The state of a long trade after every 128th of its fills, while it is open:
-- a change near its end is grouped from there on. state is the text of a
-- matching.Checkpoint. The rows follow from the fills and can be deleted at any
-- time; the next write to the trade then reads all of its fills once.
CREATE TABLE trade_checkpoints (
  user_id TEXT COLLATE "C" NOT NULL,
  account BIGINT NOT NULL,
  stream BIGINT NOT NULL,
  executed_at BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  state TEXT NOT NULL,
  PRIMARY KEY (user_id, stream, executed_at, seq),
  FOREIGN KEY (user_id, account) REFERENCES accounts (user_id, number) ON DELETE CASCADE
) /* clustered */;

-- Hourly sweeps and the list of users read no more rows than they need.
CREATE INDEX sessions_expiry ON sessions (expires_at);
CREATE INDEX refresh_tokens_created ON refresh_tokens (created_at);
CREATE INDEX import_batches_pending ON import_batches (updated_at) WHERE status = 'pending';
CREATE INDEX users_created ON users (created_at, id);
