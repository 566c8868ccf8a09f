import { act, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import type { OfferGame } from '@/api/wire-public';
import { OfferGames } from '@/features/buyer/offer/offer-games';
import { receiveDrawsAtom } from '@/features/shared-live/live-atoms';
import { aDraw } from '@/testing/a-draw';
import { show } from '@/testing/show';
import { DrawCard } from './draw-card';

vi.stubGlobal('matchMedia', () => ({
  matches: false,
  addEventListener() {},
  removeEventListener() {},
}));

test('a draw that is cancelled while listed shows no prize, in a list and in an offer', () => {
  const draw = aDraw({ gameDate: '2099-01-01T00:00:00Z' });
  const { store } = show(
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
