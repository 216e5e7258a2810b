-- Tables that let each statement of a request go to one node of a distributed
-- database.

-- Whose token has a hash: a refresh token, an access token or the token of a
-- share link. A distributed database spreads it by hash, all others by user, so
-- a token is found in two steps. After delete_after the row is not needed any
-- more; NULL is never.
CREATE TABLE token_owners (
  hash BYTEA NOT NULL PRIMARY KEY,
  user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  delete_after BIGINT
) /* clustered */;
-- A used refresh token is kept for 30 days after its end, to detect a second use.
INSERT INTO token_owners SELECT hash, user_id, expires_at + 2592000000000 FROM refresh_tokens;
INSERT INTO token_owners SELECT hash, user_id, expires_at FROM access_tokens;
INSERT INTO token_owners SELECT token_hash, user_id, expires_at FROM share_links;
CREATE INDEX token_owners_user ON token_owners (user_id);
CREATE INDEX token_owners_old ON token_owners (delete_after) WHERE delete_after IS NOT NULL;

-- What changes often about a user, and the row that changes of a user's
-- credentials lock. Each node of a distributed database has a copy of users, so
-- that a write to it locks the table on all of them.
CREATE TABLE user_states (
  user_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  last_seen_at BIGINT,
  preferences_updated_at BIGINT,
  totp_last_step BIGINT NOT NULL DEFAULT 0,
  totp_failures BIGINT NOT NULL DEFAULT 0,
  totp_failures_since BIGINT NOT NULL DEFAULT 0
);
INSERT INTO user_states SELECT id, last_seen_at, preferences_updated_at, totp_last_step, totp_failures, totp_failures_since FROM users;
ALTER TABLE users DROP COLUMN last_seen_at;
ALTER TABLE users DROP COLUMN preferences_updated_at;
ALTER TABLE users DROP COLUMN totp_last_step;
ALTER TABLE users DROP COLUMN totp_failures;
ALTER TABLE users DROP COLUMN totp_failures_since;
