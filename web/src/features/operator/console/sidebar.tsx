import { useAtom, useSetAtom } from 'jotai';
import { CrossingLogo } from '@/shared/ui/crossing';
import { Dialog } from '@/shared/ui/dialog';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { useQuery } from '../queries/use-query';
import { useLogout } from '../session/use-logout';
import { CONSOLE_PATH, useConsoleUrl } from './address';
import { sidebarDrawerOpenAtom, sidebarNarrowAtom } from './console-atoms';
import { CollapseIcon, LogoutIcon, SECTION_ICONS } from './icons';
import { ACTIVITY_LOG, SECTIONS, sectionOf, type Section, type SectionKey } from './sections';

/** Returns the number of open items per section, where it is known. */
function useOpenItemCounts(): Partial<Record<SectionKey, number>> {
  const waitlist = useQuery('waitlist').data?.length;
  const payments = useQuery('stats').data?.unresolved;
  const orphans = useQuery('orphans').data?.length;
  return { waitlist, payments, orphans };
}

const OPEN_ITEM_COUNT_LABELS: Partial<Record<SectionKey, string>> = {
  waitlist: 'waiting',
  payments: 'unresolved',
  orphans: 'to recover',
};

function SectionLink({
  section: { key, title },
  count,
  onGo,
}: {
  section: Section;
  count?: number | undefined;
  onGo?: (() => void) | undefined;
}) {
  const address = useConsoleUrl();
  const current = sectionOf(address.read('section')).key;
  return (
    <a
      href={`${CONSOLE_PATH}?section=${key}`}
      aria-current={key === current ? 'page' : undefined}
      title={title}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        address.go(key);
        onGo?.();
      }}
    >
      {SECTION_ICONS[key]}
      <span className="ops-nav-title">{title}</span>
      {count ? (
        <span className="ops-nav-count">
          {count}
          <span className="sr"> {OPEN_ITEM_COUNT_LABELS[key]}</span>
        </span>
      ) : null}
    </a>
  );
}

function SectionLinks({ onGo }: { onGo?: () => void }) {
  const counts = useOpenItemCounts();
  return (
    <ul>
      {SECTIONS.map((section) => (
        <li key={section.key}>
          <SectionLink section={section} count={counts[section.key]} onGo={onGo} />
        </li>
      ))}
    </ul>
  );
}

const ActivityLogLink = ({ onGo }: { onGo?: () => void }) => (
  <div className="ops-side-link">
    <SectionLink section={ACTIVITY_LOG} onGo={onGo} />
  </div>
);

function LogoutButton() {
  const logout = useLogout();
  return (
    <button type="button" className="ops-side-btn" title="Logout" onClick={() => void logout()}>
      <LogoutIcon />
      <span className="ops-nav-title">Logout</span>
    </button>
  );
}

const ConsoleBrand = () => (
  <span className="ops-brand">
    <CrossingLogo dark />
    <span className="ops-nav-title">{O.brand}</span>
  </span>
);

/** Navigation with the ten sections; it can be collapsed, and is a drawer on a phone. */
export function Sidebar() {
  const [narrow, setNarrow] = useAtom(sidebarNarrowAtom);
  return (
    <nav className={`ops-side${narrow ? ' is-narrow' : ''}`} aria-label="Sections">
      <ConsoleBrand />
      <SectionLinks />
      <div className="ops-side-foot">
        <ActivityLogLink />
        <button
          type="button"
          className="ops-side-btn"
          aria-pressed={narrow}
          title={narrow ? 'Widen the sidebar' : 'Narrow the sidebar'}
          onClick={() => setNarrow(!narrow)}
        >
          <CollapseIcon />
          <span className="ops-nav-title">Narrow sidebar</span>
        </button>
        <LogoutButton />
      </div>
    </nav>
  );
}

export function SidebarDrawer() {
  const [open] = useAtom(sidebarDrawerOpenAtom);
  const setOpen = useSetAtom(sidebarDrawerOpenAtom);
  return (
    <Dialog title={O.brand} open={open} onClose={() => setOpen(false)} kind="drawer">
      <nav className="ops-side is-drawer" aria-label="Sections">
        <SectionLinks onGo={() => setOpen(false)} />
        <div className="ops-side-foot">
          <ActivityLogLink onGo={() => setOpen(false)} />
          <LogoutButton />
        </div>
      </nav>
    </Dialog>
  );
}
