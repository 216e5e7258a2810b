// Words for the security log. A word the page does not know is shown as the
// server wrote it, so that a newer server never shows a blank.

const actions: Record<string, string> = {
  setup: 'Set the server up',
  register: 'Registered',
  login: 'Signed in',
  logout: 'Signed out',
  refresh_reuse: 'Spent session token used again',
  session_end: 'Signed a device out',
  password_change: 'Changed the password',
  password_reset: 'Reset a password',
  totp_enable: 'Turned two-factor on',
  totp_disable: 'Turned two-factor off',
  secret_rotate: 'Changed the server’s secret',
  access_token_mint: 'Made an access token',
  access_token_revoke: 'Revoked an access token',
  user_create: 'Created a user',
  user_delete: 'Deleted a user',
  user_promote: 'Made an owner',
  user_demote: 'Ended an ownership',
  share_link_mint: 'Made a share link',
  share_link_revoke: 'Revoked a share link',
  import_commit: 'Imported a file',
  import_reverse: 'Reversed an import',
};

const outcomes: Record<string, string> = {
  ok: 'Done',
  refused: 'Refused',
  wrong_password: 'Wrong password',
  wrong_code: 'Wrong code',
  unknown_user: 'Unknown user',
};

const credentials: Record<string, string> = { session: 'page', token: 'access token', cli: 'command line' };

const plain = (word: string) => word.charAt(0).toUpperCase() + word.slice(1).replaceAll('_', ' ');

export const actionName = (action: string) => actions[action] ?? plain(action);
export const outcomeName = (outcome: string) => outcomes[outcome] ?? plain(outcome);
export const credentialName = (credential: string) => credentials[credential] ?? credential;
