import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  PUBLIC_TEXTS as S,
  fillPlaceholders,
  fromPriceText,
  onlyRemainingText,
  purchaseButtonText,
  winningPairText,
} from './strings';

const specifiedTexts = readFileSync(join(import.meta.dirname, 'strings.public.txt'), 'utf8')
  .split('\n')
  .filter(Boolean);

test('table has every text of the public specification', () => {
  const ours = new Set<string>(Object.values(S));
  expect(specifiedTexts.filter((text) => !ours.has(text))).toEqual([]);
  expect(specifiedTexts.length).toBe(154);
});

test('only placeholders are replaced', () => {
  expect(fillPlaceholders(S.paymentStatus, { status: 'canceled' })).toBe(
    'Payment status: canceled. Please contact support.',
  );
  expect(fillPlaceholders(S.purchasedCount, {})).toBe(S.purchasedCount);
  expect(onlyRemainingText(3)).toBe(
    'Tickets No Longer Available: Only 3 tickets remaining. Please adjust your selection.',
  );
  expect(purchaseButtonText('$10.47')).toBe('Purchase Tickets - $10.47');
  expect(winningPairText(7, 9)).toBe('#7 & #9');
  expect(fromPriceText('$5.00')).toBe('From $5.00');
});
