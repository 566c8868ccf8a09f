import { expect, test } from 'vitest';
import type { HomePageRequest } from '@/api/wire-club';
import {
  homePageProblems,
  logoProblem,
  logoWarning,
  sanitiseSlugInput,
  savedHomePage,
} from './home-page-rules';

const VALID_REQUEST: HomePageRequest = {
  homePageSlug: 'redcliffe',
  homePageTitle: 'Redcliffe',
  homePageTagline: 'Support our juniors',
  logoUrl: '',
  primaryColor: '#1f2937',
  secondaryColor: '#374151',
  accentColor: '#3B82F6',
  homePageEnabled: true,
  facebookPixelId: '',
  goalText: '',
  goalAmount: '',
  photoUrl: '',
  sponsorName: '',
  sponsorLogoUrl: '',
};
const problemTexts = (more: Partial<HomePageRequest>) =>
  homePageProblems({ ...VALID_REQUEST, ...more }).map(({ text }) => text);

test('a page name is lowercased, other characters become hyphens, and hyphens do not repeat', () => {
  expect(['Redcliffe Sharks!', 'a__b', 'A--B', 'ü'].map(sanitiseSlugInput)).toEqual([
    'redcliffe-sharks-',
    'a-b',
    'a-b',
    '-',
  ]);
});

test('each field of the page is validated with its specified text', () => {
  expect(problemTexts({})).toEqual([]);
  expect(problemTexts({ homePageSlug: 'No Good' })).toEqual([
    'Page name must contain only lowercase letters, numbers, and hyphens',
  ]);
  expect(problemTexts({ homePageSlug: '' })).toEqual([
    'Page name must contain only lowercase letters, numbers, and hyphens',
  ]);
  expect(problemTexts({ homePageSlug: 'ab' })).toEqual([
    'Page name must be between 3 and 50 characters',
  ]);
  expect(problemTexts({ homePageTitle: 'ab', homePageTagline: 'too short' })).toEqual([
    'Title must be between 3 and 100 characters',
    'Tagline must be between 10 and 200 characters',
  ]);
  expect(problemTexts({ logoUrl: 'ftp://x/logo.png' })).toEqual([
    'Must be a valid URL or uploaded image',
  ]);
  expect(
    ['https://x.au/logo.png', 'data:image/png;base64,AAAA', '/uploads/1.png'].flatMap((logoUrl) =>
      problemTexts({ logoUrl }),
    ),
  ).toEqual([]);
  expect(
    problemTexts({ primaryColor: 'red', secondaryColor: '#fff', accentColor: '#12345g' }),
  ).toEqual(Array(3).fill('Must be a valid hex color'));
  expect(
    ['1234', '12a45', '1'.repeat(21)].flatMap((facebookPixelId) =>
      problemTexts({ facebookPixelId }),
    ),
  ).toEqual(Array(3).fill('Pixel ID must be 5 to 20 digits'));
});

test('the goal and the sponsor are each whole or absent', () => {
  const goal = 'The goal must be between $100 and $1,000,000';
  expect(problemTexts({ goalText: 'New boots', goalAmount: '10000' })).toEqual([]);
  expect(problemTexts({ goalText: 'New boots', goalAmount: '250.50' })).toEqual([]);
  expect(
    ['', '99', '1000001', '12.5', 'much'].flatMap((goalAmount) =>
      problemTexts({ goalText: 'New boots', goalAmount }),
    ),
  ).toEqual(Array(5).fill(goal));
  expect(problemTexts({ goalText: 'ab', goalAmount: '100' })).toEqual([
    'The goal must be between 3 and 80 characters',
  ]);
  expect(problemTexts({ sponsorLogoUrl: '/uploads/sponsor-1-a.png' })).toEqual([
    'Please name the sponsor whose logo this is',
  ]);
  expect(problemTexts({ sponsorName: 'x'.repeat(41) })).toHaveLength(1);
});

test('the goal is sent in dollars, and without a text not at all', () => {
  const sent = (more: Partial<HomePageRequest>) =>
    savedHomePage({ ...VALID_REQUEST, ...more }).goalAmount;
  expect(sent({ goalText: 'New boots', goalAmount: '10000' })).toBe('10000.00');
  expect(sent({ goalText: 'New boots', goalAmount: '250.50' })).toBe('250.50');
  expect(sent({ goalText: ' ', goalAmount: '250.50' })).toBeNull();
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

test('an SVG with text is warned about, because the text would be missing', async () => {
  const svg = (name: string, text: string) => logoWarning({ name, text: async () => text });
  expect(await svg('crest.svg', '<svg><text x="1">BB</text></svg>')).toContain('will be missing');
  expect(await svg('crest.svg', '<svg><path d="M0 0"/></svg>')).toBeNull();
  expect(await svg('crest.png', '<text>')).toBeNull();
});
