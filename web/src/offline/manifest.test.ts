import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import manifest from './manifest.json';

const readSource = (path: string) => readFileSync(new URL(path, import.meta.url));

test('manifest has the colours of the pages', () => {
  const tokens = readSource('../shared/ui/tokens.css').toString();
  expect(tokens).toContain(`--chalk: ${manifest.background_color};`);
  expect(tokens).toContain(`--brand-hover: ${manifest.theme_color};`);
});

test('icons have their stated size and one icon is maskable', () => {
  for (const { src, sizes } of manifest.icons.filter(({ type }) => type === 'image/png')) {
    const bytes = readSource(src);
    expect(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`).toBe(sizes);
  }
  expect(manifest.icons.some((icon) => 'purpose' in icon && icon.purpose === 'maskable')).toBe(
    true,
  );
});
