import { useAtomValue } from 'jotai';
import { useCallback, useEffect, useState } from 'react';
import { fetchAuditEntries } from '@/api/endpoints/operator';
import type { AuditPage } from '@/api/wire-platform';
import { listRevisionAtom } from '../queries/query-atoms';
import { AuditEntryItem, useObjectNames } from './audit-entry';

const AUDIT_PAGE_ENTRIES = 50;

interface AuditTrailProps {
  /** Objects to filter by, such as `draw:1042,order:…`; empty shows everything. */
  objects: string;
  /** The audit entries are reloaded when this value changes, for example after a write. */
  turn?: unknown;
  title?: string;
  /** Number of entries on a page. */
  limit?: number;
  /** Whether this heading directly follows the page heading, which makes it one level higher. */
  top?: boolean;
}

/** Lists the audit entries of the given objects, newest first. Entries are read-only. */
export function AuditTrail({
  objects,
  turn = 0,
  title = 'Audit trail',
  limit = AUDIT_PAGE_ENTRIES,
  top = false,
}: AuditTrailProps) {
  const Heading = top ? 'h2' : 'h3';
  const [page, setPage] = useState<AuditPage | null>(null);
  const [failed, setFailed] = useState(false);
  const names = useObjectNames();
  // The socket announces changes by other users.
  const revision = useAtomValue(listRevisionAtom('audit'));
  const ask = useCallback(
    (before?: number) => {
      fetchAuditEntries({ objects, limit, before }).then(
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
    [objects, limit],
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
          <AuditEntryItem key={entry.id} entry={entry} names={names} />
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
