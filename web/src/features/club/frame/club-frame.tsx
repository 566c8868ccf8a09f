import { useAtomValue } from 'jotai';
import { useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { CLUB_API_PATHS } from '@/api/endpoints/club';
import type { ConnectStatus } from '@/api/wire-club';
import { configAtom } from '@/features/shared-live/live-atoms';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { CrossingLogo } from '@/shared/ui/crossing';
import { CloseIcon, MenuIcon } from '@/shared/ui/icons';
import { useQuery } from '../data/use-query';
import { isOwner, canSell, type Role } from '../session/roles';
import { sessionAtom } from '../session/session-atoms';
import { adminPath } from '../session/user';
import { useLogout } from '../session/use-session';
import { ActionsMenu } from './actions-menu';
import { useIsWideViewport } from './use-wide';

export interface CurrentClub {
  id: number;
  name: string;
  slug: string;
  archived: boolean;
  /** Role of the signed-in user. */
  role: Role;
}

/**
 * Returns the text for an archived club, which cannot start draws or offers, or null for an active
 * club (decision H-3).
 */
export const archivedText = (club: Pick<CurrentClub, 'archived'>): string | null =>
  club.archived
    ? 'This club is archived. Its running draws finish and pay; nothing new can be started.'
    : null;

/** Logs out and opens the login page; stays on the page when the logout failed. */
export function LogoutButton({ className = 'btn small sec' }: { className?: string }) {
  const logout = useLogout();
  const [, navigate] = useLocation();
  return (
    <button
      type="button"
      className={className}
      onClick={() => void logout().then((out) => out && navigate('/admin/login'))}
    >
      {C.logout}
    </button>
  );
}

/**
 * The Create Draw button, for users who may sell. The button is disabled for an archived club and
 * until the payment account is connected. It announces the reason on focus.
 */
export function CreateDrawButton({
  club,
  className = 'btn small',
  at = 'head',
}: {
  club: CurrentClub;
  className?: string;
  at?: 'head' | 'bar';
}) {
  const { data } = useQuery<ConnectStatus>(CLUB_API_PATHS.connect(club.id));
  if (!canSell(club)) return null;
  if (data?.connected && !club.archived)
    return (
      <Link className={className} href={adminPath(club.slug, 'create-draw')}>
        {C.createDraw}
      </Link>
    );
  return (
    <span className="why">
      <button
        type="button"
        className={`${className} is-off`}
        aria-disabled="true"
        aria-describedby={`connect-first-${at}`}
      >
        {C.createDraw}
      </button>
      <span className="why-text" role="tooltip" id={`connect-first-${at}`}>
        {archivedText(club) ?? C.connectFirst}
      </span>
    </span>
  );
}

/** Pages that are used less often. A wide screen shows them in a menu. */
function morePages(club: CurrentClub): { label: string; href: string }[] {
  return [
    { label: 'Transactions', href: '/admin/stripe-debug' },
    { label: 'Disputes', href: '/admin/stripe-debug#disputes' },
    { label: 'Payment monitoring', href: '/admin/payment-monitoring' },
    ...(canSell(club) ? [{ label: 'Find a buyer', href: adminPath(club.slug, 'buyers') }] : []),
    ...(isOwner(club) ? [{ label: 'Activity log', href: adminPath(club.slug, 'activity') }] : []),
  ];
}

function ClubNavigation({ club }: { club: CurrentClub }) {
  const wide = useIsWideViewport();
  return (
    <>
      {isOwner(club) ? (
        <Link className="btn small sec" href={adminPath(club.slug, 'home-page-setup')}>
          {C.homePage}
        </Link>
      ) : null}
      <Link className="btn small sec" href={adminPath(club.slug, 'bundles')}>
        {C.bundles}
      </Link>
      {isOwner(club) ? (
        <Link className="btn small sec" href={adminPath(club.slug, 'people')}>
          People
        </Link>
      ) : null}
      {wide ? (
        <ActionsMenu of={club.name} items={morePages(club)} />
      ) : (
        morePages(club).map(({ label, href }) => (
          <Link className="btn small sec" key={label} href={href}>
            {label}
          </Link>
        ))
      )}
      <CreateDrawButton club={club} />
      <LogoutButton />
    </>
  );
}

function ClubHeader({ club }: { club: CurrentClub | null }) {
  const wide = useIsWideViewport();
  const guest = useAtomValue(sessionAtom).state === 'guest';
  const [open, setOpen] = useState(false);
  return (
    <header className="site-head club-head">
      <div className="site-head-in">
        <Link className="brand" href={club ? adminPath(club.slug) : '/admin'}>
          <CrossingLogo />
          <span className="club-head-name">{club?.name ?? C.brand}</span>
        </Link>
        {club && wide ? (
          <nav className="club-nav" aria-label="Main">
            <ClubNavigation club={club} />
          </nav>
        ) : null}
        {club && !wide ? (
          <button
            type="button"
            className="icon-btn"
            aria-expanded={open}
            aria-controls="club-menu"
            aria-label={open ? 'Close menu' : 'Menu'}
            onClick={() => setOpen(!open)}
          >
            {open ? <CloseIcon /> : <MenuIcon />}
          </button>
        ) : null}
        {club || guest ? null : <LogoutButton />}
      </div>
      {club && !wide && open ? (
        <nav className="club-menu" id="club-menu" aria-label="Main">
          <ClubNavigation club={club} />
        </nav>
      ) : null}
    </header>
  );
}

/**
 * Footer: help in the same order on every page (WCAG 3.2.6), and the version at the bottom right
 * (specification line B:55).
 */
export function ClubFooter() {
  const config = useAtomValue(configAtom);
  return (
    <footer className="admin-foot">
      <p className="contact">
        {config ? (
          <>
            <a href={`mailto:${config.supportEmail}`}>{config.supportEmail}</a>
            <a href={`sms:${config.supportSms.replace(/\s/g, '')}`}>Text {config.supportSms}</a>
          </>
        ) : null}
      </p>
      <p className="version">{config?.buildVersion || C.version}</p>
    </footer>
  );
}

/** Renders the header and the footer of a club page around its content. */
export function ClubPageLayout({
  club,
  children,
}: {
  club: CurrentClub | null;
  children: ReactNode;
}) {
  return (
    <>
      <ClubHeader club={club} />
      {children}
      <ClubFooter />
    </>
  );
}

export function BackLink({
  club,
  text = C.returnToDashboard,
  to = '',
}: {
  club: CurrentClub | null;
  text?: string;
  to?: string;
}) {
  return (
    <Link className="back-link" href={club ? adminPath(club.slug, to) : '/admin'}>
      ← {text}
    </Link>
  );
}
