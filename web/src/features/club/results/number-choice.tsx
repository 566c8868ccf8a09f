import type { OwnDraw } from '@/api/wire-club';
import { JERSEY_NUMBERS } from '@/shared/draw-size';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { AWAY_JERSEY_COLOUR, Jersey } from './jersey';
import { DEFAULT_JERSEY, jerseyText, type FirstTryScorers } from './scorers';

export type TeamSide = 'home' | 'away';
export const TEAM_SIDES = ['home', 'away'] as const;

export const teamOf = (draw: Pick<OwnDraw, 'homeTeam' | 'awayTeam'>, side: TeamSide): string =>
  side === 'home' ? draw.homeTeam : draw.awayTeam;
export const jerseyColourOf = (draw: Pick<OwnDraw, 'clubPrimaryColor'>, side: TeamSide): string =>
  side === 'home' ? draw.clubPrimaryColor : AWAY_JERSEY_COLOUR;

interface ChoiceProps {
  draw: OwnDraw;
  scorers: FirstTryScorers;
}

/** The two teams with the numbers chosen so far. A press goes back to a team. */
export function TeamChooser({
  draw,
  scorers,
  side,
  onSide,
}: ChoiceProps & { side: TeamSide; onSide: (side: TeamSide) => void }) {
  return (
    <div className="team-chooser">
      {TEAM_SIDES.map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={each === side}
          onClick={() => onSide(each)}
          className="team-choice"
        >
          <Jersey jersey={scorers[each]} colour={jerseyColourOf(draw, each)} />
          <span>
            <small>{each === 'home' ? 'Home' : 'Away'}</small>
            <strong>{teamOf(draw, each)}</strong>
            <span className="sr">
              {scorers[each] === null ? ', no number yet' : `, number ${scorers[each]}`}
            </span>
          </span>
        </button>
      ))}
    </div>
  );
}

/** The keys for one team’s number. */
export function NumberPad({
  team,
  value,
  colour,
  onValue,
}: {
  team: string;
  value: number | null;
  colour: string;
  onValue: (jersey: number) => void;
}) {
  return (
    <div className="pad" role="group" aria-label={`First try scorer of ${team}`}>
      {JERSEY_NUMBERS.map((jersey) => (
        <button
          key={jersey}
          type="button"
          className="num"
          aria-pressed={jersey === value}
          style={jersey === value ? { background: colour, borderColor: colour } : undefined}
          onClick={() => onValue(jersey)}
        >
          {jersey}
          {jersey === DEFAULT_JERSEY ? <small>{C.noTryDefault}</small> : null}
        </button>
      ))}
    </div>
  );
}

/**
 * The two selects of the form. On a phone they are folded, because the keys do the same with one
 * thumb.
 */
export function ScorerSelects({
  draw,
  scorers,
  missing,
  onScorers,
}: ChoiceProps & { missing: boolean; onScorers: (more: Partial<FirstTryScorers>) => void }) {
  return (
    <div>
      {TEAM_SIDES.map((side) => {
        const wrong = missing && scorers[side] === null;
        return (
          <div className="number-line" key={side}>
            <label htmlFor={`${side}-scorer`}>
              {teamOf(draw, side)} ({side})
            </label>
            <select
              id={`${side}-scorer`}
              value={scorers[side] ?? ''}
              aria-invalid={wrong ? true : undefined}
              aria-describedby={wrong ? 'scorers-error' : undefined}
              onChange={(event) => onScorers({ [side]: Number(event.currentTarget.value) || null })}
            >
              <option value="">–</option>
              {JERSEY_NUMBERS.map((jersey) => (
                <option key={jersey} value={jersey}>
                  {jerseyText(jersey)}
                </option>
              ))}
            </select>
          </div>
        );
      })}
    </div>
  );
}
