import { Elements, useElements, useStripe } from '@stripe/react-stripe-js';
import type { Appearance, Stripe, StripeElementsOptionsMode } from '@stripe/stripe-js';
import { useAtomValue } from 'jotai';
import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from 'react';
import { useIsOffline } from '@/features/shared-live/server-contact';
import { configAtom } from '@/features/shared-live/live-atoms';
import { createStripeGateway, type PaymentGateway } from './payment-gateway';
import {
  CardFormFailed,
  StripeExceptionBoundary,
  reportStripeException,
} from './stripe-exceptions';
import { loadStripeForAccount } from './stripe-loader';

const DEFAULT_COLOUR = '#0b5d4b';
const stripeAppearance = (colorPrimary: string) =>
  ({
    theme: 'stripe',
    variables: {
      colorPrimary,
      colorText: '#10201D',
      colorTextPlaceholder: '#5F6B67',
      colorDanger: '#B3261E',
      borderRadius: '10px',
      fontSizeBase: '16px',
      spacingUnit: '4px',
    },
    rules: {
      '.Input': { border: '1.5px solid #85806F', boxShadow: 'none', padding: '12px' },
      '.Label': { fontWeight: '600' },
    },
  }) satisfies Appearance;

interface PaymentProviderProps {
  /** Id of the club's account at the payment provider. Null until it is known. */
  account: string | null;
  /** Amount in cents. */
  amount: number;
  /** Colour of the selected field: the club's band. By default the site's green. */
  colour?: string;
  children: ReactNode;
}

interface StripeLoadingState {
  /** Whether the provider's library failed to load. */
  failed: boolean;
  /** Whether the library threw an exception when it was asked to show its fields. */
  refused: boolean;
  /** Loads the library again. */
  reload: () => void;
}

const StripeLoadingContext = createContext<StripeLoadingState>({
  failed: false,
  refused: false,
  reload: () => {},
});

/**
 * Returns the library with an `elements()` that returns nothing instead of throwing.
 * `react-stripe-js` calls it inside a state updater, where React discards the exception, and treats
 * a missing result as a library that is not ready.
 */
function withCaughtElements(stripe: Stripe, onException: (error: unknown) => void): Stripe {
  const elements = (...options: Parameters<Stripe['elements']>) => {
    try {
      return stripe.elements(...options);
    } catch (error) {
      onException(error);
      return null;
    }
  };
  return new Proxy(stripe, {
    get: (target, name) => {
      if (name === 'elements') return elements;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/**
 * Mounts the provider's fields before any payment intent exists. The amount is enough to show them
 * (design brief, A3).
 */
export function PaymentProvider({
  account,
  amount,
  colour = DEFAULT_COLOUR,
  children,
}: PaymentProviderProps) {
  const config = useAtomValue(configAtom);
  const [stripe, setStripe] = useState<Stripe | null>(null);
  const [failed, setFailed] = useState(false);
  const [refused, setRefused] = useState(false);
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
          (loaded) => {
            if (!current) return;
            // The state changes later, because React may call `elements()` while it renders.
            const onException = (error: unknown) => {
              reportStripeException('elements', error);
              queueMicrotask(() => setRefused(true));
            };
            setStripe(loaded && withCaughtElements(loaded, onException));
            setFailed(false);
          },
          () => current && setFailed(true),
        ),
    );
    return () => {
      current = false;
    };
  }, [config, account, round, offline]);
  const options = useMemo(
    () =>
      ({
        mode: 'payment',
        amount,
        currency: 'aud',
        captureMethod: 'manual',
        allowedPaymentMethodTypes: ['card'],
        appearance: stripeAppearance(colour),
      }) satisfies StripeElementsOptionsMode,
    [amount, colour],
  );
  const loading = useMemo(
    () => ({ failed, refused, reload: () => setRound((last) => last + 1) }),
    [failed, refused],
  );
  return (
    <StripeLoadingContext.Provider value={loading}>
      <StripeExceptionBoundary step="elements" fallback={<CardFormFailed />}>
        <Elements stripe={stripe} options={options}>
          {children}
        </Elements>
      </StripeExceptionBoundary>
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
