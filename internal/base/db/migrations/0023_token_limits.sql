-- Access tokens have more scopes. The old column allowed two of them only. account_ids
-- and allowed_ips are lists as JSON; NULL is no limit.
ALTER TABLE access_tokens ADD COLUMN granted TEXT NOT NULL DEFAULT 'read'
  CHECK (granted IN ('analytics', 'import', 'read', 'write', 'full'));
UPDATE access_tokens SET granted = scope;
ALTER TABLE access_tokens DROP COLUMN scope;
ALTER TABLE access_tokens RENAME COLUMN granted TO scope;
ALTER TABLE access_tokens ADD COLUMN account_ids TEXT;
ALTER TABLE access_tokens ADD COLUMN allowed_ips TEXT;

-- token_id is the access token that created an import; NULL for a session.
ALTER TABLE import_batches ADD COLUMN token_id TEXT COLLATE "C";
