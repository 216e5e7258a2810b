// How programs are connected to the journal as assistants: the text to copy, with the token.

export interface Program {
  id: string;
  label: string;
  /** Where the text belongs. */
  place: string;
  text: string;
}

const format = (value: unknown) => JSON.stringify(value, null, 2);

/** The programs with their configuration for a server and a token. */
export function listPrograms(server: string, token: string): Program[] {
  const url = `${server}/mcp`;
  const headers = { Authorization: `Bearer ${token}` };
  return [
    {
      id: 'claude-code',
      label: 'Claude Code',
      place: 'Run it in a terminal.',
      text: `claude mcp add --transport http fillbook ${url} --header "Authorization: Bearer ${token}"`,
    },
    {
      id: 'cursor',
      label: 'Cursor',
      place: 'Add it to ~/.cursor/mcp.json.',
      text: format({ mcpServers: { fillbook: { url, headers } } }),
    },
    {
      id: 'vs-code',
      label: 'VS Code',
      place: 'Add it to .vscode/mcp.json, or to mcp.json of your user profile.',
      text: format({ servers: { fillbook: { type: 'http', url, headers } } }),
    },
    {
      id: 'gemini-cli',
      label: 'Gemini CLI',
      place: 'Add it to ~/.gemini/settings.json.',
      text: format({ mcpServers: { fillbook: { httpUrl: url, headers } } }),
    },
    {
      id: 'claude-desktop',
      label: 'Claude Desktop',
      place: 'Add it to claude_desktop_config.json. The program fillbook must be on this computer.',
      text: format({
        mcpServers: {
          fillbook: { command: 'fillbook', args: ['mcp', '--server', server], env: { SVC_TOKEN: token } },
        },
      }),
    },
  ];
}
