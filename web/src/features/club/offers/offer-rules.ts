/** An offer as it is typed, what is wrong with it (B:170-173), and when it can no longer be changed (decision H-4). */
import type { Offer, OfferType, OfferWanted } from '@/api/wire-offer';
import { Problem } from '@/api/http';
import { C } from '@/shared/strings-club';

export interface OfferFields extends OfferWanted {
  /** Written by hand, so it no longer follows the name. */
  slugByHand: boolean;
}

export const EMPTY_OFFER: OfferFields = {
  name: '',
  slug: '',
  status: 'draft',
  type: 'BUNDLE',
  displayTag: '',
  primaryCopy: '',
  shareImageUrl: '',
  gameIds: [],
  slugByHand: false,
};

const SLUG_CHARS_MAX = 60;
export const TAG_CHARS_SHOWN = 90;

/** Lowercase letters, digits and hyphens, at most 60 (B:79). */
export const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG_CHARS_MAX)
    .replace(/^-+|-+$/g, '');

/** What one types into the slug itself; a hyphen at the end may be on its way to something. */
export const offerSlugTyped = (typed: string): string =>
  typed
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/-{2,}/g, '-')
    .slice(0, SLUG_CHARS_MAX);

export const named = (offer: OfferFields, name: string): OfferFields => ({
  ...offer,
  name,
  slug: offer.slugByHand ? offer.slug : slugOf(name),
});

/** Switching to Special keeps only the first selected game (B:79). */
export const ofType = (offer: OfferFields, type: OfferType): OfferFields => ({
  ...offer,
  type,
  gameIds: type === 'SPECIAL' ? offer.gameIds.slice(0, 1) : offer.gameIds,
});

export function withGame(offer: OfferFields, game: number, chosen: boolean): OfferFields {
  if (offer.type === 'SPECIAL') return { ...offer, gameIds: chosen ? [game] : [] };
  return {
    ...offer,
    gameIds: chosen ? [...offer.gameIds, game] : offer.gameIds.filter((id) => id !== game),
  };
}

/** The first thing wrong, or null; the activation's own words are for bundles only (decision H-5). */
export function offerProblem({ name, slug, type, status, gameIds }: OfferWanted): string | null {
  if (name.trim() === '' || slug === '' || gameIds.length === 0) return C.provideNameSlugGame;
  if (!/^[a-z0-9-]+$/.test(slug)) return C.slugCharacters;
  if (type === 'SPECIAL') return gameIds.length === 1 ? null : C.specialNeedsOne;
  if (gameIds.length >= 2) return null;
  return status === 'active' ? C.selectTwoToActivate : C.bundleNeedsTwo;
}

export function fieldsOfOffer(offer: Offer): OfferFields {
  const { name, slug, gameIds } = offer;
  const type: OfferType = offer.type === 'SPECIAL' ? 'SPECIAL' : 'BUNDLE';
  const status = offer.status === 'draft' ? 'draft' : 'active';
  return {
    name,
    slug,
    type,
    gameIds,
    status,
    displayTag: offer.displayTag ?? '',
    primaryCopy: offer.primaryCopy ?? '',
    shareImageUrl: offer.shareImageUrl ?? '',
    slugByHand: true,
  };
}

export function wantedOf({
  name,
  slug,
  status,
  type,
  displayTag,
  primaryCopy,
  shareImageUrl,
  gameIds,
}: OfferFields): OfferWanted {
  return {
    name: name.trim(),
    slug,
    status,
    type,
    displayTag: displayTag.trim(),
    primaryCopy: primaryCopy.trim(),
    shareImageUrl,
    gameIds,
  };
}

/** Where the server draws the share image of an offer that has none of its own; null while the public cannot be sent there. */
export const drawnPicture = (
  club: string,
  { slug, status }: Pick<Offer, 'slug' | 'status'>,
): string | null =>
  ['active', 'locked', 'closed'].includes(status)
    ? `/og/offer/${encodeURIComponent(club)}/${encodeURIComponent(slug)}`
    : null;

/** Why an offer is only to be looked at, or null. */
export function whyReadOnly(offer: Pick<Offer, 'status'>): string | null {
  const words: Record<string, string> = {
    locked: C.bundleLocked,
    closed: `${C.bundleClosed}: a game of it has begun or was called off, so it cannot be edited.`,
    archived: 'This offer is archived and cannot be edited.',
  };
  return words[offer.status] ?? null;
}

/** The game for which nobody can buy an offer that is still open, or null: it was called off, or has its result already. */
export const gameOff = ({
  status,
  games,
}: Pick<Offer, 'status' | 'games'>): Offer['games'][number] | null =>
  status === 'active' ? (games.find((game) => game.status !== 'active') ?? null) : null;

/** A refusal because somebody bought it meanwhile: 409, or a message with the word (B:235); a slug that is taken is another 409. */
export function isLockedRefusal(error: unknown): boolean {
  if (!(error instanceof Problem) || error.code === 'slug-taken') return false;
  return error.status === 409 || (error.said.message ?? '').includes(C.locked);
}

const IMAGE_BYTES_MAX = 3_000_000;

/** Title and text of what is wrong with a chosen picture, or null (B:173). */
export function imageProblem({
  name,
  type,
  size,
}: Pick<File, 'name' | 'type' | 'size'>): { title: string; text: string } | null {
  const fits = /^image\/(png|jpe?g)$/.test(type) && /\.(png|jpe?g)$/i.test(name);
  if (!fits) return { title: C.invalidFile, text: C.uploadJpgPng };
  return size > IMAGE_BYTES_MAX ? { title: C.fileTooLarge, text: C.maxThreeMb } : null;
}
