import '../frame/frame.css';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { isSessionExpiredError } from '@/api/session-expired';
import { loginPathWithReturn } from '@/shared/return-path';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { ClubPageLayout } from '../frame/club-frame';
import { userOf } from '../frame/club-page';
import { roleOf } from '../session/roles';
import { useSession } from '../session/use-session';

/**
 * Layout of the two payment pages. Any user may open them; the server decides which payments the
 * user sees (decision G-2).
 */
export function PaymentsPageLayout({ children }: { children: ReactNode }) {
  const user = userOf(useSession());
  const club =
    user && !user.isAdmin && user.clubSlug
      ? {
          id: user.id,
          name: user.name,
          slug: user.clubSlug,
          archived: user.archived,
          role: roleOf(user),
        }
      : null;
  return <ClubPageLayout club={club}>{children}</ClubPageLayout>;
}

interface PaymentsLoadErrorProps {
  title: string;
  problem: unknown;
  onRetry: () => Promise<unknown>;
}

export function PaymentsLoadError({ title, problem, onRetry }: PaymentsLoadErrorProps) {
  const guest = isSessionExpiredError(problem);
  return (
    <div className="callout is-bad" role="alert">
      <strong>{title}</strong>
      {guest ? <p>{C.logInForPage}</p> : null}
      <div className="actions">
        {guest ? (
          <Link className="btn small" href={loginPathWithReturn()}>
            {C.login}
          </Link>
        ) : null}
        <button type="button" className="btn small sec" onClick={() => void onRetry()}>
          Retry
        </button>
      </div>
    </div>
  );
}
