/** Measures a board: what is cut off, overlaps, lies too near the edge or is too small. */
import { expect, type Page } from '@playwright/test';

/** Share of each side that a television may hide. */
const SAFE_AREA_SHARE = 0.05;
/** Smallest sizes as a share of the screen's smaller side. */
const TEXT_SHARE_MIN = 0.02;
const CODE_SHARE_MIN = 0.15;
const CLOCK_SHARE_MIN = 0.05;
const PRIZE_SHARE_MIN = 0.09;

/** 4:3, 5:4, 16:9, 16:10, ultra-wide, portrait, square and a phone both ways. */
export const BOARD_SIZES = [
  [800, 600],
  [1024, 768],
  [1600, 1200],
  [1280, 1024],
  [1280, 720],
  [1366, 768],
  [1920, 1080],
  [2560, 1440],
  [3840, 2160],
  [7680, 4320],
  [1280, 800],
  [1440, 900],
  [1680, 1050],
  [1920, 1200],
  [2560, 1080],
  [3440, 1440],
  [3840, 1080],
  [5120, 1440],
  [1080, 1920],
  [2160, 3840],
  [768, 1024],
  [1080, 1080],
  [390, 844],
  [844, 390],
] as const;

export type BoardSize = readonly [width: number, height: number];

/** Returns one sentence for each defect of the board at the present size. */
function measureBoard(limits: {
  safe: number;
  text: number;
  code: number;
  clock: number;
  prize: number;
}): string[] {
  const found: string[] = [];
  const [width, height] = [window.innerWidth, window.innerHeight];
  const smaller = Math.min(width, height);
  const board = document.querySelector('.board');
  if (!board) return ['there is no board'];
  const context = document.createElement('canvas').getContext('2d') as CanvasRenderingContext2D;
  interface Part {
    name: string;
    element: Element;
    left: number;
    top: number;
    right: number;
    bottom: number;
  }
  const parts: Part[] = [];
  const isHidden = (element: Element) => element.closest('.sr, .has-sale .grid-legend') !== null;

  // The letters of each text, without the empty space that a font has above and below them.
  const walker = document.createTreeWalker(board, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement as HTMLElement;
    const text = node.textContent?.trim() ?? '';
    if (!text || isHidden(element) || element.closest('svg')) continue;
    const style = getComputedStyle(element);
    context.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const letters = context.measureText(text);
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const line of range.getClientRects()) {
      if (line.width === 0) continue;
      parts.push({
        name: `"${text}"`,
        element,
        left: line.left,
        right: line.right,
        top: line.top + letters.fontBoundingBoxAscent - letters.actualBoundingBoxAscent,
        bottom: line.bottom - letters.fontBoundingBoxDescent + letters.actualBoundingBoxDescent,
      });
    }
    const size = parseFloat(style.fontSize);
    if (size < limits.text * smaller - 0.1)
      found.push(`"${text}" is ${((100 * size) / smaller).toFixed(2)} % of the smaller side`);
  }
  for (const element of board.querySelectorAll(
    'img, svg, .tally, .result-grid thead, .result-grid tbody, .board-bar, .board-crest, .board-game, .freshness, .grid-legend-cell, .board-just-sold',
  )) {
    if (isHidden(element)) continue;
    const { left, top, right, bottom, width: has } = element.getBoundingClientRect();
    if (has > 0)
      parts.push({
        name: element.getAttribute('class') ?? element.tagName,
        element,
        left,
        top,
        right,
        bottom,
      });
  }
  const ticket = board.querySelector('.board-ticket')?.getBoundingClientRect();

  const [x, y] = [width * limits.safe, height * limits.safe];
  for (const { name, left, top, right, bottom } of [
    ...parts,
    ...(ticket ? [{ name: 'ticket', ...ticket.toJSON() } as Part] : []),
  ])
    if (left < x - 1 || top < y - 1 || right > width - x + 1 || bottom > height - y + 1)
      found.push(
        `${name} leaves the safe area: ${[left, top, right, bottom].map(Math.round).join(' ')}`,
      );
  for (const [at, one] of parts.entries())
    for (const other of parts.slice(at + 1)) {
      if (one.element.contains(other.element) || other.element.contains(one.element)) continue;
      const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
      if (across > 1 && down > 1)
        found.push(
          `${one.name} and ${other.name} overlap by ${across.toFixed(0)} x ${down.toFixed(0)} px`,
        );
    }
  // A line that may not break is cut off where it is wider than its block.
  for (const block of board.querySelectorAll<HTMLElement>('h1, h2, p, dd, dt, li'))
    if (!isHidden(block) && block.scrollWidth > block.clientWidth + 1 && block.clientWidth > 0)
      found.push(`"${block.textContent}" is wider than its block`);
  const code = board.querySelector<HTMLImageElement>('.board-ticket img');
  if (code) {
    const side = code.clientWidth - 2 * parseFloat(getComputedStyle(code).paddingLeft);
    if (side < limits.code * smaller)
      found.push(`the code is ${((100 * side) / smaller).toFixed(1)} % of the smaller side`);
  }
  for (const [selector, share] of [
    ['.board-clock', limits.clock],
    ['.board-prize-amount, .result-prize-amount', limits.prize],
  ] as const) {
    const element = board.querySelector(selector);
    const size = element ? parseFloat(getComputedStyle(element).fontSize) : Infinity;
    if (size < share * smaller)
      found.push(`${selector} is ${((100 * size) / smaller).toFixed(1)} % of the smaller side`);
  }
  const { scrollWidth, scrollHeight } = document.documentElement;
  if (scrollWidth > width || scrollHeight > height) found.push('the page scrolls');
  return found;
}

/** Milliseconds within which a board fits itself to a new size. */
const SETTLED_WITHIN_MS = 2_000;

/** Shows the board at each size and returns its defects, each with the size. */
export async function boardDefects(page: Page, sizes: readonly BoardSize[]): Promise<string[]> {
  const found: string[] = [];
  // Only the layout is measured. Painting a screen of 7680 x 4320 would take a second.
  await page.evaluate(() => (document.documentElement.style.visibility = 'hidden'));
  for (const [width, height] of sizes) {
    await page.setViewportSize({ width, height });
    // The texts fit themselves to the size after it has changed, in a frame that a test with a
    // stopped clock cannot wait for. So a board is measured again until it has no defect.
    let defects: string[] = [];
    const measure = async () => {
      defects = await page.evaluate(measureBoard, {
        safe: SAFE_AREA_SHARE,
        text: TEXT_SHARE_MIN,
        code: CODE_SHARE_MIN,
        clock: CLOCK_SHARE_MIN,
        prize: PRIZE_SHARE_MIN,
      });
      return defects.length;
    };
    await expect
      .poll(measure, { timeout: SETTLED_WITHIN_MS, intervals: [20, 50, 100] })
      .toBe(0)
      .catch(() => {});
    found.push(...defects.map((defect) => `${width}x${height}: ${defect}`));
  }
  await page.evaluate(() => (document.documentElement.style.visibility = ''));
  return found;
}
