import { useLayoutEffect, useRef, type RefObject } from 'react';

const STEP = 0.03;
const PART_MIN = 0.3;

/**
 * Keeps a text on one line, whatever its length and font. `--fit` shrinks until the text fits, and
 * the styles multiply the font size by it.
 */
export function useFit<Element extends HTMLElement>(
  watchedText: string,
): RefObject<Element | null> {
  const ref = useRef<Element>(null);
  useLayoutEffect(() => {
    const line = ref.current;
    if (!line) return;
    // Measures fractions of a pixel. `scrollWidth` is rounded, and half a pixel too much makes the
    // browser cut the text with an ellipsis.
    const text = document.createRange();
    text.selectNodeContents(line);
    // Text for screen readers comes first and takes no space, so it is skipped.
    const screenReaderText = line.querySelector(':scope > .sr');
    if (screenReaderText) text.setStartAfter(screenReaderText);
    const fits = () => text.getBoundingClientRect().width <= line.getBoundingClientRect().width;
    const fit = () => {
      // Shrink in steps: hinting makes small letters proportionally wider.
      for (let part = 1; part > PART_MIN; part -= STEP) {
        line.style.setProperty('--fit', part.toFixed(2));
        if (fits()) return;
      }
    };
    fit();
    // The window, the styles and the font can change later. Each of them changes the size of the
    // line or of its column.
    const watch = new ResizeObserver(fit);
    watch.observe(line);
    if (line.parentElement) watch.observe(line.parentElement);
    document.fonts?.addEventListener('loadingdone', fit);
    return () => {
      watch.disconnect();
      document.fonts?.removeEventListener('loadingdone', fit);
    };
  }, [watchedText]);
  return ref;
}
