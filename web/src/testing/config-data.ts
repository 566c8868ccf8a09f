import type { Config } from '@/api/wire';

/** The server's configuration, as every page reads it. */
export const makeConfig = (more: Partial<Config> = {}): Config => ({
  publishableKey: 'pk_test_demo',
  supportEmail: 'support@demo.test',
  supportSms: '0400 000 000',
  buildVersion: '',
  sourceUrl: null,
  currency: 'aud',
  maxPerPurchase: 50,
  feeRateBps: 350,
  feeCapCents: 1100,
  feePassthroughAllowed: true,
  surchargeMode: 'per_line',
  termsVersion: '1.0',
  demo: true,
  stripeJs: '/sandbox/stripe.js',
  ...more,
});
