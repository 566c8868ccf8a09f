/** Splits 'Title: rest' into title and text. Without ': ', the whole text is the title. */
export function splitTitle(text: string): { title: string; text: string } {
  const colon = text.indexOf(': ');
  return colon < 0
    ? { title: text, text: '' }
    : { title: text.slice(0, colon), text: text.slice(colon + 2) };
}
