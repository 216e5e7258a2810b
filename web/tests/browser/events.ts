// Reports each test as an event of go test -json, so scripts/test counts the
// tests of the page together with the Go tests. Only events go to the standard output:
// a line of an error message may be JSON too, and is then read as an event.

import type { Reporter, TestCase, TestResult } from '@playwright/test/reporter';

const name = 'web/tests/browser';

export default class Events implements Reporter {
  onTestEnd(test: TestCase, result: TestResult): void {
    const [, , ...titles] = test.titlePath();
    // No slash: gotestsum takes what stands before it for the test's parent, and crashes
    // if that parent did not run.
    const path = titles.join(':').replaceAll(/[\s/]+/g, '_');
    if (result.retry === 0) this.report(path, 'run');
    const ended = { Elapsed: result.duration / 1000 };
    if (test.outcome() === 'skipped') return this.report(path, 'skip', ended);
    if (test.outcome() !== 'unexpected') return this.report(path, 'pass', ended);
    if (result.retry < test.retries) {
      process.stderr.write(`\n!!  ${path} failed and is tried again: ${result.errors[0]?.message}\n`);
      return;
    }
    for (const { title } of result.steps.filter((step) => step.category === 'test.step' && step.error))
      this.report(path, 'output', { Output: `step: ${title}\n` });
    for (const error of result.errors) {
      const text = error.stack ?? error.message ?? 'failed';
      this.report(path, 'output', { Output: `${text.replaceAll(/\u001b\[\d+m/g, '')}\n` });
    }
    this.report(path, 'fail', ended);
  }

  // Errors outside of tests, for example if no browser could be started.
  onError(error: { stack?: string; message?: string }): void {
    process.stderr.write(`${error.stack ?? error.message}\n`);
  }

  printsToStdio(): boolean {
    return true;
  }

  private report(test: string, action: string, more: { Elapsed?: number; Output?: string } = {}): void {
    process.stdout.write(`${JSON.stringify({ Action: action, Package: name, Test: test, ...more })}\n`);
  }
}
