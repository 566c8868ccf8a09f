import type { Stripe, StripeElements } from '@stripe/stripe-js';
import { render, screen, waitFor } from '@testing-library/react';
import { Provider, createStore } from 'jotai';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { configAtom } from '@/features/shared-live/live-atoms';
import { FakeServer } from '@/testing/fake-server';
import { makeConfig } from '@/testing/config-data';
import { CardField } from '../form/buyer-fields';
import { PaymentProvider } from './payment-provider';
import { WalletButtonSlot } from './wallet-button-slot';

let library: Stripe;
vi.mock('./stripe-loader', () => ({ loadStripeForAccount: async () => library }));

const makeElement = () => ({ on: () => {}, off: () => {}, mount: () => {}, destroy: () => {} });

/** Returns a library whose functions do nothing but the given ones. */
const makeLibrary = (elements: Stripe['elements']) =>
  ({
    elements,
    createToken: () => {},
    createPaymentMethod: () => {},
    confirmCardPayment: () => {},
  }) as unknown as Stripe;

function renderForm(onLoadError = () => {}) {
  const store = createStore();
  store.set(configAtom, makeConfig());
  render(
    <Provider store={store}>
      <PaymentProvider account="acct_1" amount={1047}>
        <WalletButtonSlot
          confirmed
          busy={false}
          onUnconfirmed={() => {}}
          onConfirm={() => {}}
          onLoadError={onLoadError}
        />
        <CardField />
        <p>the rest of the form</p>
      </PaymentProvider>
    </Provider>,
  );
}

let server: FakeServer;
beforeEach(() => {
  server = new FakeServer().on('POST /api/debug-log', { status: 204 });
});

afterEach(() => vi.unstubAllGlobals());

const reportedSteps = () =>
  server.requests.map(({ body }) => (body as { stripeJsStep: string }).stripeJsStep);

test('an exception of elements() is shown in place and reported once', async () => {
  library = makeLibrary(() => {
    throw new Error('Unrecognized elements() parameter');
  });
  const onLoadError = vi.fn();
  renderForm(onLoadError);
  expect((await screen.findByRole('alert')).textContent).toContain(
    'The card form could not be shown',
  );
  expect(screen.getByText('the rest of the form')).toBeDefined();
  expect(screen.getByText('Pay with Visa, Mastercard or Amex')).toBeDefined();
  expect(onLoadError).toHaveBeenCalledOnce();
  expect(reportedSteps()).toEqual(['elements']);
  expect(server.requests[0]?.body).toMatchObject({
    data: { message: 'Unrecognized elements() parameter' },
  });
});

test('an exception of the card element leaves the rest of the form in place', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
  library = makeLibrary(
    () =>
      ({
        update: () => {},
        create: (type: string) => {
          if (type === 'payment') throw new Error('Unrecognized parameter');
          return makeElement();
        },
      }) as unknown as StripeElements,
  );
  renderForm();
  expect((await screen.findByRole('alert')).textContent).toContain('You have not been charged.');
  expect(screen.getByText('the rest of the form')).toBeDefined();
  await waitFor(() => expect(reportedSteps()).toEqual(['element']));
  logged.mockRestore();
});
