-- Channels by which a user is notified outside of the page. events and account_ids are JSON,
-- empty for all. credentials are sealed: addresses, keys, secrets; NULL after a backup was
-- restored. failing_since is when deliveries began to fail.
CREATE TABLE channels (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  id TEXT COLLATE "C" NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  events TEXT NOT NULL,
  account_ids TEXT NOT NULL,
  with_figures BOOLEAN NOT NULL,
  amounts BOOLEAN NOT NULL,
  enabled BOOLEAN NOT NULL,
  host TEXT NOT NULL,
  message TEXT NOT NULL,
  credentials BYTEA,
  failing_since BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, id)
);

-- What is sent by a channel. next_at is when; NULL when nothing is to be sent. limited is
-- what quiet hours and the hourly limit hold, and released what they held before.
CREATE TABLE channel_deliveries (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  id TEXT COLLATE "C" NOT NULL,
  channel_id TEXT COLLATE "C" NOT NULL,
  event_id TEXT NOT NULL,
  type TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  next_at BIGINT,
  sent_at BIGINT,
  last_status INTEGER,
  last_error TEXT NOT NULL,
  limited BOOLEAN NOT NULL,
  released BOOLEAN NOT NULL,
  body TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, id),
  FOREIGN KEY (user_id, channel_id) REFERENCES channels (user_id, id) ON DELETE CASCADE
);
CREATE INDEX channel_deliveries_channel ON channel_deliveries (user_id, channel_id, id);
CREATE INDEX channel_deliveries_due ON channel_deliveries (user_id, channel_id, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX channel_deliveries_age ON channel_deliveries (created_at);

-- The last sequence number of an account's events; account_id is empty for events of no
-- account. day is the last day for which day.closed was sent, in the row of no account.
CREATE TABLE channel_sequences (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  account_id TEXT COLLATE "C" NOT NULL,
  last BIGINT NOT NULL,
  day TEXT NOT NULL,
  PRIMARY KEY (user_id, account_id)
);

-- Whether something follows from a user's changes: an event for a channel.
ALTER TABLE history_streams ADD COLUMN followed BOOLEAN NOT NULL DEFAULT FALSE;
