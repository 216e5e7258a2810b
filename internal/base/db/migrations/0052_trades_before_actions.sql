-- Trades whose fills corporate actions changed, with what opened each before: deleting the
-- action gives it its fills and its id again. kept has what a trade had that became part of
-- another, as JSON; NULL for the others.
CREATE TABLE trades_before_actions (
  user_id INTEGER NOT NULL,
  account INTEGER NOT NULL,
  trade_id UUID NOT NULL,
  number INTEGER NOT NULL,
  anchor TEXT COLLATE "C" NOT NULL,
  kept TEXT,
  PRIMARY KEY (user_id, account, trade_id),
  FOREIGN KEY (user_id, account) REFERENCES accounts (user_id, number) ON DELETE CASCADE
) /* clustered */;
