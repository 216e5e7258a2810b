-- Whether a trade followed the rules of its setups. A rule is known by its text,
-- so that a line that leaves a checklist keeps its history.
CREATE TABLE trade_rules (
  user_id INTEGER NOT NULL,
  trade_id UUID NOT NULL,
  setup_id TEXT COLLATE "C" NOT NULL,
  rule TEXT COLLATE "C" NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('followed', 'broken', 'not_applicable')),
  PRIMARY KEY (user_id, trade_id, setup_id, rule),
  FOREIGN KEY (user_id, trade_id) REFERENCES trade_annotations (user_id, trade_id) ON DELETE CASCADE,
  FOREIGN KEY (user_id, setup_id) REFERENCES setups (user_id, id) ON DELETE CASCADE
) /* clustered */;
CREATE INDEX trade_rules_setup ON trade_rules (user_id, setup_id, rule);
