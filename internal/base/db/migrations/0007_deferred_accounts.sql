-- Nothing changes here. SQLite checks that the account of a fill or a trade
-- exists at the end of the transaction instead of after each statement: only
-- then can it insert many rows at once without keeping copies of the pages that
-- it changes, to be able to undo the statement alone.
SELECT 1;
