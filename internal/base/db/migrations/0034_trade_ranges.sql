-- Fills no longer store the ids of their trades (ADR 30). A trade has the positions of its
-- first and last fill, so a change to a trade writes no fills. SQLite writes the table's
-- pages again in place.
ALTER TABLE executions DROP COLUMN trade_id;
ALTER TABLE executions DROP COLUMN flip_trade_id;
