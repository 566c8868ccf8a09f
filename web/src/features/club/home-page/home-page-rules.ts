/** Form values and validation of a club's public page (specification lines B:163-168). */
import type { HomePageRequest, OwnClub } from '@/api/wire-club';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import type { FormProblem } from '@/shared/ui/problem-list';

export const DEFAULT_COLOURS = {
  primaryColor: '#1f2937',
  secondaryColor: '#374151',
  accentColor: '#3b82f6',
} as const;

/**
 * Turns typed text into a slug: lowercase, with one hyphen for each run of other characters
 * (specification line B:163).
 */
export const sanitiseSlugInput = (typed: string): string =>
  typed
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/-{2,}/g, '-');

export const isHexColour = (colour: string): boolean => /^#[0-9a-f]{6}$/i.test(colour);

const isLogoUrl = (url: string): boolean =>
  url === '' ||
  url.startsWith('/uploads/') ||
  /^https?:\/\/[^\s]+$/i.test(url) ||
  /^data:image\//.test(url);
const hasLengthBetween = (text: string, min: number, max: number): boolean =>
  text.trim().length >= min && text.trim().length <= max;

export const homePageFieldId = (field: string): string => `page-${field}`;

const GOAL_DOLLARS_MIN = 100;
const GOAL_DOLLARS_MAX = 1_000_000;
const isGoalAmount = (text: string): boolean =>
  /^\d{1,7}(\.\d{2})?$/.test(text) &&
  Number(text) >= GOAL_DOLLARS_MIN &&
  Number(text) <= GOAL_DOLLARS_MAX;

type HomePageRule = readonly [field: keyof HomePageRequest, holds: boolean, text: string];

export function homePageProblems(page: HomePageRequest): FormProblem[] {
  const rules: HomePageRule[] = [
    ['homePageSlug', /^[a-z0-9-]+$/.test(page.homePageSlug), C.pageNameCharacters],
    [
      'homePageSlug',
      page.homePageSlug === '' || hasLengthBetween(page.homePageSlug, 3, 50),
      'Page name must be between 3 and 50 characters',
    ],
    [
      'homePageTitle',
      hasLengthBetween(page.homePageTitle, 3, 100),
      'Title must be between 3 and 100 characters',
    ],
    [
      'homePageTagline',
      hasLengthBetween(page.homePageTagline, 10, 200),
      'Tagline must be between 10 and 200 characters',
    ],
    ['logoUrl', isLogoUrl(page.logoUrl), C.mustBeUrlOrImage],
    ['primaryColor', isHexColour(page.primaryColor), C.mustBeHex],
    ['secondaryColor', isHexColour(page.secondaryColor), C.mustBeHex],
    ['accentColor', isHexColour(page.accentColor), C.mustBeHex],
    [
      'facebookPixelId',
      /^(\d{5,20})?$/.test(page.facebookPixelId),
      'Pixel ID must be 5 to 20 digits',
    ],
    [
      'goalText',
      page.goalText.trim() === '' || hasLengthBetween(page.goalText, 3, 80),
      'The goal must be between 3 and 80 characters',
    ],
    [
      'goalAmount',
      page.goalText.trim() === '' || isGoalAmount(page.goalAmount),
      'The goal must be between $100 and $1,000,000',
    ],
    [
      'sponsorName',
      page.sponsorName.trim() === '' || hasLengthBetween(page.sponsorName, 2, 40),
      'The sponsor’s name must be between 2 and 40 characters',
    ],
    [
      'sponsorName',
      page.sponsorName.trim() !== '' || page.sponsorLogoUrl === '',
      'Please name the sponsor whose logo this is',
    ],
  ];
  return rules
    .filter(([, holds]) => !holds)
    .map(([field, , text]) => ({ field: homePageFieldId(field), text }));
}

export function homePageRequestOf(club: OwnClub): HomePageRequest {
  return {
    homePageSlug: club.homePageSlug ?? club.slug,
    homePageTitle: club.homePageTitle ?? club.name,
    homePageTagline: club.homePageTagline || C.defaultTagline,
    logoUrl: club.logoUrl ?? '',
    primaryColor: club.primaryColor ?? DEFAULT_COLOURS.primaryColor,
    secondaryColor: club.secondaryColor ?? DEFAULT_COLOURS.secondaryColor,
    accentColor: club.accentColor ?? DEFAULT_COLOURS.accentColor,
    homePageEnabled: club.homePageEnabled ?? true,
    facebookPixelId: club.facebookPixelId ?? '',
    goalText: club.goalText ?? '',
    goalAmount: (club.goalAmount ?? '').replace(/\.00$/, ''),
    photoUrl: club.photoUrl ?? '',
    sponsorName: club.sponsorName ?? '',
    sponsorLogoUrl: club.sponsorLogoUrl ?? '',
  };
}

const LOGO_BYTES_MAX = 2 * 1024 * 1024;
const LOGO_MIME_TYPES = ['image/png', 'image/jpeg', 'image/svg+xml'];

/** Returns title and text of the problem with a chosen logo, or null (specification line B:168). */
export function logoProblem({
  type,
  size,
}: Pick<File, 'type' | 'size'>): { title: string; text: string } | null {
  if (!LOGO_MIME_TYPES.includes(type)) return { title: C.invalidFileType, text: C.uploadLogoTypes };
  return size > LOGO_BYTES_MAX ? { title: C.fileTooLarge, text: C.logoTooLarge } : null;
}

/**
 * Warns about an SVG with text. The server draws the logo as a picture without fonts, so its text
 * would be missing.
 */
export async function logoWarning(file: Pick<File, 'name' | 'text'>): Promise<string | null> {
  if (!/\.svg$/i.test(file.name)) return null;
  return /<text[\s>]/i.test(await file.text())
    ? 'The letters in this SVG are text and will be missing. Convert the text to paths, or choose a PNG.'
    : null;
}

/**
 * Returns the body of the request that saves the page. The server reads an amount with a decimal
 * point as dollars.
 */
export const savedHomePage = (page: HomePageRequest) => ({
  ...page,
  goalAmount:
    page.goalText.trim() === ''
      ? null
      : page.goalAmount.includes('.')
        ? page.goalAmount
        : `${page.goalAmount}.00`,
});
