-- Saved filters of trades. The filter is a query as a URL has it.
CREATE TABLE views (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  id TEXT COLLATE "C" NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  filter TEXT NOT NULL,
  list_columns TEXT NOT NULL,
  sort_key TEXT NOT NULL,
  sort_order TEXT NOT NULL CHECK (sort_order IN ('', 'asc', 'desc')),
  pinned BOOLEAN NOT NULL,
  position BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, id),
  UNIQUE (user_id, name_key)
);
