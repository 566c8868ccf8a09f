import { useMemo, useState } from 'react';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { useQuery } from '../queries/use-query';
import { useConsoleUrl } from '../console/address';
import { TableShortcutHints } from '../console/shortcuts';
import { QueryResult } from '../components/common';
import { DataTable } from '../table/data-table';
import { FilterChips } from '../table/table-tools';
import { CLUB_COLUMNS } from './club-columns';
import { ClubDialog } from './club-dialog';

/** Section 'Club Management': lists the clubs that are not archived. */
export function ClubsSection() {
  const clubs = useQuery('clubs');
  const { read } = useConsoleUrl();
  const [openId, setOpenId] = useState<number | null>(null);
  const status = read('status');
  const connected = clubs.data?.filter((club) => club.stripeConnectOnboardingComplete).length;
  const filtered = useMemo(
    () =>
      clubs.data?.filter(
        (club) => !status || (status === 'connected') === club.stripeConnectOnboardingComplete,
      ),
    [clubs.data, status],
  );
  const open = clubs.data?.find((club) => club.id === openId) ?? null;
  return (
    <QueryResult {...clubs} data={filtered} title="The clubs did not load">
      {(rows) => (
        <>
          <DataTable
            label="Clubs"
            rows={rows}
            of={clubs.data?.length}
            rowId={(club) => String(club.id)}
            columns={CLUB_COLUMNS}
            order="name"
            empty={
              <>
                <strong>No clubs yet.</strong>
                <p>Clubs appear here once they register.</p>
              </>
            }
            chips={
              <FilterChips
                name="status"
                label="Stripe"
                options={[
                  { value: '', label: 'All', count: clubs.data?.length },
                  { value: 'connected', label: O.connected, count: connected },
                  {
                    value: 'pending',
                    label: O.setupPending,
                    count:
                      connected === undefined ? undefined : (clubs.data?.length ?? 0) - connected,
                  },
                ]}
              />
            }
            onOpen={(club) => setOpenId(club.id)}
            actions={(club) => (
              <button type="button" className="link-btn" onClick={() => setOpenId(club.id)}>
                {O.viewDetails}
              </button>
            )}
          />
          <TableShortcutHints />
          {open ? <ClubDialog club={open} onClose={() => setOpenId(null)} /> : null}
        </>
      )}
    </QueryResult>
  );
}
