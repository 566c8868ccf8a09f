/** Options of a board, read from the URL query. */
export interface BoardOptions {
  /** Whether to hide the grid of lights or the list of games, for a small screen or part of one. */
  compact: boolean;
  /** `xl` scales the QR code to 45 % of the height, for a screen seen from far away. */
  qr: 'xl' | null;
  /** Name of the place where the screen hangs. The QR code's link contains the name. */
  loc: string | null;
  /** Whether to show the small card that is embedded in another site's page. */
  widget: boolean;
}

export function parseBoardOptions(search: string): BoardOptions {
  const query = new URLSearchParams(search);
  const mode = query.get('mode');
  return {
    compact: mode === 'compact',
    widget: mode === 'widget',
    qr: query.get('qr') === 'xl' ? 'xl' : null,
    loc: query.get('loc')?.slice(0, 60) ?? null,
  };
}
