-- Texts that notes start from. At most one of a type is the default.
CREATE TABLE note_templates (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  id TEXT COLLATE "C" NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('note', 'daily_log', 'weekly_review')),
  body TEXT NOT NULL,
  is_default BOOLEAN NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, id),
  UNIQUE (user_id, name_key)
);
