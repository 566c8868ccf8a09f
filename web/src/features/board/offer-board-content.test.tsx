import { act, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import type { WidgetResponse } from '@/api/wire-public';
import { recordServerTimeAtom } from '@/features/shared-live/live-atoms';
import { renderScreen } from '@/testing/render-screen';
import { takeClockSample } from '@/shared/clock';
import { parseBoardOptions } from './board-options';
import { OfferBoardContent } from './offer-board-content';

vi.stubGlobal(
  'ResizeObserver',
  class {
    observe() {}
    disconnect() {}
  },
);

const CLOSING_TIME = '2099-01-01T00:00:00Z';
const offerWidget: WidgetResponse = {
  type: 'bundle',
  title: 'Round 9',
  status: 'active',
  opensAt: null,
  closesAt: CLOSING_TIME,
  earliestOpensAt: null,
  earliestClosesAt: null,
  purchaseUrl: '/w/bundle:tigers/round-9',
  prizePoolCents: 29_000,
  ticketsSold: 113,
  ticketsCap: 338,
};

/**
 * Renders the board of this offer when the server's clock is this many milliseconds before the
 * close.
 */
function renderBoardBeforeClose(beforeMs: number, more: Partial<WidgetResponse> = {}): void {
  const { store } = renderScreen(
    <OfferBoardContent
      widget={{ ...offerWidget, ...more }}
      offer={null}
      address={{ club: 'tigers', slug: 'round-9' }}
      options={parseBoardOptions('')}
    />,
  );
  const now = performance.now();
  act(() =>
    store.set(recordServerTimeAtom, takeClockSample(Date.parse(CLOSING_TIME) - beforeMs, now, now)),
  );
}

test('an offer’s board invites to buy until the offer closes by the server’s clock', () => {
  renderBoardBeforeClose(60_000);
  expect(screen.getByText('Scan to buy')).toBeDefined();
});

test.each<[string, Partial<WidgetResponse>]>([
  ['the offer has closed', {}],
  [
    'the first of its games has',
    { closesAt: '2099-02-01T00:00:00Z', earliestClosesAt: CLOSING_TIME },
  ],
])('an offer’s board shows no code once %s, whatever its last known status', (_when, more) => {
  renderBoardBeforeClose(0, more);
  expect(screen.getByText('Bundle closed')).toBeDefined();
  expect(screen.queryByText('Scan to buy')).toBeNull();
});
