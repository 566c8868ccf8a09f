import { expect, test, type APIRequestContext, type Browser, type Page } from '@playwright/test';
import {
  GOOD_CARD,
  expectTickets,
  fillCard,
  fillDetails,
  payButton,
  newBuyer,
  tickConsentBoxes,
} from '../support/buyer';
import {
  READ_RETRIES,
  buyThroughApi,
  fetchListedDraw,
  findDrawWithTickets,
} from '../support/draws';
import { shortenReservation } from '../support/shop-states';
import { medianOf, openSlowPhone } from '../support/slow-phone';
import { waitUntilStarted } from '../support/started-page';

/** Window sizes of a phone and a desktop, at which goal 10 of the design brief is tested. */
const WINDOW_SIZES = [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
];

/**
 * Counts a buyer's taps on boxes, buttons and fields. Typing is not counted. Tests add taps on the
 * browser's autofill suggestions themselves.
 */
class TapCounter {
  taps = 0;
  constructor(readonly page: Page) {}
  async tap(target: ReturnType<Page['getByRole']>): Promise<void> {
    this.taps += 1;
    await target.click();
  }
}

test('goals 3, 4 and 5: a card purchase takes seven taps, six fields and two pages', async ({
  page,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 3);
  await page.setViewportSize({ width: 390, height: 844 });
  const seen: string[] = [];
  page.on(
    'framenavigated',
    (frame) => frame === page.mainFrame() && seen.push(new URL(frame.url()).pathname),
  );
  await page.goto(`/draw/${draw.drawNumber}?quantity=1`);
  await expect(page.getByLabel('Card number')).toBeVisible();
  const typed = page.locator('.buy').getByRole('textbox');
  expect(await typed.count()).toBeLessThanOrEqual(6);
  for (const [label, value] of [
    ['Full Name', 'name'],
    ['Email Address', 'email'],
    ['Phone Number', 'tel'],
  ])
    await expect(page.getByLabel(label ?? '')).toHaveAttribute('autocomplete', value ?? '');
  const buyer = new TapCounter(page);
  await buyer.tap(page.getByLabel('I confirm that I am over 18 years of age'));
  await buyer.tap(page.getByLabel(/I accept the/));
  // One tap on the name field and one on the browser's suggestion, which fills all three fields.
  await buyer.tap(page.getByLabel('Full Name'));
  buyer.taps += 1;
  await fillDetails(page, newBuyer());
  // One tap on the card number and one on the browser's suggestion. The count assumes that the
  // security code needs no tap of its own.
  await buyer.tap(page.getByLabel('Card number'));
  buyer.taps += 1;
  await fillCard(page, GOOD_CARD);
  await buyer.tap(payButton(page));
  await expectTickets(page, 1);
  expect(buyer.taps).toBeLessThanOrEqual(7);
  expect([...new Set(seen)]).toEqual([`/draw/${draw.drawNumber}`, '/thank-you']);
});

test('goal 7: at a human pace the wallet takes at most 20 seconds and the typed card at most 75', async ({
  page,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 4);
  // Seconds that a buyer needs for each action, from the design brief. The test adds the measured
  // time that a buyer waits for the product.
  const [TAP, READ, SHEET, FINGER, FIND_CARD, PER_LETTER] = [1.2, 4, 1.5, 2, 8, 60 / (36.2 * 5)];
  const waited = async (act: () => Promise<void>) => {
    const from = performance.now();
    await act();
    return (performance.now() - from) / 1000;
  };
  await page.setViewportSize({ width: 390, height: 844 });
  let wait = await waited(() =>
    page
      .goto(`/draw/${draw.drawNumber}`)
      .then(() => expect(page.getByLabel(/over 18/)).toBeVisible()),
  );
  await tickConsentBoxes(page);
  const wallet = page.getByRole('button', { name: /Pay with (Apple|Google) Pay/ });
  wait += await waited(() => wallet.click());
  wait += await waited(() => page.getByRole('button', { name: 'Confirm payment' }).click());
  wait += await waited(() => expectTickets(page, 1));
  expect(
    READ + 3 * TAP + SHEET + FINGER + wait,
    `of it ${wait.toFixed(1)} s waiting`,
  ).toBeLessThanOrEqual(20);

  const person = newBuyer();
  wait = await waited(() =>
    page
      .goto(`/draw/${draw.drawNumber}`)
      .then(() => expect(page.getByLabel('Card number')).toBeVisible()),
  );
  await tickConsentBoxes(page);
  await fillDetails(page, person);
  await fillCard(page, GOOD_CARD);
  wait += await waited(() =>
    payButton(page)
      .click()
      .then(() => expectTickets(page, 1)),
  );
  const letters =
    'Robin Taylor'.length + 'robin@example.com'.length + '0400 000 000'.length + 16 + 4 + 3;
  expect(
    READ + 5 * TAP + FIND_CARD + letters * PER_LETTER + wait,
    `of it ${wait.toFixed(1)} s waiting`,
  ).toBeLessThanOrEqual(75);
});

