/** An offer as its club sees and writes it. */
export type { OwnGame as OfferGame, OwnOffer as Offer } from './generated/schema';

export type EditableOfferType = 'BUNDLE' | 'SPECIAL';

/** What the editor sends (B:218). */
export interface OfferRequest {
  name: string;
  slug: string;
  status: 'draft' | 'active';
  type: EditableOfferType;
  displayTag: string;
  primaryCopy: string;
  shareImageUrl: string;
  gameIds: number[];
}
