/** Keyboard checks: which controls Tab reaches, and whether focus is visible there. */
import { expect, type Page } from '@playwright/test';

interface Focused {
  name: string;
  /** Whether it is inside the window and not covered. */
  seen: boolean;
  /** Whether it has a visible focus ring. */
  ringed: boolean;
  /** The index among the controls that Tab should reach; -1 for any other element. */
  place: number;
}

/** Returns the focused element. `data-tab` marks the controls that Tab should reach. */
const focusedNow = (page: Page): Promise<Focused> =>
  page.evaluate(() => {
    const focused = document.activeElement;
    if (!(focused instanceof HTMLElement) || focused === document.body)
      return { name: '', seen: true, ringed: true, place: -1 };
    const words =
      focused.getAttribute('aria-label') ??
      (focused as HTMLInputElement).labels?.[0]?.textContent ??
      focused.textContent ??
      '';
    const box = focused.getBoundingClientRect();
    const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    const covered = top !== null && !focused.contains(top) && !top.contains(focused);
    const look = getComputedStyle(focused);
    return {
      name: words.trim().slice(0, 60),
      seen: box.top < window.innerHeight && box.bottom > 0 && !covered,
      ringed: look.outlineStyle !== 'none' && parseFloat(look.outlineWidth) >= 2,
      place: Number(focused.dataset.tab ?? -1),
    };
  });

/**
 * Presses Tab until the control with this name has focus. Every focused control on the way must be
 * visible and uncovered.
 */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press('Tab');
    const at = await focusedNow(page);
    expect(at.seen, `focus on "${at.name}" can be seen`).toBe(true);
    if (name.test(at.name)) return;
  }
  throw new Error(`${name} was never reached with Tab`);
}

/**
 * Tabs through every control of the screen, or of the open dialog. Returns the controls that Tab
 * does not reach or whose focus is not visible.
 */
export async function troubleWithKeys(page: Page): Promise<string[]> {
  const wanted = await page.evaluate(() => {
    const scope = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document;
    // Toasts are skipped: they disappear during the walk, and F8 reaches them. Of a radio group Tab
    // reaches one button; the arrow keys reach the others.
    const passedBy = (one: HTMLElement) =>
      one instanceof HTMLInputElement &&
      one.type === 'radio' &&
      !one.checked &&
      document.querySelector(`input[type=radio][name="${CSS.escape(one.name)}"]:checked`) !== null;
    const tabbable = [
      ...scope.querySelectorAll<HTMLElement>(
        'a[href], button:not([disabled]), input:not([type=hidden]):not([disabled]), select, textarea, summary, [tabindex="0"]',
      ),
    ].filter(
      (one) =>
        one.tabIndex >= 0 &&
        one.checkVisibility({ visibilityProperty: true }) &&
        !passedBy(one) &&
        !one.matches(':disabled') &&
        !one.closest('[inert], [aria-hidden="true"], .toast'),
    );
    for (const old of document.querySelectorAll<HTMLElement>('[data-tab]')) delete old.dataset.tab;
    tabbable.forEach((one, place) => (one.dataset.tab = String(place)));
    // Starts at the beginning, wherever the focus was.
    (document.activeElement as HTMLElement | null)?.blur();
    return tabbable.map((one) =>
      (
        one.getAttribute('aria-label') ??
        (one as HTMLInputElement).labels?.[0]?.textContent ??
        one.textContent ??
        ''
      )
        .trim()
        .slice(0, 60),
    );
  });
  const reached = new Set<number>();
  const trouble = new Set<string>();
  // A date or time input has several focus stops, and the browser has one between the last and the
  // first control.
  for (
    let presses = 0;
    presses < 2 * wanted.length + 16 && reached.size < wanted.length;
    presses++
  ) {
    await page.keyboard.press('Tab');
    const at = await focusedNow(page);
    if (at.place >= 0) reached.add(at.place);
    if (!at.seen) trouble.add(`"${at.name}" has focus and is not seen`);
    if (!at.ringed) trouble.add(`"${at.name}" has focus and does not show it`);
  }
  wanted.forEach((name, place) => !reached.has(place) && trouble.add(`"${name}" is not reached`));
  return [...trouble];
}
