import { render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { makeDraw } from '@/testing/draw-data';
import { renderScreen } from '@/testing/render-screen';
import { parseBoardOptions } from './board-options';
import { BoardBeforeResult } from './board-before-result';
import { BoardTitle } from './board-title';

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
    const { unmount } = render(<BoardTitle text="Gympie Goannas">Gympie Goannas</BoardTitle>);
    expect(screen.getByRole('heading').style.getPropertyValue('--fit')).toBe(part);
    unmount();
  }
});

test('a displayed address breaks before its path and never inside the draw’s number', () => {
  renderScreen(
    <BoardBeforeResult
      draw={makeDraw({ gameDate: '2099-01-01T00:00:00Z' })}
      options={parseBoardOptions('?qr=xl')}
    />,
  );
  expect(document.querySelector('.board-address')?.innerHTML).toBe(
    `<span>${window.location.host}</span><wbr><span>/draw/1042</span>`,
  );
});
