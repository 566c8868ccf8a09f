import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { splitTitle } from './split-title';
import { OPERATOR_TEXTS as O, moreCountText } from './strings-operator';

const specifiedTexts = readFileSync(join(import.meta.dirname, 'strings.operator.txt'), 'utf8')
  .split('\n')
  .filter(Boolean);

test('table has every text of the operator specification', () => {
  const ours = new Set<string>(Object.values(O));
  expect(specifiedTexts.filter((text) => !ours.has(text))).toEqual([]);
  expect(specifiedTexts.length).toBe(55);
});

test('only placeholders are replaced', () => {
  expect(moreCountText(6)).toBe('+6 more');
  expect(splitTitle(O.missingInformation)).toEqual({
    title: 'Missing information',
    text: 'Please provide customer name and email',
  });
  expect(splitTitle(O.checkFailed)).toEqual({ title: 'Check failed', text: '' });
});
