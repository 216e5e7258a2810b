// Reports each test as an event of go test -json, so that scripts/test counts the
// tests of the page together with the Go tests. Only events go to the standard output:
// a line of an error message may be JSON too, and is then read as an event.

import type { Reporter, TestCase, TestResult } from '@playwright/test/reporter';

const name = 'web/tests/browser';

export default class Events implements Reporter {
  onTestEnd(test: TestCase, result: TestResult): void {
    const [, , ...titles] = test.titlePath();
    const path = titles.join('/').replaceAll(/\s+/g, '_');
    if (result.retry === 0) this.report(path, 'run');
    if (test.outcome() === 'expected') return this.report(path, 'pass');
    if (test.outcome() === 'skipped') return this.report(path, 'skip');
    if (test.outcome() === 'flaky') return this.report(path, 'pass');
    if (result.retry < test.retries) {
      process.stderr.write(`\n!!  ${path} failed and is tried again: ${result.errors[0]?.message}\n`);
      return;
    }
    for (const error of result.errors) {
      const text = error.stack ?? error.message ?? 'failed';
      this.report(path, 'output', `${text.replaceAll(/\u001b\[\d+m/g, '')}\n`);
    }
    this.report(path, 'fail');
  }

  // Errors outside of tests, for example if no browser could be started.
  onError(error: { stack?: string; message?: string }): void {
    process.stderr.write(`${error.stack ?? error.message}\n`);
  }

  printsToStdio(): boolean {
    return true;
  }

  private report(test: string, action: string, output?: string): void {
    process.stdout.write(
      `${JSON.stringify({ Action: action, Package: name, Test: test, Output: output })}\n`,
    );
  }
}
