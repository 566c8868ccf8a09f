/** What the address of a board may ask for. */
export interface BoardOptions {
  /** No lights: for a small screen, or a corner of one. */
  compact: boolean;
  /** `xl` scales the code to 45 % of the height, for a screen seen from far away. */
  qr: 'xl' | null;
  /** Where the screen hangs; carried along by the code, so that a club knows which one sells. */
  loc: string | null;
  /** The small card inside somebody else's page. */
  widget: boolean;
}

export function optionsOf(search: string): BoardOptions {
  const query = new URLSearchParams(search);
  const mode = query.get('mode');
  return {
    compact: mode === 'compact',
    widget: mode === 'widget',
    qr: query.get('qr') === 'xl' ? 'xl' : null,
    loc: query.get('loc')?.slice(0, 60) ?? null,
  };
}