for (const size of WINDOW_SIZES) {
  test(`goal 10: nothing moves while other buyers buy, at ${size.width}`, async ({
    page,
    request,
    playwright,
    baseURL,
  }) => {
    const draw = await findDrawWithTickets(request, 12);
    await page.setViewportSize(size);
    await page.addInitScript(() => {
      const seen = { moved: 0 };
      Object.assign(window, { seen });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries() as (PerformanceEntry & {
          value: number;
          hadRecentInput: boolean;
        })[])
          if (!entry.hadRecentInput) seen.moved += entry.value;
      }).observe({ type: 'layout-shift', buffered: true });
    });
    await page.goto(`/draw/${draw.drawNumber}`);
    await expect(page.getByLabel('Card number')).toBeVisible();
    await tickConsentBoxes(page);
    await expect(page.getByRole('button', { name: /Pay with (Apple|Google) Pay/ })).toBeVisible();
    const crowd = await playwright.request.newContext({ baseURL });
    for (let bought = 0; bought < 4; bought++) {
      await buyThroughApi(crowd, baseURL ?? '', draw.drawNumber, 1);
      await expect(page.locator('.stats')).toContainText(
        `${(await fetchListedDraw(request, draw.drawNumber)).ticketsSold}/169`,
      );
    }
    await crowd.dispose();
    expect(
      await page.evaluate(() => (window as unknown as { seen: { moved: number } }).seen.moved),
    ).toBeLessThanOrEqual(0.01);
  });
}

test('goal 18: without scripts the draw is readable and support is reachable', async ({
  page,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 1);
  let release: () => void = () => {};
  const blocked = new Promise<void>((resolve) => (release = resolve));
  await page.route(/\/assets\/.*\.js$/, async (route) => {
    await blocked;
    await route.continue();
  });
  await page.goto(`/draw/${draw.drawNumber}`, { waitUntil: 'commit' });
  await expect(page.getByRole('heading', { level: 1 })).toContainText(draw.awayTeam);
  await expect(page.locator('.badge')).toHaveText('Active');
  await expect(page.locator('.hero')).toContainText(`$${draw.ticketPrice}`);
  await expect(page.locator('.stats')).toContainText('Prize pool');
  await expect(page.locator('.stats')).toContainText('/169');
  await expect(page.getByRole('link', { name: 'Support', exact: true })).toHaveAttribute(
    'href',
    /^mailto:/,
  );
  release();
  await expect(page.getByRole('heading', { name: 'Purchase Tickets' })).toBeVisible();
});

/** Changes every kick-off in this draw's HTML page and API response, and closes sockets. */
async function stubKickOff(page: Page, drawNumber: number, at: string): Promise<void> {
  const moved = (text: string) => text.replace(/("gameDate":)"[^"]+"/g, `$1"${at}"`);
  await page.routeWebSocket(/\/ws/, (socket) => void socket.close());
  await page.route(
    (url) => url.pathname === `/draw/${drawNumber}` || url.pathname === `/api/draws/${drawNumber}`,
    async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, body: moved(await answer.text()) });
    },
  );
}

for (const wrong of [-300_000, 300_000]) {
  test(`goal 28: a device clock ${wrong / 60_000} minutes wrong does not move kick-off`, async ({
    page,
    request,
  }) => {
    const draw = await findDrawWithTickets(request, 1);
    const kickOff = Math.ceil(Date.now() / 1000) * 1000 + 20 * 60_000;
    await stubKickOff(page, draw.drawNumber, new Date(kickOff).toISOString());
    await page.addInitScript((by) => {
      const Real = Date;
      const shifted = () => Real.now() + by;
      // A `Date` class that returns the wrong time, because pages must not rely on the device's
      // clock.
      const Wrong = function (...given: unknown[]) {
        return given.length === 0
          ? new Real(shifted())
          : new (Real as unknown as new (...all: unknown[]) => Date)(...given);
      };
      Object.setPrototypeOf(Wrong, Real);
      Wrong.prototype = Real.prototype;
      (Wrong as unknown as DateConstructor).now = shifted;
      window.Date = Wrong as unknown as DateConstructor;
    }, wrong);
    await page.goto(`/draw/${draw.drawNumber}`);
    const pill = page.locator('.hero [role=timer]');
    await expect(pill).toHaveText(/^\d\d:\d\d to kick-off/);
    // Reads the moment, in true time, at which the displayed seconds change.
    const { shown, at } = await pill.evaluate(
      (timer) =>
        new Promise<{ shown: string; at: number }>((resolve) =>
          new MutationObserver(() =>
            resolve({
              shown: timer.textContent ?? '',
              at: performance.timeOrigin + performance.now(),
            }),
          ).observe(timer, { characterData: true, childList: true, subtree: true }),
        ),
    );
    const [minutes = 0, seconds = 0] = (/^(\d\d):(\d\d)/.exec(shown)?.slice(1) ?? []).map(Number);
    expect(Math.abs(kickOff - at - (minutes * 60 + seconds) * 1000), shown).toBeLessThanOrEqual(
      250,
    );
  });
}

