import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { makeDraw } from '@/testing/draw-data';
import { renderScreen } from '@/testing/render-screen';
import { parseBoardOptions } from './board-options';
import { BoardBeforeResult } from './board-before-result';

vi.stubGlobal(
  'ResizeObserver',
  class {
    observe() {}
    disconnect() {}
  },
);

const FUTURE_GAME = { gameDate: '2099-01-01T00:00:00Z' };
const fullyReservedDraw = makeDraw({
  ...FUTURE_GAME,
  ticketsSold: 160,
  ticketsHeld: 9,
  ticketsAvailable: 0,
});
const soldOutDraw = makeDraw({
  ...FUTURE_GAME,
  ticketsSold: 169,
  ticketsHeld: 0,
  ticketsAvailable: 0,
});

test('the board of a cancelled draw shows no prize and no tickets sold', () => {
  renderScreen(
    <BoardBeforeResult draw={makeDraw({ status: 'cancelled' })} options={parseBoardOptions('')} />,
  );
  expect(screen.getByText('Cancelled')).toBeDefined();
  expect(screen.getByText('Every ticket is refunded')).toBeDefined();
  expect(document.body.textContent).not.toMatch(/Prize pool|\$290|113 \/ 169/);
});

test('a board shows sold out only when no ticket is merely reserved', () => {
  const { unmount } = renderScreen(
    <BoardBeforeResult draw={fullyReservedDraw} options={parseBoardOptions('')} />,
  );
  expect(screen.queryByText('All 169 tickets are sold')).toBeNull();
  expect(screen.getByText('Taken for now')).toBeDefined();
  expect(screen.getByRole('img', { name: /^QR code to buy tickets/ })).toBeDefined();
  unmount();
  renderScreen(<BoardBeforeResult draw={soldOutDraw} options={parseBoardOptions('')} />);
  expect(screen.getByText('All 169 tickets are sold')).toBeDefined();
  expect(screen.queryByRole('img', { name: /^QR code to buy tickets/ })).toBeNull();
});

test.each([
  ['on sale', makeDraw({ ...FUTURE_GAME, clubSelling: false })],
  ['reserved to the last', { ...fullyReservedDraw, clubSelling: false }],
])('the board of a club that takes no payments shows no link to buy (%s)', (_how, draw) => {
  renderScreen(<BoardBeforeResult draw={draw} options={parseBoardOptions('')} />);
  expect(screen.getByText('Not on sale')).toBeDefined();
  expect(screen.queryByText('Scan to buy')).toBeNull();
});

test('a sold-out board says so even when its club takes no payments any more', () => {
  renderScreen(
    <BoardBeforeResult
      draw={{ ...soldOutDraw, clubSelling: false }}
      options={parseBoardOptions('')}
    />,
  );
  expect(screen.getByText('All 169 tickets are sold')).toBeDefined();
  expect(screen.queryByText('Not on sale')).toBeNull();
});
