import { useLayoutEffect, useRef, type ReactNode } from 'react';

/** The heading of a board stays on one line, however long the names and whichever face has come: it gets smaller until it fits. */
export function BoardTitle({ words, children }: { words: string; children: ReactNode }) {
  const ref = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    const heading = ref.current;
    if (!heading) return;
    const fit = () => {
      heading.style.setProperty('--fit', '1');
      const part = heading.clientWidth / Math.max(1, heading.scrollWidth);
      heading.style.setProperty('--fit', part < 1 ? (part * 0.99).toFixed(3) : '1');
    };
    fit();
    window.addEventListener('resize', fit);
    document.fonts?.addEventListener('loadingdone', fit);
    return () => {
      window.removeEventListener('resize', fit);
      document.fonts?.removeEventListener('loadingdone', fit);
    };
  }, [words]);
  return <h1 ref={ref}>{children}</h1>;
}
