-- Alerts look after each write for options that expire soon.
CREATE INDEX streams_expiry ON streams (user_id, expiry) WHERE expiry <> '';
