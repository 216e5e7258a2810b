-- The kind of an opening is 1, or 9 if its cost is estimated.
DROP INDEX executions_opening;
CREATE INDEX executions_opening ON executions (user_id, account) WHERE kind IN (1, 9);
