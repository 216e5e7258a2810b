-- Jobs are distributed by user like all other rows of users, no longer copied to each node
-- of a distributed database: each change of a job was written on all of them.
ALTER TABLE jobs RENAME TO old_jobs;
DROP INDEX jobs_due;
CREATE TABLE jobs (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  kind TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  due_at BIGINT,
  request TEXT NOT NULL,
  run BIGINT NOT NULL,
  lease_until BIGINT NOT NULL,
  started_at BIGINT,
  failures BIGINT NOT NULL,
  failing_since BIGINT,
  PRIMARY KEY (user_id, kind, id)
);
INSERT INTO jobs (user_id, kind, id, due_at, request, run, lease_until, started_at, failures, failing_since)
SELECT owner, kind, id, due_at, request, run, lease_until, started_at, failures, failing_since FROM old_jobs;
DROP TABLE old_jobs;
CREATE INDEX jobs_due ON jobs (due_at);
