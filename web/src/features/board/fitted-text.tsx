import { useLayoutEffect, useRef, type ReactNode, type RefObject } from 'react';

const FONT_SCALE_STEP = 0.03;
const FONT_SCALE_MIN = 0.3;

/**
 * Keeps a text on one line, whatever its length and font. Reduces `--fit` until the text fits; the
 * styles multiply the font size by it. A text that would be scaled below `breakBelow` gets the class
 * `is-broken` instead, and the styles put its parts on lines of their own.
 */
function useFitText<Element extends HTMLElement>(
  watchedText: string,
  breakBelow = 0,
): RefObject<Element | null> {
  const ref = useRef<Element>(null);
  useLayoutEffect(() => {
    const line = ref.current;
    if (!line) return;
    // Measures with a range, which returns fractions of a pixel. `scrollWidth` is rounded, and the
    // browser cuts a text that is half a pixel too wide.
    const text = document.createRange();
    text.selectNodeContents(line);
    // Skips the text for screen readers: it comes first and takes no space.
    const screenReaderText = line.querySelector(':scope > .sr');
    if (screenReaderText) text.setStartAfter(screenReaderText);
    const fits = () => text.getBoundingClientRect().width <= line.getBoundingClientRect().width;
    // Shrinks in steps, because the font's hinting makes small letters proportionally wider.
    const shrinkTo = (smallest: number): boolean => {
      for (let part = 1; part > smallest; part -= FONT_SCALE_STEP) {
        line.style.setProperty('--fit', part.toFixed(2));
        if (fits()) return true;
      }
      return false;
    };
    const fit = () => {
      line.classList.remove('is-broken');
      if (breakBelow > 0) {
        if (shrinkTo(breakBelow)) return;
        line.classList.add('is-broken');
      }
      shrinkTo(FONT_SCALE_MIN);
    };
    fit();
    // Fits the text again when the window, the styles or the font change. Each of them changes the
    // size of the line or of its column.
    const watch = new ResizeObserver(fit);
    watch.observe(line);
    if (line.parentElement) watch.observe(line.parentElement);
    document.fonts?.addEventListener('loadingdone', fit);
    return () => {
      watch.disconnect();
      document.fonts?.removeEventListener('loadingdone', fit);
    };
  }, [watchedText, breakBelow]);
  return ref;
}

/**
 * The teams of a game as a heading. It stays on one line; names that are too long for that stand on
 * two lines, and always whole.
 */
export function MatchTitle({ home, away }: { home: string; away: string }) {
  const ref = useFitText<HTMLHeadingElement>(`${home} ${away}`, 0.7);
  return (
    <h1 ref={ref} className="board-title">
      <Match home={home} away={away} />
    </h1>
  );
}

/** Two team names with a `v` between them. The spaces keep the words apart for screen readers. */
export function Match({ home, away }: { home: string; away: string }) {
  return (
    <>
      <span className="team">{home}</span>{' '}
      <span className="team">
        <span className="v">v</span> {away}
      </span>
    </>
  );
}

/** A text as large as its column allows, on one line. */
export function FittedText({
  as: Tag = 'p',
  text,
  className,
  breakBelow,
  children,
}: {
  as?: 'p' | 'h1' | 'h2' | 'span';
  /** The text whose change changes the size. */
  text: string;
  className: string;
  /** The scale below which the text breaks into lines. Without it, the text only shrinks. */
  breakBelow?: number;
  children?: ReactNode;
}) {
  const ref = useFitText<HTMLHeadingElement & HTMLParagraphElement>(text, breakBelow);
  return (
    <Tag ref={ref} className={className}>
      {children ?? text}
    </Tag>
  );
}

/** An amount in whole dollars, as large as its column allows. */
export function BoardAmount({ amount, className }: { amount: string; className: string }) {
  return (
    <FittedText text={amount} className={`${className} num`}>
      <span className="dollar">$</span>
      {amount.replace('$', '')}
    </FittedText>
  );
}
