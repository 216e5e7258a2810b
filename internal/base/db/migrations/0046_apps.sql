-- Apps get access tokens through OAuth. Such a token has a client_id, and its hash is that of
-- the authorization code; the secrets that the app uses are in app_secrets.
ALTER TABLE access_tokens ADD COLUMN client_id TEXT;
ALTER TABLE access_tokens ADD COLUMN redirect_uri TEXT;
CREATE INDEX access_tokens_apps ON access_tokens (expires_at) WHERE client_id IS NOT NULL;

-- What an app's token has beyond others. exchanged_at is when the code was used.
CREATE TABLE app_grants (
  user_id INTEGER NOT NULL,
  token_id TEXT COLLATE "C" NOT NULL,
  challenge TEXT NOT NULL,
  ends_at BIGINT NOT NULL,
  exchanged_at BIGINT,
  PRIMARY KEY (user_id, token_id),
  FOREIGN KEY (user_id, token_id) REFERENCES access_tokens (user_id, id) ON DELETE CASCADE
);

-- Access and refresh tokens of apps. spent_at is when a refresh token was used.
CREATE TABLE app_secrets (
  user_id INTEGER NOT NULL,
  hash BYTEA NOT NULL,
  token_id TEXT COLLATE "C" NOT NULL,
  expires_at BIGINT NOT NULL,
  spent_at BIGINT,
  PRIMARY KEY (user_id, hash),
  FOREIGN KEY (user_id, token_id) REFERENCES app_grants (user_id, token_id) ON DELETE CASCADE
);
CREATE INDEX app_secrets_token ON app_secrets (user_id, token_id);
CREATE INDEX app_secrets_expiry ON app_secrets (expires_at);

-- Apps that registered themselves. They belong to no user. redirect_uris is JSON; granted_at
-- is when a user last allowed the app something.
CREATE TABLE app_clients (
  id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  redirect_uris TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  granted_at BIGINT
);
CREATE INDEX app_clients_unused ON app_clients (created_at) WHERE granted_at IS NULL;
CREATE INDEX app_clients_used ON app_clients (granted_at) WHERE granted_at IS NOT NULL;
