/** Loads the payment provider's library once per connected account. */
import { loadStripe } from '@stripe/stripe-js/pure';
import type { Stripe } from '@stripe/stripe-js';
import type { Config } from '@/api/wire';

const stripeByAccount = new Map<string, Promise<Stripe | null>>();

/**
 * Loads the provider's library for a club's own account, which receives the payment as a direct
 * charge (decision C-24).
 */
export function loadStripeForAccount(config: Config, account: string): Promise<Stripe | null> {
  let stripe = stripeByAccount.get(account);
  if (!stripe) {
    stripe = loadSandboxScript(config).then(() =>
      loadStripe(config.publishableKey, { stripeAccount: account }),
    );
    // A failed load is not cached, so the next mount of the form tries again.
    stripe.catch(() => stripeByAccount.delete(account));
    stripeByAccount.set(account, stripe);
  }
  return stripe;
}

/**
 * In a demo, loads the sandbox's replacement of the provider's library unless the page has already
 * loaded it. `loadStripe` then uses the replacement.
 */
async function loadSandboxScript(config: Config): Promise<void> {
  if (!config.demo || 'Stripe' in window || !config.stripeJs.startsWith('/')) return;
  await new Promise<void>((resolve, reject) => {
    const script = document.createElement('script');
    script.src = config.stripeJs;
    script.onload = () => resolve();
    script.onerror = () => reject(new Error('the payment library did not load'));
    document.head.append(script);
  });
}
