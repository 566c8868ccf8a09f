/** Wire types of offers in the club's editor. */
export type { OwnGame as OfferGame, OwnOffer as Offer } from './generated/schema';

export type EditableOfferType = 'BUNDLE' | 'SPECIAL';

/** Body of the offer editor's request (specification line B:216). */
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
