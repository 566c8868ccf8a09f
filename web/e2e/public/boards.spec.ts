import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test, type WebSocketRoute } from '@playwright/test';
import {
  READ_RETRIES,
  listActiveDraws,
  buyThroughApi,
  findCompletedDraw,
  fetchListedDraw,
  findDrawWithTickets,
} from '../support/draws';
import { makeStubOffer } from '../support/offers';
import { changeDrawResponse, blockSockets } from '../support/stubs';

const hoursFromNow = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

test('the QR code is 260 px on a full board, 180 px on a compact one, and its link names the screen', async ({
  page,
  request,
}) => {
  const { drawNumber } = await findDrawWithTickets(request, 1);
  await page.setViewportSize({ width: 1920, height: 1080 });
  for (const [query, size, mode] of [
    ['?loc=bar', 260, 'fullscreen'],
    ['?mode=compact&loc=bar', 180, 'compact'],
  ] as const) {
    await page.goto(`/draw/${drawNumber}/display${query}`);
    const code = page.getByRole('img', { name: /QR code to buy tickets/ });
    await expect(code).toHaveJSProperty('complete', true);
    // The image's padding is the white border of the ticket.
    expect(
      await code.evaluate((image: HTMLImageElement) => {
        const border = 2 * parseFloat(getComputedStyle(image).paddingLeft);
        const { width, height } = image.getBoundingClientRect();
        return [Math.round(width - border), Math.round(height - border), image.naturalWidth > 0];
      }),
    ).toEqual([size, size, true]);
    expect(decodeURIComponent((await code.getAttribute('src')) ?? '')).toContain(
      `/draw/${drawNumber}?src=widget&mode=${mode}&loc=bar`,
    );
  }
});

test('a board’s heading reads as two names, and an unknown draw’s board does not say live', async ({
  page,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 1);
  await page.goto(`/draw/${draw.drawNumber}/display`);
  await expect(
    page.getByRole('heading', { level: 1, name: `${draw.homeTeam} v ${draw.awayTeam}` }),
  ).toBeVisible();
  await expect(page.locator('.freshness')).toHaveText('Live');
  await page.goto('/draw/999999/display');
  await expect(page.getByRole('heading', { level: 1, name: 'Draw Not Found' })).toBeVisible();
  await expect(page.locator('.freshness')).toHaveCount(0);
  await expect(page.locator('main')).not.toContainText(/live/i);
});

test('a board shows days only when there are any, and its countdown stops at zero', async ({
  page,
  request,
}) => {
  const { drawNumber } = await findDrawWithTickets(request, 1);
  await changeDrawResponse(page, drawNumber, { gameDate: hoursFromNow(50) });
  await page.goto(`/draw/${drawNumber}/display`);
  await expect(page.getByRole('timer')).toHaveText(/^2d \d\d:\d\d:\d\d$/);
  await page.unrouteAll();
  await changeDrawResponse(page, drawNumber, { gameDate: hoursFromNow(3) });
  await page.goto(`/draw/${drawNumber}/display`);
  await expect(page.getByRole('timer')).toHaveText(/^0[23]:\d\d:\d\d$/);
  await page.unrouteAll();
  await changeDrawResponse(page, drawNumber, {
    gameDate: new Date(Date.now() + 4_000).toISOString(),
  });
  await page.goto(`/draw/${drawNumber}/display`);
  await expect(page.getByText('Results Pending')).toBeVisible();
  await expect(page.getByRole('timer')).toHaveCount(0);
});

