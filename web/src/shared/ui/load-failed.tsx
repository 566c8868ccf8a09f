interface LoadFailedProps {
  /** What is not there, as a sentence or a title. */
  title: string;
  /** What to do about it, if the title does not say it. */
  text?: string;
  onRetry: () => unknown;
}

/** A part of a page that could not be loaded: what it is, and the way to ask again. */
export function LoadFailed({ title, text, onRetry }: LoadFailedProps) {
  return (
    <div className="callout is-bad" role="alert">
      <strong>{title}</strong>
      {text ? `${text} ` : null}
      <button type="button" className="btn small sec" onClick={() => void onRetry()}>
        Retry
      </button>
    </div>
  );
}
