-- Notes that an assistant wrote.
ALTER TABLE notes ADD COLUMN by_app BOOLEAN NOT NULL DEFAULT FALSE;
