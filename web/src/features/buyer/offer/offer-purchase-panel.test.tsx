import { act, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import type { Offer } from '@/api/wire-public';
import { FakeServer } from '@/testing/fake-server';
import { renderScreen } from '@/testing/render-screen';
import { OfferPurchasePanel } from './offer-purchase-panel';

const makeGame = (id: number) => ({
  id,
  homeTeam: 'Sharks',
  awayTeam: `Team ${id}`,
  gameDate: '2099-01-01T00:00:00Z',
  ticketPrice: '5.00',
  passStripeFees: false,
});
const offer: Offer = {
  id: 1,
  name: 'Both games',
  slug: 'both',
  type: 'BUNDLE',
  status: 'active',
  displayTag: null,
  primaryCopy: null,
  shareImageUrl: null,
  clubSlug: 'sharks',
  clubName: 'Sharks',
  games: [makeGame(1001), makeGame(1002)],
};

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

test('offline an offer says that nothing can be bought, and its buttons send no request', () => {
  const server = new FakeServer();
  renderScreen(<OfferPurchasePanel offer={offer} phase="open" onAdded={() => {}} />);
  expect(screen.queryByText("You are offline – tickets can't be bought")).toBeNull();
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  act(() => void window.dispatchEvent(new Event('offline')));
  expect(screen.getByText("You are offline – tickets can't be bought")).toBeDefined();
  for (const button of screen.getAllByRole('button', { name: 'Add to cart' })) {
    expect(button.getAttribute('aria-disabled')).toBe('true');
    fireEvent.click(button);
  }
  expect(server.paths()).toEqual([]);
});

test('an offer with a sold-out game says so on its buttons, which send no request', () => {
  const server = new FakeServer();
  const games = [makeGame(1001), { ...makeGame(1002), ticketsAvailable: 0 }];
  renderScreen(<OfferPurchasePanel offer={{ ...offer, games }} phase="open" onAdded={() => {}} />);
  expect(screen.queryByRole('button', { name: 'Add to cart' })).toBeNull();
  for (const button of screen.getAllByRole('button', { name: 'Sold Out' })) {
    expect(button.getAttribute('aria-disabled')).toBe('true');
    fireEvent.click(button);
  }
  expect(server.paths()).toEqual([]);
});