test('goal 29: no automatic motion lasts five seconds, and none runs with reduced motion', async ({
  page,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 1);
  await stubKickOff(page, draw.drawNumber, new Date(Date.now() + 30 * 60_000).toISOString());
  const longest = () =>
    page.evaluate(() =>
      Math.max(
        0,
        ...document
          .getAnimations()
          .map((one) => Number(one.effect?.getComputedTiming().endTime ?? 0)),
      ),
    );
  await page.goto(`/draw/${draw.drawNumber}`);
  await expect(page.getByLabel('Card number')).toBeVisible();
  expect(await longest()).toBeLessThan(5_000);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.reload();
  await expect(page.getByLabel('Card number')).toBeVisible();
  await page.getByRole('button', { name: 'Terms of Sale' }).click();
  expect(await longest()).toBeLessThanOrEqual(10);
});

test('goal 30: ten extensions are granted, and the eleventh is refused with a message', async ({
  page,
  request,
  baseURL,
}) => {
  const draw = await findDrawWithTickets(request, 3);
  await shortenReservation(page, 29);
  await page.goto(`/checkout/${draw.drawNumber}?tickets=1`);
  await expect(page.getByRole('button', { name: 'Keep my tickets' })).toBeVisible();
  const opened = page.request.post('/api/create-payment-intent', {
    headers: { origin: new URL(baseURL ?? '').origin },
    data: { drawNumber: draw.drawNumber, ticketCount: 1 },
  });
  const { reservationId } = (await (await opened).json()) as { reservationId: string };
  const answers = [];
  for (let time = 0; time < 11; time++)
    answers.push(
      (
        await page.request.post(`/api/reservations/${reservationId}/extend`, {
          headers: { origin: new URL(baseURL ?? '').origin },
          data: {},
        })
      ).status(),
    );
  expect(answers).toEqual([...Array(10).fill(200), 409]);
  await page.getByRole('button', { name: 'Keep my tickets' }).click();
  await expect(page.getByRole('alert')).toContainText(
    'Your tickets cannot be kept any longer. Please complete your purchase.',
  );
});

const BLOCKING_TIME_GOAL_MS = 200;
/** A task longer than this delays a tap. Its excess counts as blocking time. */
const LONG_TASK_MS = 50;

/** An event of Chromium's trace. Times are in microseconds. */
interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  ts: number;
  /** Processor time of the thread, which other processes of the machine do not lengthen. */
  tdur?: number;
}

/**
 * Returns the total blocking time in ms of a page's start, from its first contentful paint. It adds
 * processor time in place of elapsed time, because other tests run on the same machine.
 */
async function measureBlockingTime(browser: Browser, path: string): Promise<number> {
  const { page } = await openSlowPhone(browser);
  await browser.startTracing(page, {
    categories: ['loading', 'disabled-by-default-devtools.timeline'],
  });
  await page.goto(path, { waitUntil: 'load' });
  // React renders the footer, and the code of toasts and cart loads after it.
  await waitUntilStarted(page);
  await page.waitForLoadState('networkidle');
  const trace = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: TraceEvent[];
  };
  await page.context().close();
  const paint = trace.traceEvents.findLast(({ name }) => name === 'firstContentfulPaint');
  if (!paint) throw new Error(`${path}: the trace contains no first contentful paint`);
  return trace.traceEvents
    .filter(
      ({ name, pid, tid, ts }) =>
        name === 'RunTask' && pid === paint.pid && tid === paint.tid && ts >= paint.ts,
    )
    .reduce((total, { tdur = 0 }) => total + Math.max(0, tdur / 1000 - LONG_TASK_MS), 0);
}

