/** What a link to the Apple Pay page carries, in the query or, as our own links have it, after the `#` (A:129, C-21). Pure. */

export interface AppleRequest {
  clientSecret: string;
  drawId: number;
  ticketCount: number;
  /** Cents, as the link says; only shown, never charged. */
  amount: number | null;
}

export interface Asked {
  /** Null: 'Invalid Apple Pay Request'. */
  request: AppleRequest | null;
  /** Where 'Back to Checkout' leads, with whatever of it is known. */
  back: string;
}

const whole = (said: string | null): number | null =>
  said !== null && /^\d{1,9}$/.test(said) && Number(said) > 0 ? Number(said) : null;

export function readAppleRequest(search: string, hash: string): Asked {
  const query = new URLSearchParams(search);
  const fragment = new URLSearchParams(hash.replace(/^#/, ''));
  const said = (name: string) => fragment.get(name) ?? query.get(name);
  const [drawId, ticketCount, clientSecret] = [
    whole(said('drawId')),
    whole(said('ticketCount')),
    said('clientSecret'),
  ];
  const kept = new URLSearchParams();
  if (drawId !== null) kept.set('drawId', String(drawId));
  if (ticketCount !== null) kept.set('ticketCount', String(ticketCount));
  const complete =
    drawId !== null &&
    ticketCount !== null &&
    ticketCount <= 50 &&
    clientSecret !== null &&
    clientSecret !== '';
  return {
    request: complete ? { clientSecret, drawId, ticketCount, amount: whole(said('amount')) } : null,
    back: drawId === null ? '/' : `/checkout?${kept}`,
  };
}
