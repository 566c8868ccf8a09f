import type { ReactNode } from 'react';

interface BusyButtonProps {
  busy: boolean;
  onPress: () => void;
  className?: string;
  children: ReactNode;
}

/** A button that keeps its label and is disabled while busy. */
export const BusyButton = ({
  busy,
  onPress,
  className = 'btn small',
  children,
}: BusyButtonProps) => (
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
