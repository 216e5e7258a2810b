-- Deleted attachments whose content is kept for an undo; see docs/history.md. content is NULL
-- if contents are files: the file stays as long as the row.
CREATE TABLE kept_attachments (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  attachment_id TEXT COLLATE "C" NOT NULL,
  deleted_at BIGINT NOT NULL,
  content BYTEA,
  PRIMARY KEY (user_id, attachment_id)
);
