import { act, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import type { OfferGame } from '@/api/wire-public';
import { OfferGames } from '@/features/buyer/offer/offer-games';
import { receiveDrawsAtom } from '@/features/shared-live/live-atoms';
import { makeDraw } from '@/testing/draw-data';
import { renderScreen } from '@/testing/render-screen';
import { DrawCard } from './draw-card';

vi.stubGlobal('matchMedia', () => ({
  matches: false,
  addEventListener() {},
  removeEventListener() {},
}));

test('a draw that is cancelled while listed shows no prize, in a list and in an offer', () => {
  const draw = makeDraw({ gameDate: '2099-01-01T00:00:00Z' });
  const { store } = renderScreen(
    <>
      <DrawCard drawNumber={1042} />
      <OfferGames games={[{ ...draw, id: 1042 } as unknown as OfferGame]} />
    </>,
  );
  act(() => store.set(receiveDrawsAtom, [draw]));
  expect(document.body.textContent).toMatch(/Current prize\$290\.00.*Prize \$290\.00/);
  act(() => store.set(receiveDrawsAtom, [{ ...draw, status: 'cancelled', revision: 9 }]));
  expect(document.body.textContent).not.toMatch(/\$290|\$430|113\/169/);
  expect(screen.getAllByText('Every ticket is refunded')).toHaveLength(2);
  expect(screen.queryByRole('progressbar')).toBeNull();
});

test('a card says ‘Sold Out’ only once no ticket is held either', () => {
  const draw = makeDraw({
    gameDate: '2099-01-01T00:00:00Z',
    ticketsSold: 148,
    ticketsHeld: 21,
    ticketsAvailable: 0,
  });
  const { store } = renderScreen(<DrawCard drawNumber={1042} />);
  act(() => store.set(receiveDrawsAtom, [draw]));
  expect(screen.getByText('Every ticket is taken for now')).toBeTruthy();
  expect(document.body.textContent).not.toMatch(/Sold Out|All tickets purchased/);
  const sold = { ...draw, ticketsSold: 169, ticketsHeld: 0, revision: 9 };
  act(() => store.set(receiveDrawsAtom, [sold]));
  expect(screen.getByText('Sold Out')).toBeTruthy();
  expect(screen.getByText('All tickets purchased')).toBeTruthy();
});

test('on a phone an active draw that is sold out has a share button, a closed one has none', () => {
  vi.spyOn(window, 'innerWidth', 'get').mockReturnValue(390);
  const draw = makeDraw({
    gameDate: '2099-01-01T00:00:00Z',
    ticketsSold: 169,
    ticketsAvailable: 0,
  });
  const { store } = renderScreen(<DrawCard drawNumber={1042} />);
  act(() => store.set(receiveDrawsAtom, [draw]));
  const share = () => screen.queryByRole('button', { name: /^Share / });
  expect(share()).not.toBeNull();
  act(() => store.set(receiveDrawsAtom, [{ ...draw, status: 'closed', revision: 9 }]));
  expect(share()).toBeNull();
});
