/** Calls of the screens that sell nothing by themselves: clubs, offers, boards, widgets, a buyer's own tickets. */
import { get, post } from '@/api/http';
import type { Draw, OrderResponse } from '@/api/wire';
import type { ClubMeta, Offer, WidgetResponse } from '@/api/wire-public';

const club = (slug: string) => `/api/clubs/${encodeURIComponent(slug)}`;

export const fetchClubMeta = (slug: string) => get<ClubMeta>(`${club(slug)}/meta`);
export const fetchClubDraws = (slug: string) => get<Draw[]>(`${club(slug)}/draws?status=active`);
export const fetchClubAwaiting = (clubId: number) =>
  get<Draw[]>(`/api/draws/awaiting-results?clubId=${clubId}`);
export const fetchOffers = (slug: string) =>
  get<Offer[]>(`${club(slug)}/bundles`, { cache: 'no-store' });
export const fetchOffer = (slug: string, offer: string) =>
  get<Offer>(`${club(slug)}/bundles/${encodeURIComponent(offer)}`, { cache: 'no-store' });

/** Without cookies: a widget on somebody else's page must not be able to tell who looks (decision G-14). */
const anonymously: RequestInit = { cache: 'no-store', credentials: 'omit' };
export const fetchDrawWidget = (draw: number) =>
  get<WidgetResponse>(`/api/public/widget/draw/${draw}`, anonymously);
export const fetchOfferWidget = (slug: string, offer: string) =>
  get<WidgetResponse>(
    `/api/public/widget/bundle/${encodeURIComponent(slug)}/${encodeURIComponent(offer)}`,
    anonymously,
  );

/** Asks for the link to somebody's own tickets by mail; the answer is the same for every address. */
export const requestTicketLink = (email: string) =>
  post<{ message?: string }>('/api/my-tickets', { email });

/** What a mailed link opens: every order of the address it was sent to, newest first. */
export interface OwnOrders {
  emailMasked: string;
  /** Until when the link works. */
  until: string;
  orders: OrderResponse[];
}

/** The link's secret stands after the `#`, so that only this call ever carries it. */
export const fetchMyTickets = (token: string) => post<OwnOrders>('/api/my-tickets/look', { token });

export type TrackedEvent = 'offer_view' | 'offer_share' | 'offer_add_to_cart';

/** Counts what happens to offers, with nothing personal in it and whatever the visitor consented to (decision B-10). */
export function track(event: TrackedEvent, about: { clubSlug: string; bundleSlug: string }): void {
  void fetch('/api/track', {
    method: 'POST',
    credentials: 'same-origin',
    keepalive: true,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ event, ...about }),
  }).catch(() => {});
}
