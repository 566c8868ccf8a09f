import { useSetAtom } from 'jotai';
import { useRef } from 'react';
import { restoreClub } from '@/api/endpoints/operator';
import type { AdminClub } from '@/api/wire-operator';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { useQuery, useRefetchQueries, useSetQueryData } from '../queries/use-query';
import { ErrorMessage, QueryResult } from '../components/common';
import { BusyButton } from '../components/busy-button';
import { useActionWithFeedback } from '../session/use-action';
import { DataTable } from '../table/data-table';
import { CLUB_COLUMNS } from './club-columns';

/** Lists the archived clubs, each with a button to restore it. */
export function ArchivedClubsSection() {
  const archived = useQuery('archived');
  const action = useActionWithFeedback();
  const setQueryData = useSetQueryData();
  const refetchQueries = useRefetchQueries();
  const toast = useSetAtom(showToastAtom);
  const busyWith = useRef<number | null>(null);
  const restore = async (club: AdminClub) => {
    busyWith.current = club.id;
    const done = await action.run(
      async () => {
        await restoreClub(club.id);
      },
      { failed: 'Restore failed', failedText: 'The club was not restored. Please try again.' },
    );
    if (!done) return;
    toast({ title: `${club.name} is restored` });
    setQueryData('archived', (clubs) => clubs?.filter((other) => other.id !== club.id));
    void refetchQueries('clubs', 'archived').catch(() => {});
  };
  return (
    <QueryResult {...archived} title="The archived clubs did not load">
      {(clubs) => (
        <>
          <ErrorMessage message={action.error} />
          <DataTable
            label={O.archivedClubs}
            rows={clubs}
            rowId={(club) => String(club.id)}
            columns={CLUB_COLUMNS}
            order="name"
            empty={<strong>{O.noArchivedClubs}</strong>}
            actions={(club) => (
              <BusyButton
                className="btn small sec"
                busy={action.busy && busyWith.current === club.id}
                onPress={() => void restore(club)}
              >
                {O.restore}
              </BusyButton>
            )}
          />
        </>
      )}
    </QueryResult>
  );
}
