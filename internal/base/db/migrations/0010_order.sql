-- Order by content, rates of stated results, and the last stop of a statement.

-- arrival is the number of a fill in the order in which the fills of all
-- accounts of the user were stored, arrivals the last one that the account took.
-- Writers of two accounts that run at the same time may take the same number;
-- the account's own then decides. What is stored already is numbered by the
-- clock, without ever going back inside an account.
ALTER TABLE executions ADD COLUMN arrival BIGINT NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN arrivals BIGINT NOT NULL DEFAULT 0;

UPDATE executions SET arrival = numbered.arrival FROM (
  SELECT user_id, account, executed_at, seq, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY stored_at, account, seq) AS arrival FROM (
    SELECT user_id, account, executed_at, seq, MAX(created_at) OVER (PARTITION BY user_id, account ORDER BY seq) AS stored_at
    FROM executions) AS stored) AS numbered
WHERE executions.user_id = numbered.user_id AND executions.account = numbered.account
  AND executions.executed_at = numbered.executed_at AND executions.seq = numbered.seq;

UPDATE accounts SET arrivals = COALESCE((SELECT MAX(arrival) FROM executions
  WHERE executions.user_id = accounts.user_id AND executions.account = accounts.number), 0);

-- order_key is symbol, contract and lot in a form whose bytes compare as they
-- do: the strike as a number, what is absent first.
ALTER TABLE streams ADD COLUMN order_key TEXT COLLATE "C" NOT NULL DEFAULT '';

-- What trades that close at the same instant are ordered by at last: the id that
-- the broker gave to the first fill, empty without one, and its arrival.
ALTER TABLE trades ADD COLUMN first_external TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE trades ADD COLUMN first_arrival BIGINT NOT NULL DEFAULT 0;

UPDATE trades SET
  first_external = COALESCE((SELECT external_id FROM executions WHERE executions.user_id = trades.user_id
    AND executions.account = trades.account AND executions.executed_at = trades.opened_at AND executions.seq = trades.first_seq), ''),
  first_arrival = COALESCE((SELECT arrival FROM executions WHERE executions.user_id = trades.user_id
    AND executions.account = trades.account AND executions.executed_at = trades.opened_at AND executions.seq = trades.first_seq), 0);

-- entry_size is quantity × multiplier summed over the opening fills, NULL where
-- it is qty_opened × multiplier. rate_stated / rate_priced converts notionals to
-- the account's currency: NULL is 1, zeros are an unknown rate. volume stays in
-- the currency of the prices.
ALTER TABLE trades ADD COLUMN entry_size TEXT;
ALTER TABLE trades ADD COLUMN rate_stated TEXT;
ALTER TABLE trades ADD COLUMN rate_priced TEXT;

-- rules is the version of the rules by which the trades and streams of the
-- account were computed; the program computes older ones again when it starts.
ALTER TABLE accounts ADD COLUMN rules BIGINT NOT NULL DEFAULT 0;

-- The stop that a broker's statement showed, often a trailed one: it is no plan
-- and gives no initial risk.
ALTER TABLE trade_marks ADD COLUMN last_stop TEXT;
