-- The daily routine: items with a schedule, the days they were ticked off on,
-- and the template that a new user's items are made of.

-- A row says that the user's first items were made. It is also what a change
-- of the user's routine locks, so that two changes never cross.
CREATE TABLE routine_seeds (
  user_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  seeded_at BIGINT NOT NULL
);

-- items is a JSON array of texts. No row: the built-in template.
CREATE TABLE checklist_templates (
  user_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  items TEXT NOT NULL,
  updated_at BIGINT NOT NULL
);

-- An item holds from start_day to the day before end_day. weekdays is a set of
-- bits, 1 for Sunday to 64 for Saturday. A change of schedule ends an item and
-- begins its successor on the same day; both have the same chain_id, the id of
-- the first of them.
CREATE TABLE routine_items (
  user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  id TEXT COLLATE "C" NOT NULL,
  chain_id TEXT COLLATE "C" NOT NULL,
  title TEXT NOT NULL,
  stage TEXT NOT NULL CHECK (stage IN ('pre', 'during', 'post')),
  weekdays BIGINT NOT NULL CHECK (weekdays BETWEEN 1 AND 127),
  position BIGINT NOT NULL,
  start_day TEXT COLLATE "C" NOT NULL,
  end_day TEXT COLLATE "C",
  PRIMARY KEY (user_id, id)
);

-- A row is a tick; what was not done has none.
CREATE TABLE routine_ticks (
  user_id TEXT COLLATE "C" NOT NULL,
  day TEXT COLLATE "C" NOT NULL,
  item_id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (user_id, day, item_id),
  FOREIGN KEY (user_id, item_id) REFERENCES routine_items (user_id, id) ON DELETE CASCADE
) /* clustered */;
CREATE INDEX routine_ticks_item ON routine_ticks (user_id, item_id, day);
