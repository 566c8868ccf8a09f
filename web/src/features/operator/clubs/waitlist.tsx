import { useSetAtom } from 'jotai';
import { useState } from 'react';
import { removeWaitlistEntry } from '@/api/endpoints/operator';
import type { WaitlistEntry } from '@/api/wire-operator';
import { dayAndTime } from '@/shared/dates';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { Dialog } from '@/shared/ui/dialog';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { AuditTrail } from '../audit/audit-trail';
import { useQuery, useRefetchQueries, useSetQueryData } from '../queries/use-query';
import { StatFigure, StatFigureList, ErrorMessage, QueryResult } from '../components/common';
import { BusyButton } from '../components/busy-button';
import { useActionWithFeedback } from '../session/use-action';
import type { Column } from '../table/columns';
import { DataTable } from '../table/data-table';

const WAITLIST_COLUMNS: readonly Column<WaitlistEntry>[] = [
  {
    id: 'clubName',
    header: 'Club',
    name: true,
    value: ({ clubName }) => clubName,
    cell: ({ clubName }) => <strong>{clubName}</strong>,
  },
  { id: 'contactName', header: 'Contact', value: ({ contactName }) => contactName },
  {
    id: 'contactEmail',
    header: 'E-mail',
    value: ({ contactEmail }) => contactEmail,
    cell: ({ contactEmail }) => (
      <a className="ops-clip" href={`mailto:${contactEmail}`}>
        {contactEmail}
      </a>
    ),
  },
  {
    id: 'contactPhone',
    header: 'Phone',
    value: ({ contactPhone }) => contactPhone,
    cell: ({ contactPhone }) => (
      <a href={`tel:${contactPhone.replaceAll(' ', '')}`}>{contactPhone}</a>
    ),
  },
  {
    id: 'createdAt',
    header: 'Since',
    value: ({ createdAt }) => createdAt,
    text: ({ createdAt }) => dayAndTime(createdAt),
  },
];

/** Section 'Waitlist': lists the clubs that asked to join while registration was closed. */
export function WaitlistSection() {
  const waitlist = useQuery('waitlist');
  const [removing, setRemoving] = useState<WaitlistEntry | null>(null);
  return (
    <QueryResult {...waitlist} title="The waitlist did not load">
      {(entries) => (
        <>
          <StatFigureList label={O.waitlist}>
            <StatFigure label={entries.length === 1 ? 'Entry' : 'Entries'} value={entries.length} />
          </StatFigureList>
          <DataTable
            label={O.waitlist}
            rows={entries}
            rowId={(entry) => String(entry.id)}
            columns={WAITLIST_COLUMNS}
            order="-createdAt"
            empty={<strong>Nobody is waiting.</strong>}
            actions={(entry) => (
              <button type="button" className="btn small sec" onClick={() => setRemoving(entry)}>
                Remove
              </button>
            )}
          />
          <section className="card panel">
            <AuditTrail objects="waitlist:*" turn={entries} title="Changes of the waitlist" top />
          </section>
          {removing ? (
            <RemoveWaitlistEntryDialog entry={removing} onClose={() => setRemoving(null)} />
          ) : null}
        </>
      )}
    </QueryResult>
  );
}

function RemoveWaitlistEntryDialog({
  entry,
  onClose,
}: {
  entry: WaitlistEntry;
  onClose: () => void;
}) {
  const action = useActionWithFeedback();
  const setQueryData = useSetQueryData();
  const refetchQueries = useRefetchQueries();
  const toast = useSetAtom(showToastAtom);
  const remove = async () => {
    const done = await action.run(() => removeWaitlistEntry(entry.id), {
      failed: 'Remove failed',
      failedText: 'The entry is still on the waitlist. Please try again.',
    });
    if (!done) return;
    toast({ title: `${entry.clubName} is off the waitlist` });
    setQueryData('waitlist', (entries) => entries?.filter((other) => other.id !== entry.id));
    void refetchQueries('waitlist').catch(() => {});
    onClose();
  };
  return (
    <Dialog title={`Remove ${entry.clubName}?`} open onClose={onClose}>
      <p>{entry.contactName} is not told. The entry cannot be brought back.</p>
      <ErrorMessage message={action.error} />
      <div className="actions">
        <BusyButton className="btn danger" busy={action.busy} onPress={() => void remove()}>
          Remove
        </BusyButton>
        <button type="button" className="btn sec" onClick={onClose}>
          Keep
        </button>
      </div>
    </Dialog>
  );
}
