-- Exchange rates that a user typed: quote units for one base unit on a day. pair_key has
-- both currencies in alphabetical order, so a pair has one rate for a day.
CREATE TABLE rates (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  id TEXT COLLATE "C" NOT NULL,
  base TEXT COLLATE "C" NOT NULL,
  quote TEXT COLLATE "C" NOT NULL,
  pair_key TEXT COLLATE "C" NOT NULL,
  rate_day TEXT COLLATE "C" NOT NULL,
  rate TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, id),
  UNIQUE (user_id, pair_key, rate_day)
);
