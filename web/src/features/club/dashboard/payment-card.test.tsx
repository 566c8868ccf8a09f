import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { makePageContext } from '@/testing/club-data';
import { FakeServer } from '@/testing/fake-server';
import { renderScreen } from '@/testing/render-screen';
import { PaymentSetupCard } from './payment-card';

afterEach(() => vi.unstubAllGlobals());

test('an account whose status request failed is not shown as unconnected', async () => {
  new FakeServer().on(
    'GET /api/clubs/1/stripe-connect/status',
    { status: 503 },
    { body: { connected: true } },
  );
  renderScreen(<PaymentSetupCard club={makePageContext().club} />, '/club/sharks/admin');
  expect(await screen.findByText('Your payment account could not be checked.')).toBeTruthy();
  expect(screen.queryByText('Not connected')).toBeNull();
  expect(screen.queryByRole('button', { name: 'Connect Stripe account' })).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  await waitFor(() => expect(screen.getByText('Connected')).toBeTruthy());
});
