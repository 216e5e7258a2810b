-- Changes to the bars of a user, so that results computed from bars can follow them:
-- who keeps results reads the changes after the last one that it knows.
ALTER TABLE bar_usage ADD COLUMN last_change BIGINT NOT NULL DEFAULT 0;

CREATE TABLE bar_changes (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  number BIGINT NOT NULL,
  symbol TEXT COLLATE "C" NOT NULL,
  contract TEXT COLLATE "C" NOT NULL,
  from_at BIGINT NOT NULL,
  to_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, number)
) /* clustered */;

-- Up to which change of its trades and of bars the excursions of an account are
-- computed. An account without a row has none.
CREATE TABLE excursion_accounts (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  account_id TEXT COLLATE "C" NOT NULL,
  account INTEGER NOT NULL,
  revision BIGINT NOT NULL,
  bar_change BIGINT NOT NULL,
  PRIMARY KEY (user_id, account_id)
) /* clustered */;

-- What the price did during trades. All of it follows from fills and bars.
CREATE TABLE trade_excursions (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  trade_id UUID NOT NULL,
  account INTEGER NOT NULL,
  data BYTEA NOT NULL,
  PRIMARY KEY (user_id, trade_id)
) /* clustered */;
CREATE INDEX trade_excursions_account ON trade_excursions (user_id, account);

-- A price that the trader typed for an open position.
CREATE TABLE position_marks (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  trade_id UUID NOT NULL,
  price TEXT NOT NULL,
  marked_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, trade_id)
) /* clustered */;
