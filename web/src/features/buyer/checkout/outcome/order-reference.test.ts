import { expect, test } from 'vitest';
import { orderReference } from './order-reference';

test('the reference is written in capitals, as in the mails', () => {
  expect(orderReference('pi_3Qx0aBcDeFgH')).toBe('ABCDEFGH');
});
