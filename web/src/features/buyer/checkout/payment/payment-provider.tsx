import { Elements, useElements, useStripe } from '@stripe/react-stripe-js';
import type { Appearance, Stripe, StripeElementsOptions } from '@stripe/stripe-js';
import { useAtomValue } from 'jotai';
import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from 'react';
import { useIsOffline } from '@/features/shared-live/server-contact';
import { configAtom } from '@/features/shared-live/live-atoms';
import { createStripeGateway, type PaymentGateway } from './payment-gateway';
import { loadStripeForAccount } from './stripe-loader';

const STRIPE_APPEARANCE: Appearance = {
  theme: 'stripe',
  variables: {
    colorPrimary: '#0B5D4B',
    colorText: '#10201D',
    colorTextPlaceholder: '#5F6B67',
    colorDanger: '#B3261E',
    borderRadius: '6px',
    fontSizeBase: '16px',
    spacingUnit: '4px',
  },
  rules: {
    '.Input': { border: '1.5px solid #85806F', boxShadow: 'none', padding: '12px' },
    '.Label': { fontWeight: '600' },
  },
};

interface PaymentProviderProps {
  /** Id of the club's account at the payment provider. Null until it is known. */
  account: string | null;
  /** Amount in cents. */
  amount: number;
  children: ReactNode;
}

/** Whether the provider's library failed to load, and a function that loads it again. */
interface StripeLoadingState {
  failed: boolean;
  reload: () => void;
}

const StripeLoadingContext = createContext<StripeLoadingState>({
  failed: false,
  reload: () => {},
});

/**
 * Mounts the provider's fields before any payment intent exists. The amount is enough to show them
 * (design brief, A3).
 */
export function PaymentProvider({ account, amount, children }: PaymentProviderProps) {
  const config = useAtomValue(configAtom);
  const [stripe, setStripe] = useState<Stripe | null>(null);
  const [failed, setFailed] = useState(false);
  const [round, setRound] = useState(0);
  const offline = useIsOffline();
  useEffect(() => {
    if (!config || !account || offline) return;
    let current = true;
    // Loads the library while the browser is idle, so that the draw is shown first.
    const idle = window.requestIdleCallback ?? ((run: () => void) => window.setTimeout(run, 1));
    idle(
      () =>
        void loadStripeForAccount(config, account).then(
          (loaded) => current && (setStripe(loaded), setFailed(false)),
          () => current && setFailed(true),
        ),
    );
    return () => {
      current = false;
    };
  }, [config, account, round, offline]);
  const options = useMemo<StripeElementsOptions>(
    () => ({
      mode: 'payment',
      amount,
      currency: 'aud',
      captureMethod: 'manual',
      paymentMethodTypes: ['card'],
      appearance: STRIPE_APPEARANCE,
    }),
    [amount],
  );
  const loading = useMemo(() => ({ failed, reload: () => setRound((last) => last + 1) }), [failed]);
  return (
    <StripeLoadingContext.Provider value={loading}>
      <Elements stripe={stripe} options={options}>
        {children}
      </Elements>
    </StripeLoadingContext.Provider>
  );
}

/** Returns the functions of the payment provider's library. Null until the library is loaded. */
export function usePaymentGateway(): PaymentGateway | null {
  const stripe = useStripe();
  const elements = useElements();
  return useMemo(
    () => (stripe && elements ? createStripeGateway(stripe, elements) : null),
    [stripe, elements],
  );
}

export const useStripeLoading = (): StripeLoadingState => useContext(StripeLoadingContext);
