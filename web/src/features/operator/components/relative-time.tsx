import { useAtomValue } from 'jotai';
import { nowAtom } from '@/features/shared-live/live-atoms';
import { dayAndTime } from '@/shared/dates';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Formats an age: `just now`, `4 min ago`, `3 h ago`, `2 days ago`. */
export function formatAge(ms: number): string {
  if (ms < MINUTE) return 'just now';
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ago`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h ago`;
  const days = Math.floor(ms / DAY);
  return `${days} ${days === 1 ? 'day' : 'days'} ago`;
}

/** Formats a duration: `6 minutes`. */
export function formatDuration(ms: number): string {
  const [count, unit] =
    ms < HOUR
      ? [Math.max(1, Math.floor(ms / MINUTE)), 'minute']
      : ms < DAY
        ? [Math.floor(ms / HOUR), 'hour']
        : [Math.floor(ms / DAY), 'day'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/**
 * Shows an age by the server's clock; the exact instant appears on hover and for screen readers.
 */
export function RelativeTime({ at }: { at: string | null | undefined }) {
  const now = useAtomValue(nowAtom);
  if (!at) return <>–</>;
  return (
    <time dateTime={at} title={dayAndTime(at)}>
      {formatAge(now - Date.parse(at))}
    </time>
  );
}
