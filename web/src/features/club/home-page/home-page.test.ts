import { expect, test } from 'vitest';
import type { HomePageWanted } from '@/api/wire-club';
import { homePageProblems, logoProblem, slugTyped } from './home-page-rules';

const GOOD: HomePageWanted = {
  homePageSlug: 'redcliffe',
  homePageTitle: 'Redcliffe',
  homePageTagline: 'Support our juniors',
  logoUrl: '',
  primaryColor: '#1f2937',
  secondaryColor: '#374151',
  accentColor: '#3B82F6',
  homePageEnabled: true,
  facebookPixelId: '',
};
const texts = (more: Partial<HomePageWanted>) =>
  homePageProblems({ ...GOOD, ...more }).map(({ text }) => text);

test('a page name is lowercased, other characters become hyphens, and hyphens do not repeat', () => {
  expect(['Redcliffe Sharks!', 'a__b', 'A--B', 'ü'].map(slugTyped)).toEqual([
    'redcliffe-sharks-',
    'a-b',
    'a-b',
    '-',
  ]);
});

test('each field of the page is validated with its specified text', () => {
  expect(texts({})).toEqual([]);
  expect(texts({ homePageSlug: 'No Good' })).toEqual([
    'Page name must contain only lowercase letters, numbers, and hyphens',
  ]);
  expect(texts({ homePageSlug: '' })).toEqual([
    'Page name must contain only lowercase letters, numbers, and hyphens',
  ]);
  expect(texts({ homePageSlug: 'ab' })).toEqual(['Page name must be between 3 and 50 characters']);
  expect(texts({ homePageTitle: 'ab', homePageTagline: 'too short' })).toEqual([
    'Title must be between 3 and 100 characters',
    'Tagline must be between 10 and 200 characters',
  ]);
  expect(texts({ logoUrl: 'ftp://x/logo.png' })).toEqual(['Must be a valid URL or uploaded image']);
  expect(
    ['https://x.au/logo.png', 'data:image/png;base64,AAAA', '/uploads/1.png'].flatMap((logoUrl) =>
      texts({ logoUrl }),
    ),
  ).toEqual([]);
  expect(texts({ primaryColor: 'red', secondaryColor: '#fff', accentColor: '#12345g' })).toEqual(
    Array(3).fill('Must be a valid hex color'),
  );
  expect(
    ['1234', '12a45', '1'.repeat(21)].flatMap((facebookPixelId) => texts({ facebookPixelId })),
  ).toEqual(Array(3).fill('Pixel ID must be 5 to 20 digits'));
});

test('a logo is a picture of at most two megabytes', () => {
  expect(logoProblem({ type: 'image/png', size: 2 * 1024 * 1024 })).toBeNull();
  expect(logoProblem({ type: 'image/svg+xml', size: 100 })).toBeNull();
  expect(logoProblem({ type: 'image/gif', size: 1 })).toEqual({
    title: 'Invalid file type',
    text: 'Please upload a PNG, JPG, or SVG file.',
  });
  expect(logoProblem({ type: 'image/jpeg', size: 2 * 1024 * 1024 + 1 })).toEqual({
    title: 'File too large',
    text: 'Logo must be smaller than 2MB. Please choose a smaller image.',
  });
});
