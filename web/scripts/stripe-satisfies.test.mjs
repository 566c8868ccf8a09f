import { RuleTester } from 'eslint';
import tseslint from 'typescript-eslint';
import { describe, test } from 'vitest';
import { stripeSatisfiesRule } from './stripe-satisfies.mjs';

RuleTester.describe = describe;
RuleTester.it = test;

const IMPORT = "import { Elements } from '@stripe/react-stripe-js';\n";
const inStripeFile = (code) => ({ code: IMPORT + code });
const refused = (code, errors = 1) => ({ code: IMPORT + code, errors });

new RuleTester({
  languageOptions: {
    parser: tseslint.parser,
    parserOptions: { ecmaFeatures: { jsx: true } },
  },
}).run('stripe-satisfies', stripeSatisfiesRule, {
  valid: [
    'api.elements({ mode });',
    inStripeFile('stripe.elements({ mode } satisfies Mode);'),
    inStripeFile('const options = { mode } satisfies Mode; <Elements options={options} />;'),
    inStripeFile(
      'const options = useMemo(() => ({ mode }) satisfies Mode, []); <Elements options={options} />;',
    ),
    inStripeFile(
      'const of = (only) => ({ only }) satisfies Mode; const options = useMemo(() => of(1), []); <PaymentElement options={options} />;',
    ),
    inStripeFile('elements.submit(); stripe.elements(...given);'),
    inStripeFile('<select options={things} />;'),
  ],
  invalid: [
    refused('stripe.confirmPayment({ elements });'),
    refused('stripe.createConfirmationToken(options);'),
    refused('const options: Mode = { mode }; <Elements options={options} />;'),
    refused('const options = useMemo<Mode>(() => ({ mode }), []); <Elements options={options} />;'),
    refused('let options = { mode } satisfies Mode; <Elements options={options} />;'),
    refused('stripe.elements({ mode, ...more } satisfies Mode);'),
    refused('stripe.confirmPayment({ confirmParams: { ...more } } satisfies Data);'),
  ],
});
