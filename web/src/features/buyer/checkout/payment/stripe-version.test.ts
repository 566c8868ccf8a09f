import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../../../../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** Stripe names a version of its API by date and release, `2026-09-30.endive`. A release of Stripe.js carries the same name. */
test('Stripe.js is of the release whose API version the server pins', () => {
  const pin = /STRIPE_API_VERSION: &str = "\d{4}-\d{2}-\d{2}\.(\w+)"/;
  const [, pinned] = pin.exec(read('actors/src/payments/stripe.rs')) ?? [];
  const script = read('web/node_modules/@stripe/stripe-js/dist/index.mjs');
  const [, release] = /RELEASE_TRAIN\s*=\s*['"](\w+)['"]/.exec(script) ?? [];
  expect(pinned).toBeTruthy();
  expect(release).toBe(pinned);
});
