-- The connection or hook that sent the fills of an import; empty for files. A later
-- record of the same sender corrects an earlier one with the same id.
ALTER TABLE import_spans ADD COLUMN sender TEXT COLLATE "C" NOT NULL DEFAULT '';

-- The ids of fills that the broker has canceled, or replaced by a corrected fill with
-- the id replaced_by. Imports leave them out until the import that canceled them is
-- reversed.
CREATE TABLE withdrawn_fills (
  user_id INTEGER NOT NULL,
  account INTEGER NOT NULL,
  external_id TEXT COLLATE "C" NOT NULL,
  replaced_by TEXT COLLATE "C" NOT NULL DEFAULT '',
  batch_id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (user_id, account, external_id),
  FOREIGN KEY (user_id, account) REFERENCES accounts (user_id, number) ON DELETE CASCADE
) /* clustered */;
CREATE INDEX withdrawn_fills_batch ON withdrawn_fills (user_id, batch_id);
