import { render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { renderScreen } from '@/testing/render-screen';
import { BoardFrame } from './board-frame';
import { FittedText } from './fitted-text';

vi.stubGlobal(
  'ResizeObserver',
  class {
    observe() {}
    disconnect() {}
  },
);
afterEach(() => vi.restoreAllMocks());

/** Makes the browser report a line 800 px wide, whose text has the given width at full size. */
function stubLineLayout(lettersWidth: number) {
  const box = (width: number) => ({ width }) as DOMRect;
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockReturnValue(box(800));
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(800);
  vi.spyOn(HTMLElement.prototype, 'scrollWidth', 'get').mockReturnValue(
    Math.max(800, Math.round(lettersWidth)),
  );
  vi.spyOn(Range.prototype, 'getBoundingClientRect').mockImplementation(() =>
    box(lettersWidth * Number(screen.getByRole('heading').style.getPropertyValue('--fit'))),
  );
}

test('a name half a pixel too long for its board shrinks instead of being cut off', () => {
  for (const [letters, part] of [
    [800, '1.00'],
    [800.4, '0.97'],
    [900, '0.88'],
  ] as const) {
    stubLineLayout(letters);
    const { unmount } = render(
      <FittedText as="h1" className="board-title" text="Gympie Goannas" />,
    );
    expect(screen.getByRole('heading').style.getPropertyValue('--fit')).toBe(part);
    unmount();
  }
});

test('a displayed address breaks before its path and never inside the draw’s number', () => {
  renderScreen(
    <BoardFrame kind="sale" address="/draw/1042">
      {null}
    </BoardFrame>,
  );
  expect(
    [...document.querySelectorAll('.board-address > span')].map((part) => part.textContent),
  ).toEqual([window.location.host, '/draw/1042 · 18+']);
});
