import { useSetAtom } from 'jotai';
import type { Club } from '@/api/wire';
import { initials } from '@/features/buyer/site/club-colours';
import { share } from '@/features/buyer/site/share';
import { S } from '@/shared/strings';
import { showToastAtom } from '@/shared/ui/toast-atoms';

export function ClubHero({ club }: { club: Club }) {
  const showToast = useSetAtom(showToastAtom);
  const onShare = async () => {
    const toast = await share({ title: club.name, text: `${club.name} on Football Doubles`, url: `${window.location.origin}/club/${club.slug}` });
    if (toast) showToast(toast);
  };
  return (
    <div className="club-hero">
      <div className="wrap">
        <div className="club-name">
          {club.logoUrl ? <img src={club.logoUrl} alt="" width="96" height="96" /> : <span className="letters" aria-hidden="true">{initials(club.name)}</span>}
          <div>
            <h1>{club.homePageTitle || club.name}</h1>
            <p>{club.homePageTagline || S.defaultTagline}</p>
          </div>
        </div>
        <div className="club-actions">
          <a className="btn" href="#live-draws">{S.viewCurrentDraws}</a>
          <button type="button" className="btn sec" onClick={() => void onShare()}>{S.shareClub}</button>
          <a className="btn sec" href="/admin">{S.clubAdminLogin}</a>
        </div>
      </div>
    </div>
  );
}
