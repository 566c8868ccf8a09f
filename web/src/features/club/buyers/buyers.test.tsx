import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { makePageContext } from '@/testing/club-data';
import { FakeServer } from '@/testing/fake-server';
import { renderScreen } from '@/testing/render-screen';
import { BuyersPage } from './buyers';

afterEach(() => vi.unstubAllGlobals());

test('a buyer is found and the tickets are sent again', async () => {
  const server = new FakeServer()
    .on('GET /api/clubs/1/buyers?q=okafor', {
      body: [
        {
          orderId: 'a1',
          buyerName: 'Dan Okafor',
          buyerEmail: 'dan@example.com',
          buyerPhone: null,
          boughtAt: '2026-11-20T09:10:00Z',
          total: '15.00',
          ticketCount: 3,
          drawNumbers: [1004],
        },
      ],
    })
    .on('POST /api/clubs/1/orders/a1/resend', { body: { sent: true } }, { body: { sent: false } });
  renderScreen(<BuyersPage here={makePageContext()} />);
  const field = screen.getByLabelText('Name, e-mail or phone');
  await userEvent.type(field, 'ok{Enter}');
  expect(screen.getByText('Type at least 3 letters or digits.')).toBeTruthy();
  expect(server.requests).toEqual([]);
  await userEvent.type(field, 'afor{Enter}');
  expect(await screen.findByText(/^3 tickets of draw 1004, \$15\.00/)).toBeTruthy();
  const resend = screen.getByRole('button', { name: 'Send tickets again to Dan Okafor' });
  await userEvent.click(resend);
  expect(await screen.findByText('The tickets are on the way to dan@example.com')).toBeTruthy();
  await userEvent.click(resend);
  expect(
    await screen.findByText('They were sent often enough. Try again in an hour.'),
  ).toBeTruthy();
});
