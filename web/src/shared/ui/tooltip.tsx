import './tooltip.css';
import { useEffect, useId, useRef, useState, type ReactNode } from 'react';

/** Delay before the tooltip appears, in milliseconds (specification line A:303). */
export const TOOLTIP_DELAY_MS = 700;

interface TooltipProps {
  text: string;
  children: ReactNode;
}

/**
 * A tooltip for a resting mouse pointer and for keyboard focus. Escape hides it. Touch users never
 * see a tooltip, so no information may be in a tooltip only.
 */
export function Tooltip({ text, children }: TooltipProps) {
  const id = useId();
  const [shown, setShown] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const hide = () => {
    clearTimeout(timer.current);
    setShown(false);
  };
  const soon = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setShown(true), TOOLTIP_DELAY_MS);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <span
      className="tip"
      onPointerEnter={(event) => event.pointerType === 'mouse' && soon()}
      onPointerLeave={hide}
      onPointerDown={hide}
      onFocus={(event) => event.target.matches(':focus-visible') && soon()}
      onBlur={hide}
      onKeyDown={(event) => event.key === 'Escape' && hide()}
    >
      {children}
      {shown ? (
        <span className="tip-text" role="tooltip" id={id}>
          {text}
        </span>
      ) : null}
    </span>
  );
}
