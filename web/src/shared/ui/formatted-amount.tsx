import { dollars, type Cents } from '@/shared/money';

/** A large sum with its cents set smaller: read and copied it is still `$290.00` (A:306). */
export function Sum({ of }: { of: Cents }) {
  const said = dollars(of);
  return (
    <>
      {said.slice(0, -3)}
      <span className="cents">{said.slice(-3)}</span>
    </>
  );
}
