import { expect, test } from '@playwright/test';
import { READ_RETRIES, listActiveDraws, findCompletedDraw } from '../support/draws';
import { changeDrawResponse } from '../support/stubs';

test('the browser recomputes a completed draw and detects a forged proof', async ({
  page,
  request,
}) => {
  const draw = await findCompletedDraw(request);
  test.fail(draw === null, 'the server shows no completed draw');
  await page.goto(`/verify/${draw}`);
  await expect(page.locator('[data-verdict="good"]')).toContainText(
    'The order was fixed before the first sale.',
  );
  await page.getByText('All 169 tickets').click();
  await expect(page.locator('.all-tickets tbody tr')).toHaveCount(169);
  await page.route(`**/api/public/draws/${draw}/proof`, async (route) => {
    const answer = await route.fetch();
    const proof = (await answer.json()) as { winningTicket: number };
    await route.fulfill({
      response: answer,
      json: { ...proof, winningTicket: (proof.winningTicket % 169) + 1 },
    });
  });
  await page.reload();
  await expect(page.locator('[data-verdict="bad"]')).toContainText('This does not fit together.');
});

test('the collapsed list shows that it opens, and a team of one long word causes no overflow at 320', async ({
  page,
  request,
}) => {
  const draw = (await findCompletedDraw(request)) ?? 0;
  await changeDrawResponse(page, draw, {
    homeTeam: 'Rockhamptonandcapricornianorthernsuburbsrugbyleaguefootballclub',
  });
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto(`/verify/${draw}`);
  await expect(page.getByText(/^Rockhampton/)).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  expect(
    await page
      .locator('.all-tickets summary')
      .evaluate((summary) => getComputedStyle(summary, '::after').borderRightWidth),
  ).toBe('2px');
});

test('before the result only the commitment is shown', async ({ page, request }) => {
  const draw = (await listActiveDraws(request))[0];
  await page.goto(`/verify/${draw?.drawNumber}`);
  await expect(page.getByText('Promise (SHA-256)')).toBeVisible();
  await expect(page.locator('code')).toHaveText(/^[0-9a-f]{64}$/);
});

test('no public answer contains a pair before the result', async ({ page, request }) => {
  const draw = (await listActiveDraws(request))[0];
  const heard: string[] = [];
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => heard.push(String(payload))),
  );
  page.on('response', async (answer) => {
    if (answer.url().includes('/api/')) heard.push(await answer.text().catch(() => ''));
  });
  await page.goto(`/draw/${draw?.drawNumber}/display`);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  heard.push(
    await (await request.get(`/api/draws/${draw?.drawNumber}/tickets`, READ_RETRIES)).text(),
  );
  for (const text of heard) expect(text).not.toMatch(/"(home|away)Number":\s*\d|@example\.com/);
});
