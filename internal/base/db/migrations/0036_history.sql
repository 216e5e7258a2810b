-- The history: what was changed, when and by whom; see docs/history.md.
--
-- A stream is a chain of changes: one for each account, also after its deletion, and the
-- user's own, whose account_id is empty. The row of the user's own stream also has the
-- position and instant of the user's last change in any stream, and the user's public id,
-- which hashes contain.
CREATE TABLE history_streams (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  account_id TEXT COLLATE "C" NOT NULL,
  number INTEGER NOT NULL,
  owner TEXT NOT NULL,
  changes BIGINT NOT NULL,
  hash BYTEA NOT NULL,
  last BIGINT NOT NULL,
  at BIGINT NOT NULL,
  position BIGINT NOT NULL,
  PRIMARY KEY (user_id, account_id)
) /* clustered */;

-- A change. position is its place among all changes of the user, seq and previous its place
-- and the position of the change before it in its stream. Its id is computed from at and
-- position. content is compressed, and NULL after an erasure; rest then has what the hash
-- needs. accounts has the stream of each object, if they differ from the change's.
CREATE TABLE history_changes (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  position BIGINT NOT NULL,
  stream INTEGER NOT NULL,
  seq BIGINT NOT NULL,
  previous BIGINT NOT NULL,
  at BIGINT NOT NULL,
  action INTEGER NOT NULL,
  actor_kind INTEGER NOT NULL,
  types BIGINT NOT NULL,
  objects INTEGER NOT NULL,
  actor_id TEXT NOT NULL,
  actor_name TEXT NOT NULL,
  hash BYTEA NOT NULL,
  content BYTEA,
  undoes BIGINT,
  undone_by BIGINT,
  expires_at BIGINT,
  erased_at BIGINT,
  accounts BYTEA,
  rest BYTEA,
  PRIMARY KEY (user_id, position)
) /* clustered */;
CREATE INDEX history_changes_stream ON history_changes (user_id, stream, position);
CREATE INDEX history_changes_expiring ON history_changes (expires_at) WHERE expires_at IS NOT NULL;

-- Which changes concern a record: key is a hash of the record's type and id.
CREATE TABLE history_objects (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  key BIGINT NOT NULL,
  position BIGINT NOT NULL,
  PRIMARY KEY (user_id, key, position)
) /* clustered */;

-- What deletions removed, until it expires.
CREATE TABLE history_blocks (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  position BIGINT NOT NULL,
  part INTEGER NOT NULL,
  data BYTEA NOT NULL,
  PRIMARY KEY (user_id, position, part)
);
