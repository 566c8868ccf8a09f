const KNOWN = ['active', 'closed', 'completed', 'cancelled'];

const sentence = (word: string) =>
  word.charAt(0).toUpperCase() + word.slice(1).replaceAll('_', ' ');

/** A draw's status in the words of its record. */
export const DrawTag = ({ status }: { status: string }) => (
  <span className={`badge${KNOWN.includes(status) ? ` is-${status}` : ''}`}>
    {sentence(status)}
  </span>
);