test('a sale lights white cells, counts up and is told without a name for eight seconds', async ({
  page,
  request,
  playwright,
  baseURL,
}) => {
  const draw = await findDrawWithTickets(request, 5);
  await page.clock.install();
  await page.goto(`/draw/${draw.drawNumber}/display`);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  const sold = page.locator('.board-sold dd');
  const before = (await fetchListedDraw(request, draw.drawNumber)).ticketsSold;
  await expect(sold).toHaveText(`${before} / 169`);
  const crowd = await playwright.request.newContext({ baseURL });
  await buyThroughApi(crowd, baseURL ?? '', draw.drawNumber, 3);
  await crowd.dispose();
  await expect(page.locator('.board-just-sold')).toHaveText(/^\d+ tickets just sold$/);
  await expect(page.locator('.slot.is-just-sold')).not.toHaveCount(0);
  await expect(sold).not.toHaveText(`${before} / 169`);
  await expect(page.locator('main')).not.toContainText(/crowd/i);
  await page.clock.fastForward(8_000);
  await expect(page.locator('.board-just-sold')).toHaveCount(0);
  await expect(page.locator('.slot.is-just-sold')).toHaveCount(0);
});

test('in the last ten minutes the clock is larger and says that sales close', async ({
  page,
  request,
}) => {
  const { drawNumber } = await findDrawWithTickets(request, 1);
  const clockSize = () =>
    page.getByRole('timer').evaluate((clock) => parseFloat(getComputedStyle(clock).fontSize));
  await changeDrawResponse(page, drawNumber, { gameDate: hoursFromNow(0.2) });
  await page.goto(`/draw/${drawNumber}/display`);
  await expect(page.getByText('Kick-off in')).toBeVisible();
  const size = await clockSize();
  await page.unrouteAll();
  await changeDrawResponse(page, drawNumber, { gameDate: hoursFromNow(0.1) });
  await page.goto(`/draw/${drawNumber}/display`);
  await expect(page.getByText('Sales close in')).toBeVisible();
  await expect(page.getByRole('timer')).toHaveText(/^0[56]:\d\d$/);
  expect(await clockSize()).toBeGreaterThan(size);
});

test('a board survives three outages: it keeps the last numbers, shows their age and reconnects', async ({
  page,
  request,
  playwright,
  baseURL,
}) => {
  const draw = await findDrawWithTickets(request, 5);
  await page.clock.install();
  let down = false;
  const sockets: WebSocketRoute[] = [];
  await page.routeWebSocket(/\/ws/, (socket) => {
    if (down) return void socket.close({ code: 1011 });
    socket.connectToServer();
    sockets.push(socket);
  });
  await page.route('**/api/**', (route) => (down ? route.abort() : route.fallback()));
  await page.goto(`/draw/${draw.drawNumber}/display`);
  const sold = page.locator('.board-sold dd');
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  await expect.poll(() => sockets.length).toBe(1);
  const session = await page.context().newCDPSession(page);
  const heap = async () => {
    await session.send('HeapProfiler.collectGarbage');
    return ((await session.send('Runtime.getHeapUsage')) as { usedSize: number }).usedSize;
  };
  const before = await heap();
  for (let outage = 1; outage <= 3; outage++) {
    const shown = `${(await fetchListedDraw(request, draw.drawNumber)).ticketsSold} / 169`;
    await expect(sold).toHaveText(shown);
    down = true;
    for (const socket of sockets.splice(0)) await socket.close({ code: 1011 });
    await page.context().setOffline(true);
    await expect(page.getByText('Offline', { exact: true }).first()).toBeVisible();
    const crowd = await playwright.request.newContext({ baseURL });
    await buyThroughApi(crowd, baseURL ?? '', draw.drawNumber, 1);
    await crowd.dispose();
    await page.context().setOffline(false);
    // During the outage each attempt to reconnect fails, so the board shows the age of its numbers.
    await page.clock.fastForward(25_000);
    await expect(page.getByText(/^Updated \d+ s ago$/)).toBeVisible();
    await expect(sold).toHaveText(shown);
    down = false;
    // The board tries to reconnect within 31 seconds after the outage.
    await page.clock.fastForward(31_000);
    await expect(sold).toHaveText(
      `${(await fetchListedDraw(request, draw.drawNumber)).ticketsSold} / 169`,
    );
    await expect(page.getByText('Live', { exact: true })).toBeVisible();
    await expect.poll(() => sockets.length).toBe(1);
  }
  expect((await heap()) - before).toBeLessThan(20 * 1024 * 1024);
});

