/**
 * A club's marketing pixel, loaded only after consent (specification line A:101, decision J-12). It
 * is requested as an image with the page's URL, the event and its content, without a script.
 */

const PIXEL_URL = 'https://www.facebook.com/tr/';

/**
 * Returns the URL of the pixel's image. Null for an id that does not consist of digits, as
 * specified for the setting (decision G-11).
 */
export function pixelUrl(
  pixelId: string,
  event: string,
  about: { page: string; content?: string },
): string | null {
  if (!/^\d{1,32}$/.test(pixelId)) return null;
  const query = new URLSearchParams({ id: pixelId, ev: event, dl: about.page, noscript: '1' });
  if (about.content) query.set('cd[content_name]', about.content);
  return `${PIXEL_URL}?${query.toString()}`;
}

export function requestPixel(pixelId: string, event: string, content?: string): void {
  const { origin, pathname } = window.location;
  const url = pixelUrl(pixelId, event, { page: origin + pathname, content });
  if (url) new Image().src = url;
}
