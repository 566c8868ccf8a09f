import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { here } from '@/testing/a-club';
import { FakeServer } from '@/testing/fake-server';
import { show } from '@/testing/show';
import { PaymentCard } from './payment-card';

afterEach(() => vi.unstubAllGlobals());

test('an account whose status request failed is not shown as unconnected', async () => {
  new FakeServer().on(
    'GET /api/clubs/1/stripe-connect/status',
    { status: 503 },
    { body: { connected: true } },
  );
  show(<PaymentCard club={here().club} />, '/club/sharks/admin');
  expect(await screen.findByText('Your payment account could not be checked.')).toBeTruthy();
  expect(screen.queryByText('Not connected')).toBeNull();
  expect(screen.queryByRole('button', { name: 'Connect Stripe account' })).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  await waitFor(() => expect(screen.getByText('Connected')).toBeTruthy());
});
