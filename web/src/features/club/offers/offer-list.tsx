import './offers.css';
import { useSetAtom } from 'jotai';
import { useState } from 'react';
import { Link } from 'wouter';
import { CLUB_API_PATHS, archiveOffer } from '@/api/endpoints/club';
import type { Offer } from '@/api/wire-offer';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { SelectField } from '@/shared/ui/choice-field';
import { ConfirmDialog } from '@/shared/ui/confirm-dialog';
import { LoadFailed } from '@/shared/ui/load-failed';
import { usePageTitle } from '@/shared/ui/page-title';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { markPathsChangedAtom } from '../data/query-atoms';
import { errorText } from '../data/error-text';
import { useQuery } from '../data/use-query';
import { ActionsMenu } from '../frame/actions-menu';
import { BackLink, archivedText } from '../frame/club-frame';
import type { ClubPageContext } from '../frame/club-page';
import { canSell } from '../session/roles';
import { useMutation } from '../session/use-session';
import { adminPath } from '../session/user';
import { salesBlockingGame } from './offer-rules';

const OFFER_STATUS_LABELS: Record<string, { text: string; tone: string }> = {
  draft: { text: 'Draft', tone: '' },
  active: { text: 'Active', tone: 'is-active' },
  locked: { text: 'Locked', tone: 'is-awaiting' },
  closed: { text: 'Closed', tone: 'is-closed' },
  archived: { text: 'Archived', tone: 'is-archived' },
};

export function OfferBadge({ status }: { status: string }) {
  const { text, tone } = OFFER_STATUS_LABELS[status] ?? { text: status, tone: '' };
  return <span className={`badge ${tone}`}>{text}</span>;
}

/** Formats how often the offer was bought. Each sale contains tickets of all its games. */
const timesSoldText = (times: number): string =>
  times === 0 ? 'Not sold yet' : times === 1 ? 'Sold once' : `Sold ${times} times`;

/** Explains why buyers see an open offer as closed, and how to fix it. */
function ClosedGameNote({ offer }: { offer: Offer }) {
  const off = salesBlockingGame(offer);
  return off ? (
    <p className="callout is-warn">
      {C.bundleClosed}: {off.homeTeam} v {off.awayTeam} is not on sale any more. Choose its games
      anew.
    </p>
  ) : null;
}

/** Lists the club's offers. Archived offers show only when the filter asks for them. */
export function OfferList({ here: { club } }: { here: ClubPageContext }) {
  const { data, problem, retry } = useQuery<Offer[]>(CLUB_API_PATHS.offers(club.slug));
  const [filter, setFilter] = useState('all');
  const [leaving, setLeaving] = useState<Offer | null>(null);
  const { pending, run } = useMutation();
  const showToast = useSetAtom(showToastAtom);
  const changed = useSetAtom(markPathsChangedAtom);
  usePageTitle(C.bundles);
  const shown = (data ?? []).filter(({ status }) =>
    filter === 'all' ? status !== 'archived' : status === filter,
  );
  const archive = () =>
    leaving &&
    run(
      async () => {
        await archiveOffer(club.slug, leaving.id);
        setLeaving(null);
        showToast({ title: `${leaving.name} is archived` });
        changed(CLUB_API_PATHS.offers(club.slug), CLUB_API_PATHS.offer(club.slug, leaving.id));
      },
      (error) => {
        setLeaving(null);
        showToast({
          title: C.failedToArchiveBundle,
          text: errorText(error, C.pleaseTryAgain),
          bad: true,
        });
      },
    );
  return (
    <main className="admin" id="main" aria-busy={!data && !problem}>
      <BackLink club={club} />
      <div className="admin-head">
        <h1>{C.bundles}</h1>
        {club.archived || !canSell(club) ? null : (
          <Link className="btn" href={adminPath(club.slug, 'bundles/new')}>
            New offer
          </Link>
        )}
      </div>
      {club.archived ? <p className="callout is-warn">{archivedText(club)}</p> : null}
      {!data && problem ? <LoadFailed title={C.failedToLoadBundles} onRetry={retry} /> : null}
      {data && data.length > 0 ? (
        <SelectField id="offer-filter" label="Show" value={filter} onValue={setFilter}>
          <option value="all">All but archived</option>
          {Object.entries(OFFER_STATUS_LABELS).map(([status, { text }]) => (
            <option key={status} value={status}>
              {text}
            </option>
          ))}
        </SelectField>
      ) : null}
      {data && shown.length === 0 ? (
        <p className="card empty">
          {data.length === 0
            ? 'No offers yet. An offer sells the tickets of several games at once.'
            : 'No offer is in this state.'}
        </p>
      ) : null}
      <div className="offer-items">
        {data || problem
          ? null
          : [1, 2].map((index) => (
              <span className="skeleton" key={index} style={{ height: 190 }} />
            ))}
        {shown.map((offer) => (
          <article className="card offer-item" key={offer.id} aria-label={offer.name}>
            <div className="offer-item-top">
              <OfferBadge status={offer.status} />
              <span className="meta">{offer.type === 'SPECIAL' ? 'Special' : 'Bundle'}</span>
            </div>
            <h2 className="offer-name">{offer.name}</h2>
            <p className="meta">
              {offer.games.map((game) => `${game.homeTeam} v ${game.awayTeam}`).join(' · ') ||
                'No games'}
            </p>
            <p className="meta">{timesSoldText(offer.ticketsSold ?? 0)}</p>
            <ClosedGameNote offer={offer} />
            <div className="offer-item-actions">
              <Link className="btn sec" href={adminPath(club.slug, `bundles/${offer.id}`)}>
                {['draft', 'active'].includes(offer.status) && !club.archived && canSell(club)
                  ? C.edit
                  : 'View'}
              </Link>
              <ActionsMenu
                of={offer.name}
                items={[
                  ...(offer.status === 'draft' || offer.status === 'archived'
                    ? []
                    : [
                        {
                          label: C.viewPublic,
                          href: `/club/${club.slug}/specials/${offer.slug}`,
                          away: true,
                        },
                      ]),
                  ...(['draft', 'active', 'closed'].includes(offer.status) && canSell(club)
                    ? [
                        {
                          label: 'Archive',
                          onChoose: () => setLeaving(offer),
                          off: archivedText(club),
                        },
                      ]
                    : []),
                  { label: C.details, href: adminPath(club.slug, `bundles/${offer.id}`) },
                ]}
              />
            </div>
          </article>
        ))}
      </div>
      <ConfirmDialog
        title={`Archive ${leaving?.name ?? ''}?`}
        open={leaving !== null}
        confirm="Archive"
        danger
        pending={pending}
        onCancel={() => setLeaving(null)}
        onConfirm={() => void archive()}
      >
        <p>It leaves the club’s page at once and cannot be sold again.</p>
      </ConfirmDialog>
    </main>
  );
}
