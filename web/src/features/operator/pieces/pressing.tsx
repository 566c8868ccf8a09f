import type { ReactNode } from 'react';

interface PressingProps {
  busy: boolean;
  onPress: () => void;
  className?: string;
  children: ReactNode;
}

/** A button that keeps its label while it works and cannot be pressed twice. */
export const Pressing = ({ busy, onPress, className = 'btn small', children }: PressingProps) => (
  <button
    type="button"
    className={className}
    aria-busy={busy || undefined}
    disabled={busy}
    onClick={onPress}
  >
    {busy ? <span className="spinner" aria-hidden="true" /> : null}
    {children}
  </button>
);
