-- Which notes changed, and when: an index of their words in memory reads only these
-- again. A revision is never used twice; see trade_log.
CREATE TABLE note_revisions (
  user_id INTEGER NOT NULL PRIMARY KEY REFERENCES users (number) ON DELETE CASCADE,
  revision BIGINT NOT NULL
);
CREATE TABLE note_log (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  revision BIGINT NOT NULL,
  note_id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (user_id, revision, note_id)
) /* clustered */;
