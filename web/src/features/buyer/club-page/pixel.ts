/**
 * A club's marketing pixel, only after consent (A:101, decision J-12). It is the provider's documented form without a script: one
 * picture, asked for with the page's address and nothing else. So no foreign code ever runs beside a payment form, and the page's
 * policy for scripts need not open.
 */

const ADDRESS = 'https://www.facebook.com/tr/';

/** Digits only, as specified for its setting; anything else asks for nothing (decision G-11). */
export function pixelUrl(
  pixelId: string,
  event: string,
  about: { page: string; content?: string },
): string | null {
  if (!/^\d{1,32}$/.test(pixelId)) return null;
  const query = new URLSearchParams({ id: pixelId, ev: event, dl: about.page, noscript: '1' });
  if (about.content) query.set('cd[content_name]', about.content);
  return `${ADDRESS}?${query.toString()}`;
}

export function firePixel(pixelId: string, event: string, content?: string): void {
  const { origin, pathname } = window.location;
  const url = pixelUrl(pixelId, event, { page: origin + pathname, content });
  if (url) new Image().src = url;
}
