import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import type { WidgetAnswer } from '@/api/wire-public';
import { show } from '@/testing/show';
import { WidgetCard } from './widget-card';

vi.stubGlobal('ResizeObserver', class { observe() {} disconnect() {} });

const widget: WidgetAnswer = {
  type: 'draw', title: 'Sharks v Tigers', status: 'cancelled', opensAt: null, closesAt: '2099-01-01T00:00:00Z', earliestOpensAt: null, earliestClosesAt: null,
  purchaseUrl: '/draw/1042', prizePoolCents: 29_000, ticketsSold: 113, ticketsCap: 169,
};

test('a cancelled draw on a club’s own site shows no prize', async () => {
  show(<WidgetCard ask={() => Promise.resolve(widget)} />);
  expect(await screen.findByText('Cancelled')).toBeDefined();
  expect([...document.querySelectorAll('dl > div')].map((figure) => figure.textContent)).toEqual(['Prize poolNone', 'TicketsRefunded']);
  expect(document.body.textContent).not.toMatch(/290|113/);
});
