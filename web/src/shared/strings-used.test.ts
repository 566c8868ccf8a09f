import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { S } from './strings';
import { C } from './strings-club';
import { O } from './strings-operator';

const SOURCE_DIR = join(import.meta.dirname, '..');

/** Specified texts that no screen uses, each with the reason. */
const UNUSED_TEXTS: Record<string, string> = {
  'S.soldOf169': 'stands beside its number: `113/169`',
  'S.payWithApplePay': 'the provider’s button says it',
  'S.payWithGooglePay': 'the provider’s button says it',
  'S.serverAgeRequired': 'the server says it',
  'S.serverTermsRequired': 'the server says it',
  'S.userKey': 'the club’s table has it too, and its screens alone keep it',
  'C.invalidCredentials': 'the server says it',
  'C.resetTokenRequired': 'the server says it',
  'C.venueRequired': 'nothing has a venue (decision E-13)',
  'O.transactionsFailedDebug': 'the page is the club’s, and so is its text',
  'O.refreshAudit': 'the page is the club’s, and so is its text',
  'O.waitlistFailed': 'the dialog is the club’s, and so is its text',
  'O.on': 'what is not off is on, and `String(true)` writes it',
};

/**
 * Returns the source of the screens, without tests and fixtures. The tables of texts define their
 * keys without a prefix such as `S.`, so a definition does not count as a use.
 */
function screenSources(): string {
  const names = readdirSync(SOURCE_DIR, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$|^testing/.test(name),
  );
  return names.map((name) => readFileSync(join(SOURCE_DIR, name), 'utf8')).join('\n');
}

test('every text is used by a screen or listed with a reason', () => {
  const all = screenSources();
  const mentioned = new Set([...all.matchAll(/\b[SCO]\.\w+/g)].map(([name]) => name));
  const keys = Object.entries({ S, C, O }).flatMap(([table, texts]) =>
    Object.keys(texts).map((key) => `${table}.${key}`),
  );
  expect(keys.length).toBeGreaterThan(350);
  expect(keys.filter((key) => !mentioned.has(key)).sort()).toEqual(
    Object.keys(UNUSED_TEXTS).sort(),
  );
});
