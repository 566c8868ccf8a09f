import { useSetAtom } from 'jotai';
import { useState } from 'react';
import { CLUB_API_PATHS, submitResults } from '@/api/endpoints/club';
import { HttpError } from '@/api/http';
import type { OwnDraw } from '@/api/wire-club';
import { fillPlaceholders } from '@/shared/strings';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { ConfirmDialog } from '@/shared/ui/confirm-dialog';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { markPathsChangedAtom, cacheResponseAtom } from '../data/query-atoms';
import { errorText } from '../data/error-text';
import { useMutation } from '../session/use-session';
import { useIsWideViewport } from '../frame/use-wide';
import { Jersey } from './jersey';
import {
  NumberPad,
  ScorerSelects,
  TEAM_SIDES,
  TeamChooser,
  jerseyColourOf,
  teamOf,
  type TeamSide,
} from './number-choice';
import {
  DEFAULT_JERSEY,
  deleteSavedScorers,
  saveScorers,
  loadSavedScorers,
  jerseyWord,
  type FirstTryScorers,
} from './scorers';

interface ResultEntryFormProps {
  draw: OwnDraw;
  club: number;
  /** Whether the game has not begun. Entering a result then stops the sale (decision E-5). */
  early: boolean;
}

/**
 * Enters two numbers, one team after the other, and repeats them in words before submission
 * (decision E-7). Four taps: key, key, submit, confirm.
 */
export function ResultEntryForm({ draw, club, early }: ResultEntryFormProps) {
  const [scorers, setScorers] = useState<FirstTryScorers>(() => loadSavedScorers(draw));
  const [side, setSide] = useState<TeamSide>('home');
  const [asking, setAsking] = useState(false);
  const wide = useIsWideViewport();
  const [refusal, setRefusal] = useState<string | null>(null);
  const [missing, setMissing] = useState(false);
  const { pending, run } = useMutation();
  const showToast = useSetAtom(showToastAtom);
  const changed = useSetAtom(markPathsChangedAtom);
  const keep = useSetAtom(cacheResponseAtom);
  const choose = (more: Partial<FirstTryScorers>) => {
    const next = { ...scorers, ...more };
    setScorers(next);
    saveScorers(draw, next);
    setMissing(false);
    setRefusal(null);
  };
  const { home, away } = scorers;
  const onSubmit = () => {
    if (home !== null && away !== null) return setAsking(true);
    setMissing(true);
    const open = home === null ? 'home' : 'away';
    setSide(open);
    document.querySelector<HTMLElement>('.entry .pad button')?.focus();
  };
  const onKey = (jersey: number) => {
    choose({ [side]: jersey });
    // The away team follows the home team by itself, but only while it has no number.
    if (side === 'home' && away === null) setSide('away');
  };
  const onConfirm = () => {
    if (home === null || away === null) return;
    void run(
      async () => {
        const answer = await submitResults(draw.drawNumber, home, away);
        setAsking(false);
        deleteSavedScorers(draw);
        showToast({
          title: C.resultsSubmitted,
          text: answer.revealedAt
            ? `${C.winnerAfterKickOff}.`
            : fillPlaceholders(C.winnerDetermined, { n: answer.winningTickets.length }),
        });
        keep(CLUB_API_PATHS.winners(draw.drawNumber), {
          winningTickets: answer.winningTickets,
          revealedAt: answer.revealedAt,
          prize: answer.prize,
          notified: false,
        });
        keep(CLUB_API_PATHS.draw(draw.drawNumber), { ...draw, ...answer.draw });
        changed(
          CLUB_API_PATHS.draw(draw.drawNumber),
          CLUB_API_PATHS.draws(club),
          CLUB_API_PATHS.stats(club),
          CLUB_API_PATHS.awaiting(club),
          CLUB_API_PATHS.winners(draw.drawNumber),
        );
      },
      (error) => {
        setAsking(false);
        const text =
          error instanceof HttpError
            ? errorText(error, C.pleaseTryAgain)
            : 'No connection. Your choice is kept on this phone; tap Submit Results again when you are back online.';
        setRefusal(text);
        // Another person may have entered the result. The page then shows whose numbers stand.
        if (error instanceof HttpError && error.status === 409)
          changed(CLUB_API_PATHS.draw(draw.drawNumber), CLUB_API_PATHS.winners(draw.drawNumber));
      },
    );
  };
  const error = missing ? C.selectBothScorers : null;
  return (
    <>
      <section className="card entry" aria-labelledby="entry-title">
        <h2 id="entry-title">{C.enterScorers}</h2>
        {error ? (
          <p className="field-error" id="scorers-error" role="alert">
            {C.missingInformation}: {error}
          </p>
        ) : null}
        {refusal ? (
          <div className="callout is-bad" role="alert">
            <strong>{C.failedToSubmitResults}</strong>
            {refusal}
          </div>
        ) : null}
        <TeamChooser draw={draw} scorers={scorers} side={side} onSide={setSide} />
        <p className="pad-question" aria-live="polite">
          <strong>{teamOf(draw, side)}:</strong> first try scorer?
        </p>
        <NumberPad
          team={teamOf(draw, side)}
          value={scorers[side]}
          colour={jerseyColourOf(draw, side)}
          onValue={onKey}
        />
        <details className="scorer-list" open={wide}>
          <summary>Choose from a list</summary>
          <ScorerSelects draw={draw} scorers={scorers} missing={missing} onScorers={choose} />
        </details>
        <ScorerHelp />
      </section>
      <div className="sticky-bar entry-bar">
        <p className="pair-text">
          <span className="meta">Winning pair</span>
          <strong className="num">
            {`${home === null ? '–' : `#${home}`} & ${away === null ? '–' : `#${away}`}`}
          </strong>
        </p>
        <button type="button" className="btn" onClick={onSubmit}>
          {C.submitResults}
        </button>
      </div>
      <ConfirmDialog
        title="Are these the first try scorers?"
        open={asking}
        confirm={`Announce ${jerseyWord(home)} and ${jerseyWord(away)}`}
        cancel="Change a number"
        pending={pending}
        onCancel={() => setAsking(false)}
        onConfirm={onConfirm}
      >
        <ul className="scorer-echo">
          {TEAM_SIDES.map((each) => (
            <li key={each}>
              <Jersey jersey={scorers[each]} colour={jerseyColourOf(draw, each)} size={60} />
              <span>
                <small>{teamOf(draw, each)}</small>
                <strong>{jerseyWord(scorers[each])}</strong>
                {scorers[each] === DEFAULT_JERSEY ? <small>{C.noTryDefault}</small> : null}
              </span>
            </li>
          ))}
        </ul>
        {early ? (
          <p className="callout is-warn">
            The game has not started yet. Ticket sales stop at once.
          </p>
        ) : null}
        <p>This sets the winner and e-mails can follow. Only the platform operator can undo it.</p>
      </ConfirmDialog>
    </>
  );
}

/** Explains which number counts under the traditional rules (decision E-8). */
function ScorerHelp() {
  return (
    <details className="scorer-help">
      <summary>Which number counts?</summary>
      <ul>
        <li>The jersey number of each team’s first try scorer, from 1 to 13.</li>
        <li>Interchange or a late replacement: the number of the player replaced.</li>
        <li>Penalty try: the player it was awarded to.</li>
        <li>No try: 9.</li>
      </ul>
    </details>
  );
}
