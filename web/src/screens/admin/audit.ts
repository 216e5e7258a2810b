// Labels for the security log. A value without a label is shown as the server
// sends it, so events of a newer server are readable.

const actions: Record<string, string> = {
  setup: 'Set up the server',
  register: 'Registered',
  login: 'Signed in',
  logout: 'Signed out',
  refresh_reuse: 'Used session token reused',
  session_end: 'Signed out a device',
  password_change: 'Changed password',
  password_reset: 'Reset a password',
  totp_enable: 'Turned on two-factor',
  totp_disable: 'Turned off two-factor',
  secret_rotate: 'Rotated the server secret',
  access_token_mint: 'Created an access token',
  access_token_revoke: 'Revoked an access token',
  access_token_reuse: 'Used secret of an app reused',
  user_create: 'Created a user',
  user_delete: 'Deleted a user',
  user_promote: 'Made a user an owner',
  user_demote: 'Removed an owner role',
  share_link_mint: 'Created a share link',
  share_link_revoke: 'Revoked a share link',
  connection_create: 'Created a connection',
  connection_change: 'Changed a connection',
  connection_delete: 'Deleted a connection',
  hook_create: 'Created a webhook',
  hook_rotate: 'Replaced the secret of a webhook',
  hook_delete: 'Deleted a webhook',
  import_commit: 'Imported a file',
  import_reverse: 'Undid an import',
};

const outcomes: Record<string, string> = {
  ok: 'Succeeded',
  refused: 'Refused',
  wrong_password: 'Wrong password',
  wrong_code: 'Wrong code',
  unknown_user: 'Unknown user',
};

const credentials: Record<string, string> = {
  session: 'page',
  token: 'access token',
  cli: 'command line',
  watch: 'watched folder',
};

const spellOut = (value: string) => value.charAt(0).toUpperCase() + value.slice(1).replaceAll('_', ' ');

export const actionLabel = (action: string) => actions[action] ?? spellOut(action);
export const outcomeLabel = (outcome: string) => outcomes[outcome] ?? spellOut(outcome);
export const credentialLabel = (credential: string) => credentials[credential] ?? credential;
