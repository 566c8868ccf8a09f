import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROUTES } from './routes';

const SERVED = join(import.meta.dirname, '../../../server/src/render/page_address.rs');

/** Addresses that only redirect, so the router has no page for them. */
const SHORT_LINKS = ['/w/bundle::/:', '/w/draw::'];
/** Addresses without their last part. The server answers 404 and the page says what is missing. */
const CUT_SHORT = ['/club'];

/**
 * Replaces each variable of an address by `:`, because the compared tables name variables
 * differently.
 */
const shape = (path: string): string => path.replace(/\{\w+\}|:\w+/g, ':');

test('server and client have the same page addresses', () => {
  const table = /^pages! \{\n([\s\S]*?)^\}/m.exec(readFileSync(SERVED, 'utf8'))?.[1] ?? '';
  const served = [...table.matchAll(/^ {4}"([^"]+)"/gm)]
    .map(([, path = '']) => shape(path))
    .filter((path) => !SHORT_LINKS.includes(path));
  const shown = ROUTES.map(({ path }) => shape(path)).filter((path) => !CUT_SHORT.includes(path));
  expect(served.length).toBeGreaterThan(40);
  expect([...new Set(shown)].sort()).toEqual([...new Set(served)].sort());
});
