import { act, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { HttpError } from '@/api/http';
import type { WidgetResponse } from '@/api/wire-public';
import { renderScreen } from '@/testing/render-screen';
import { WidgetCard } from './widget-card';

vi.stubGlobal(
  'ResizeObserver',
  class {
    observe() {}
    disconnect() {}
  },
);

afterEach(() => void vi.useRealTimers());

const drawWidget: WidgetResponse = {
  type: 'draw',
  title: 'Sharks v Tigers',
  status: 'cancelled',
  opensAt: null,
  closesAt: '2099-01-01T00:00:00Z',
  earliestOpensAt: null,
  earliestClosesAt: null,
  purchaseUrl: '/draw/1042',
  prizePoolCents: 29_000,
  ticketsSold: 113,
  ticketsCap: 169,
};

test('the widget of a cancelled draw shows no prize', async () => {
  renderScreen(<WidgetCard ask={() => Promise.resolve(drawWidget)} />);
  expect(await screen.findByText('Cancelled')).toBeDefined();
  expect([...document.querySelectorAll('dl > div')].map((figure) => figure.textContent)).toEqual([
    'Prize poolNone',
    'TicketsRefunded',
  ]);
  expect(document.body.textContent).not.toMatch(/290|113/);
});

test('a widget disappears when the server no longer knows its draw, and stays during an outage', async () => {
  vi.useFakeTimers();
  const ask = vi
    .fn<() => Promise<WidgetResponse>>()
    .mockResolvedValueOnce({ ...drawWidget, status: 'active' })
    .mockRejectedValueOnce(new TypeError('network'))
    .mockRejectedValue(new HttpError(404, '{}', '', null));
  renderScreen(<WidgetCard ask={ask} />);
  await act(() => vi.advanceTimersByTimeAsync(15_000));
  expect(ask).toHaveBeenCalledTimes(2);
  expect(screen.getByRole('link', { name: /^Buy Now/ })).toBeDefined();
  await act(() => vi.advanceTimersByTimeAsync(15_000));
  expect(screen.getByRole('heading').textContent).toBe('This draw is no longer here');
  expect(screen.queryByRole('link')).toBeNull();
});
