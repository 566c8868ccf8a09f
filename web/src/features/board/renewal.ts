/** A board reloads itself at night, when the server runs a new build, and after a crash of our own: but never into an outage. */
import { useAtomValue } from 'jotai';
import { useEffect, useRef } from 'react';
import { buildVersionAtom } from '@/features/shared-live/live-atoms';

const RENEWAL_HOUR = 4;
const TRY_AGAIN_MS = 60_000;

/** Milliseconds to the next 04:00 on the device's clock, with up to ten minutes of chance so that a town does not reload at once. */
export function untilRenewal(now: Date, chance: number): number {
  const next = new Date(now);
  next.setHours(RENEWAL_HOUR, 0, 0, 0);
  if (next <= now) next.setDate(next.getDate() + 1);
  return next.getTime() - now.getTime() + chance * 600_000;
}

/**
 * Reloads once the page's own address answers. A browser that reloads while the line is down shows its own error page, and
 * nobody stands in front of a board to press a key.
 */
export async function renew(
  reach: () => Promise<boolean> = () =>
    fetch(window.location.href, { method: 'HEAD', cache: 'no-store' }).then((answer) => answer.ok),
  reload: () => void = () => window.location.reload(),
  wait: (ms: number) => Promise<void> = (ms) => new Promise((done) => setTimeout(done, ms)),
): Promise<void> {
  while (!(await reach().catch(() => false))) await wait(TRY_AGAIN_MS);
  reload();
}

export function useRenewal(): void {
  const version = useAtomValue(buildVersionAtom);
  const first = useRef(version);
  useEffect(() => {
    const timer = setTimeout(() => void renew(), untilRenewal(new Date(), Math.random()));
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    if (version === null) return;
    if (first.current === null) first.current = version;
    else if (first.current !== version) void renew();
  }, [version]);
}
