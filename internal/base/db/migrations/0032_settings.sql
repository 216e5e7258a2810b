-- The settings of a user's journal. breakeven_tolerance is JSON.
CREATE TABLE journal_settings (
  user_id INTEGER NOT NULL PRIMARY KEY REFERENCES users (number) ON DELETE CASCADE,
  timezone TEXT,
  breakeven_tolerance TEXT
);

-- How files of a layout were last imported, and into which accounts. column_mapping is JSON.
CREATE TABLE import_layouts (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  signature TEXT COLLATE "C" NOT NULL,
  name TEXT NOT NULL,
  source_tz TEXT NOT NULL,
  date_order TEXT NOT NULL,
  column_mapping TEXT,
  used_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, signature)
);

-- place is the order of the accounts of a layout, the last used first. file_account is
-- the account that the file names.
CREATE TABLE import_layout_accounts (
  user_id INTEGER NOT NULL,
  signature TEXT COLLATE "C" NOT NULL,
  place INTEGER NOT NULL,
  file_account TEXT NOT NULL,
  account_id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (user_id, signature, place),
  FOREIGN KEY (user_id, signature) REFERENCES import_layouts (user_id, signature) ON DELETE CASCADE,
  FOREIGN KEY (user_id, account_id) REFERENCES accounts (user_id, id) ON DELETE CASCADE
);
CREATE INDEX import_layout_accounts_account ON import_layout_accounts (user_id, account_id);
