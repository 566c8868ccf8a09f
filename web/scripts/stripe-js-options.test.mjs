import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { OPTIONS_FILE, optionsFileText } from './stripe-js-options.mjs';

test('the stand-in of Stripe.js knows the options of the installed types', () => {
  expect(
    readFileSync(OPTIONS_FILE, 'utf8'),
    'run `npm run stripe-js-options` in web, and commit the file',
  ).toBe(optionsFileText());
});
