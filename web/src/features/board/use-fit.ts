import { useLayoutEffect, useRef, type RefObject } from 'react';

const STEP = 0.03;
const PART_MIN = 0.3;

/**
 * Keeps a line of a board on one line, however long the words and whichever face has come: `--fit` gets smaller until it fits, and the
 * styles multiply the size by it.
 */
export function useFit<Element extends HTMLElement>(words: string): RefObject<Element | null> {
  const ref = useRef<Element>(null);
  useLayoutEffect(() => {
    const line = ref.current;
    if (!line) return;
    // To the part of a pixel: `scrollWidth` is rounded, and half a pixel too much costs two letters and three dots.
    const text = document.createRange();
    text.selectNodeContents(line);
    // What is only heard comes first, and takes no room.
    const heard = line.querySelector(':scope > .sr');
    if (heard) text.setStartAfter(heard);
    const fits = () => text.getBoundingClientRect().width <= line.getBoundingClientRect().width;
    const fit = () => {
      // Step by step: hinting makes letters of small sizes wider than their share.
      for (let part = 1; part > PART_MIN; part -= STEP) {
        line.style.setProperty('--fit', part.toFixed(2));
        if (fits()) return;
      }
    };
    fit();
    // The window, the styles and the face may each come or change later; all of them change the line's box or its column's.
    const watch = new ResizeObserver(fit);
    watch.observe(line);
    if (line.parentElement) watch.observe(line.parentElement);
    document.fonts?.addEventListener('loadingdone', fit);
    return () => {
      watch.disconnect();
      document.fonts?.removeEventListener('loadingdone', fit);
    };
  }, [words]);
  return ref;
}
