import type { StripeExpressCheckoutElementConfirmEvent } from '@stripe/stripe-js';
import { renderHook } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { CHOOSING } from './checkout';
import { NO_DETAILS } from './purchase-rules';
import { usePayment } from './use-payment';

vi.mock('./payment-provider', () => ({
  usePaymentSurface: () => ({}),
  usePaymentLoading: () => ({ failed: false, again: () => {} }),
}));
vi.mock('./pay', () => ({ pay: () => Promise.resolve() }));

test.each([
  ['nothing but an address', { email: 'jo@example.com' }, 'Jo'],
  ['a name of its own', { name: 'Robin', email: 'jo@example.com' }, 'Robin'],
])('a wallet that supplies %s pays under the right name', (_what, billingDetails, name) => {
  const wallet = vi.fn();
  const { result } = renderHook(() =>
    usePayment({
      place: 'draw',
      checkout: CHOOSING,
      dispatch: () => {},
      details: { ...NO_DETAILS, name: 'Jo' },
      card: vi.fn(),
      wallet,
    }),
  );
  result.current.onWallet({
    billingDetails,
    paymentFailed: () => {},
  } as unknown as StripeExpressCheckoutElementConfirmEvent);
  expect(wallet).toHaveBeenCalledExactlyOnceWith({ name, email: 'jo@example.com' });
});
