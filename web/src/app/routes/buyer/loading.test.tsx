import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { saveReservation } from '@/features/buyer/checkout/reservation/reserved-tickets';
import { SiteFooter } from '@/features/buyer/site/site-footer';
import { makeDraw } from '@/testing/draw-data';
import { FakeServer } from '@/testing/fake-server';
import { renderScreen } from '@/testing/render-screen';
import { Page as Checkout } from './checkout-page';
import { Page as DrawPage } from './draw-page';
import { Page as MyTickets } from './my-tickets-page';

afterEach(() => vi.unstubAllGlobals());

test('checkout whose draw fails to load says so and retries', async () => {
  new FakeServer().on(
    'GET /api/draws/1042',
    { status: 500 },
    { body: makeDraw({ status: 'closed' }) },
  );
  renderScreen(<Checkout params={{ draw: '1042' }} />);
  expect((await screen.findByRole('alert')).textContent).toContain('Failed to fetch draw');
  fireEvent.click(screen.getByRole('button', { name: 'Retry' }));
  expect(
    await screen.findByRole('heading', { name: 'Redcliffe Sharks v Wynnum Tigers' }),
  ).toBeDefined();
  expect(screen.queryByText('Failed to fetch draw')).toBeNull();
});

test('reloaded checkout offers its reserved tickets when none are left', async () => {
  saveReservation('draw:1042', { expiresAt: Date.now() + 60_000, ticketCount: 3 });
  new FakeServer().on('GET /api/draws/1042', {
    body: makeDraw({
      gameDate: '2099-01-01T00:00:00Z',
      ticketsSold: 166,
      ticketsHeld: 3,
      ticketsAvailable: 0,
    }),
  });
  renderScreen(<Checkout params={{ draw: '1042' }} />, '/checkout/1042?tickets=3');
  expect((await screen.findByRole('spinbutton')).textContent).toBe('3');
  expect(screen.queryByText('Sold Out!')).toBeNull();
});

test('tickets that fail to load are not reported as missing', async () => {
  new FakeServer().on('GET /api/orders/abc', new TypeError('network'), { status: 404 });
  renderScreen(<MyTickets params={{ token: 'abc' }} />);
  expect((await screen.findByRole('alert')).textContent).toContain(
    'Your tickets could not be loaded.',
  );
  fireEvent.click(screen.getByRole('button', { name: 'Retry' }));
  await waitFor(() =>
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Tickets not found'),
  );
  expect(screen.queryByRole('alert')).toBeNull();
  expect(screen.getByRole('link', { name: 'Ask for a new link' }).getAttribute('href')).toBe('/my');
});

test('footer links to the page for lost tickets', () => {
  new FakeServer().on('GET /api/footer-menus', { body: [] });
  renderScreen(<SiteFooter />);
  expect(screen.getByRole('link', { name: 'Lost your tickets?' }).getAttribute('href')).toBe('/my');
});

test('a draw page without a number says so and asks the server for nothing', () => {
  const server = new FakeServer();
  renderScreen(<DrawPage params={{ draw: 'abc' }} />);
  expect(screen.getByRole('heading', { name: 'Draw Not Found' })).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Find Draws' })).toBeTruthy();
  expect(server.paths()).toEqual([]);
});
