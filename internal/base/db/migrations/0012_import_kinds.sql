-- What the words in the kind column of an export mean, by user and layout, for
-- words that neither the preset nor the shared words contain. layout is the key
-- of a preset; word is in the form in which words are compared.

CREATE TABLE import_kinds (
  user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  id TEXT COLLATE "C" NOT NULL,
  layout TEXT COLLATE "C" NOT NULL,
  word TEXT COLLATE "C" NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, id),
  UNIQUE (user_id, layout, word)
);
