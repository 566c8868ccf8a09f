import { useAtomValue } from 'jotai';
import { nowAtom } from '@/features/shared-live/live-atoms';
import { dayAndTime } from '@/shared/dates';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Formats an age: `just now`, `4 min ago`, `3 h ago`, `2 days ago`. */
export function formatAge(ms: number): string {
  if (ms < MINUTE_MS) return 'just now';
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min ago`;
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)} h ago`;
  const days = Math.floor(ms / DAY_MS);
  return `${days} ${days === 1 ? 'day' : 'days'} ago`;
}

/** Formats a duration: `6 minutes`. */
export function formatDuration(ms: number): string {
  const [count, unit] =
    ms < HOUR_MS
      ? [Math.max(1, Math.floor(ms / MINUTE_MS)), 'minute']
      : ms < DAY_MS
        ? [Math.floor(ms / HOUR_MS), 'hour']
        : [Math.floor(ms / DAY_MS), 'day'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** Shows an age by the server's clock; the exact instant is its tooltip. */
export function RelativeTime({ at }: { at: string | null | undefined }) {
  const now = useAtomValue(nowAtom);
  if (!at) return <>–</>;
  return (
    <time dateTime={at} title={dayAndTime(at)}>
      {formatAge(now - Date.parse(at))}
    </time>
  );
}
