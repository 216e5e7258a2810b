-- What the trader says: notes, tags, setups, marks on trades, attachments,
-- missed trades.
--
-- Whatever is said about a trade hangs on its row in trade_marks. That row does
-- not refer to the trade by a foreign key, on purpose: regrouping takes trades
-- away and makes others of the same fills, and a key would then either forbid
-- it or take the user's words along. The words follow the fills instead (see
-- playbook.Follow), inside the transaction that regroups.
--
-- The references to accounts and setups without an action are kept by the
-- program, which forgets the account or the setup before the row goes: with a
-- key of two columns, SET NULL would clear the user as well.

CREATE TABLE tags (
  user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  id TEXT COLLATE "C" NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  color TEXT NOT NULL,
  description TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('custom', 'mistake')),
  created_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, id),
  UNIQUE (user_id, name_key)
);

-- checklist is a JSON array of texts.
CREATE TABLE setups (
  user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  id TEXT COLLATE "C" NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  description TEXT NOT NULL,
  thesis TEXT NOT NULL,
  symbol TEXT NOT NULL,
  direction TEXT NOT NULL CHECK (direction IN ('', 'long', 'short')),
  target_price TEXT,
  stop_price TEXT,
  checklist TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, id),
  UNIQUE (user_id, name_key)
);

-- The marks of one trade, and what its tags, setups, attachments and linked
-- notes hang on: a trade of which nothing was ever said has no row.
CREATE TABLE trade_marks (
  user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  trade_id TEXT COLLATE "C" NOT NULL,
  account_id TEXT COLLATE "C" NOT NULL,
  notes TEXT NOT NULL,
  initial_risk TEXT,
  stop_price TEXT,
  target_price TEXT,
  mae TEXT,
  mfe TEXT,
  emotional_state TEXT NOT NULL,
  confidence BIGINT CHECK (confidence BETWEEN 1 AND 5),
  trade_quality BIGINT CHECK (trade_quality BETWEEN 1 AND 5),
  reviewed_at BIGINT,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, trade_id),
  FOREIGN KEY (user_id, account_id) REFERENCES accounts (user_id, id)
);
CREATE INDEX trade_marks_account ON trade_marks (user_id, account_id);

CREATE TABLE trade_tags (
  user_id TEXT COLLATE "C" NOT NULL,
  trade_id TEXT COLLATE "C" NOT NULL,
  tag_id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (user_id, trade_id, tag_id),
  FOREIGN KEY (user_id, trade_id) REFERENCES trade_marks (user_id, trade_id) ON DELETE CASCADE,
  FOREIGN KEY (user_id, tag_id) REFERENCES tags (user_id, id) ON DELETE CASCADE
) /* clustered */;
CREATE INDEX trade_tags_tag ON trade_tags (user_id, tag_id, trade_id);

-- position keeps the order in which the setups were given.
CREATE TABLE trade_setups (
  user_id TEXT COLLATE "C" NOT NULL,
  trade_id TEXT COLLATE "C" NOT NULL,
  setup_id TEXT COLLATE "C" NOT NULL,
  position BIGINT NOT NULL,
  PRIMARY KEY (user_id, trade_id, setup_id),
  FOREIGN KEY (user_id, trade_id) REFERENCES trade_marks (user_id, trade_id) ON DELETE CASCADE,
  FOREIGN KEY (user_id, setup_id) REFERENCES setups (user_id, id) ON DELETE CASCADE
) /* clustered */;
CREATE INDEX trade_setups_setup ON trade_setups (user_id, setup_id, trade_id);

-- Marks whose trade has lost every fill. They wait for one of those fills to
-- come back, or for the user to say where they belong.
CREATE TABLE orphaned_marks (
  user_id TEXT COLLATE "C" NOT NULL,
  trade_id TEXT COLLATE "C" NOT NULL,
  account_id TEXT COLLATE "C" NOT NULL,
  symbol TEXT NOT NULL,
  opened_at BIGINT,
  orphaned_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, trade_id),
  FOREIGN KEY (user_id, trade_id) REFERENCES trade_marks (user_id, trade_id) ON DELETE CASCADE
);

