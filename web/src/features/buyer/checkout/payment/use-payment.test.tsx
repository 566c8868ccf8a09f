import type { StripeExpressCheckoutElementConfirmEvent } from '@stripe/stripe-js';
import { renderHook } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { INITIAL_CHECKOUT } from '../state/checkout';
import { EMPTY_PURCHASE_DETAILS } from '../form/purchase-rules';
import { usePayment } from './use-payment';

vi.mock('./payment-provider', () => ({
  usePaymentGateway: () => ({}),
  useStripeLoading: () => ({ failed: false, reload: () => {} }),
}));
vi.mock('./pay', () => ({ carryOutPurchase: () => Promise.resolve() }));

test.each([
  ['nothing but an address', { email: 'jo@example.com' }, 'Jo'],
  ['a name of its own', { name: 'Robin', email: 'jo@example.com' }, 'Robin'],
])('a wallet that supplies %s pays under the right name', (_what, billingDetails, name) => {
  const wallet = vi.fn();
  const { result } = renderHook(() =>
    usePayment({
      page: 'draw',
      checkout: INITIAL_CHECKOUT,
      dispatch: () => {},
      details: { ...EMPTY_PURCHASE_DETAILS, name: 'Jo' },
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
