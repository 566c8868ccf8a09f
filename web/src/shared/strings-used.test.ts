import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PUBLIC_TEXTS as S } from './strings';
import { CLUB_TEXTS as C } from './strings-club';
import { OPERATOR_TEXTS as O } from './strings-operator';

const SOURCE_DIR = join(import.meta.dirname, '..');

/** Alias under which the screens import each table. The tables' own files use the full name. */
const TABLE_ALIASES: Record<string, string> = {
  PUBLIC_TEXTS: 'S',
  CLUB_TEXTS: 'C',
  OPERATOR_TEXTS: 'O',
};

/** Specified texts that no screen uses, each with the reason. */
const UNUSED_TEXTS: Record<string, string> = {
  'S.soldOf169': 'the screens write the number of sold tickets before it: `113/169`',
  'S.payWithApplePay': 'the payment provider’s button shows the text',
  'S.payWithGooglePay': 'the payment provider’s button shows the text',
  'S.serverAgeRequired': 'the server sends the text',
  'S.serverTermsRequired': 'the server sends the text',
  'S.userKey': 'only club screens use this storage key, from the table `C`',
  'C.invalidCredentials': 'the server sends the text',
  'C.resetTokenRequired': 'the server sends the text',
  'C.venueRequired': 'draws have no venue (decision E-13)',
  'O.transactionsFailedDebug': 'a club page shows the text from the table `C`',
  'O.refreshAudit': 'a club page shows the text from the table `C`',
  'O.waitlistFailed': 'a club dialog shows its own text from the table `C`',
  'O.on': 'every value other than off means on, and `String(true)` writes the value',
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
  const mentioned = new Set(
    [...all.matchAll(/\b(PUBLIC_TEXTS|CLUB_TEXTS|OPERATOR_TEXTS|[SCO])\.(\w+)/g)].map(
      ([, table = '', key]) => `${TABLE_ALIASES[table] ?? table}.${key}`,
    ),
  );
  const keys = Object.entries({ S, C, O }).flatMap(([table, texts]) =>
    Object.keys(texts).map((key) => `${table}.${key}`),
  );
  expect(keys.length).toBeGreaterThan(350);
  expect(keys.filter((key) => !mentioned.has(key)).sort()).toEqual(
    Object.keys(UNUSED_TEXTS).sort(),
  );
});
