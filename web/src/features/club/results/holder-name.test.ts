import { expect, test } from 'vitest';
import { isOtherHolder } from './holder-name';

test('an account without any word of the buyer’s name is another person’s', () => {
  expect(isOtherHolder('Robin Taylor', 'Kim Nguyen')).toBe(true);
  expect(isOtherHolder('Robin Taylor', 'R Taylor')).toBe(false);
  expect(isOtherHolder('Zoë Müller', 'MULLER, ZOE')).toBe(false);
  expect(isOtherHolder('J Smith', 'J Jones')).toBe(true);
  expect(isOtherHolder('', 'Kim Nguyen')).toBe(false);
  expect(isOtherHolder('Robin Taylor', '•••')).toBe(false);
});
