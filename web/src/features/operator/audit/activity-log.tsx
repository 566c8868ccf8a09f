import { useAtomValue } from 'jotai';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { fetchAuditEntries, type AuditFilter } from '@/api/endpoints/operator';
import type { AuditEntry, AuditPage } from '@/api/wire-platform';
import { useServerNow } from '@/features/shared-live/use-live';
import { groupByDay } from '@/shared/group-by-day';
import { dayAndTime, dayText } from '@/shared/dates';
import { BusyButton } from '../components/busy-button';
import { LoadError, RowsSkeleton } from '../components/common';
import { useConsoleUrl } from '../console/address';
import { listRevisionAtom } from '../queries/query-atoms';
import { useActionWithFeedback } from '../session/use-action';
import type { Column } from '../table/columns';
import { saveCsv } from '../table/csv';
import { AuditEntryItem, useObjectNames } from './audit-entry';
import {
  ACTION_KINDS,
  auditSentenceText,
  changedFieldsOf,
  type ActionKind,
  type ObjectNames,
} from './audit-sentence';

const ENTRIES_PER_PAGE = 20;
const ENTRIES_PER_CSV_REQUEST = 500;
const CSV_ENTRIES_MAX = 20_000;
const DAY_MS = 86_400_000;
const PERIODS = [
  ['', 'All time'],
  ['1', 'Last 24 hours'],
  ['7', 'Last 7 days'],
  ['30', 'Last 30 days'],
] as const;
const ACTORS = [
  ['', 'Anyone'],
  ['operator', 'Operators'],
  ['club', 'Clubs'],
  ['system', 'System'],
] as const;

const isActionKind = (kind: string): kind is ActionKind => kind in ACTION_KINDS;

/** Reads the filter from the URL. `nowMs` is the end of a period such as the last 7 days. */
function useAuditFilter(): Omit<AuditFilter, 'limit'> {
  const { read } = useConsoleUrl();
  const now = useServerNow();
  const [text, actor, kind, days] = [read('q'), read('actor'), read('kind'), read('days')];
  return useMemo(
    () => ({
      text: text.trim(),
      actor,
      actions: isActionKind(kind) ? ACTION_KINDS[kind].actions.join(',') : '',
      since: days ? Math.floor((now() - Number(days) * DAY_MS) / 60_000) * 60_000 : undefined,
    }),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the period ends when it is chosen
    [text, actor, kind, days],
  );
}

const csvColumns = (names: ObjectNames): readonly Column<AuditEntry>[] => [
  { id: 'id', header: 'Entry', value: ({ id }) => id },
  { id: 'at', header: 'Time', value: ({ at }) => at, text: ({ at }) => dayAndTime(at) },
  { id: 'who', header: 'Who', value: ({ name, by }) => name ?? by },
  { id: 'what', header: 'What', value: (entry) => auditSentenceText(entry, names) },
  { id: 'action', header: 'Action', value: ({ action }) => action },
  { id: 'object', header: 'Object', value: ({ object }) => object },
  {
    id: 'changes',
    header: 'Changes',
    value: (entry) =>
      changedFieldsOf(entry)
        .map(({ field, before, after }) => `${field}: ${before} → ${after}`)
        .join('; '),
  },
  { id: 'reason', header: 'Reason', value: ({ detail }) => detail.reason as string | undefined },
  { id: 'ip', header: 'Address', value: ({ ip }) => ip },
  { id: 'hash', header: 'Hash', value: ({ hash }) => hash },
];

/** Loads every selected entry, page by page, for the CSV. */
async function fetchAllEntries(filter: Omit<AuditFilter, 'limit'>): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  let before: number | undefined;
  do {
    const page = await fetchAuditEntries({ ...filter, before, limit: ENTRIES_PER_CSV_REQUEST });
    entries.push(...page.entries);
    before = page.next ?? undefined;
  } while (before !== undefined && entries.length < CSV_ENTRIES_MAX);
  return entries;
}

