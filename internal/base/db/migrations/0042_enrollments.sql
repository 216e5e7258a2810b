-- Prop firm programs that users made or copied. The built-in ones are in the program.
CREATE TABLE prop_programs (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  id TEXT COLLATE "C" NOT NULL,
  firm TEXT NOT NULL,
  name TEXT NOT NULL,
  phase TEXT NOT NULL,
  product TEXT NOT NULL,
  version BIGINT NOT NULL,
  currency TEXT NOT NULL,
  initial_balance TEXT NOT NULL,
  zero_based BOOLEAN NOT NULL,
  day_reset TEXT NOT NULL,
  day_zone TEXT NOT NULL,
  rules TEXT NOT NULL,
  sources TEXT NOT NULL,
  checked_on TEXT NOT NULL,
  not_evaluated TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, id)
);

-- Accounts in programs. definition is the program as it was when the enrollment began, so
-- later versions do not change it. Payouts, costs, snapshots and decisions are short lists.
CREATE TABLE enrollments (
  user_id INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
  id TEXT COLLATE "C" NOT NULL,
  account_id TEXT COLLATE "C" NOT NULL,
  program_id TEXT COLLATE "C" NOT NULL,
  program_version BIGINT NOT NULL,
  definition TEXT NOT NULL,
  started_at BIGINT NOT NULL,
  ended_at BIGINT,
  state TEXT NOT NULL CHECK (state IN ('active', 'passed', 'failed', 'closed')),
  starting_balance TEXT NOT NULL,
  overrides TEXT NOT NULL,
  decisions TEXT NOT NULL,
  payouts TEXT NOT NULL,
  costs TEXT NOT NULL,
  snapshots TEXT NOT NULL,
  previous_id TEXT COLLATE "C",
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, id),
  FOREIGN KEY (user_id, account_id) REFERENCES accounts (user_id, id) ON DELETE CASCADE
);
CREATE INDEX enrollments_account ON enrollments (user_id, account_id);
CREATE INDEX enrollments_program ON enrollments (user_id, program_id);
