import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { makeDraw } from '@/testing/draw-data';
import { renderScreen } from '@/testing/render-screen';
import { optionsOf } from './board-options';
import { BoardTally } from './board-tally';

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
  renderScreen(<BoardTally draw={makeDraw({ status: 'cancelled' })} options={optionsOf('')} />);
  expect(screen.getByText('Cancelled')).toBeDefined();
  expect(screen.getByText('Every ticket is refunded')).toBeDefined();
  expect(document.body.textContent).not.toMatch(/Prize pool|\$290|113 \/ 169/);
});

test('a board shows sold out only when no ticket is merely reserved', () => {
  const { unmount } = renderScreen(<BoardTally draw={fullyReservedDraw} options={optionsOf('')} />);
  expect(screen.queryByText('All 169 tickets are sold')).toBeNull();
  expect(screen.getByText('Scan to play')).toBeDefined();
  unmount();
  renderScreen(<BoardTally draw={soldOutDraw} options={optionsOf('')} />);
  expect(screen.getByText('All 169 tickets are sold')).toBeDefined();
  expect(screen.queryByText('Scan to play')).toBeNull();
});

test.each([
  ['on sale', makeDraw({ ...FUTURE_GAME, clubSelling: false })],
  ['reserved to the last', { ...fullyReservedDraw, clubSelling: false }],
])('the board of a club that takes no payments shows no link to buy (%s)', (_how, draw) => {
  renderScreen(<BoardTally draw={draw} options={optionsOf('')} />);
  expect(screen.getByText('Not on sale')).toBeDefined();
  expect(screen.queryByText('Scan to play')).toBeNull();
});

test('a sold-out board says so even when its club takes no payments any more', () => {
  renderScreen(
    <BoardTally draw={{ ...soldOutDraw, clubSelling: false }} options={optionsOf('')} />,
  );
  expect(screen.getByText('All 169 tickets are sold')).toBeDefined();
  expect(screen.queryByText('Not on sale')).toBeNull();
});
