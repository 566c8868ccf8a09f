import { useSetAtom } from 'jotai';
import type { Club } from '@/api/wire';
import { initialsOf } from '@/shared/club-colours';
import { shareOrCopy } from '@/features/buyer/site/share';
import { decimalToCents, formatWholeDollars } from '@/shared/money';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { ProgressBar } from '@/shared/ui/progress-bar';

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
      {club.photoUrl ? (
        <img className="club-photo" src={club.photoUrl} alt="" width="1200" height="400" />
      ) : null}
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
        <GoalProgress club={club} />
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

/** What the club raises money for, how much it has raised, and how much it wants. */
function GoalProgress({ club }: { club: Club }) {
  if (!club.goalText || !club.goalAmount) return null;
  const goal = decimalToCents(club.goalAmount);
  const raised = decimalToCents(club.raisedSoFar ?? '0.00');
  const percent = Math.floor((raised * 100) / Math.max(goal, 1));
  const part = Math.min(percent, 100);
  return (
    <div className="club-goal">
      <dl>
        <div>
          <dt>Raised so far</dt>
          <dd>{formatWholeDollars(raised)}</dd>
        </div>
        <div>
          <dt>Goal</dt>
          <dd>{formatWholeDollars(goal)}</dd>
        </div>
      </dl>
      <ProgressBar label="Raised so far" value={part} max={100} />
      {percent >= 100 ? (
        <p>
          <strong>Goal reached:</strong> {club.goalText}
        </p>
      ) : (
        <p>
          <strong>{percent}%</strong> of the way to {club.goalText}
        </p>
      )}
    </div>
  );
}
