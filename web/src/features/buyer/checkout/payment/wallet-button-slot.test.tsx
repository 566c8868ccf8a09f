import { act, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { WalletButtonSlot } from './wallet-button-slot';

type WalletHandlers = {
  onClick: (event: { resolve: () => void; reject: () => void }) => void;
  onReady: (event: { availablePaymentMethods?: object }) => void;
  onLoadError: () => void;
};
let walletHandlers: WalletHandlers | undefined;

vi.mock('@stripe/react-stripe-js', () => ({
  ExpressCheckoutElement: (handlers: WalletHandlers) => {
    walletHandlers = handlers;
    return <button type="button">Pay with Apple Pay</button>;
  },
}));

afterEach(() => vi.unstubAllGlobals());

const walletButtonSlotElement = (more: Partial<Parameters<typeof WalletButtonSlot>[0]> = {}) => (
  <WalletButtonSlot
    confirmed={false}
    busy={false}
    onUnconfirmed={() => {}}
    onConfirm={() => {}}
    {...more}
  />
);

test('a press on the wallet is answered at once without a request', () => {
  const asked = vi.fn();
  vi.stubGlobal('fetch', asked);
  render(walletButtonSlotElement({ confirmed: true }));
  const resolve = vi.fn();
  walletHandlers?.onClick({ resolve, reject: () => {} });
  expect(resolve).toHaveBeenCalledExactlyOnceWith({
    emailRequired: true,
    phoneNumberRequired: true,
  });
  expect(asked).not.toHaveBeenCalled();
});

test('the wallet box asks for both boxes until they are ticked, and says when it is busy', () => {
  const onUnconfirmed = vi.fn();
  const { rerender } = render(walletButtonSlotElement({ onUnconfirmed }));
  fireEvent.click(screen.getByRole('button', { name: 'Complete confirmation above first' }));
  expect(onUnconfirmed).toHaveBeenCalledOnce();
  rerender(walletButtonSlotElement({ confirmed: true, busy: true }));
  expect(screen.getByRole('button', { name: 'Processing...' }).getAttribute('aria-disabled')).toBe(
    'true',
  );
  expect(screen.getByText('Or pay with card')).toBeDefined();
});

test('the wallet of the draw page shows at once and asks for the consents when pressed', () => {
  const onUnconfirmed = vi.fn();
  const slot = walletButtonSlotElement({ realFromStart: true, onUnconfirmed });
  const { rerender } = render(slot);
  act(() => walletHandlers?.onReady({ availablePaymentMethods: { applePay: true } }));
  rerender(slot);
  expect(screen.queryByRole('button', { name: 'Complete confirmation above first' })).toBeNull();
  expect(screen.getByRole('button', { name: 'Pay with Apple Pay' }).closest('[inert]')).toBeNull();
  const [resolve, reject] = [vi.fn(), vi.fn()];
  walletHandlers?.onClick({ resolve, reject });
  expect(reject).toHaveBeenCalledOnce();
  expect(resolve).not.toHaveBeenCalled();
  expect(onUnconfirmed).toHaveBeenCalledOnce();
});

test('without a wallet the box lists the accepted cards', () => {
  const onNone = vi.fn();
  const { rerender } = render(walletButtonSlotElement({ onNone }));
  act(() => walletHandlers?.onReady({}));
  rerender(walletButtonSlotElement({ onNone }));
  expect(onNone).toHaveBeenCalledOnce();
  expect(screen.getByText('Pay with Visa, Mastercard or Amex')).toBeDefined();
});
