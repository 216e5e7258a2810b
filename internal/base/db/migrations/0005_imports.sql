-- Imports: what was uploaded, what became of it, and the answer that was given.
-- The rows of an import are found through import_spans and the cash rows'
-- import_batch_id; a batch that is not committed has none.
--
-- sha256 is that of the file, which is not kept: a batch that waits can only be
-- finished with the same one. result is the answer of the commit, as JSON.

CREATE TABLE import_batches (
  user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  id TEXT COLLATE "C" NOT NULL,
  account_id TEXT COLLATE "C",
  source TEXT COLLATE "C" NOT NULL,
  format TEXT COLLATE "C" NOT NULL,
  broker TEXT NOT NULL,
  filename TEXT,
  column_mapping TEXT,
  source_tz TEXT NOT NULL,
  date_order TEXT COLLATE "C" NOT NULL,
  sha256 TEXT COLLATE "C" NOT NULL,
  row_count BIGINT NOT NULL,
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('pending', 'committed', 'failed', 'reversed')),
  result TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, id),
  FOREIGN KEY (user_id, account_id) REFERENCES accounts (user_id, id) ON DELETE CASCADE
);
CREATE INDEX import_batches_account ON import_batches (user_id, account_id);
