-- Fills have kinds: kind is NULL for an ordinary fill. unmatched is the quantity that belongs
-- to no trade, because the fill's kind only closes and there was nothing to close; NULL for none.
ALTER TABLE executions ADD COLUMN kind SMALLINT;
ALTER TABLE executions ADD COLUMN unmatched TEXT;
CREATE INDEX executions_unmatched ON executions (user_id, account) WHERE unmatched IS NOT NULL;
-- A stream whose fills include such kinds can have fills after its last trade.
ALTER TABLE streams ADD COLUMN has_closings BOOLEAN;
-- How a trade ended, and whether all its exits were removals; NULL for ordinary fills.
ALTER TABLE trades ADD COLUMN ended_by SMALLINT;
