/**
 * Reloads a board at night, after a new server build and after a script error, but never while the
 * server is unreachable.
 */
import { useAtomValue } from 'jotai';
import { useEffect, useRef } from 'react';
import { buildVersionAtom } from '@/features/shared-live/live-atoms';

const NIGHTLY_RELOAD_HOUR = 4;
const RELOAD_RETRY_MS = 60_000;

/**
 * Returns the milliseconds until the next 04:00 of the device's clock. Up to ten random minutes are
 * added, so that boards do not reload all at once.
 */
export function msUntilNightlyReload(now: Date, chance: number): number {
  const next = new Date(now);
  next.setHours(NIGHTLY_RELOAD_HOUR, 0, 0, 0);
  if (next <= now) next.setDate(next.getDate() + 1);
  return next.getTime() - now.getTime() + chance * 600_000;
}

/**
 * Reloads the board once its own URL responds. While offline, the browser would show its own error
 * page, and a board has no user to reload it again.
 */
export async function reloadPage(
  reach: () => Promise<boolean> = () =>
    fetch(window.location.href, { method: 'HEAD', cache: 'no-store' }).then((answer) => answer.ok),
  reload: () => void = () => window.location.reload(),
  wait: (ms: number) => Promise<void> = (ms) => new Promise((done) => setTimeout(done, ms)),
): Promise<void> {
  while (!(await reach().catch(() => false))) await wait(RELOAD_RETRY_MS);
  reload();
}

export function useNightlyReload(): void {
  const version = useAtomValue(buildVersionAtom);
  const first = useRef(version);
  useEffect(() => {
    const timer = setTimeout(
      () => void reloadPage(),
      msUntilNightlyReload(new Date(), Math.random()),
    );
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    if (version === null) return;
    if (first.current === null) first.current = version;
    else if (first.current !== version) void reloadPage();
  }, [version]);
}
