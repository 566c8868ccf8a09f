import { JERSEY_NUMBERS } from '@/shared/draw-size';
import { DEFAULT_JERSEY, jerseyText } from './scorers';

interface JerseyNumberChoiceProps {
  id: string;
  team: string;
  side: 'home' | 'away';
  value: number | null;
  error: string | null;
  onValue: (value: number | null) => void;
}

/**
 * Chooses one team's number. The native select is the control; the buttons below set its value by
 * touch (interface decision D11).
 */
export function JerseyNumberChoice({
  id,
  team,
  side,
  value,
  error,
  onValue,
}: JerseyNumberChoiceProps) {
  return (
    <div className="number-choice">
      <div className="number-line">
        <label htmlFor={id}>
          {team} ({side})
        </label>
        <select
          id={id}
          value={value ?? ''}
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? 'scorers-error' : undefined}
          onChange={(event) => onValue(Number(event.currentTarget.value) || null)}
        >
          <option value="">–</option>
          {JERSEY_NUMBERS.map((jersey) => (
            <option key={jersey} value={jersey}>
              {jerseyText(jersey)}
            </option>
          ))}
        </select>
      </div>
      <div className="pad" aria-hidden="true">
        {JERSEY_NUMBERS.map((jersey) => (
          <button
            key={jersey}
            type="button"
            tabIndex={-1}
            className={`num${jersey === DEFAULT_JERSEY ? ' is-default' : ''}${jersey === value ? ' is-chosen' : ''}`}
            onClick={() => onValue(jersey)}
          >
            {jersey === value ? <span className="tick">✓</span> : null}
            {jerseyText(jersey)}
          </button>
        ))}
      </div>
    </div>
  );
}
