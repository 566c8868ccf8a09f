import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { loadPage, matchRoute, type MatchedRoute } from './routes';

/**
 * Returns the page of the current URL. The old page stays visible until the new page has loaded, so
 * that no blank screen appears.
 */
export function useMatchedPage(): MatchedRoute {
  const [pathname] = useLocation();
  const route = matchRoute(pathname);
  const [shown, setShown] = useState(route);
  const [failure, setFailure] = useState<unknown>(null);
  useEffect(() => {
    let current = true;
    const next = matchRoute(pathname);
    loadPage(next.route).then(
      () => current && setShown(next),
      (error: unknown) => current && setFailure(error),
    );
    return () => {
      current = false;
    };
  }, [pathname]);
  if (failure) throw failure;
  return route.route.loaded ? route : shown;
}

function focusHeading(heading: HTMLElement | null): void {
  if (!heading) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

const HEADING_FOCUS_WAIT_MS = 10_000;

/**
 * Moves the focus to the new heading when a page replaces its heading after loading data, because
 * the focus was on the removed heading. Stops at the user's first input or after 10 seconds.
 */
function keepFocusOnHeading(): () => void {
  const watch = new MutationObserver(() => {
    if (document.activeElement === document.body)
      focusHeading(document.querySelector<HTMLElement>('main h1'));
  });
  const stop = () => {
    watch.disconnect();
    clearTimeout(timer);
    for (const eventName of ['pointerdown', 'keydown'])
      window.removeEventListener(eventName, stop, true);
  };
  const timer = setTimeout(stop, HEADING_FOCUS_WAIT_MS);
  for (const doing of ['pointerdown', 'keydown']) window.addEventListener(doing, stop, true);
  watch.observe(document.body, { childList: true, subtree: true });
  return stop;
}

/**
 * After each change of page, moves the focus to the heading, or to the section that the URL's
 * fragment names.
 */
export function useFocusOnPageChange(pathname: string): void {
  const first = useRef(true);
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    const named = window.location.hash
      ? document.getElementById(window.location.hash.slice(1))
      : null;
    named?.scrollIntoView();
    focusHeading(
      named?.querySelector<HTMLElement>('h2') ?? document.querySelector<HTMLElement>('main h1'),
    );
    return keepFocusOnHeading();
  }, [pathname]);
}

/**
 * Scrolls a new page to its top. After the back button, the browser restores the scroll position.
 */
export function useScrollToTop(): void {
  useEffect(() => {
    const onPush = () => window.scrollTo({ top: 0, behavior: 'instant' });
    window.addEventListener('pushState', onPush);
    return () => window.removeEventListener('pushState', onPush);
  }, []);
}
