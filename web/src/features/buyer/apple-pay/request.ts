/**
 * Reads the link to the Apple Pay page, from the query or, in our own links, from the fragment
 * after `#` (specification line A:129, decision C-21). Pure.
 */

export interface AppleRequest {
  clientSecret: string;
  drawId: number;
  ticketCount: number;
  /** Cents, from the link. The amount is only shown, never charged. */
  amount: number | null;
}

export interface ParsedAppleRequest {
  /** Null shows 'Invalid Apple Pay Request'. */
  request: AppleRequest | null;
  /** Returns the address of 'Back to Checkout', with the known parts of the request. */
  back: string;
}

const whole = (said: string | null): number | null =>
  said !== null && /^\d{1,9}$/.test(said) && Number(said) > 0 ? Number(said) : null;

export function readAppleRequest(search: string, hash: string): ParsedAppleRequest {
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
