-- Price bars of a user. Every import keeps its own blocks, so that reversing one
-- brings back what it replaced; a reader merges the blocks of a time by the order of
-- imports.
CREATE TABLE bar_usage (
  user_id INTEGER NOT NULL PRIMARY KEY REFERENCES users (number) ON DELETE CASCADE,
  bars BIGINT NOT NULL,
  last_series BIGINT NOT NULL,
  last_import BIGINT NOT NULL
);

-- bars counts the bars without those that another import replaced; first_at and last_at
-- are the openings of the first and the last one, in seconds.
CREATE TABLE bar_series (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  id TEXT COLLATE "C" NOT NULL,
  number BIGINT NOT NULL,
  symbol TEXT COLLATE "C" NOT NULL,
  contract TEXT COLLATE "C" NOT NULL,
  bar_secs BIGINT NOT NULL,
  price_kind TEXT COLLATE "C" NOT NULL,
  volume_kind TEXT NOT NULL,
  bars BIGINT NOT NULL,
  first_at BIGINT NOT NULL,
  last_at BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, id),
  UNIQUE (user_id, number),
  UNIQUE (user_id, symbol, contract, bar_secs, price_kind)
);

CREATE TABLE bar_imports (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  id TEXT COLLATE "C" NOT NULL,
  number BIGINT NOT NULL,
  filename TEXT NOT NULL,
  layout TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('committed', 'reversed')),
  series BIGINT NOT NULL,
  inserted BIGINT NOT NULL,
  replaced BIGINT NOT NULL,
  unchanged BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, id),
  UNIQUE (user_id, number)
);

-- A block is some kilobytes, so the table is not stored in the order of its key.
CREATE TABLE bar_blocks (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  series BIGINT NOT NULL,
  start_at BIGINT NOT NULL,
  import BIGINT NOT NULL,
  bars BIGINT NOT NULL,
  data BYTEA NOT NULL,
  PRIMARY KEY (user_id, series, start_at, import)
);
CREATE INDEX bar_blocks_import ON bar_blocks (user_id, import);
ALTER TABLE bar_blocks ALTER COLUMN data SET STORAGE EXTERNAL; /* postgresql */

-- The time for which an import says what happened.
CREATE TABLE bar_ranges (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  series BIGINT NOT NULL,
  import BIGINT NOT NULL,
  from_at BIGINT NOT NULL,
  to_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, series, import, from_at)
) /* clustered */;

-- The symbol of the bars that a symbol of the journal uses.
CREATE TABLE bar_aliases (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  id TEXT COLLATE "C" NOT NULL,
  symbol TEXT COLLATE "C" NOT NULL,
  bars_symbol TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, id),
  UNIQUE (user_id, symbol)
);
