import type { ReactNode } from 'react';
import { useFitText } from './use-fit-text';

/** The heading of a board. It stays on one line, however long the names are. */
export function BoardTitle({
  text,
  tone,
  children,
}: {
  text: string;
  tone?: string;
  children: ReactNode;
}) {
  const ref = useFitText<HTMLHeadingElement>(text);
  return (
    <h1 ref={ref} className={tone}>
      {children}
    </h1>
  );
}

/** The prize in whole dollars, as large as its column allows. */
export function BoardPrize({ prize }: { prize: string }) {
  const ref = useFitText<HTMLParagraphElement>(prize);
  return (
    <p ref={ref} className="board-prize num">
      {prize}
    </p>
  );
}
