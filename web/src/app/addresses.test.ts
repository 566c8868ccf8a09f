import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROUTES } from './routes';

const SERVED = join(import.meta.dirname, '../../../server/src/render/page_address.rs');

/** Only lead on; the server answers them itself. */
const SHORT_LINKS = ['/w/bundle::/:', '/w/draw::'];
/** Cut short: the server answers 404 as anywhere, and the page says what is missing. */
const CUT_SHORT = ['/club'];

/** What stands for a variable is nobody's business here. */
const shape = (path: string): string => path.replace(/\{\w+\}|:\w+/g, ':');

test('the server answers every address of the site, and the site has a page for each that the server answers', () => {
  const table = /^pages! \{\n([\s\S]*?)^\}/m.exec(readFileSync(SERVED, 'utf8'))?.[1] ?? '';
  const served = [...table.matchAll(/^ {4}"([^"]+)"/gm)]
    .map(([, path = '']) => shape(path))
    .filter((path) => !SHORT_LINKS.includes(path));
  const shown = ROUTES.map(({ path }) => shape(path)).filter((path) => !CUT_SHORT.includes(path));
  expect(served.length).toBeGreaterThan(40);
  expect([...new Set(shown)].sort()).toEqual([...new Set(served)].sort());
});
