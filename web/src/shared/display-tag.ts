/** Number of characters of an offer's display tag that buyers see (decision H-12). */
export const DISPLAY_TAG_CHARS_SHOWN = 90;
