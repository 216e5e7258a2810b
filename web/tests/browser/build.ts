// Builds the program with the committed page once for all tests.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export default function build(): () => void {
  if (process.env.FILLBOOK_BINARY) return () => {}; // already built
  const dir = mkdtempSync(join(tmpdir(), 'fillbook-browser-'));
  const binary = join(dir, 'fillbook');
  execFileSync('go', ['build', '-o', binary, './cmd/fillbook'], {
    cwd: resolve(import.meta.dirname, '../../..'),
    env: { ...process.env, CGO_ENABLED: '0' },
    stdio: 'inherit',
  });
  process.env.FILLBOOK_BINARY = binary;
  return () => rmSync(dir, { recursive: true, force: true });
}
