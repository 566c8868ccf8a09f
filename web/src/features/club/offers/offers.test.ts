import { expect, test } from 'vitest';
import { HttpError } from '@/api/http';
import {
  EMPTY_OFFER,
  imageProblem,
  isOfferLockedError,
  withOfferName,
  withOfferType,
  offerProblem,
  sanitiseSlugInput,
  slugOf,
  readOnlyReason,
  withGameChosen,
} from './offer-rules';
import type { OfferFields } from './offer-rules';

const makeFields = (more: Partial<OfferFields>): OfferFields => ({
  ...EMPTY_OFFER,
  name: 'Finals',
  slug: 'finals',
  gameIds: [1, 2],
  ...more,
});
const makeHttpError = (status: number, body: object) =>
  new HttpError(status, JSON.stringify(body), '', null);

test('a name that is too long is named as the problem', () => {
  expect(offerProblem(makeFields({ name: 'x'.repeat(101) }))).toBe(
    'Name must be at most 100 characters',
  );
  expect(offerProblem(makeFields({ name: 'x'.repeat(100) }))).toBeNull();
});

test('the slug follows the name until it is typed', () => {
  expect(slugOf('  Grand Final: Été 2026! ')).toBe('grand-final-ete-2026');
  expect(slugOf('x'.repeat(80))).toHaveLength(60);
  const typed = withOfferName(EMPTY_OFFER, 'Grand Final');
  expect(typed.slug).toBe('grand-final');
  expect(withOfferName({ ...typed, slug: 'mine', slugByHand: true }, 'Other').slug).toBe('mine');
  expect(sanitiseSlugInput('My  Slug_')).toBe('my-slug-');
});

test('a special has one game, a bundle at least two, and each problem has its text', () => {
  expect(offerProblem(makeFields({ name: ' ' }))).toBe(
    'Please provide name, slug, and select at least one game',
  );
  expect(offerProblem(makeFields({ gameIds: [] }))).toBe(
    'Please provide name, slug, and select at least one game',
  );
  expect(offerProblem(makeFields({ slug: 'Not Good' }))).toBe(
    'Slug must contain only lowercase letters, numbers, and hyphens',
  );
  expect(offerProblem(makeFields({ type: 'SPECIAL' }))).toBe(
    'A Special must include exactly one game',
  );
  expect(offerProblem(makeFields({ gameIds: [1], status: 'draft' }))).toBe(
    'A Bundle must include at least two games',
  );
  expect(offerProblem(makeFields({ gameIds: [1], status: 'active' }))).toBe(
    'Select at least 2 games to activate this bundle',
  );
  expect(offerProblem(makeFields({}))).toBeNull();
});

test('switching to Special keeps only the first game, and a choice there replaces it', () => {
  const special = withOfferType(makeFields({ gameIds: [7, 8] }), 'SPECIAL');
  expect(special.gameIds).toEqual([7]);
  expect(withGameChosen(special, 9, true).gameIds).toEqual([9]);
  expect(withGameChosen(makeFields({ gameIds: [7] }), 8, true).gameIds).toEqual([7, 8]);
  expect(withGameChosen(makeFields({ gameIds: [7, 8] }), 7, false).gameIds).toEqual([8]);
});

test('a refusal for a locked offer differs from one for a taken slug', () => {
  expect(isOfferLockedError(makeHttpError(409, { code: 'locked', message: 'x' }))).toBe(true);
  expect(
    isOfferLockedError(
      makeHttpError(400, { message: 'This bundle is locked (has sales) and cannot be edited.' }),
    ),
  ).toBe(true);
  expect(
    isOfferLockedError(
      makeHttpError(409, {
        code: 'slug-taken',
        message: 'This slug is already used by another offer.',
      }),
    ),
  ).toBe(false);
  expect(readOnlyReason({ status: 'locked' })).toBe(
    'Bundle is locked: This bundle is locked (has sales) and cannot be edited.',
  );
  expect(readOnlyReason({ status: 'closed' })).toContain('Bundle closed');
  expect(readOnlyReason({ status: 'draft' })).toBeNull();
});

test('a share image is a picture of at most three million bytes', () => {
  const file = (name: string, type: string, size: number) => imageProblem({ name, type, size });
  expect(file('a.png', 'image/png', 3_000_000)).toBeNull();
  expect(file('a.JPEG', 'image/jpeg', 1)).toBeNull();
  expect(file('a.gif', 'image/gif', 1)).toEqual({
    title: 'Invalid file',
    text: 'Please upload a JPG or PNG image',
  });
  expect(file('a.png', 'image/png', 3_000_001)).toEqual({
    title: 'File too large',
    text: 'Max size is 3MB',
  });
});
