-- kinds are the kinds of words, as JSON, that a pending import was sent with and
-- that the rows of a committed one were read with; NULL for none.
ALTER TABLE import_batches ADD COLUMN kinds TEXT;
