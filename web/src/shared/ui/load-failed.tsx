interface LoadFailedProps {
  /** What is not there, as a sentence or a title. */
  words: string;
  /** What to do about it, where the words do not say it. */
  text?: string;
  onRetry: () => unknown;
}

/** A part of a page that could not be loaded: what it is, and the way to ask again. */
export function LoadFailed({ words, text, onRetry }: LoadFailedProps) {
  return (
    <div className="callout is-bad" role="alert">
      <strong>{words}</strong>
      {text ? `${text} ` : null}
      <button type="button" className="btn small sec" onClick={() => void onRetry()}>
        Retry
      </button>
    </div>
  );
}
