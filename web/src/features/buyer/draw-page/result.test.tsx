import { act, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { makeDraw } from '@/testing/draw-data';
import { FakeServer } from '@/testing/fake-server';
import { renderScreen } from '@/testing/render-screen';
import { ResultSection } from './result-section';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const completedDraw = makeDraw({
  status: 'completed',
  homeFirstTryScorer: 3,
  awayFirstTryScorer: 11,
  winningTicketSold: true,
  winningTicketSerial: 'FD-1042-081',
});
const allTickets = Array.from({ length: 169 }, (_, at) => ({
  ticketNumber: at + 1,
  sold: at < 5,
  homeNumber: Math.floor(at / 13) + 1,
  awayNumber: (at % 13) + 1,
}));

test('tickets that cannot be loaded show an error and a retry button', async () => {
  new FakeServer().on('GET /api/draws/1042/tickets', { status: 500 }, { body: allTickets });
  renderScreen(<ResultSection draw={completedDraw} home={3} away={11} />);
  const said = await screen.findByRole('alert');
  expect(said.textContent).toContain('Failed to fetch tickets');
  expect(document.querySelectorAll('td.is-sold')).toHaveLength(0);
  fireEvent.click(screen.getByRole('button', { name: 'Retry' }));
  await vi.waitFor(() => expect(document.querySelectorAll('td.is-sold')).toHaveLength(5));
  expect(screen.queryByRole('alert')).toBeNull();
});

test('a board retries automatically after half a minute', async () => {
  vi.useFakeTimers();
  const server = new FakeServer().on(
    'GET /api/draws/1042/tickets',
    { status: 500 },
    { body: allTickets },
  );
  renderScreen(<ResultSection draw={completedDraw} home={3} away={11} />);
  await act(() => vi.advanceTimersByTimeAsync(10));
  expect(screen.getByRole('alert')).toBeDefined();
  await act(() => vi.advanceTimersByTimeAsync(30_010));
  expect(server.paths()).toEqual(['GET /api/draws/1042/tickets', 'GET /api/draws/1042/tickets']);
  expect(screen.queryByRole('alert')).toBeNull();
});
