/** Small shared components of the console. */
import { useState, type ReactNode } from 'react';

interface StatFigureProps {
  label: string;
  value: ReactNode;
  note?: ReactNode;
  tone?: 'warn' | 'bad';
}

/** A number with its label above it. */
export const StatFigure = ({ label, value, note, tone }: StatFigureProps) => (
  <div className={`card ops-figure${tone ? ` is-${tone}` : ''}`}>
    <dt>{label}</dt>
    <dd>
      {value ?? <span className="skeleton" style={{ width: 72, height: 30 }} />}
      {note ? <small>{note}</small> : null}
    </dd>
  </div>
);

export const StatFigureList = ({ label, children }: { label: string; children: ReactNode }) => (
  <dl className="ops-figures" aria-label={label}>
    {children}
  </dl>
);

interface LoadErrorProps {
  title: string;
  error: Error;
  onRetry: () => void;
}

/** Error state of a console section, with a retry button. */
export const LoadError = ({ title, error, onRetry }: LoadErrorProps) => (
  <div className="card panel ops-error" role="alert">
    <h2>{title}</h2>
    <p>The server did not answer as it should. Nothing was changed.</p>
    <details>
      <summary>Technical details</summary>
      <code>{error.message}</code>
    </details>
    <div className="actions">
      <button type="button" className="btn small" onClick={onRetry}>
        Try again
      </button>
    </div>
  </div>
);

/** Placeholder for rows that are loading. */
export const RowsSkeleton = ({ rows = 5 }: { rows?: number }) => (
  <div className="card ops-skeleton" aria-busy="true" aria-label="Loading">
    {Array.from({ length: rows }, (_, row) => (
      <span key={row} className="skeleton" />
    ))}
  </div>
);

/** Renders a query's data, a placeholder while the query loads, or its error. */
export function QueryResult<Data>({
  data,
  error,
  title,
  refetch,
  children,
  rows,
}: {
  data: Data | undefined;
  error: Error | null;
  title: string;
  refetch: () => Promise<void>;
  children: (data: Data) => ReactNode;
  rows?: number;
}) {
  if (data !== undefined) return <>{children(data)}</>;
  if (error)
    return <LoadError title={title} error={error} onRetry={() => void refetch().catch(() => {})} />;
  return <RowsSkeleton rows={rows} />;
}

/** Shortens a long id for display: `pi_3Q…21Xk`. Copying uses the full id. */
export function shortenId(id: string): string {
  return id.length > 14 ? `${id.slice(0, 5)}…${id.slice(-4)}` : id;
}

export function CopyableId({
  id,
  full = false,
}: {
  id: string | null | undefined;
  full?: boolean;
}) {
  const [copied, setCopied] = useState(false);
  if (!id) return <>–</>;
  const copy = () => {
    void navigator.clipboard?.writeText(id).then(
      () => {
        setCopied(true);
        setTimeout(() => setCopied(false), 2_000);
      },
      () => {},
    );
  };
  return (
    <button
      type="button"
      className="ops-id"
      title={`Copy ${id}`}
      aria-label={`Copy ${id}`}
      onClick={copy}
    >
      <code>{full ? id : shortenId(id)}</code>
      {copied ? <span role="status">copied</span> : null}
    </button>
  );
}

export const Tag = ({
  kind,
  children,
}: {
  kind: 'ok' | 'warn' | 'bad' | 'plain';
  children: ReactNode;
}) => <span className={`ops-tag is-${kind}`}>{children}</span>;

/** List of names and values, one pair per line. */
export const FactList = ({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) => (
  <dl className="ops-facts">
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value ?? '–'}</dd>
      </div>
    ))}
  </dl>
);

/** Shows the error message of a form beside its button. */
export const ErrorMessage = ({ message }: { message: string | null }) =>
  message ? (
    <p className="callout is-bad" role="alert">
      {message}
    </p>
  ) : null;
