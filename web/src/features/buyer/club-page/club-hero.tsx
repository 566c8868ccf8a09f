import { useSetAtom } from 'jotai';
import type { Club } from '@/api/wire';
import { initialsOf } from '@/shared/club-colours';
import { shareOrCopy } from '@/features/buyer/site/share';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { showToastAtom } from '@/shared/ui/toast-atoms';

/** The header section of a club's page. The server renders the same markup. */
export function ClubHero({ club }: { club: Club }) {
  const showToast = useSetAtom(showToastAtom);
  const title = club.homePageTitle || club.name;
  const onShare = async () => {
    const url = `${window.location.origin}/club/${club.canonicalSlug ?? club.slug}`;
    const toast = await shareOrCopy({
      title,
      text: `${title}: ${club.homePageTagline || S.defaultTagline}`,
      url,
    });
    if (toast) showToast(toast);
  };
  return (
    <div className="club-hero">
      <div className="wrap">
        <div className="club-name">
          {club.logoUrl ? (
            <img src={club.logoUrl} alt="" width="96" height="96" />
          ) : (
            <span className="letters" aria-hidden="true">
              {initialsOf(club.name)}
            </span>
          )}
          <div>
            <h1>{title}</h1>
            <p>{club.homePageTagline || S.defaultTagline}</p>
          </div>
        </div>
        <div className="club-actions">
          <a className="btn" href="#live-draws">
            {S.viewCurrentDraws}
          </a>
          <button type="button" className="btn sec" onClick={() => void onShare()}>
            {S.shareClub}
          </button>
          <a className="btn sec" href="/admin">
            {S.clubAdminLogin}
          </a>
        </div>
      </div>
    </div>
  );
}
