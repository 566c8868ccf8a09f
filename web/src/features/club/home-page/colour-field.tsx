import { isHexColour } from './home-page-rules';

/** White or black text on a colour, and its contrast. */
export interface ReadableTextColour {
  text: 'white' | 'black';
  ratio: number;
}

interface ColourFieldProps {
  id: string;
  label: string;
  value: string;
  error: string | null;
  /**
   * Name of the element with this colour as background, such as 'Buttons' or 'The head of the
   * page'.
   */
  what: string;
  readable: (colour: string) => ReadableTextColour;
  onValue: (colour: string) => void;
}

/** Input for a colour, picked or typed, with the readability of text on it. */
export function ColourField({
  id,
  label,
  value,
  error,
  what,
  readable,
  onValue,
}: ColourFieldProps) {
  const isValid = isHexColour(value);
  const { text, ratio } = readable(value);
  const described =
    [error ? `${id}-error` : '', isValid ? `${id}-hint` : ''].filter(Boolean).join(' ') ||
    undefined;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="colour">
        <input
          type="color"
          aria-label={`${label}, picked`}
          value={isValid ? value.toLowerCase() : '#000000'}
          onChange={(event) => onValue(event.currentTarget.value)}
        />
        <input
          id={id}
          type="text"
          maxLength={7}
          autoCapitalize="none"
          spellCheck={false}
          value={value}
          aria-invalid={error ? true : undefined}
          aria-describedby={described}
          onChange={(event) => onValue(event.currentTarget.value.trim())}
        />
      </div>
      {error ? (
        <span className="field-error" id={`${id}-error`}>
          {error}
        </span>
      ) : null}
      {isValid ? (
        <span className="field-hint" id={`${id}-hint`}>
          {what} will use {text} text ({ratio.toFixed(2)}:1)
        </span>
      ) : null}
    </div>
  );
}
