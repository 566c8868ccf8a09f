/** The provider's library, fetched once per connected account and only when somebody may pay. */
import { loadStripe } from '@stripe/stripe-js/pure';
import type { Stripe } from '@stripe/stripe-js';
import type { Config } from '@/api/wire';

const loaded = new Map<string, Promise<Stripe | null>>();

/** Direct charges: the club's account is the one that is paid (decision C-24). */
export function stripeFor(config: Config, account: string): Promise<Stripe | null> {
  let known = loaded.get(account);
  if (!known) {
    known = standIn(config).then(() =>
      loadStripe(config.publishableKey, { stripeAccount: account }),
    );
    // A failed load must not be remembered: the next look at the form tries again.
    known.catch(() => loaded.delete(account));
    loaded.set(account, known);
  }
  return known;
}

/** The demo's own library, should the page have come without it; `loadStripe` then uses what is there. */
async function standIn(config: Config): Promise<void> {
  if (!config.demo || 'Stripe' in window || !config.stripeJs.startsWith('/')) return;
  await new Promise<void>((resolve, reject) => {
    const script = document.createElement('script');
    script.src = config.stripeJs;
    script.onload = () => resolve();
    script.onerror = () => reject(new Error('the payment library did not load'));
    document.head.append(script);
  });
}
