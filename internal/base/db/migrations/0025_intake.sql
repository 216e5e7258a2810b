-- How an import arrived: upload, connection, hook, watch or cli, with the connection or
-- hook that sent it.
ALTER TABLE import_batches ADD COLUMN origin TEXT NOT NULL DEFAULT 'upload';
ALTER TABLE import_batches ADD COLUMN origin_id TEXT;

-- Fills that the user deleted by hand, so that connections, hooks and watched files do
-- not bring them back. The number of the newest one is in the account's row; 0 means
-- that the account never had one.
ALTER TABLE accounts ADD COLUMN deleted_fills BIGINT NOT NULL DEFAULT 0;
CREATE TABLE deleted_fills (
  user_id INTEGER NOT NULL,
  account INTEGER NOT NULL,
  number BIGINT NOT NULL,
  content TEXT NOT NULL,
  origin TEXT,
  deleted_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, account, number),
  FOREIGN KEY (user_id, account) REFERENCES accounts (user_id, number) ON DELETE CASCADE
) /* clustered */;