test('the result reveal takes 4.2 s, and is one fade of 0.2 s with reduced motion', async ({
  page,
  request,
}) => {
  const completed = await findCompletedDraw(request);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto(`/draw/${completed}/display`);
  await expect(page.locator('.jersey.home')).toHaveText(/^\d+$/);
  await expect(page.locator('.result-serial')).toHaveText(/^FD-\d+-\d{3}$/);
  expect(
    await page.evaluate(() =>
      document
        .getAnimations()
        .every((animation) => Number(animation.effect?.getComputedTiming().endTime) <= 200),
    ),
  ).toBe(true);
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.reload();
  await expect(page.locator('.is-playing')).toHaveCount(1);
  const longest = await page.evaluate(() =>
    Math.max(
      ...document
        .getAnimations()
        .map((animation) => Number(animation.effect?.getComputedTiming().endTime)),
    ),
  );
  expect(longest).toBeGreaterThan(3_000);
  expect(longest).toBeLessThanOrEqual(4_200);
  await expect(page.locator('.is-playing')).toHaveCount(0);
});

test('streamers fall once after a sold result, and never with reduced motion', async ({
  page,
  request,
}) => {
  const completed = (await findCompletedDraw(request)) ?? 0;
  const streamers = page.locator('.streamers i');
  await changeDrawResponse(page, completed, { winningTicketSold: true });
  await page.goto(`/draw/${completed}/display`);
  await expect(page.locator('.is-playing')).toHaveCount(1);
  await expect(streamers).toHaveCount(0);
  await expect(streamers.first()).toBeAttached();
  const longest = await streamers.evaluateAll((all) =>
    Math.max(
      ...all.flatMap((one) =>
        one
          .getAnimations()
          .map((animation) => Number(animation.effect?.getComputedTiming().endTime)),
      ),
    ),
  );
  expect(longest).toBeGreaterThan(1_800);
  expect(longest).toBeLessThanOrEqual(3_000);
  // They lie behind every text and the code.
  expect(await page.locator('.streamers').evaluate((layer) => getComputedStyle(layer).zIndex)).toBe(
    '-1',
  );
  await expect(streamers).toHaveCount(0);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.clock.install();
  await page.reload();
  await expect(page.locator('.result-serial')).toBeVisible();
  await page.clock.fastForward(5_000);
  await expect(page.locator('.is-playing')).toHaveCount(0);
  await expect(streamers).toHaveCount(0);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await changeDrawResponse(page, completed, { winningTicketSold: false });
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.reload();
  await expect(page.getByText('This ticket was not sold')).toBeVisible();
  await page.clock.fastForward(5_000);
  await expect(page.locator('.is-playing')).toHaveCount(0);
  await expect(streamers).toHaveCount(0);
});

