/** An offer as its club sees and writes it. */

export type OfferStatus = 'draft' | 'active' | 'locked' | 'closed' | 'archived' | (string & {});
export type OfferType = 'BUNDLE' | 'SPECIAL';

export interface OfferGame {
  id: number;
  homeTeam: string;
  awayTeam: string;
  gameDate: string;
  timezone?: string | null;
  ticketPrice: string;
  passStripeFees: boolean;
}

export interface Offer {
  id: number;
  clubSlug: string;
  name: string;
  slug: string;
  status: OfferStatus;
  type: OfferType;
  displayTag: string | null;
  primaryCopy: string | null;
  shareImageUrl: string | null;
  gameIds: number[];
  games: OfferGame[];
  ticketsSold?: number;
  editable?: boolean;
}

export interface OfferWanted {
  name: string;
  slug: string;
  status: 'draft' | 'active';
  type: OfferType;
  displayTag: string;
  primaryCopy: string;
  shareImageUrl: string;
  gameIds: number[];
}
