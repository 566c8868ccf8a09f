/** API calls for a club's page, offers, widgets and a buyer's own tickets. */
import { get, post } from '@/api/http';
import type { Club, Draw, OrderResponse } from '@/api/wire';
import type { ClubPageMetadata, Offer, WidgetResponse } from '@/api/wire-public';

const clubApiPath = (slug: string) => `/api/clubs/${encodeURIComponent(slug)}`;

export const fetchClubMeta = (slug: string) => get<ClubPageMetadata>(`${clubApiPath(slug)}/meta`);
export const fetchClubById = (clubId: number) => get<Club>(`/api/clubs/${clubId}`);
export const fetchClubDraws = (slug: string) =>
  get<Draw[]>(`${clubApiPath(slug)}/draws?status=active`);
export const fetchClubAwaitingDraws = (clubId: number) =>
  get<Draw[]>(`/api/draws/awaiting-results?clubId=${clubId}`);
export const fetchOffers = (slug: string) =>
  get<Offer[]>(`${clubApiPath(slug)}/bundles`, { cache: 'no-store' });
export const fetchOffer = (slug: string, offer: string) =>
  get<Offer>(`${clubApiPath(slug)}/bundles/${encodeURIComponent(offer)}`, { cache: 'no-store' });

/**
 * Sends no cookies, so that a widget on another site cannot identify the visitor (decision G-14).
 */
const cookielessRequestInit: RequestInit = { cache: 'no-store', credentials: 'omit' };
export const fetchDrawWidget = (draw: number) =>
  get<WidgetResponse>(`/api/public/widget/draw/${draw}`, cookielessRequestInit);
export const fetchOfferWidget = (slug: string, offer: string) =>
  get<WidgetResponse>(
    `/api/public/widget/bundle/${encodeURIComponent(slug)}/${encodeURIComponent(offer)}`,
    cookielessRequestInit,
  );

/**
 * Requests an email with a link to the buyer's tickets. The response is the same for every email
 * address, so that nobody can learn who has bought tickets.
 */
export const requestTicketLink = (email: string) =>
  post<{ message?: string }>('/api/my-tickets', { email });

/** Orders of the email address that received the link, newest first, at most 100. */
export interface OrdersOfEmailAddress {
  emailMasked: string;
  /** Time at which the link expires. */
  until: string;
  orders: OrderResponse[];
}

/**
 * The token is the secret after the `#` of the mailed link, so that no other request contains it.
 */
export const fetchMyTickets = (token: string) =>
  post<OrdersOfEmailAddress>('/api/my-tickets/look', { token });

export type TrackedEvent = 'offer_view' | 'offer_share' | 'offer_add_to_cart';

/**
 * Counts a visitor's action on an offer. The event has no personal data and does not depend on the
 * visitor's consent (decision B-10).
 */
export function trackOfferEvent(
  event: TrackedEvent,
  about: { clubSlug: string; bundleSlug: string },
): void {
  void fetch('/api/track', {
    method: 'POST',
    credentials: 'same-origin',
    keepalive: true,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ event, ...about }),
  }).catch(() => {});
}
