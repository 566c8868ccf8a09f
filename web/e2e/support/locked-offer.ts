/**
 * Creates an offer and buys it, both by API calls. A bought offer is locked: it can no longer be
 * edited.
 */
import { expect, type PlaywrightWorkerArgs } from '@playwright/test';
import { signedInClubRequest, createTestDraws } from './own-draw';

let offersCreated = 0;

/** Creates a locked offer of the demo's first club, and returns its id. */
export async function createLockedOffer(
  playwright: PlaywrightWorkerArgs['playwright'],
  baseURL: string,
): Promise<number> {
  const draws = await createTestDraws(playwright, baseURL, [{}, {}]);
  const { calls, club } = await signedInClubRequest(playwright, baseURL);
  const slug = `locked-${Date.now().toString(36)}-${++offersCreated}`;
  const offers = `/api/admin/clubs/${club.slug}/bundles`;
  const offered = await calls.post(offers, {
    data: {
      name: 'Two for one evening',
      slug,
      type: 'BUNDLE',
      status: 'active',
      displayTag: 'Both games',
      primaryCopy: 'A ticket in each game.',
      shareImageUrl: null,
      gameIds: draws.map(({ drawNumber }) => drawNumber),
    },
  });
  expect(offered.ok(), await offered.text()).toBe(true);
  const { id } = (await offered.json()) as { id: number };

  const buyer = await playwright.request.newContext({
    baseURL,
    extraHTTPHeaders: { origin: new URL(baseURL).origin },
  });
  const { publishableKey } = (await (await buyer.get('/api/config')).json()) as {
    publishableKey: string;
  };
  const items = draws.map(({ drawNumber, ticketPrice }) => ({
    drawId: drawNumber,
    quantity: 1,
    ticketPrice,
    passStripeFees: false,
    bundleId: id,
  }));
  const who = {
    buyerName: 'Robin Bundle',
    buyerEmail: 'robin.bundle@example.com',
    buyerPhone: '0400 000 000',
  };
  const opened = await buyer.post('/api/cart/create-payment-intent', {
    data: { items, buyer: who, clientKey: slug },
  });
  expect(opened.ok(), await opened.text()).toBe(true);
  const { clientSecret, paymentIntentId, connectedAccountId } = (await opened.json()) as {
    clientSecret: string;
    paymentIntentId: string;
    connectedAccountId: string;
  };
  const confirmed = await buyer.post(
    `/sandbox/stripe/v1/payment_intents/${paymentIntentId}/confirm`,
    {
      headers: { authorization: `Bearer ${publishableKey}`, 'stripe-account': connectedAccountId },
      form: { client_secret: clientSecret, payment_method: 'pm_card_visa', return_url: baseURL },
    },
  );
  expect(confirmed.ok(), await confirmed.text()).toBe(true);
  const bought = await buyer.post('/api/purchase-cart', {
    data: { items, buyer: who, paymentIntentId, ageConfirmation: true, termsAgreement: true },
  });
  expect(bought.ok(), await bought.text()).toBe(true);
  await buyer.dispose();
  await expect(async () =>
    expect(((await (await calls.get(`${offers}/${id}`)).json()) as { status: string }).status).toBe(
      'locked',
    ),
  ).toPass();
  await calls.dispose();
  return id;
}
