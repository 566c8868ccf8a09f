/**
 * Reads the link to the Apple Pay page, from the fragment after `#` or else from the query
 * (specification line A:129, decision C-21). Pure.
 */

export interface ApplePayRequest {
  clientSecret: string;
  drawId: number;
  ticketCount: number;
  /** Amount in cents, from the link. Only shown in the page's debug log, never charged. */
  amount: number | null;
}

export interface ParsedApplePayRequest {
  /**
   * The payment to make. Null when the link is invalid; the page then shows 'Invalid Apple Pay
   * Request'.
   */
  request: ApplePayRequest | null;
  /**
   * Target of the 'Back to Checkout' button: the draw and the ticket count, as far as the link
   * contains them.
   */
  back: string;
}

const parseWholeNumber = (text: string | null): number | null =>
  text !== null && /^\d{1,9}$/.test(text) && Number(text) > 0 ? Number(text) : null;

export function readApplePayRequest(search: string, hash: string): ParsedApplePayRequest {
  const query = new URLSearchParams(search);
  const fragment = new URLSearchParams(hash.replace(/^#/, ''));
  const parameter = (name: string) => fragment.get(name) ?? query.get(name);
  const [drawId, ticketCount, clientSecret] = [
    parseWholeNumber(parameter('drawId')),
    parseWholeNumber(parameter('ticketCount')),
    parameter('clientSecret'),
  ];
  const returnParams = new URLSearchParams();
  if (drawId !== null) returnParams.set('drawId', String(drawId));
  if (ticketCount !== null) returnParams.set('ticketCount', String(ticketCount));
  const complete =
    drawId !== null &&
    ticketCount !== null &&
    ticketCount <= 50 &&
    clientSecret !== null &&
    clientSecret !== '';
  return {
    request: complete
      ? { clientSecret, drawId, ticketCount, amount: parseWholeNumber(parameter('amount')) }
      : null,
    back: drawId === null ? '/' : `/checkout?${returnParams}`,
  };
}
