/**
 * Form values and validation of an offer (specification lines B:170-173), and when it is locked
 * (decision H-4).
 */
import type { Offer, EditableOfferType, OfferRequest } from '@/api/wire-offer';
import { HttpError } from '@/api/http';
import { CLUB_TEXTS as C } from '@/shared/strings-club';

export interface OfferFields extends OfferRequest {
  /** Whether the user typed the slug. The slug then no longer follows the name. */
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
const NAME_CHARS_MAX = 100;

/**
 * Makes a slug from text: lowercase letters, digits and hyphens, at most 60 characters
 * (specification line B:79).
 */
export const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG_CHARS_MAX)
    .replace(/^-+|-+$/g, '');

/** Sanitises a slug while it is typed. A trailing hyphen stays, because more text may follow. */
export const sanitiseSlugInput = (typed: string): string =>
  typed
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/-{2,}/g, '-')
    .slice(0, SLUG_CHARS_MAX);

export const withOfferName = (offer: OfferFields, name: string): OfferFields => ({
  ...offer,
  name,
  slug: offer.slugByHand ? offer.slug : slugOf(name),
});

/**
 * Changes the offer's type. A special keeps only the first selected game (specification line B:79).
 */
export const withOfferType = (offer: OfferFields, type: EditableOfferType): OfferFields => ({
  ...offer,
  type,
  gameIds: type === 'SPECIAL' ? offer.gameIds.slice(0, 1) : offer.gameIds,
});

export function withGameChosen(offer: OfferFields, game: number, chosen: boolean): OfferFields {
  if (offer.type === 'SPECIAL') return { ...offer, gameIds: chosen ? [game] : [] };
  return {
    ...offer,
    gameIds: chosen ? [...offer.gameIds, game] : offer.gameIds.filter((id) => id !== game),
  };
}

/**
 * Returns the first problem, or null. Activating a bundle with too few games has its own message
 * (decision H-5).
 */
export function offerProblem({ name, slug, type, status, gameIds }: OfferRequest): string | null {
  if (name.trim() === '' || slug === '' || gameIds.length === 0) return C.provideNameSlugGame;
  if (name.trim().length > NAME_CHARS_MAX)
    return `Name must be at most ${NAME_CHARS_MAX} characters`;
  if (!/^[a-z0-9-]+$/.test(slug)) return C.slugCharacters;
  if (type === 'SPECIAL') return gameIds.length === 1 ? null : C.specialNeedsOne;
  if (gameIds.length >= 2) return null;
  return status === 'active' ? C.selectTwoToActivate : C.bundleNeedsTwo;
}

export function fieldsOfOffer(offer: Offer): OfferFields {
  const { name, slug, gameIds } = offer;
  const type: EditableOfferType = offer.type === 'SPECIAL' ? 'SPECIAL' : 'BUNDLE';
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

export function toOfferRequest({
  name,
  slug,
  status,
  type,
  displayTag,
  primaryCopy,
  shareImageUrl,
  gameIds,
}: OfferFields): OfferRequest {
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

/** Returns the URL of the server-drawn share picture; null while the offer is not public. */
export const generatedShareImageUrl = (
  club: string,
  { slug, status }: Pick<Offer, 'slug' | 'status'>,
): string | null =>
  ['active', 'locked', 'closed'].includes(status)
    ? `/og/offer/${encodeURIComponent(club)}/${encodeURIComponent(slug)}`
    : null;

/** Returns why an offer is read-only, or null. */
export function readOnlyReason(offer: Pick<Offer, 'status'>): string | null {
  const text: Record<string, string> = {
    locked: C.bundleLocked,
    closed: `${C.bundleClosed}: a game of it has begun or was called off, so it cannot be edited.`,
    archived: 'This offer is archived and cannot be edited.',
  };
  return text[offer.status] ?? null;
}

/**
 * Returns the game that blocks sales of an open offer, or null. Such a game is cancelled or has
 * its result.
 */
export const salesBlockingGame = ({
  status,
  games,
}: Pick<Offer, 'status' | 'games'>): Offer['games'][number] | null =>
  status === 'active' ? (games.find((game) => game.status !== 'active') ?? null) : null;

/**
 * Whether the server refused because the offer was bought meanwhile: status 409 or a message with
 * the word 'locked' (specification line B:240). A taken slug is a different 409.
 */
export function isOfferLockedError(error: unknown): boolean {
  if (!(error instanceof HttpError) || error.code === 'slug-taken') return false;
  return error.status === 409 || (error.body.message ?? '').includes(C.locked);
}

const IMAGE_BYTES_MAX = 3_000_000;

/**
 * Returns title and text of the problem with a chosen picture, or null (specification line B:173).
 */
export function imageProblem({
  name,
  type,
  size,
}: Pick<File, 'name' | 'type' | 'size'>): { title: string; text: string } | null {
  const fits = /^image\/(png|jpe?g)$/.test(type) && /\.(png|jpe?g)$/i.test(name);
  if (!fits) return { title: C.invalidFile, text: C.uploadJpgPng };
  return size > IMAGE_BYTES_MAX ? { title: C.fileTooLarge, text: C.maxThreeMb } : null;
}
