// Takes the two pictures of the repository's README from a running demo: start `cargo run`, then
// run `node web/scripts/readme-pictures.mjs` in another terminal. BASE_URL overrides
// http://127.0.0.1:8080, and CHROMIUM overrides /usr/bin/chromium.
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';

const PICTURE_BYTES_MAX = 200 * 1024;
const baseUrl = process.env.BASE_URL ?? 'http://127.0.0.1:8080';
const pictureFolder = join(dirname(fileURLToPath(import.meta.url)), '../../.github');

/** Returns the number of the best-selling draw on sale with at least ten tickets left. */
async function busiestDraw() {
  const draws = await (await fetch(`${baseUrl}/api/draws/active`)).json();
  const onSale = draws.filter((draw) => draw.ticketsAvailable >= 10 && draw.status === 'active');
  onSale.sort((one, other) => other.ticketsSold - one.ticketsSold);
  if (onSale.length === 0) throw new Error(`no draw on sale at ${baseUrl}`);
  return onSale[0].drawNumber;
}

const draw = await busiestDraw();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
const PICTURES = [
  { name: 'buyer-phone.png', path: `/draw/${draw}`, width: 390, height: 844, scale: 1.5 },
  { name: 'board.png', path: `/draw/${draw}/display`, width: 1280, height: 720, scale: 1 },
];
for (const { name, path, width, height, scale } of PICTURES) {
  const context = await browser.newContext({
    viewport: { width, height },
    deviceScaleFactor: scale,
    locale: 'en-AU',
    timezoneId: 'Australia/Brisbane',
    reducedMotion: 'reduce',
    serviceWorkers: 'block',
  });
  const page = await context.newPage();
  await page.goto(baseUrl + path);
  await page.getByRole('heading').first().waitFor();
  await page.evaluate(() => document.fonts.ready);
  // Waits for the first WebSocket frame and the payment form, which change the page once more.
  await page.waitForTimeout(2000);
  const file = join(pictureFolder, name);
  await page.screenshot({ path: file, animations: 'disabled' });
  const { size } = statSync(file);
  console.log(`${file}: ${(size / 1024).toFixed(0)} KB`);
  if (size > PICTURE_BYTES_MAX)
    throw new Error(`${name} is larger than ${PICTURE_BYTES_MAX / 1024} KB`);
  await context.close();
}
await browser.close();
