-- What several sources say of one fill.
--
-- facts of a fill is a set of bits: which of its values the source stated, how
-- finely its time was written, and which values the user has edited. 0 is a
-- fill that was stored before there were facts. See ledger/facts.go.
ALTER TABLE executions ADD COLUMN facts SMALLINT NOT NULL DEFAULT 0;

-- The fills whose time was written without seconds (16) or without a time of
-- day (32): a source that knows the time finds them here.
CREATE INDEX executions_coarse ON executions (user_id, account, executed_at, seq) WHERE (facts & 48) <> 0;

-- What each source said of a fill, kept for the fills of which sources say
-- different things. source numbers them in the order of arrival. batch_id is
-- the import that brought it, or one that repeated it if that was reversed;
-- empty for an entry by hand. content is JSON.
CREATE TABLE fill_sources (
  user_id TEXT COLLATE "C" NOT NULL,
  account BIGINT NOT NULL,
  execution_id TEXT COLLATE "C" NOT NULL,
  source BIGINT NOT NULL,
  batch_id TEXT COLLATE "C" NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (user_id, account, execution_id, source),
  FOREIGN KEY (user_id, account) REFERENCES accounts (user_id, number) ON DELETE CASCADE
) /* clustered */;
CREATE INDEX fill_sources_batch ON fill_sources (user_id, batch_id);

-- Which known fills an import contained without saying anything new: those
-- with the arrival numbers from first_seq to last_seq, as their source of that
-- number says. Numbers of fills that are gone mean nothing.
CREATE TABLE import_repeats (
  user_id TEXT COLLATE "C" NOT NULL,
  account BIGINT NOT NULL,
  first_seq BIGINT NOT NULL,
  last_seq BIGINT NOT NULL,
  source BIGINT NOT NULL,
  batch_id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (user_id, account, first_seq, source, batch_id),
  FOREIGN KEY (user_id, account) REFERENCES accounts (user_id, number) ON DELETE CASCADE
) /* clustered */;
CREATE INDEX import_repeats_batch ON import_repeats (user_id, batch_id);
