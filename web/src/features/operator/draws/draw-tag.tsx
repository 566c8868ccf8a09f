const STYLED_DRAW_STATUSES = ['active', 'closed', 'completed', 'cancelled'];

const drawStatusText = (word: string) =>
  word.charAt(0).toUpperCase() + word.slice(1).replaceAll('_', ' ');

/** Badge with a draw's status. */
export const DrawStatusTag = ({ status }: { status: string }) => (
  <span className={`badge${STYLED_DRAW_STATUSES.includes(status) ? ` is-${status}` : ''}`}>
    {drawStatusText(status)}
  </span>
);
