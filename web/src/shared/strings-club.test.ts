import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fillPlaceholders } from './strings';
import { splitTitle } from './split-title';
import { CLUB_TEXTS as C, lockedFieldsText } from './strings-club';

const specifiedTexts = readFileSync(join(import.meta.dirname, 'strings.club.txt'), 'utf8')
  .split('\n')
  .filter(Boolean);

test('table has every text of the club specification', () => {
  const ours = new Set<string>(Object.values(C));
  expect(specifiedTexts.filter((text) => !ours.has(text))).toEqual([]);
  expect(specifiedTexts.length).toBe(111);
});

test('only placeholders are replaced', () => {
  expect(fillPlaceholders(C.winnersNotified, { sent: 1, total: 1 })).toBe(
    '1 out of 1 winners notified',
  );
  expect(fillPlaceholders(C.winnerDetermined, { n: 1 })).toBe(
    'Winner determined! 1 winning ticket(s) found.',
  );
  expect(lockedFieldsText(12)).toBe(
    'Cannot change price/prize percentage/prize rounding after tickets are sold (12 tickets sold)',
  );
});

test('text is split into its title and the rest', () => {
  expect(splitTitle(C.bundleLocked)).toEqual({
    title: 'Bundle is locked',
    text: 'This bundle is locked (has sales) and cannot be edited.',
  });
  expect(splitTitle(C.uploadFailed)).toEqual({ title: 'Upload failed', text: '' });
});
