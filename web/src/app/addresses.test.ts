import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROUTES } from './routes';

const SERVER_PATHS_FILE = join(import.meta.dirname, '../../../server/src/render/page_address.rs');

/** Page paths that only redirect, so the router has no page for them. */
const REDIRECTED_PATHS = ['/w/bundle::/:', '/w/draw::'];
/**
 * Paths without their last part. The server answers 404, and the router's page says what is
 * missing.
 */
const ROUTER_ONLY_PATHS = ['/club'];

/**
 * Replaces each variable of a path by `:`, because the router's table and the server's table name
 * variables differently.
 */
const withoutVariableNames = (path: string): string => path.replace(/\{\w+\}|:\w+/g, ':');

test('server and client have the same page addresses', () => {
  const table =
    /^pages! \{\n([\s\S]*?)^\}/m.exec(readFileSync(SERVER_PATHS_FILE, 'utf8'))?.[1] ?? '';
  const served = [...table.matchAll(/^ {4}"([^"]+)"/gm)]
    .map(([, path = '']) => withoutVariableNames(path))
    .filter((path) => !REDIRECTED_PATHS.includes(path));
  const shown = ROUTES.map(({ path }) => withoutVariableNames(path)).filter(
    (path) => !ROUTER_ONLY_PATHS.includes(path),
  );
  expect(served.length).toBeGreaterThan(40);
  expect([...new Set(shown)].sort()).toEqual([...new Set(served)].sort());
});