/** The whole audit log: sentences by day, with filters in the URL, pages and a CSV. */
export function ActivityLog() {
  const filter = useAuditFilter();
  const names = useObjectNames();
  const now = useServerNow();
  const exporting = useActionWithFeedback();
  // The first entry of each page after the first; the last one is the shown page's.
  const [cursors, setCursors] = useState<readonly number[]>([]);
  const [page, setPage] = useState<AuditPage | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const revision = useAtomValue(listRevisionAtom('audit'));
  const before = cursors.at(-1);
  const load = useCallback(() => {
    let isCurrent = true;
    fetchAuditEntries({ ...filter, before, limit: ENTRIES_PER_PAGE }).then(
      (next) => {
        if (!isCurrent) return;
        setError(null);
        setPage(next);
      },
      (failure: Error) => isCurrent && setError(failure),
    );
    return () => {
      isCurrent = false;
    };
  }, [filter, before]);
  useEffect(() => setCursors([]), [filter]);
  useEffect(load, [load, revision]);
  const exportCsv = () =>
    void exporting.run(
      async () =>
        saveCsv('activity-log', csvColumns(names), await fetchAllEntries(filter), new Date(now())),
      { failed: 'Download Failed', failedText: 'Unable to load the entries. Please try again.' },
    );
  const first = cursors.length * ENTRIES_PER_PAGE;
  return (
    <>
      <AuditFilters busy={exporting.busy} onExport={exportCsv} />
      {page ? (
        <div className="ops-log-facts">
          <span role="status">
            <strong>{page.total}</strong> {page.total === 1 ? 'entry matches' : 'entries match'}
          </span>
          <span className={`ops-chain${page.chain.verified ? '' : ' is-bad'}`}>
            {page.chain.verified
              ? `The chain of ${page.chain.length} entries is whole.`
              : `The chain is broken at entry ${page.chain.brokenAt}.`}
          </span>
        </div>
      ) : null}
      {error ? (
        <LoadError title="The activity log did not load" error={error} onRetry={load} />
      ) : null}
      {!page && !error ? <RowsSkeleton rows={8} /> : null}
      {page ? (
        <section className="card ops-log" aria-label="Entries">
          {page.entries.length === 0 ? <p className="empty">Nothing matches.</p> : null}
          {groupByDay(page.entries, dayText).map(({ day, entries }) => (
            <section key={day} aria-label={day}>
              <h2>{day}</h2>
              <ol>
                {entries.map((entry) => (
                  <AuditEntryItem key={entry.id} entry={entry} names={names} byDay />
                ))}
              </ol>
            </section>
          ))}
          <nav className="ops-pages" aria-label="Pages">
            <span>
              {page.entries.length === 0 ? '0' : `${first + 1}–${first + page.entries.length}`} of{' '}
              {page.total}
            </span>
            <button
              type="button"
              className="btn small sec"
              disabled={cursors.length === 0}
              onClick={() => setCursors(cursors.slice(0, -1))}
            >
              Newer
            </button>
            <button
              type="button"
              className="btn small sec"
              disabled={page.next === null}
              onClick={() => page.next !== null && setCursors([...cursors, page.next])}
            >
              Older
            </button>
          </nav>
        </section>
      ) : null}
    </>
  );
}

function AuditFilters({ busy, onExport }: { busy: boolean; onExport: () => void }) {
  const { read, write } = useConsoleUrl();
  const isFiltered = ['q', 'actor', 'kind', 'days'].some((name) => read(name) !== '');
  return (
    <div className="ops-tools">
      <div className="ops-search" role="search" aria-label="Activity log">
        <input
          type="search"
          aria-label="Search the activity log"
          placeholder="FD-1042, reason, pi_…"
          value={read('q')}
          onChange={(event) => write({ q: event.currentTarget.value })}
        />
      </div>
      <FilterSelect name="actor" label="Who" options={ACTORS} />
      <FilterSelect
        name="kind"
        label="What"
        options={[
          ['', 'Everything'],
          ...Object.entries(ACTION_KINDS).map(([kind, { label }]) => [kind, label] as const),
        ]}
      />
      <FilterSelect name="days" label="When" options={PERIODS} />
      {isFiltered ? (
        <button
          type="button"
          className="link-btn"
          onClick={() => write({ q: '', actor: '', kind: '', days: '' })}
        >
          Clear
        </button>
      ) : null}
      <span className="ops-count" />
      <BusyButton className="btn small sec" busy={busy} onPress={onExport}>
        CSV
      </BusyButton>
    </div>
  );
}

function FilterSelect({
  name,
  label,
  options,
}: {
  name: string;
  label: string;
  options: readonly (readonly [string, string])[];
}) {
  const { read, write } = useConsoleUrl();
  return (
    <select
      className={read(name) ? 'ops-select is-set' : 'ops-select'}
      aria-label={label}
      value={read(name)}
      onChange={(event) => write({ [name]: event.currentTarget.value })}
    >
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}
