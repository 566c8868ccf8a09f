import { useSetAtom } from 'jotai';
import { useState } from 'react';
import { archiveClub } from '@/api/endpoints/operator';
import type { AdminClub, AdminDraw } from '@/api/wire-operator';
import { dayText, dayAndTime } from '@/shared/dates';
import { TICKETS_PER_DRAW } from '@/shared/draw-size';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { Dialog } from '@/shared/ui/dialog';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { AuditTrail } from '../audit/audit-trail';
import { useQuery, useRefetchQueries } from '../queries/use-query';
import { useConsoleUrl } from '../console/address';
import { CopyableId, FactList, ErrorMessage } from '../components/common';
import { BusyButton } from '../components/busy-button';
import { useActionWithFeedback } from '../session/use-action';
import { isTestDraw, useHideTestDraws } from '../draws/hidden-test-draws';
import { DrawStatusTag } from '../draws/draw-tag';
import { soldTicketCount } from '../draws/sold-tickets';
import { StripeConnectTag } from './club-columns';

const RECENT_DRAWS_SHOWN = 5;

const drawCountOf = (draws: readonly AdminDraw[], status?: string) =>
  status ? draws.filter((draw) => draw.status === status).length : draws.length;

/** Shows the details of a club and its five latest draws (specification lines C:47-52). */
export function ClubDialog({ club, onClose }: { club: AdminClub; onClose: () => void }) {
  const all = useQuery('draws').data;
  const hideTest = useHideTestDraws().on;
  const { go } = useConsoleUrl();
  const own = (all ?? [])
    .filter((draw) => draw.clubId === club.id && !(hideTest && isTestDraw(draw)))
    .sort((one, other) => other.gameDate.localeCompare(one.gameDate));
  return (
    <Dialog title={club.name} open onClose={onClose}>
      <FactList
        facts={[
          [
            'E-mail',
            <a key="mail" href={`mailto:${club.email}`}>
              {club.email}
            </a>,
          ],
          ['Phone', club.phone],
          ['Location', club.location],
          ['Joined', dayText(club.createdAt)],
          ['Stripe', <StripeConnectTag key="connect" club={club} />],
          ['Account', <CopyableId key="account" id={club.stripeConnectAccountId} full />],
          ['Total draws', all ? drawCountOf(own) : club.totalDraws],
          ['Active draws', all ? drawCountOf(own, 'active') : club.activeDraws],
          ['Completed draws', all ? drawCountOf(own, 'completed') : club.completedDraws],
        ]}
      />
      <h3 className="ops-sub">Recent draws</h3>
      {own.length === 0 ? (
        <p className="meta">No draws yet.</p>
      ) : (
        <ul className="ops-recent">
          {own.slice(0, RECENT_DRAWS_SHOWN).map((draw) => (
            <li key={draw.drawNumber}>
              <span>
                {draw.homeTeam} v {draw.awayTeam}
                <small>
                  {dayAndTime(draw.gameDate, draw.timezone)} · {soldTicketCount(draw)}/
                  {TICKETS_PER_DRAW}
                </small>
              </span>
              <DrawStatusTag status={draw.status} />
            </li>
          ))}
        </ul>
      )}
      <ArchiveClubButton club={club} onDone={onClose} />
      {own.length > RECENT_DRAWS_SHOWN ? (
        <p>
          <button type="button" className="link-btn" onClick={() => go('draws', { q: club.name })}>
            All {own.length} draws
          </button>
        </p>
      ) : null}
      <AuditTrail objects={`club:${club.id}`} />
    </Dialog>
  );
}

function ArchiveClubButton({ club, onDone }: { club: AdminClub; onDone: () => void }) {
  const action = useActionWithFeedback();
  const refetchQueries = useRefetchQueries();
  const toast = useSetAtom(showToastAtom);
  const [isConfirming, setConfirming] = useState(false);
  const archive = async () => {
    const done = await action.run(
      async () => {
        await archiveClub(club.id);
      },
      { failed: 'Archive failed', failedText: 'The club was not archived. Please try again.' },
    );
    if (!done) return;
    toast({ title: `${club.name} is archived` });
    void refetchQueries('clubs').catch(() => {});
    onDone();
  };
  if (!isConfirming)
    return (
      <div className="actions">
        <button type="button" className="btn small sec" onClick={() => setConfirming(true)}>
          Archive club
        </button>
      </div>
    );
  return (
    <div className="callout is-warn">
      <strong>Archive {club.name}?</strong>
      <p>
        Its page and its draws leave the public lists and it can open no new draws. Running draws
        finish and pay. {O.archivedClubs} restores it.
      </p>
      <ErrorMessage message={action.error} />
      <div className="actions">
        <BusyButton busy={action.busy} onPress={() => void archive()}>
          Archive
        </BusyButton>
        <button type="button" className="btn small sec" onClick={() => setConfirming(false)}>
          Keep
        </button>
      </div>
    </div>
  );
}
