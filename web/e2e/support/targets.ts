/** Size checks on a phone: small touch targets and the width of a page. */
import type { Page } from '@playwright/test';

/** Returns targets below 44 px. Links within running text are exempt. */
export function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [
      ...document.querySelectorAll<HTMLElement>(
        'button, a, summary, select, input:not([type=hidden]), textarea',
      ),
    ]
      .filter(
        (target) =>
          target.offsetParent !== null &&
          !target.closest('p:not(.contact):not(.page-url), [inert], .skip') &&
          !target.classList.contains('skip'),
      )
      .map((target) =>
        target instanceof HTMLInputElement && ['checkbox', 'radio'].includes(target.type)
          ? (target.closest('label') ?? target)
          : target,
      )
      .map((target) => ({
        html: target.outerHTML.slice(0, 100),
        box: target.getBoundingClientRect(),
      }))
      .filter(({ box }) => box.height < 43.5 || box.width < 43.5)
      .map(({ html, box }) => `${Math.round(box.width)}×${Math.round(box.height)} ${html}`),
  );
}

/** Returns the real width of the page, or of a dialog above it. */
export const widthOf = (page: Page): Promise<number> =>
  page.evaluate(() =>
    Math.max(
      document.documentElement.scrollWidth,
      ...[...document.querySelectorAll('dialog[open]')].map((dialog) =>
        Math.ceil(
          dialog.getBoundingClientRect().right +
            Math.max(0, dialog.scrollWidth - dialog.clientWidth),
        ),
      ),
    ),
  );
