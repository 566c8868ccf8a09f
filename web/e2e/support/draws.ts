/** Finds draws for tests, and buys or reserves tickets by API calls. */
import { expect, type APIRequestContext } from '@playwright/test';

/**
 * Option for read requests: retries. The server may close an idle connection just as the next
 * request is sent on it.
 */
export const READ_RETRIES = { maxRetries: 3 };

export interface ListedDraw {
  drawNumber: number;
  homeTeam: string;
  awayTeam: string;
  ticketsSold: number;
  ticketsAvailable: number;
  ticketPrice: string;
  gameDate: string;
  clubName: string;
  clubSlug: string;
}

export async function listActiveDraws(request: APIRequestContext): Promise<ListedDraw[]> {
  return (await request.get('/api/draws/active', READ_RETRIES)).json() as Promise<ListedDraw[]>;
}

/** Returns a draw on sale with at least this many tickets left and an hour until kick-off. */
export async function findDrawWithTickets(
  request: APIRequestContext,
  available: number,
): Promise<ListedDraw> {
  const draws = await listActiveDraws(request);
  const found = draws.find(
    (draw) =>
      draw.ticketsAvailable >= available && Date.parse(draw.gameDate) - Date.now() > 3_600_000,
  );
  expect(found, `a draw with ${available} tickets left`).toBeDefined();
  return found as ListedDraw;
}

export async function fetchListedDraw(
  request: APIRequestContext,
  drawNumber: number,
): Promise<ListedDraw> {
  return (
    await request.get(`/api/draws/${drawNumber}`, READ_RETRIES)
  ).json() as Promise<ListedDraw>;
}

/**
 * Returns the number of a completed draw whose kick-off has passed, or null. Before kick-off a
 * result is hidden.
 */
export async function findCompletedDraw(request: APIRequestContext): Promise<number | null> {
  const draws = (await (
    await request.get('/api/draws/completed', READ_RETRIES)
  ).json()) as ListedDraw[];
  return draws.find((draw) => Date.parse(draw.gameDate) < Date.now())?.drawNumber ?? null;
}

let buyersCreated = 0;

/** Buys by direct API calls: opens a payment, confirms it at the sandbox and completes it. */
export async function buyThroughApi(
  request: APIRequestContext,
  baseURL: string,
  drawNumber: number,
  ticketCount: number,
): Promise<void> {
  const headers = { origin: new URL(baseURL).origin };
  const config = (await (await request.get('/api/config', READ_RETRIES)).json()) as {
    publishableKey: string;
  };
  const name = `Crowd ${++buyersCreated}`;
  const buyer = {
    buyerName: name,
    buyerEmail: `crowd${buyersCreated}@example.com`,
    buyerPhone: '0400 000 000',
  };
  const opened = await request.post('/api/create-payment-intent', {
    headers,
    data: { drawNumber, ticketCount, buyer, clientKey: `e2e-${Date.now()}-${buyersCreated}` },
  });
  expect(opened.ok(), await opened.text()).toBe(true);
  const { clientSecret, paymentIntentId, connectedAccountId } = (await opened.json()) as {
    clientSecret: string;
    paymentIntentId: string;
    connectedAccountId: string;
  };
  const confirmed = await request.post(
    `/sandbox/stripe/v1/payment_intents/${paymentIntentId}/confirm`,
    {
      headers: {
        authorization: `Bearer ${config.publishableKey}`,
        'stripe-account': connectedAccountId,
      },
      form: { client_secret: clientSecret, payment_method: 'pm_card_visa', return_url: baseURL },
    },
  );
  expect(confirmed.ok(), await confirmed.text()).toBe(true);
  const done = await request.post('/api/purchase-tickets', {
    headers,
    data: {
      drawNumber,
      ticketCount,
      buyer,
      paymentIntentId,
      ageConfirmation: true,
      termsAgreement: true,
    },
  });
  expect(done.ok(), await done.text()).toBe(true);
}

/**
 * Returns the slug of a club with two draws on sale. Each draw has at least three tickets left and
 * half an hour until kick-off.
 */
export async function findClubWithTwoDraws(request: APIRequestContext): Promise<string> {
  const draws = (await listActiveDraws(request)).filter(
    (draw) => draw.ticketsAvailable >= 3 && Date.parse(draw.gameDate) - Date.now() > 1_800_000,
  );
  const club = draws.find(
    (draw) => draws.filter((other) => other.clubSlug === draw.clubSlug).length >= 2,
  )?.clubSlug;
  expect(club, 'a club with two draws on sale').toBeDefined();
  return club ?? '';
}

export interface HeldReservation {
  count: number;
  release: () => Promise<void>;
}

/** Reserves this many tickets as another buyer, without buying them. */
export async function reserveThroughApi(
  request: APIRequestContext,
  baseURL: string,
  drawNumber: number,
  count: number,
): Promise<HeldReservation> {
  const headers = { origin: new URL(baseURL).origin };
  const opened = await request.post('/api/create-payment-intent', {
    headers,
    data: { drawNumber, ticketCount: count, clientKey: `hold-${Date.now()}` },
  });
  expect(opened.ok(), await opened.text()).toBe(true);
  const { reservationId } = (await opened.json()) as { reservationId: string };
  return {
    count,
    release: async () =>
      void (await request.delete(`/api/reservations/${reservationId}`, { headers })),
  };
}
