import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { S, fill, fromPrice, onlyRemaining, purchaseButton, winningPair } from './strings';

const quotedTexts = readFileSync(join(import.meta.dirname, 'strings.public.txt'), 'utf8')
  .split('\n')
  .filter(Boolean);

test('table has every text of the public specification', () => {
  const ours = new Set<string>(Object.values(S));
  expect(quotedTexts.filter((text) => !ours.has(text))).toEqual([]);
  expect(quotedTexts.length).toBe(154);
});

test('only placeholders are replaced', () => {
  expect(fill(S.paymentStatus, { status: 'canceled' })).toBe(
    'Payment status: canceled. Please contact support.',
  );
  expect(fill(S.purchasedCount, {})).toBe(S.purchasedCount);
  expect(onlyRemaining(3)).toBe(
    'Tickets No Longer Available: Only 3 tickets remaining. Please adjust your selection.',
  );
  expect(purchaseButton('$10.47')).toBe('Purchase Tickets - $10.47');
  expect(winningPair(7, 9)).toBe('#7 & #9');
  expect(fromPrice('$5.00')).toBe('From $5.00');
});
