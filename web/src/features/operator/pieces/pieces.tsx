/** The console's small pieces. */
import { useState, type ReactNode } from 'react';

interface FigureProps {
  label: string;
  value: ReactNode;
  note?: ReactNode;
  tone?: 'warn' | 'bad';
}

/** A number with its name above it. */
export const Figure = ({ label, value, note, tone }: FigureProps) => (
  <div className={`card ops-figure${tone ? ` is-${tone}` : ''}`}>
    <dt>{label}</dt>
    <dd>
      {value ?? <span className="bone" style={{ width: 72, height: 30 }} />}
      {note ? <small>{note}</small> : null}
    </dd>
  </div>
);

export const Figures = ({ label, children }: { label: string; children: ReactNode }) => (
  <dl className="ops-figures" aria-label={label}>
    {children}
  </dl>
);

interface TroubleProps {
  title: string;
  error: Error;
  onRetry: () => void;
}

/** A section whose data did not come: what is known stays elsewhere, and there is a way to ask again. */
export const Trouble = ({ title, error, onRetry }: TroubleProps) => (
  <div className="card panel ops-trouble" role="alert">
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

/** The shape of rows to come. */
export const Bones = ({ rows = 5 }: { rows?: number }) => (
  <div className="card ops-bones" aria-busy="true" aria-label="Loading">
    {Array.from({ length: rows }, (_, row) => (
      <span key={row} className="bone" />
    ))}
  </div>
);

/** Data, bones or trouble: one of the three. */
export function Shown<Data>({
  data,
  error,
  title,
  again,
  children,
  rows,
}: {
  data: Data | undefined;
  error: Error | null;
  title: string;
  again: () => Promise<void>;
  children: (data: Data) => ReactNode;
  rows?: number;
}) {
  if (data !== undefined) return <>{children(data)}</>;
  if (error)
    return <Trouble title={title} error={error} onRetry={() => void again().catch(() => {})} />;
  return <Bones rows={rows} />;
}

/** `pi_3Q…21Xk`: the beginning and the end of a long id; the whole of it is copied. */
export function shortId(id: string): string {
  return id.length > 14 ? `${id.slice(0, 5)}…${id.slice(-4)}` : id;
}

export function CopyId({ id, whole = false }: { id: string | null | undefined; whole?: boolean }) {
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
      <code>{whole ? id : shortId(id)}</code>
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

/** Names and values, one under the other. */
export const Facts = ({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) => (
  <dl className="ops-facts">
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value ?? '–'}</dd>
      </div>
    ))}
  </dl>
);

/** What a form's failure says beside its button. */
export const Said = ({ trouble }: { trouble: string | null }) =>
  trouble ? (
    <p className="callout is-bad" role="alert">
      {trouble}
    </p>
  ) : null;
