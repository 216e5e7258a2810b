-- Public links to a summary. Only the hash of a token can be looked up; the
-- token itself is sealed with the server's secret, for its owner to read again.
-- scope is JSON: what the link shows.

CREATE TABLE share_links (
  user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  id TEXT COLLATE "C" NOT NULL,
  token_hash BYTEA NOT NULL UNIQUE,
  token_sealed BYTEA NOT NULL,
  scope TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  view_count BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (user_id, id)
);
