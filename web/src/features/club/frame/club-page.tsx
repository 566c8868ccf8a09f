/**
 * Access check of all club pages: resolves the user and the club, and redirects users without
 * access.
 */
import './frame.css';
import { useSetAtom } from 'jotai';
import { useEffect, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { CLUB_API_PATHS } from '@/api/endpoints/club';
import type { OwnClub, User } from '@/api/wire-club';
import { loginPathWithReturn } from '@/shared/return-path';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { showToastAtom, type Toast } from '@/shared/ui/toast-atoms';
import { isNotFoundError, useQuery } from '../data/use-query';
import { LoginDialog } from '../session/login-dialog';
import { ReauthenticationDialog } from '../session/reauthentication-dialog';
import type { Session } from '../session/session-atoms';
import { roleOf } from '../session/roles';
import { useSession } from '../session/use-session';
import { adminPath, rememberedUser } from '../session/user';
import { BackLink, ClubPageLayout, type CurrentClub } from './club-frame';

export interface ClubPageContext {
  user: User;
  club: CurrentClub;
}

interface ClubPageProps {
  slug: string | undefined;
  /**
   * Path of the page below the club's admin URL. A user who opens it under another club's slug is
   * redirected to their own club.
   */
  page: string;
  /** Toast for a guest who is redirected to the login. */
  guestToast?: Toast;
  /** Text shown to a guest on this page instead of a redirect. */
  guestText?: string;
  children: (here: ClubPageContext) => ReactNode;
}

/** Returns the signed-in user, or the remembered user when the server could not be reached. */
export function userOf(session: Session): User | null {
  if (session.state === 'in') return session.whoami.user;
  return session.state === 'unsure' ? rememberedUser() : null;
}

export function ClubPage({ slug, page, guestToast, guestText, children }: ClubPageProps) {
  const session = useSession();
  const user = userOf(session);
  if (session.state === 'unknown') return <ClubPageSkeleton />;
  if (!user)
    return guestText ? (
      <GuestMessage text={guestText} />
    ) : (
      <Redirect to={loginPathWithReturn()} toast={guestToast} />
    );
  if (user.isAdmin && !slug) return <Redirect to="/admin" />;
  if (user.isAdmin)
    return (
      <OperatorClubPage slug={slug ?? ''} user={user}>
        {children}
      </OperatorClubPage>
    );
  if (slug && user.clubSlug && slug.toLowerCase() !== user.clubSlug.toLowerCase())
    return <Redirect to={adminPath(user.clubSlug, page)} />;
  const club = {
    id: user.id,
    name: user.name,
    slug: user.clubSlug ?? slug ?? '',
    archived: user.archived,
    role: roleOf(user),
  };
  return (
    <ClubPageWithDialogs club={club} operator={user.isAdmin}>
      {children({ user, club })}
    </ClubPageWithDialogs>
  );
}

/** Loads the club whose slug is in the URL, for the operator. */
function OperatorClubPage({
  slug,
  user,
  children,
}: {
  slug: string;
  user: User;
  children: (here: ClubPageContext) => ReactNode;
}) {
  const { data, problem, retry } = useQuery<OwnClub>(CLUB_API_PATHS.club(slug));
  if (!data && problem)
    return (
      <ClubPageLayout club={null}>
        <ClubLoadError
          text={isNotFoundError(problem) ? C.clubPageNotFound : C.failedToLoadClubPage}
          onRetry={retry}
        />
      </ClubPageLayout>
    );
  if (!data) return <ClubPageSkeleton />;
  const club = {
    id: data.id,
    name: data.name,
    slug: data.canonicalSlug ?? data.slug,
    archived: data.archived,
    role: roleOf(user),
  };
  return (
    <ClubPageWithDialogs club={club} operator={user.isAdmin}>
      {children({ user, club })}
    </ClubPageWithDialogs>
  );
}

function ClubPageWithDialogs({
  club,
  operator,
  children,
}: {
  club: CurrentClub;
  operator: boolean;
  children: ReactNode;
}) {
  return (
    <ClubPageLayout club={club}>
      {children}
      <ReauthenticationDialog operator={operator} />
      <LoginDialog />
    </ClubPageLayout>
  );
}

export function Redirect({ to, toast }: { to: string; toast?: Toast }) {
  const [, navigate] = useLocation();
  const showToast = useSetAtom(showToastAtom);
  useEffect(() => {
    if (toast) showToast(toast);
    navigate(to, { replace: true });
  }, [to, toast, navigate, showToast]);
  return null;
}

function GuestMessage({ text }: { text: string }) {
  return (
    <ClubPageLayout club={null}>
      <main className="plain-page" id="main">
        <h1>{text}</h1>
        <div className="actions">
          <Link className="btn" href={loginPathWithReturn()}>
            {C.login}
          </Link>
        </div>
      </main>
    </ClubPageLayout>
  );
}

/** Shown when the user's role does not allow the page. */
export function AccessDenied({
  title,
  text,
  club,
}: {
  title: string;
  text: string;
  club: CurrentClub;
}) {
  return (
    <main className="admin" id="main">
      <BackLink club={club} />
      <h1>{title}</h1>
      <p className="callout is-warn">{text}</p>
    </main>
  );
}

export function ClubLoadError({
  text,
  onRetry,
}: {
  text: string;
  onRetry: () => Promise<unknown>;
}) {
  return (
    <main className="admin" id="main">
      <h1>{text}</h1>
      <div>
        <button type="button" className="btn sec" onClick={() => void onRetry()}>
          Retry
        </button>
      </div>
    </main>
  );
}

/** Placeholder boxes shown while the page loads. */
export function ClubPageSkeleton() {
  return (
    <main className="admin" id="main" aria-busy="true">
      <h1 className="sr">Loading</h1>
      <span className="skeleton" style={{ height: 34, width: '60%' }} />
      <span className="skeleton" style={{ height: 150 }} />
      <span className="skeleton" style={{ height: 150 }} />
    </main>
  );
}
