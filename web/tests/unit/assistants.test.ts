import { describe, expect, it } from 'vitest';
import { listPrograms } from '../../src/screens/settings/assistants';

describe('the configuration of an assistant', () => {
  const programs = listPrograms('https://journal.example.org', 'svc_pat_x');

  it('names the server and the token for each program', () => {
    expect(programs.map((p) => p.label)).toEqual([
      'Claude Code',
      'Cursor',
      'VS Code',
      'Gemini CLI',
      'Claude Desktop',
    ]);
    for (const { text } of programs) {
      expect(text).toContain('https://journal.example.org');
      expect(text).toContain('svc_pat_x');
    }
  });

  it('uses the member that Gemini CLI reads for HTTP', () => {
    const { text } = programs.find((p) => p.id === 'gemini-cli')!;
    expect(JSON.parse(text)).toEqual({
      mcpServers: {
        fillbook: {
          httpUrl: 'https://journal.example.org/mcp',
          headers: { Authorization: 'Bearer svc_pat_x' },
        },
      },
    });
  });

  it('starts the forwarder for Claude Desktop, with the token outside of the arguments', () => {
    const { text } = programs.find((p) => p.id === 'claude-desktop')!;
    expect(JSON.parse(text)).toEqual({
      mcpServers: {
        fillbook: {
          command: 'fillbook',
          args: ['mcp', '--server', 'https://journal.example.org'],
          env: { SVC_TOKEN: 'svc_pat_x' },
        },
      },
    });
  });
});
