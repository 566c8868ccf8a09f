const KNOWN = ['active', 'closed', 'completed', 'cancelled'];

const sentence = (word: string) =>
  word.charAt(0).toUpperCase() + word.slice(1).replaceAll('_', ' ');

/** Badge with the recorded status of a draw. */
export const DrawTag = ({ status }: { status: string }) => (
  <span className={`badge${KNOWN.includes(status) ? ` is-${status}` : ''}`}>
    {sentence(status)}
  </span>
);
