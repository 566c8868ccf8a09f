import './console.css';
import './sidebar.css';
import './command-menu.css';
import '../components/components.css';
import '../components/side-panel.css';
import '../session/login.css';
import '../table/table.css';
import '../audit/audit.css';
import '../payments/payments.css';
import '../transactions/transactions.css';
import '../overview/overview.css';
import '../draws/draws.css';
import '../system/system.css';
import './narrow-screens.css';
import { useSetAtom } from 'jotai';
import { useEffect, useRef, type ComponentType } from 'react';
import { useTopicSubscription } from '@/features/shared-live/use-live';
import { usePageTitle } from '@/shared/ui/page-title';
import { MenuIcon } from '@/shared/ui/icons';
import { ActivityLog } from '../audit/activity-log';
import { ArchivedClubsSection } from '../clubs/archived';
import { ClubsSection } from '../clubs/clubs';
import { WaitlistSection } from '../clubs/waitlist';
import { QueryPoller, useQuery } from '../queries/use-query';
import { DrawsSection } from '../draws/draws';
import { FeesSection } from '../fees/fees';
import { OverviewSection } from '../overview/overview';
import { OrphanedTickets } from '../payments/orphans';
import { PaymentsSection } from '../payments/payments';
import { ReauthenticationCodeDialog } from '../session/reauthentication-code-dialog';
import { SystemControlsSection } from '../system/system-controls';
import { TransactionsSection } from '../transactions/transactions';
import { useConsoleUrl } from './address';
import { CommandMenu } from './command-menu';
import {
  commandMenuOpenAtom,
  sidebarDrawerOpenAtom,
  shortcutsDialogOpenAtom,
} from './console-atoms';
import { HEADER_ACTIONS_ID } from './head-actions';
import { KeyboardIcon, SearchIcon } from './icons';
import { LiveBadge } from './live-badge';
import { QUERIES_OF_ALL_SECTIONS, sectionOf, type SectionKey } from './sections';
import { ShortcutsDialog, useConsoleShortcuts } from './shortcuts';
import { Sidebar, SidebarDrawer } from './sidebar';
import { useToneOnNewAnomalies } from './use-tone';

const SECTION_COMPONENTS: Record<SectionKey, ComponentType> = {
  overview: OverviewSection,
  clubs: ClubsSection,
  archived: ArchivedClubsSection,
  waitlist: WaitlistSection,
  draws: DrawsSection,
  payments: PaymentsSection,
  orphans: OrphanedTickets,
  transactions: TransactionsSection,
  system: SystemControlsSection,
  fees: FeesSection,
  activity: ActivityLog,
};

/** Moves focus to the heading when the section changes, as for a page change. */
function useSectionHeadingFocus(key: string) {
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(key);
  useEffect(() => {
    if (shown.current === key) return;
    shown.current = key;
    heading.current?.focus({ preventScroll: true });
    window.scrollTo({ top: 0, behavior: 'instant' });
  }, [key]);
  return heading;
}

/** The operator's console: sidebar, header and the section named in the URL. */
export function Console() {
  const { read } = useConsoleUrl();
  const section = sectionOf(read('section'));
  const heading = useSectionHeadingFocus(section.key);
  const unresolvedCount = useQuery('stats').data?.unresolved;
  const unresolved = unresolvedCount ?? 0;
  useToneOnNewAnomalies(unresolvedCount);
  const openDrawer = useSetAtom(sidebarDrawerOpenAtom);
  const openCommands = useSetAtom(commandMenuOpenAtom);
  const openShortcuts = useSetAtom(shortcutsDialogOpenAtom);
  usePageTitle(`${unresolved > 0 ? `(${unresolved}) ` : ''}${section.title}`);
  useTopicSubscription('ops');
  useTopicSubscription('public');
  useConsoleShortcuts();
  const Body = SECTION_COMPONENTS[section.key];
  const queryNames = [...new Set([...QUERIES_OF_ALL_SECTIONS, ...section.queries])];
  return (
    <div className="ops">
      {queryNames.map((name) => (
        <QueryPoller key={name} name={name} />
      ))}
      <Sidebar />
      <div className="ops-page">
        <header className="ops-head">
          <div className="ops-head-bar">
            <button
              type="button"
              className="icon-btn ops-menu"
              aria-label="Sections"
              onClick={() => openDrawer(true)}
            >
              <MenuIcon />
            </button>
            <h1 ref={heading} tabIndex={-1}>
              {section.title}
            </h1>
            <LiveBadge />
            <div className="ops-head-tools">
              <button
                type="button"
                className="ops-find"
                aria-label="Search and commands"
                onClick={() => openCommands(true)}
              >
                <SearchIcon />
                <span>Search</span>
                <kbd>⌘K</kbd>
              </button>
              <button
                type="button"
                className="icon-btn ops-keys-btn"
                aria-label="Keyboard shortcuts"
                onClick={() => openShortcuts(true)}
              >
                <KeyboardIcon />
              </button>
            </div>
          </div>
          <div className="ops-head-actions" id={HEADER_ACTIONS_ID} />
        </header>
        <main id="main" className="ops-main" key={section.key}>
          <Body />
        </main>
      </div>
      <SidebarDrawer />
      <CommandMenu />
      <ShortcutsDialog />
      <ReauthenticationCodeDialog />
    </div>
  );
}
