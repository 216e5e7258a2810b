-- identity: the hash of the refresh token that this one replaced; NULL for the
-- first of a session. A spent token whose successor was used is a replay.
ALTER TABLE refresh_tokens ADD COLUMN replaced BYTEA;
