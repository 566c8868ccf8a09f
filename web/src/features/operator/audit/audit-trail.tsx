import { useAtomValue } from 'jotai';
import { useCallback, useEffect, useState } from 'react';
import { fetchAuditEntries } from '@/api/endpoints/operator';
import type { AuditEntry, AuditPage } from '@/api/wire-platform';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { listRevisionAtom } from '../queries/query-atoms';
import { RelativeTime } from '../components/relative-time';

interface AuditTrailProps {
  /** Objects to filter by, such as `draw:1042,order:…`; empty shows everything. */
  objects: string;
  /** The audit entries are reloaded when this value changes, for example after a write. */
  turn?: unknown;
  title?: string;
  /** Whether this heading directly follows the page heading, which makes it one level higher. */
  top?: boolean;
}

const sentenceOfAction = (action: string) => {
  const text = action.replaceAll('-', ' ').replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
};

const hasValue = (value: unknown) => value !== null && value !== undefined && value !== '';

/** Lists the values in an entry's details: `name: value · name: value`. Omits empty values. */
export function auditChangeText({ detail }: Pick<AuditEntry, 'detail'>): string {
  return Object.entries(detail)
    .filter(([, value]) => hasValue(value))
    .map(
      ([name, value]) =>
        `${name}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
    )
    .join(' · ');
}

/** Lists the audit entries of the given objects, newest first. Entries are read-only. */
export function AuditTrail({
  objects,
  turn = 0,
  title = 'Audit trail',
  top = false,
}: AuditTrailProps) {
  const Heading = top ? 'h2' : 'h3';
  const [page, setPage] = useState<AuditPage | null>(null);
  const [failed, setFailed] = useState(false);
  // The socket announces changes by other users.
  const revision = useAtomValue(listRevisionAtom('audit'));
  const ask = useCallback(
    (before?: number) => {
      fetchAuditEntries(objects, before).then(
        (next) => {
          setFailed(false);
          setPage((shown) =>
            before === undefined || !shown
              ? next
              : { ...next, entries: [...shown.entries, ...next.entries] },
          );
        },
        () => setFailed(true),
      );
    },
    [objects],
  );
  useEffect(() => ask(), [ask, turn, revision]);
  return (
    <section className="ops-audit" aria-label={title}>
      <Heading>{title}</Heading>
      {failed ? (
        <p className="meta">
          The trail did not load.{' '}
          <button type="button" className="link-btn" onClick={() => ask()}>
            Try again
          </button>
        </p>
      ) : null}
      {page && page.entries.length === 0 ? (
        <p className="meta">Nobody has done anything here yet.</p>
      ) : null}
      <ol>
        {page?.entries.map((entry) => (
          <li key={entry.id}>
            <span>
              <strong>{sentenceOfAction(entry.action)}</strong>{' '}
              <span className="ops-audit-object">{entry.object}</span>
            </span>
            {auditChangeText(entry) ? (
              <span className="ops-audit-change">{auditChangeText(entry)}</span>
            ) : null}
            <span className="meta">
              <span title={entry.actor}>{entry.by ?? O.superAdmin}</span> ·{' '}
              <RelativeTime at={entry.at} />
              {entry.ip ? ` · ${entry.ip}` : ''}
              {entry.hash ? (
                <>
                  {' '}
                  · <code title={entry.hash}>{entry.hash.slice(0, 8)}</code>
                </>
              ) : null}
            </span>
          </li>
        ))}
      </ol>
      {page?.next ? (
        <button type="button" className="btn small sec" onClick={() => ask(page.next ?? undefined)}>
          Older entries
        </button>
      ) : null}
      {page?.chain ? (
        <p className={`ops-chain${page.chain.verified ? '' : ' is-bad'}`}>
          {page.chain.verified
            ? `The chain of ${page.chain.length} entries is whole.`
            : `The chain is broken at entry ${page.chain.brokenAt}.`}
        </p>
      ) : null}
    </section>
  );
}
