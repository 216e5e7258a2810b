-- Hourly sweeps and the list of users read no more rows than they need.
CREATE INDEX sessions_expiry ON sessions (expires_at);
CREATE INDEX refresh_tokens_created ON refresh_tokens (created_at);
CREATE INDEX import_batches_pending ON import_batches (updated_at) WHERE status = 'pending';
CREATE INDEX users_created ON users (created_at, id);