test('on a slow phone the start of landing page, draw and club blocks taps at most 200 ms', async ({
  browser,
  request,
}) => {
  test.setTimeout(150_000);
  const draw = await findDrawWithTickets(request, 1);
  for (const path of ['/', `/draw/${draw.drawNumber}`, `/club/${draw.clubSlug}`]) {
    const taken = [];
    for (let time = 0; time < 3; time++) taken.push(await measureBlockingTime(browser, path));
    const figures = `${path}: ${taken.map(Math.round).join(', ')} ms`;
    test.info().annotations.push({ type: 'blocking time', description: figures });
    expect.soft(medianOf(taken), figures).toBeLessThanOrEqual(BLOCKING_TIME_GOAL_MS);
  }
});

async function recordReceivedTexts(page: Page): Promise<string[]> {
  const frames: string[] = [];
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => frames.push(String(payload))),
  );
  page.on('response', (answer) => {
    if (!answer.url().includes('/assets/'))
      void answer.text().then(
        (text) => frames.push(text),
        () => {},
      );
  });
  return frames;
}

async function fetchPublicResponses(request: APIRequestContext, draw: number): Promise<string[]> {
  const paths = [
    `/api/draws/${draw}`,
    `/api/draws/${draw}/tickets`,
    `/api/draws/${draw}/available-tickets`,
    `/api/public/draws/${draw}/proof`,
    `/api/public/widget/draw/${draw}`,
    '/api/draws/active',
  ];
  return Promise.all(paths.map(async (path) => (await request.get(path, READ_RETRIES)).text()));
}

test('goal 31: during a purchase no other visitor receives a name, address, number or pair', async ({
  page,
  browser,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 5);
  const others = await Promise.all(
    [`/draw/${draw.drawNumber}`, `/draw/${draw.drawNumber}/display`].map(async (path) => {
      const other = await (await browser.newContext()).newPage();
      const frames = await recordReceivedTexts(other);
      await other.goto(path);
      return { other, heard: frames };
    }),
  );
  const person = { name: 'Quentin Secretname', email: `quentin${Date.now()}@private.example` };
  await page.goto(`/draw/${draw.drawNumber}`);
  await tickConsentBoxes(page);
  await fillDetails(page, person);
  await page.getByLabel('Phone Number').fill('0477 123 987');
  await fillCard(page, GOOD_CARD);
  await payButton(page).click();
  await expectTickets(page, 1);
  const sold = (await fetchListedDraw(request, draw.drawNumber)).ticketsSold;
  await expect(others[0]?.other.locator('.stats') ?? page.locator('.stats')).toContainText(
    `${sold}/169`,
  );
  const receivedTexts = [
    ...others.flatMap((other) => other.heard),
    ...(await fetchPublicResponses(request, draw.drawNumber)),
  ];
  expect(receivedTexts.length).toBeGreaterThan(6);
  expect(
    receivedTexts.flatMap(
      (text) =>
        text.match(/Secretname|private\.example|0477 123 987|"(home|away)Number":\s*\d+/g) ?? [],
    ),
  ).toEqual([]);
  await Promise.all(others.map(({ other }) => other.context().close()));
});

test('goal 32: reloading and going back after a purchase does not buy a second time', async ({
  page,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 5);
  const before = await fetchListedDraw(request, draw.drawNumber);
  await page.goto(`/draw/${draw.drawNumber}`);
  await tickConsentBoxes(page);
  await fillDetails(page, newBuyer());
  await fillCard(page, GOOD_CARD);
  await payButton(page).click();
  await expectTickets(page, 1);
  await page.reload();
  await expectTickets(page, 1);
  await page.goBack();
  await expect(page.getByLabel('Full Name')).toHaveValue('');
  await expect(page.getByLabel('I confirm that I am over 18 years of age')).not.toBeChecked();
  expect((await fetchListedDraw(request, draw.drawNumber)).ticketsSold).toBe(
    before.ticketsSold + 1,
  );
});

test('the receipt prints on one A4 page without the site’s header and footer', async ({
  page,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 5);
  await page.goto(`/draw/${draw.drawNumber}?quantity=4`);
  await tickConsentBoxes(page);
  await fillDetails(page, newBuyer());
  await fillCard(page, GOOD_CARD);
  await payButton(page).click();
  await expectTickets(page, 4);
  await expect(page.locator('.receipt-card')).toContainText('Total (AUD)');
  await page.emulateMedia({ media: 'print' });
  for (const hidden of ['.site-head', '.site-foot', '.share-box', '.thanks .actions'])
    await expect(page.locator(hidden).first()).toBeHidden();
  const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
  expect(pdf.match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
  expect(pdf).toMatch(/\/MediaBox\s*\[0 0 59[45][\d.]* 84[12]/);
});
