import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SRC = join(import.meta.dirname, '../..');
const read = (folder: string) =>
  readdirSync(join(SRC, folder))
    .filter((name) => name.endsWith('.tsx') && !name.includes('.test.'))
    .map((name) => [name.slice(0, -4), readFileSync(join(SRC, folder, name), 'utf8')] as const);

/** Shown on every page of the demo. */
const SHOWN_BY_THE_PAGE_ITSELF = ['toaster'];

test('the gallery shows every shared component', () => {
  const gallery = read('features/gallery')
    .map(([, text]) => text)
    .join('\n');
  const components = read('shared/ui').filter(
    ([name, text]) =>
      /export (function|const|class) [A-Z]/.test(text) && !SHOWN_BY_THE_PAGE_ITSELF.includes(name),
  );
  expect(components.length).toBeGreaterThan(10);
  const missing = components.flatMap(([name, text]) =>
    [...text.matchAll(/export (?:function|const|class) ([A-Z]\w*[a-z]\w*)/g)]
      .map(([, component = '']) => component)
      .filter((component) => !new RegExp(`<${component}\\b`).test(gallery))
      .map((component) => `${name}: ${component}`),
  );
  expect(missing).toEqual([]);
});

test('only the gallery’s own page imports it', () => {
  const routes = readFileSync(join(SRC, 'app/routes.ts'), 'utf8');
  expect(routes).not.toContain('features/gallery');
  expect(routes).toMatch(/load: \(\) => import\('\.\/routes\/demo\/gallery-page'\)/);
});
