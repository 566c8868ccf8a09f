import { useState, type ReactNode } from 'react';
import { FreshnessBadge } from '@/features/shared-live/freshness-badge';
import { useTopicSubscription } from '@/features/shared-live/use-live';
import { initialsOf } from '@/shared/initials';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { CrossingLogo } from '@/shared/ui/crossing';
import { boardColourVariables } from './board-colours';
import { BoardSponsor, useClubSponsor } from './board-sponsor';
import { JustSold } from './board-sale-numbers';
import { FittedText } from './fitted-text';
import { useBurnInShift, useWakeLock } from './display-protection';
import { useNightlyReload } from './nightly-reload';

/** What a board shows, which decides its layout. */
export type BoardKind = 'sale' | 'offer' | 'result' | 'message';

interface BoardFrameProps {
  kind: BoardKind;
  /** Extra classes of the board, such as `is-compact`. */
  tone?: string;
  club?: { primaryColor: string; accentColor: string };
  head?: ReactNode;
  /** The explanation of the grid, in the footer. */
  legend?: ReactNode;
  /** How many tickets were sold in the last seconds. */
  justSold?: number;
  /** Whether each sale plays a short tone. */
  sound?: boolean;
  /** The address that viewers can type. */
  address?: string;
  /** The club whose sponsor the footer names. */
  clubId?: number;
  children: ReactNode;
}

/** The frame around the content of every board: club colours, heading, footer, freshness. */
export function BoardFrame(props: BoardFrameProps) {
  const {
    kind,
    tone = '',
    club,
    head,
    legend,
    justSold = 0,
    sound = false,
    address,
    clubId,
    children,
  } = props;
  const sponsor = useClubSponsor(clubId);
  const drift = useBurnInShift();
  useWakeLock();
  useNightlyReload();
  useTopicSubscription('public');
  return (
    <main
      className={`board is-${kind} ${tone}${sponsor && address ? ' has-sponsor' : ''}`}
      id="main"
      style={boardColourVariables(club)}
    >
      <div className="board-in" style={{ transform: drift }}>
        {head ? <header className="board-head">{head}</header> : null}
        {/* A board without a draw has no data that could be live. */}
        {kind === 'message' ? null : (
          <div className="board-live">
            <FreshnessBadge always />
          </div>
        )}
        <div className="board-main">{children}</div>
        {address ? (
          <footer className="board-foot">
            <div className={`board-legend${justSold > 0 ? ' has-sale' : ''}`}>
              {legend}
              <JustSold count={justSold} sound={sound} />
            </div>
            <BoardAddress path={address} />
            {sponsor ? <BoardSponsor sponsor={sponsor} /> : null}
          </footer>
        ) : null}
      </div>
    </main>
  );
}

/**
 * The address that viewers type. Its draw number must not break across lines, because half a number
 * is another draw.
 */
function BoardAddress({ path }: { path: string }) {
  const { host } = window.location;
  return (
    <FittedText className="board-address" text={`${host}${path}`} breakBelow={0.9}>
      <span className="address-part">{host}</span>
      <span className="address-part">
        {path}
        <span className="board-age"> · 18+</span>
      </span>
    </FittedText>
  );
}

/** The heading of a board: crest, title and facts such as the league and the time. */
export function BoardHead({
  club,
  title,
  optionalFact,
  fact,
}: {
  club: { name: string; logoUrl: string | null };
  title: ReactNode;
  /** A fact that is left out where both do not fit. */
  optionalFact?: string | null;
  fact: string;
}) {
  return (
    <>
      <ClubCrest name={club.name} logoUrl={club.logoUrl} />
      <div className="board-heading">
        {title}
        <FittedText
          className="board-meta"
          text={`${fact}${optionalFact ?? ''}`}
          breakBelow={optionalFact ? 0.9 : 0}
        >
          {optionalFact ? <span className="optional-fact">{optionalFact}</span> : null}
          <span className="fact">{fact}</span>
        </FittedText>
      </div>
    </>
  );
}

/** The board of an address that leads to no draw or offer. */
export function MissingBoard({ title, text }: { title: string; text?: string }) {
  return (
    <BoardFrame kind="message">
      <div className="board-message">
        <CrossingLogo dark />
        <h1>{title}</h1>
        {text ? <p>{text}</p> : null}
      </div>
    </BoardFrame>
  );
}

/** The board until its data has arrived. */
export function LoadingBoard() {
  return (
    <BoardFrame kind="message">
      <h1 className="sr">{S.brand}</h1>
    </BoardFrame>
  );
}

/** A club's logo, or a shield with its initials when there is no logo or it cannot be loaded. */
function ClubCrest({ name, logoUrl }: { name: string; logoUrl: string | null }) {
  const [failedUrl, setFailedUrl] = useState<string | null>(null);
  if (logoUrl && logoUrl !== failedUrl)
    return (
      <img className="board-crest" src={logoUrl} alt="" onError={() => setFailedUrl(logoUrl)} />
    );
  return (
    <span className="board-crest is-shield num" aria-hidden="true">
      {initialsOf(name)}
    </span>
  );
}

/** Explains the cells of a grid. */
export function GridLegend({ entries }: { entries: readonly (readonly [string, string])[] }) {
  return (
    <ul className="grid-legend">
      {entries.map(([kind, text]) => (
        <li key={kind}>
          <i className={`grid-legend-cell is-${kind}`} aria-hidden="true" />
          {text}
        </li>
      ))}
    </ul>
  );
}
