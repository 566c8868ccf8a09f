import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { OPTIONS_FILE, optionsFileText } from './stripe-js-options.mjs';

test('the stand-in of Stripe.js knows the options of the installed types', () => {
  expect(
    readFileSync(OPTIONS_FILE, 'utf8'),
    'run `npm run stripe-js-options` in web, and commit the file',
  ).toBe(optionsFileText());
});

/** The two functions of the stand-in that check options. */
const { checkOptions, checkElementsOptions } = new Function(
  `${readFileSync(OPTIONS_FILE, 'utf8')}
   ${readFileSync(join(dirname(OPTIONS_FILE), '0_option_check.js'), 'utf8')}
   function IntegrationError(message) { return new Error(message); }
   return { checkOptions: checkOptions, checkElementsOptions: checkElementsOptions };`,
)();

const DEFERRED = { mode: 'payment', amount: 1047, currency: 'aud', captureMethod: 'manual' };

test.each([
  [{ ...DEFERRED, allowedPaymentMethodTypes: ['card'], appearance: { theme: 'stripe' } }, null],
  [{ ...DEFERRED, paymentMethodTypes: ['card'] }, 'paymentMethodTypes is not a recognized'],
  [{ ...DEFERRED, captureMethod: 'later' }, 'captureMethod should be one of'],
  [{ ...DEFERRED, amount: 10.47 }, 'amount should be a positive integer'],
  [{ ...DEFERRED, amount: undefined }, 'amount is required'],
  [{ ...DEFERRED, currency: 'AUD' }, 'currency should be'],
  [{ ...DEFERRED, mode: 'pay' }, 'mode should be one of'],
  [{ ...DEFERRED, clientSecret: 'pi_1_secret_2' }, 'clientSecret is not a recognized'],
  [
    { ...DEFERRED, appearance: { variables: { colourText: '#000' } } },
    'appearance.variables.colourText is not a recognized',
  ],
  [{ clientSecret: 'pi_1_secret_2' }, null],
])('elements() with %o has the problem %s', (options, problem) => {
  const check = () => checkElementsOptions(options);
  if (problem === null) expect(check).not.toThrow();
  else expect(check).toThrow(problem);
});

test.each([
  ["elements.create('payment')", { layout: 'tabs', wallets: { link: 'never' } }, null],
  ["elements.create('payment')", { layout: { type: 'tab' } }, 'layout.type should be one of'],
  ["elements.create('expressCheckout')", { paymentMethods: { paypal: 'always' } }, 'paypal should'],
  ['expressCheckout.update()', { buttonHeight: 50 }, null],
  ['expressCheckout.update()', { paymentMethods: {} }, 'paymentMethods is not a recognized'],
  ['stripe.confirmPayment()', { confirmParams: { returnUrl: 'x' } }, 'confirmParams.returnUrl is'],
  ['stripe.createConfirmationToken()', { params: {} }, 'elements is required'],
])('%s with %o has the problem %s', (call, options, problem) => {
  const check = () => checkOptions(call, call, options);
  if (problem === null) expect(check).not.toThrow();
  else expect(check).toThrow(problem);
});
