interface LoadFailedProps {
  /** What failed to load, as a sentence or a title. */
  title: string;
  /** What the user can do about the failure, if the title does not say it. */
  text?: string;
  onRetry: () => unknown;
}

/** Says which part of a page failed to load, with a retry button. */
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
