import { useState } from 'react';
import { Link } from 'wouter';
import type { AuditEntry } from '@/api/wire-platform';
import { timeOfDay } from '@/shared/dates';
import { CopyableId, FactList } from '../components/common';
import { RelativeTime } from '../components/relative-time';
import { useQuery } from '../queries/use-query';
import {
  actionKindOf,
  auditSentenceOf,
  changedFieldsOf,
  otherDetailsOf,
  type ObjectNames,
} from './audit-sentence';

/** Returns the names of the draws and clubs that the console has loaded. */
export function useObjectNames(): ObjectNames {
  const draws = useQuery('draws').data;
  const clubs = useQuery('clubs').data;
  return {
    draw: (drawNumber) => {
      const draw = draws?.find((each) => each.drawNumber === drawNumber);
      return draw && `${draw.homeTeam} v ${draw.awayTeam}`;
    },
    club: (id) => clubs?.find((club) => club.id === id)?.name,
  };
}

interface AuditEntryItemProps {
  entry: AuditEntry;
  names: ObjectNames;
  /** Whether the time of day is shown, because a heading names the day. Otherwise the age. */
  byDay?: boolean;
}

/** One audit entry: a sentence, and its details on request. */
export function AuditEntryItem({ entry, names, byDay = false }: AuditEntryItemProps) {
  const [open, setOpen] = useState(false);
  const { who, verb, object, rest, reason } = auditSentenceOf(entry, names);
  return (
    <li className={`ops-entry is-${actionKindOf(entry.action) ?? 'other'}`}>
      <span className="ops-entry-time">
        {byDay ? (
          <time dateTime={entry.at}>{timeOfDay(entry.at)}</time>
        ) : (
          <RelativeTime at={entry.at} />
        )}
      </span>
      <p>
        <strong title={entry.actor}>{who}</strong> {verb}
        {object ? ' ' : ''}
        {object?.href ? <Link href={object.href}>{object.text}</Link> : object?.text}
        {rest}.{reason ? ` Reason: “${reason}”.` : ''}
      </p>
      <button
        type="button"
        className="icon-btn ops-entry-more"
        aria-expanded={open}
        aria-label={`Details of entry ${entry.id}`}
        onClick={() => setOpen(!open)}
      >
        <svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true">
          <path
            d={open ? 'M6 15l6-6 6 6' : 'M6 9l6 6 6-6'}
            fill="none"
            stroke="currentColor"
            strokeWidth="2"
          />
        </svg>
      </button>
      {open ? <AuditEntryDetails entry={entry} /> : null}
    </li>
  );
}

function AuditEntryDetails({ entry }: { entry: AuditEntry }) {
  const changed = changedFieldsOf(entry);
  const others = otherDetailsOf(entry);
  return (
    <div className="ops-entry-details">
      {changed.length > 0 ? (
        <table className="ops-changes">
          <thead>
            <tr>
              <th scope="col">What changed</th>
              <th scope="col">Before</th>
              <th scope="col">After</th>
            </tr>
          </thead>
          <tbody>
            {changed.map(({ field, before, after }) => (
              <tr key={field}>
                <th scope="row">{field}</th>
                <td>{before}</td>
                <td>
                  <strong>{after}</strong>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
      {others.length > 0 ? <FactList facts={others} /> : null}
      <p className="meta">
        Entry {entry.id}
        {entry.ip ? `, from ${entry.ip}` : ''}, hash <CopyableId id={entry.hash} />
      </p>
    </div>
  );
}
