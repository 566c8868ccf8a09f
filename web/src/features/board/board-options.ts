/** Options of a board, read from the URL query. */
export interface BoardOptions {
  /** Whether to hide the grid of lights or the list of games, for a small screen or part of one. */
  compact: boolean;
  /** `xl` scales the QR code to 45 % of the smaller side, for a screen seen from far away. */
  qr: 'xl' | null;
  /** Name of the place where the screen hangs. The QR code's link contains the name. */
  loc: string | null;
  /** Whether to show the small card that is embedded in another site's page. */
  widget: boolean;
  /** Whether each sale plays a short tone. */
  sound: boolean;
}

export function parseBoardOptions(search: string): BoardOptions {
  const query = new URLSearchParams(search);
  const mode = query.get('mode');
  return {
    compact: mode === 'compact',
    widget: mode === 'widget',
    qr: query.get('qr') === 'xl' ? 'xl' : null,
    loc: query.get('loc')?.slice(0, 60) ?? null,
    sound: query.get('sound') === '1',
  };
}

/** Returns the classes of a board's options. */
export const boardTone = ({ compact, qr }: BoardOptions): string =>
  `${compact ? 'is-compact' : 'has-grid'}${qr === 'xl' ? ' is-xl' : ''}`;
