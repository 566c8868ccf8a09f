const KNOWN_STATUSES = ['active', 'closed', 'completed', 'cancelled'];

const statusText = (word: string) =>
  word.charAt(0).toUpperCase() + word.slice(1).replaceAll('_', ' ');

/** Badge with the recorded status of a draw. */
export const DrawStatusTag = ({ status }: { status: string }) => (
  <span className={`badge${KNOWN_STATUSES.includes(status) ? ` is-${status}` : ''}`}>
    {statusText(status)}
  </span>
);
