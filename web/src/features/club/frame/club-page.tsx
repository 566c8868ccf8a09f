/** The door of every club screen: finds out who is there and which club it is about, and sends the others away. */
import './frame.css';
import { useSetAtom } from 'jotai';
import { useEffect, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { AT } from '@/api/endpoints/club';
import type { OwnClub, User } from '@/api/wire-club';
import { C } from '@/shared/strings-club';
import { showToastAtom, type Toast } from '@/shared/ui/toast-atoms';
import { isMissing, useAnswer } from '../data/use-answer';
import { LoginDialog } from '../session/login-dialog';
import type { Session } from '../session/session-atoms';
import { roleOf } from '../session/roles';
import { useSession } from '../session/use-session';
import { adminPath, rememberedUser } from '../session/user';
import { BackLink, ClubFrame, type FrameClub } from './club-frame';

export interface Here {
  user: User;
  club: FrameClub;
}

interface ClubPageProps {
  slug: string | undefined;
  /** The page under the club's address, for moving between the two spellings of it. */
  page: string;
  /** What a guest reads on the way to the login. */
  guestToast?: Toast;
  /** What a guest reads here, instead of being sent away. */
  guestWords?: string;
  children: (here: Here) => ReactNode;
}

/** Who is looking: signed in, or as the browser remembers when the server could not be asked. */
export function userOf(session: Session): User | null {
  if (session.state === 'in') return session.whoami.user;
  return session.state === 'unsure' ? rememberedUser() : null;
}

export function ClubPage({ slug, page, guestToast, guestWords, children }: ClubPageProps) {
  const session = useSession();
  const user = userOf(session);
  if (session.state === 'unknown') return <Bones />;
  if (!user)
    return guestWords ? (
      <Guest words={guestWords} />
    ) : (
      <Away to="/admin/login" toast={guestToast} />
    );
  if (user.isAdmin && !slug) return <Away to="/admin" />;
  if (user.isAdmin)
    return (
      <OfAnyClub slug={slug ?? ''} user={user}>
        {children}
      </OfAnyClub>
    );
  if (slug && user.clubSlug && slug.toLowerCase() !== user.clubSlug.toLowerCase())
    return <Away to={adminPath(user.clubSlug, page)} />;
  const club = {
    id: user.id,
    name: user.name,
    slug: user.clubSlug ?? slug ?? '',
    archived: user.archived,
    role: roleOf(user),
  };
  return <Inside club={club}>{children({ user, club })}</Inside>;
}

/** The operator looks at a club by its address. */
function OfAnyClub({
  slug,
  user,
  children,
}: {
  slug: string;
  user: User;
  children: (here: Here) => ReactNode;
}) {
  const { data, problem, retry } = useAnswer<OwnClub>(AT.club(slug));
  if (!data && problem)
    return (
      <ClubFrame club={null}>
        <Trouble
          words={isMissing(problem) ? C.clubPageNotFound : C.failedToLoadClubPage}
          onRetry={retry}
        />
      </ClubFrame>
    );
  if (!data) return <Bones />;
  const club = {
    id: data.id,
    name: data.name,
    slug: data.canonicalSlug ?? data.slug,
    archived: data.archived,
    role: roleOf(user),
  };
  return <Inside club={club}>{children({ user, club })}</Inside>;
}

function Inside({ club, children }: { club: FrameClub; children: ReactNode }) {
  return (
    <ClubFrame club={club}>
      {children}
      <LoginDialog />
    </ClubFrame>
  );
}

export function Away({ to, toast }: { to: string; toast?: Toast }) {
  const [, navigate] = useLocation();
  const showToast = useSetAtom(showToastAtom);
  useEffect(() => {
    if (toast) showToast(toast);
    navigate(to, { replace: true });
  }, [to, toast, navigate, showToast]);
  return null;
}

function Guest({ words }: { words: string }) {
  return (
    <ClubFrame club={null}>
      <main className="plain-page" id="main">
        <h1>{words}</h1>
        <div className="actions">
          <Link className="btn" href="/admin/login">
            {C.login}
          </Link>
        </div>
      </main>
    </ClubFrame>
  );
}

/** A page that the caller's role does not have; it is in no menu, so they came by its address. */
export function NotYours({
  title,
  words,
  club,
}: {
  title: string;
  words: string;
  club: FrameClub;
}) {
  return (
    <main className="admin" id="main">
      <BackLink club={club} />
      <h1>{title}</h1>
      <p className="callout is-warn">{words}</p>
    </main>
  );
}

export function Trouble({ words, onRetry }: { words: string; onRetry: () => Promise<unknown> }) {
  return (
    <main className="admin" id="main">
      <h1>{words}</h1>
      <div>
        <button type="button" className="btn sec" onClick={() => void onRetry()}>
          Retry
        </button>
      </div>
    </main>
  );
}

/** The same boxes, before anything is known. */
export function Bones() {
  return (
    <main className="admin" id="main" aria-busy="true">
      <h1 className="sr">Loading</h1>
      <span className="bone" style={{ height: 34, width: '60%' }} />
      <span className="bone" style={{ height: 150 }} />
      <span className="bone" style={{ height: 150 }} />
    </main>
  );
}
