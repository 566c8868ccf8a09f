/** Keyboard checks: which controls the Tab key reaches, and whether their focus is visible. */
import { expect, type Page } from '@playwright/test';

interface FocusedElement {
  name: string;
  /** Whether the element is inside the window and not covered by another one. */
  seen: boolean;
  /** Whether the element has a visible focus ring. */
  ringed: boolean;
  /** Index of the element among the controls that Tab should reach; -1 for any other element. */
  place: number;
}

/**
 * Describes the focused element. `keyboardProblems` gives each control that Tab should reach the
 * attribute `data-tab`.
 */
const describeFocusedElement = (page: Page): Promise<FocusedElement> =>
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

/**
 * Presses Tab until the control with this name has the focus. Fails if a control that gets the
 * focus before it is not visible or is covered.
 */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press('Tab');
    const at = await describeFocusedElement(page);
    expect(at.seen, `focus on "${at.name}" can be seen`).toBe(true);
    if (name.test(at.name)) return;
  }
  throw new Error(`${name} was never reached with Tab`);
}

/**
 * Presses Tab through the whole screen, or the open dialog. Returns the controls that Tab does not
 * reach or whose focus is not visible.
 */
export async function keyboardProblems(page: Page): Promise<string[]> {
  const wanted = await page.evaluate(() => {
    const scope = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document;
    // Tab reaches only the checked button of a radio group. The arrow keys reach the others.
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
    // Removes the focus from the control that the previous steps have focused.
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
  // Presses Tab more often than there are controls: a date or time input has several focus stops,
  // and the browser has one between the last and the first control.
  for (
    let presses = 0;
    presses < 2 * wanted.length + 16 && reached.size < wanted.length;
    presses++
  ) {
    await page.keyboard.press('Tab');
    const at = await describeFocusedElement(page);
    if (at.place >= 0) reached.add(at.place);
    if (!at.seen) problems.add(`"${at.name}" has focus and is not seen`);
    if (!at.ringed) problems.add(`"${at.name}" has focus and does not show it`);
  }
  wanted.forEach((name, place) => !reached.has(place) && problems.add(`"${name}" is not reached`));
  return [...problems];
}
