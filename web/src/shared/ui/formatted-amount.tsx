import { formatDollars, type Cents } from '@/shared/money';

/**
 * An amount with smaller cents. Screen readers read it, and copying returns it, as `$290.00`
 * (specification line A:306).
 */
export function FormattedAmount({ of }: { of: Cents }) {
  const text = formatDollars(of);
  return (
    <>
      {text.slice(0, -3)}
      <span className="cents">{text.slice(-3)}</span>
    </>
  );
}
