import { readFile } from 'node:fs/promises';
import { expect, mainAccount, test, trade } from './fixtures';

test('a chart shows its values by pointer and keyboard, and is saved as PNG and CSV', async ({
  page,
  api,
  signIn,
}) => {
  const account = await mainAccount(api);
  for (let day = 2; day <= 6; day++) await trade(api, account, 'AAPL', `2026-03-0${day}`, 10, 10 + day);
  await signIn('/reports');
  const chart = page.getByRole('slider', { name: /^Equity/ });
  await chart.hover();
  const reading = chart.getByText(/: Equity /);
  await expect(reading).toBeVisible();
  const [text, drawing] = [(await reading.boundingBox())!, (await chart.locator('svg').boundingBox())!];
  expect(text.y + text.height).toBeLessThanOrEqual(drawing.y);

  await page.mouse.move(0, 0);
  await expect(reading).toBeHidden();
  await chart.press('Home');
  const first = await reading.textContent();
  await chart.press('ArrowRight');
  await expect(reading).not.toHaveText(first!);
  await expect(chart).toHaveAttribute('aria-valuetext', (await reading.textContent())!);

  // Its picture and its numbers are made in the page, under its policy.
  const save = async (name: string) => {
    await page.getByRole('button', { name: 'Menu of Equity and drawdown' }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name }).click(),
    ]);
    return { name: file.suggestedFilename(), content: await readFile(await file.path()) };
  };
  const picture = await save('Download PNG');
  expect(picture.name).toBe('equity-and-drawdown.png');
  expect(picture.content.subarray(1, 4).toString()).toBe('PNG');
  expect(picture.content.readUInt32BE(16)).toBeGreaterThan(1000); // its width
  const table = await save('Download CSV');
  expect(table.name).toBe('equity-and-drawdown.csv');
  const lines = table.content.toString().trim().split('\r\n');
  expect(lines[0]).toBe('Time,Equity,Drawdown');
  expect(lines.at(-1)).toMatch(/^2026-03-06T[\d:]+Z,[\d.]+,0$/);
});
