import './offers.css';
import { useAtomValue, useSetAtom } from 'jotai';
import { useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { CLUB_API_PATHS, changeOffer, createOffer, deleteOfferImage } from '@/api/endpoints/club';
import type { Draw } from '@/api/wire';
import type { Offer } from '@/api/wire-offer';
import { nowAtom } from '@/features/shared-live/live-atoms';
import { splitTitle } from '@/shared/split-title';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { usePageTitle } from '@/shared/ui/page-title';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { drawListNameOf } from '../dashboard/draw-labels';
import { markPathsChangedAtom, cacheResponseAtom } from '../data/query-atoms';
import { errorText } from '../data/error-text';
import { isNotFoundError, useQuery } from '../data/use-query';
import { BackLink, archivedText } from '../frame/club-frame';
import { ClubPageSkeleton, ClubLoadError, type ClubPageContext } from '../frame/club-page';
import { UnsavedChangesGuard } from '../frame/unsaved-changes-guard';
import { SELLERS_ONLY_TEXT, canSell } from '../session/roles';
import { useMutation } from '../session/use-session';
import { adminPath } from '../session/user';
import { OfferFieldsets, type PickableGame } from './offer-fields';
import { OfferImageField } from './offer-image';
import { OfferBadge } from './offer-list';
import {
  EMPTY_OFFER,
  generatedShareImageUrl,
  fieldsOfOffer,
  isOfferLockedError,
  offerProblem,
  toOfferRequest,
  readOnlyReason,
} from './offer-rules';
import type { OfferFields } from './offer-rules';

/** Page to edit an offer. `id` is null for a new offer. */
export function OfferPage({ here, id }: { here: ClubPageContext; id: number | null }) {
  const { data, problem, retry } = useQuery<Offer>(
    id === null ? null : CLUB_API_PATHS.offer(here.club.slug, id),
  );
  usePageTitle(id === null ? 'New offer' : (data?.name ?? 'Offer'));
  if (id === null || data)
    return <OfferEditor key={id ?? 'new'} here={here} offer={data ?? null} />;
  if (isNotFoundError(problem))
    return (
      <main className="plain-page" id="main">
        <BackLink club={here.club} text={C.bundles} to="bundles" />
        <h1>Offer not found</h1>
      </main>
    );
  return problem ? (
    <ClubLoadError text={C.failedToLoadBundles} onRetry={retry} />
  ) : (
    <ClubPageSkeleton />
  );
}

/**
 * Returns the games on sale plus those already in the offer, whatever their status. A read-only
 * user sees only the offer's games.
 */
function usePickableGames(
  here: ClubPageContext,
  offer: Offer | null,
  readOnly: boolean,
): PickableGame[] {
  const { data } = useQuery<Draw[]>(readOnly ? null : CLUB_API_PATHS.draws(here.club.id));
  const now = useAtomValue(nowAtom);
  const onSale: PickableGame[] = (data ?? []).filter(
    (draw) => drawListNameOf(draw, now) === 'active',
  );
  const more = (offer?.games ?? []).filter((game) => !onSale.some(({ id }) => id === game.id));
  return [...more, ...onSale];
}

function OfferEditor({
  here: { club, user },
  offer,
}: {
  here: ClubPageContext;
  offer: Offer | null;
}) {
  const [fields, setFields] = useState<OfferFields>(() =>
    offer ? fieldsOfOffer(offer) : EMPTY_OFFER,
  );
  const [dirty, setDirty] = useState(false);
  /** Uploaded pictures that the offer no longer uses. They are deleted after the offer is saved. */
  const dropped = useRef(new Set<string>());
  const [lockedNow, setLockedNow] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const { pending, run } = useMutation();
  const showToast = useSetAtom(showToastAtom);
  const keep = useSetAtom(cacheResponseAtom);
  const changed = useSetAtom(markPathsChangedAtom);
  const [, navigate] = useLocation();
  const problemText =
    lockedNow ??
    archivedText(club) ??
    (canSell(club) ? null : SELLERS_ONLY_TEXT) ??
    (offer ? readOnlyReason(offer) : null);
  const readOnly = problemText !== null;
  const games = usePickableGames({ club, user }, offer, readOnly);
  const change = (next: OfferFields) => {
    setFields(next);
    setDirty(true);
    setProblem(null);
  };
  const show = (shareImageUrl: string) => {
    if (fields.shareImageUrl) dropped.current.add(fields.shareImageUrl);
    change({ ...fields, shareImageUrl });
  };
  const complain = (title: string, text: string) => {
    setProblem(text);
    showToast({ title, text, bad: true });
  };
  const save = (status: 'draft' | 'active') => {
    const request = toOfferRequest({ ...fields, status });
    const wrong = offerProblem(request);
    if (wrong) return complain(C.error, wrong);
    void run(
      async () => {
        const saved = offer
          ? await changeOffer(club.slug, offer.id, request)
          : await createOffer(club.slug, request);
        setDirty(false);
        for (const url of dropped.current)
          if (url !== saved.shareImageUrl)
            void deleteOfferImage(url, club.slug, saved.slug).catch(() => {});
        keep(CLUB_API_PATHS.offer(club.slug, saved.id), saved);
        changed(CLUB_API_PATHS.offers(club.slug));
        showToast({
          title:
            status === 'active' ? `${saved.name} is on sale` : `${saved.name} is saved as a draft`,
        });
        navigate(adminPath(club.slug, 'bundles'));
      },
      (error) => {
        if (!isOfferLockedError(error))
          return complain(C.error, errorText(error, C.failedToSaveBundle));
        setLockedNow(C.bundleLocked);
        setDirty(false);
        showToast({ ...splitTitle(C.bundleLocked), bad: true });
      },
    );
  };
  return (
    <main className="admin" id="main">
      <BackLink club={club} text={C.bundles} to="bundles" />
      <div className="admin-head">
        <h1>{offer ? offer.name : 'New offer'}</h1>
        {offer ? <OfferBadge status={lockedNow ? 'locked' : offer.status} /> : null}
      </div>
      {problemText ? (
        <p className="callout is-warn" role="status">
          {problemText}
        </p>
      ) : null}
      {problem ? (
        <p className="callout is-bad" role="alert">
          {problem}
        </p>
      ) : null}
      <div className="form-layout has-side">
        <div className="form-groups">
          <OfferFieldsets offer={fields} onOffer={change} games={games} readOnly={readOnly} />
        </div>
        <section className="card" aria-labelledby="image-title">
          <h2 id="image-title">Share image</h2>
          <OfferImageField
            clubSlug={club.slug}
            bundleSlug={fields.slug}
            name={fields.name}
            tag={fields.displayTag}
            url={fields.shareImageUrl}
            drawn={
              offer && fields.name === offer.name ? generatedShareImageUrl(club.slug, offer) : null
            }
            readOnly={readOnly}
            onUrl={show}
          />
        </section>
      </div>
      {readOnly ? null : (
        <div className="sticky-bar">
          <button
            type="button"
            className="btn sec"
            aria-disabled={pending}
            onClick={() => save('draft')}
          >
            Save as draft
          </button>
          <button
            type="button"
            className="btn"
            aria-disabled={pending}
            onClick={() => save('active')}
          >
            {offer && offer.status !== 'draft' ? 'Save' : 'Activate'}
          </button>
        </div>
      )}
      <UnsavedChangesGuard dirty={dirty && !readOnly} />
    </main>
  );
}
