import { expect, mainAccount, test, trade } from './fixtures';

test('point values are above the chart, by pointer and by keyboard', async ({ page, api, signIn }) => {
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
});
