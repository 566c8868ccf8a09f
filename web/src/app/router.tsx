import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { load, match, type Match } from './routes';

/** Draws the page of the address. The old page stays until the new one has come, so nothing flashes. */
export function useMatchedPage(): Match {
  const [pathname] = useLocation();
  const wanted = match(pathname);
  const [shown, setShown] = useState(wanted);
  const [failure, setFailure] = useState<unknown>(null);
  useEffect(() => {
    let current = true;
    const next = match(pathname);
    load(next.route).then(
      () => current && setShown(next),
      (error: unknown) => current && setFailure(error),
    );
    return () => {
      current = false;
    };
  }, [pathname]);
  if (failure) throw failure;
  return wanted.route.loaded ? wanted : shown;
}

/** On a change of page, not on the first, focus goes to the heading, or to the section that the address names. */
export function useFocusOnChange(pathname: string): void {
  const first = useRef(true);
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    const named = window.location.hash ? document.getElementById(window.location.hash.slice(1)) : null;
    named?.scrollIntoView();
    const heading = named?.querySelector<HTMLElement>('h2') ?? document.querySelector<HTMLElement>('main h1');
    if (!heading) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }, [pathname]);
}

/** A new page starts at its top; going back keeps the browser's own place. */
export function useScrollToTop(): void {
  useEffect(() => {
    const onPush = () => window.scrollTo({ top: 0, behavior: 'instant' });
    window.addEventListener('pushState', onPush);
    return () => window.removeEventListener('pushState', onPush);
  }, []);
}