test.describe('widgets on another site’s page', () => {
  test('three widgets are sandboxed, sized to their content and cookie-free, and leave a link without JavaScript', async ({
    page,
    request,
    browser,
    baseURL,
  }) => {
    const draws = (await listActiveDraws(request)).slice(0, 2);
    const offer = await makeStubOffer(request);
    const origin = new URL(baseURL ?? '').origin;
    const tag = (options: string) =>
      `<script async src="${origin}/widgets/live.js" ${options}></script>`;
    const html = `<!doctype html><html lang="en"><title>A club's own site</title><body style="margin:20px"><h1>Our club</h1>
      ${tag(`data-draw="${draws[0]?.drawNumber}"`)}<noscript><a href="${origin}/draw/${draws[0]?.drawNumber}?src=widget">Buy tickets</a></noscript>
      ${tag(`data-draw="${draws[1]?.drawNumber}" data-theme="dark" data-qr="yes" data-loc="club-site" data-title="Our colts"`)}
      ${tag(`data-bundle="${offer.clubSlug}/${offer.slug}" data-width="320"`)}</body></html>`;
    const host = createServer((_, answered) =>
      answered.setHeader('content-type', 'text/html').end(html),
    ).listen(0, '127.0.0.1');
    const scripts: string[] = [];
    page.on('request', (asked) => {
      if (asked.url().startsWith(origin) && asked.frame() === page.mainFrame())
        scripts.push(new URL(asked.url()).pathname);
    });
    try {
      await blockSockets(page);
      // A sandboxed frame has an opaque origin, so the browser requires the CORS header.
      await page.route(`**/api/public/widget/bundle/**`, (route) =>
        route.fulfill({
          headers: { 'access-control-allow-origin': '*' },
          json: {
            type: 'bundle',
            title: offer.name,
            status: 'active',
            opensAt: null,
            closesAt: null,
            earliestOpensAt: null,
            earliestClosesAt: offer.games[0]?.gameDate,
            purchaseUrl: `${origin}${offer.path}`,
            prizePoolCents: 52_750,
            ticketsSold: 261,
            ticketsCap: 338,
          },
        }),
      );
      await page.goto(`http://127.0.0.1:${(host.address() as AddressInfo).port}/`);
      await expect(page.locator('iframe')).toHaveCount(3);
      for (const [at, title] of [
        String(draws[0]?.homeTeam),
        String(draws[1]?.homeTeam),
        String(offer.name),
      ].entries()) {
        const frame = page.frameLocator('iframe').nth(at);
        await page.locator('iframe').nth(at).scrollIntoViewIfNeeded();
        await expect(frame.getByRole('heading', { level: 1 })).toContainText(title);
        await expect(frame.getByText('Prize pool')).toBeVisible();
        await expect(frame.getByRole('link', { name: /Buy Now/ })).toHaveAttribute(
          'target',
          '_blank',
        );
        // The embedded frame is exactly as high as the widget inside it, so the widget needs no
        // scroll bar.
        await expect
          .poll(async () =>
            frame
              .locator('main')
              .evaluate(
                (card) => Math.ceil(card.getBoundingClientRect().height) - window.innerHeight,
              ),
          )
          .toBe(0);
      }
      expect(
        await page
          .locator('iframe')
          .evaluateAll((frames) => frames.map((frame) => frame.getAttribute('sandbox'))),
      ).toEqual(Array(3).fill('allow-scripts allow-popups allow-popups-to-escape-sandbox'));
      expect(
        await page
          .locator('iframe')
          .evaluateAll((frames) => frames.map((frame) => frame.getAttribute('title'))),
      ).toEqual([
        'Football Doubles: live prize and tickets',
        'Our colts',
        'Football Doubles: live prize and tickets',
      ]);
      expect(await page.context().cookies()).toEqual([]);
      expect(
        scripts.filter((path) => path !== '/widgets/live.js' && !path.endsWith('/display')),
      ).toEqual([]);
      await expect(
        page
          .frameLocator('iframe')
          .nth(1)
          .getByRole('link', { name: /Buy Now/ }),
      ).toHaveAttribute('href', /src=widget.*loc=club-site/);
      const withoutScripts = await browser.newContext({ javaScriptEnabled: false });
      const plainPage = await withoutScripts.newPage();
      await plainPage.goto(page.url());
      await expect(plainPage.getByRole('link', { name: 'Buy tickets' })).toHaveAttribute(
        'href',
        `${origin}/draw/${draws[0]?.drawNumber}?src=widget`,
      );
      await expect(plainPage.locator('iframe')).toHaveCount(0);
      await withoutScripts.close();
    } finally {
      host.close();
    }
  });

  test('the widget script is at most 6 KB and any site may load it', async ({ request }) => {
    const script = await request.get('/widgets/live.js', READ_RETRIES);
    expect(script.ok()).toBe(true);
    expect((await script.body()).length).toBeLessThanOrEqual(6 * 1024);
    expect(script.headers()['access-control-allow-origin']).toBe('*');
    expect(script.headers()['set-cookie']).toBeUndefined();
  });
});
