/** Layout checks for phones: the size of touch targets and the width of the content. */
import type { Page } from '@playwright/test';

/** Returns touch targets smaller than 44 px. Links inside a sentence are exempt. */
export function smallTapTargets(page: Page): Promise<string[]> {
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

/** Returns the width in pixels that the page and its open dialogs need. */
export const contentWidth = (page: Page): Promise<number> =>
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
