import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SOURCE_DIR = join(import.meta.dirname, '../..');
/**
 * The styles of the first paint. Other sheets may add to their classes, so the test skips these
 * sheets.
 */
const FIRST_PAINT_SHEET = /^shared\/ui\/critical[\w-]*\.css$/;

/**
 * Returns the selectors outside `@` blocks. A rule inside a block only adapts its class to a width
 * or to paper.
 */
function selectorsOf(css: string): string[] {
  const found: string[] = [];
  let depth = 0;
  for (const [, before = '', brace] of css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .matchAll(/([^{}]*)([{}])/g)) {
    if (brace === '{' && depth === 0 && !before.trim().startsWith('@'))
      found.push(...before.split(',').map((selector) => selector.trim()));
    depth += brace === '{' ? 1 : -1;
  }
  return found;
}

/** Maps `.class` to the sheets that have a rule for this class alone. */
function sheetsByClass(sheets: readonly (readonly [string, string])[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [sheet, css] of sheets) {
    for (const name of new Set(selectorsOf(css).filter((selector) => /^\.[\w-]+$/.test(selector))))
      found.set(name, [...(found.get(name) ?? []), sheet]);
  }
  return found;
}

const classesInSeveralSheets = (sheets: readonly (readonly [string, string])[]) =>
  [...sheetsByClass(sheets)]
    .filter(([, names]) => names.length > 1)
    .map(([name, names]) => `${name} in ${names.join(' and ')}`);

test('class has its own rule in one sheet, because sheets stay loaded', () => {
  const names = readdirSync(SOURCE_DIR, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.css') && !FIRST_PAINT_SHEET.test(name))
    .sort();
  const sheets = names.map((name) => [name, readFileSync(join(SOURCE_DIR, name), 'utf8')] as const);
  expect(sheetsByClass(sheets).size).toBeGreaterThan(200);
  expect(classesInSeveralSheets(sheets)).toEqual([]);
});

test('duplicate class is found, a class adapted to paper is not', () => {
  expect(
    classesInSeveralSheets([
      ['a.css', '.tip { top: 0; } .b .tip, .c { left: 0; }'],
      ['b.css', '/* x */ .d,\n.tip { top: 1px; } @media print { .c { top: 0; } }'],
    ]),
  ).toEqual(['.tip in a.css and b.css']);
});
