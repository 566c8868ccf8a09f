import { useSetAtom } from 'jotai';
import { Link } from 'wouter';
import { CLUB_API_PATHS } from '@/api/endpoints/club';
import type { OwnClub } from '@/api/wire-club';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { LoadFailed } from '@/shared/ui/load-failed';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { copyToClipboard } from '../data/copy';
import { useQuery } from '../data/use-query';
import { archivedText, type CurrentClub } from '../frame/club-frame';
import { isOwner } from '../session/roles';
import { adminPath } from '../session/user';

/**
 * Card with the URL of the club's public page. Otherwise it says that the page is not set up
 * (decision H-2) or that the club is archived.
 */
export function HomepageCard({ club }: { club: CurrentClub }) {
  const { data, problem, retry } = useQuery<OwnClub>(
    club.archived ? null : CLUB_API_PATHS.club(club.id),
  );
  const showToast = useSetAtom(showToastAtom);
  const setup = adminPath(club.slug, 'home-page-setup');
  const slug = data?.homePageSlug ?? '';
  const url = `${window.location.origin}/club/${slug}`;
  const live =
    data !== undefined &&
    (data.homePageReady ?? Boolean(data.homePageTitle)) &&
    data.homePageEnabled !== false;
  const onCopy = async () => {
    if (!slug) return showToast({ title: C.noHomepageUrl, bad: true });
    await copyToClipboard(url);
    showToast({ title: C.clubUrlCopied, text: C.clubUrlCopiedText });
  };
  return (
    <section className="card" aria-labelledby="homepage-title">
      <h2 id="homepage-title">Club Homepage</h2>
      {!data && problem ? <LoadFailed title={C.failedToLoadClubPage} onRetry={retry} /> : null}
      {/* The public address of an archived club shows Page Not Found (decision H-3). */}
      {club.archived ? (
        <p className="lead">{archivedText(club)}</p>
      ) : live ? (
        <>
          <p className="page-url">
            {slug ? (
              <a href={`/club/${slug}`}>{url.replace(/^https?:\/\//, '')}</a>
            ) : (
              C.noHomepageUrl
            )}
          </p>
          <div className="row-actions">
            <button type="button" className="btn small" onClick={() => void onCopy()}>
              {C.copyUrl}
            </button>
            <a className="btn small sec" href={`/club/${slug}`} target="_blank" rel="noopener">
              {C.viewPage}
            </a>
            {isOwner(club) ? (
              <Link className="btn small sec" href={setup}>
                {C.edit}
              </Link>
            ) : null}
          </div>
        </>
      ) : data ? (
        <>
          <p className="lead">{C.homepageNotSetUp}</p>
          {isOwner(club) ? (
            <div className="row-actions">
              <Link className="btn small" href={setup}>
                {C.setUpHomepage}
              </Link>
            </div>
          ) : null}
        </>
      ) : problem ? null : (
        <span className="skeleton" style={{ height: 92, marginTop: 8 }} />
      )}
    </section>
  );
}
