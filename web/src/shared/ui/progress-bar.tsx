interface ProgressBarProps {
  /** What grows, for screen readers. */
  label: string;
  value: number;
  max: number;
}

export const ProgressBar = ({ label, value, max }: ProgressBarProps) => (
  <div
    className="progress"
    role="progressbar"
    aria-label={label}
    aria-valuemin={0}
    aria-valuemax={max}
    aria-valuenow={value}
  >
    <span style={{ '--part': value / max } as React.CSSProperties} />
  </div>
);