-- The fills that such a trade was made of, by the keys that they would have
-- again. A fill that crossed zero may belong to two.
CREATE TABLE orphaned_fills (
  user_id TEXT COLLATE "C" NOT NULL,
  account_id TEXT COLLATE "C" NOT NULL,
  fill_key TEXT COLLATE "C" NOT NULL,
  trade_id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (user_id, account_id, fill_key, trade_id),
  FOREIGN KEY (user_id, trade_id) REFERENCES orphaned_marks (user_id, trade_id) ON DELETE CASCADE
) /* clustered */;
CREATE INDEX orphaned_fills_trade ON orphaned_fills (user_id, trade_id);

-- occurred_at of a note of a whole day (is_day) is midnight UTC of that day.
-- symbols is a JSON array of {symbol, body}.
CREATE TABLE notes (
  user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  id TEXT COLLATE "C" NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('note', 'daily_log', 'weekly_review')),
  occurred_at BIGINT NOT NULL,
  is_day BOOLEAN NOT NULL,
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  symbols TEXT NOT NULL,
  account_id TEXT COLLATE "C",
  trade_id TEXT COLLATE "C",
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, id),
  FOREIGN KEY (user_id, account_id) REFERENCES accounts (user_id, id),
  FOREIGN KEY (user_id, trade_id) REFERENCES trade_marks (user_id, trade_id)
);
CREATE INDEX notes_time ON notes (user_id, occurred_at, id);
CREATE INDEX notes_account ON notes (user_id, account_id) WHERE account_id IS NOT NULL;
CREATE INDEX notes_trade ON notes (user_id, trade_id) WHERE trade_id IS NOT NULL;

-- An image or PDF, of a trade or of a note. Its content is a file of the data
-- directory or, where there is none, a row of attachment_blobs.
CREATE TABLE attachments (
  user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  id TEXT COLLATE "C" NOT NULL,
  trade_id TEXT COLLATE "C",
  note_id TEXT COLLATE "C",
  name TEXT NOT NULL,
  media_type TEXT NOT NULL,
  size BIGINT NOT NULL,
  sha256 BYTEA NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, id),
  CHECK ((trade_id IS NULL) <> (note_id IS NULL)),
  FOREIGN KEY (user_id, trade_id) REFERENCES trade_marks (user_id, trade_id) ON DELETE CASCADE,
  FOREIGN KEY (user_id, note_id) REFERENCES notes (user_id, id) ON DELETE CASCADE
);
CREATE INDEX attachments_trade ON attachments (user_id, trade_id) WHERE trade_id IS NOT NULL;
CREATE INDEX attachments_note ON attachments (user_id, note_id) WHERE note_id IS NOT NULL;

CREATE TABLE attachment_blobs (
  user_id TEXT COLLATE "C" NOT NULL,
  attachment_id TEXT COLLATE "C" NOT NULL,
  content BYTEA NOT NULL,
  PRIMARY KEY (user_id, attachment_id),
  FOREIGN KEY (user_id, attachment_id) REFERENCES attachments (user_id, id) ON DELETE CASCADE
);

-- Setups that were seen and not taken. They are part of no trade statistic.
CREATE TABLE missed_trades (
  user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  id TEXT COLLATE "C" NOT NULL,
  account_id TEXT COLLATE "C",
  setup_id TEXT COLLATE "C",
  symbol TEXT NOT NULL,
  direction TEXT NOT NULL CHECK (direction IN ('long', 'short')),
  observed_at BIGINT NOT NULL,
  entry TEXT,
  stop TEXT,
  target TEXT,
  reason TEXT NOT NULL CHECK (reason IN ('', 'hesitated', 'away', 'rules', 'other')),
  outcome TEXT NOT NULL CHECK (outcome IN ('unknown', 'target', 'stop', 'no_trigger')),
  notes TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, id),
  FOREIGN KEY (user_id, account_id) REFERENCES accounts (user_id, id),
  FOREIGN KEY (user_id, setup_id) REFERENCES setups (user_id, id)
);
CREATE INDEX missed_trades_time ON missed_trades (user_id, observed_at, id);
CREATE INDEX missed_trades_account ON missed_trades (user_id, account_id) WHERE account_id IS NOT NULL;
CREATE INDEX missed_trades_setup ON missed_trades (user_id, setup_id) WHERE setup_id IS NOT NULL;
