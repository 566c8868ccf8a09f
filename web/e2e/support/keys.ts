/** A person without a mouse: where Tab leads, and whether one can see it there. */
import { expect, type Page } from '@playwright/test';

interface Focused {
  name: string;
  /** Within the window and under nothing. */
  seen: boolean;
  /** Drawn differently from the same thing without focus. */
  ringed: boolean;
  /** Its place among what Tab should reach; -1 for anything else. */
  place: number;
}

/** What has focus now. `data-tab` was put on what is to be reached. */
const focusedNow = (page: Page): Promise<Focused> =>
  page.evaluate(() => {
    const focused = document.activeElement;
    if (!(focused instanceof HTMLElement) || focused === document.body)
      return { name: '', seen: true, ringed: true, place: -1 };
    const text =
      focused.getAttribute('aria-label') ??
      (focused as HTMLInputElement).labels?.[0]?.textContent ??
      focused.textContent ??
      '';
    const box = focused.getBoundingClientRect();
    const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    const covered = top !== null && !focused.contains(top) && !top.contains(focused);
    const look = getComputedStyle(focused);
    return {
      name: text.trim().slice(0, 60),
      seen: box.top < window.innerHeight && box.bottom > 0 && !covered,
      ringed: look.outlineStyle !== 'none' && parseFloat(look.outlineWidth) >= 2,
      place: Number(focused.dataset.tab ?? -1),
    };
  });

/** Presses Tab until something with this name has focus; it must be visible, and under nothing, whenever it has it. */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press('Tab');
    const at = await focusedNow(page);
    expect(at.seen, `focus on "${at.name}" can be seen`).toBe(true);
    if (name.test(at.name)) return;
  }
  throw new Error(`${name} was never reached with Tab`);
}

/** Walks through everything Tab should reach on the screen, or in the dialog that stands over it: what cannot be reached, or not be seen while it has focus. */
export async function keyboardProblems(page: Page): Promise<string[]> {
  const wanted = await page.evaluate(() => {
    const scope = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document;
    // A toast goes away by itself while one walks; F8 leads there.
    // Of a group of circles Tab reaches one; the arrow keys do the rest.
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
    // From the beginning, wherever the focus was.
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
  const problems = new Set<string>();
  // A date and a time have several places of their own, and the browser itself one between the last and the first.
  for (
    let presses = 0;
    presses < 2 * wanted.length + 16 && reached.size < wanted.length;
    presses++
  ) {
    await page.keyboard.press('Tab');
    const at = await focusedNow(page);
    if (at.place >= 0) reached.add(at.place);
    if (!at.seen) problems.add(`"${at.name}" has focus and is not seen`);
    if (!at.ringed) problems.add(`"${at.name}" has focus and does not show it`);
  }
  wanted.forEach((name, place) => !reached.has(place) && problems.add(`"${name}" is not reached`));
  return [...problems];
}
