// Reports each test in the format of go test -json, so that scripts/testsummary
// counts the tests of the page too.

import type { Reporter, TestCase, TestResult } from '@playwright/test/reporter';

const name = 'web/tests/browser';

export default class Events implements Reporter {
  onTestEnd(test: TestCase, result: TestResult): void {
    const [, , ...titles] = test.titlePath();
    const path = titles.join('/').replaceAll(/\s+/g, '_');
    if (test.outcome() === 'expected') return this.tell(path, 'pass');
    if (test.outcome() === 'skipped') return this.tell(path, 'skip');
    if (test.outcome() === 'flaky') return this.tell(path, 'pass');
    if (result.retry < test.retries) {
      process.stdout.write(`\n!!  ${path} failed once and is tried again: ${result.errors[0]?.message}\n`);
      return;
    }
    for (const error of result.errors) {
      const text = error.stack ?? error.message ?? 'failed';
      this.tell(path, 'output', `${text.replaceAll(/\u001b\[\d+m/g, '')}\n`);
    }
    this.tell(path, 'fail');
  }

  // An error before the first test, such as a missing browser, belongs to no test.
  onError(error: { stack?: string; message?: string }): void {
    process.stdout.write(`${error.stack ?? error.message}\n`);
  }

  printsToStdio(): boolean {
    return true;
  }

  private tell(test: string, action: string, output?: string): void {
    process.stdout.write(
      `${JSON.stringify({ Action: action, Package: name, Test: test, Output: output })}\n`,
    );
  }
}
