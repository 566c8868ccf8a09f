import { useLayoutEffect, useRef, type RefObject } from 'react';

const FONT_SCALE_STEP = 0.03;
const FONT_SCALE_MIN = 0.3;

/**
 * Keeps a text on one line, whatever its length and font. Reduces `--fit` until the text fits; the
 * styles multiply the font size by it.
 */
export function useFitText<Element extends HTMLElement>(
  watchedText: string,
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
    const fit = () => {
      // Shrinks in steps, because the font's hinting makes small letters proportionally wider.
      for (let part = 1; part > FONT_SCALE_MIN; part -= FONT_SCALE_STEP) {
        line.style.setProperty('--fit', part.toFixed(2));
        if (fits()) return;
      }
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
  }, [watchedText]);
  return ref;
}
