/**
 * Wire types of public offers, club headers and widgets. An offer is a bundle of games or a
 * special. Its start and end have two specified spellings: camelCase and snake_case.
 */

export type OfferType = 'BUNDLE' | 'SPECIAL' | (string & {});
export type OfferStatus = 'draft' | 'active' | 'locked' | 'closed' | 'archived' | (string & {});

/** One game of an offer. Screens show the numbers of the game's draw once it is loaded. */
export interface OfferGame {
  id: number;
  drawNumber?: number;
  homeTeam: string;
  awayTeam: string;
  league?: string | null;
  gameDate: string;
  timezone?: string | null;
  ticketPrice: string;
  passStripeFees: boolean;
  salesCloseAt?: string | null;
  status?: string;
  currentPrize?: string;
  ticketsSold?: number;
  ticketsAvailable?: number;
}

export interface Offer {
  id: number;
  name: string;
  slug: string;
  type: OfferType;
  status: OfferStatus;
  displayTag: string | null;
  primaryCopy: string | null;
  shareImageUrl: string | null;
  clubId?: number;
  clubSlug: string;
  clubName: string;
  games: OfferGame[];
  drawIds?: number[];
  startAt?: string | null;
  endAt?: string | null;
  start_at?: string | null;
  end_at?: string | null;
}

/**
 * Name, colours and logo of a club. The club's page needs them before its other data (specification
 * line A:234).
 */
export interface ClubPageMetadata {
  name: string;
  tagline: string | null;
  logoUrl: string | null;
  primaryColor: string | null;
  secondaryColor?: string | null;
  accentColor?: string | null;
  facebookPixelId: string | null;
}

/** Response that boards and embedded widgets poll (specification line A:164). */
export interface WidgetResponse {
  type: 'draw' | 'bundle' | (string & {});
  title: string;
  status: string;
  opensAt: string | null;
  closesAt: string | null;
  earliestOpensAt: string | null;
  earliestClosesAt: string | null;
  purchaseUrl: string;
  prizePoolCents: number;
  ticketsSold: number;
  ticketsCap: number | null;
}
