/** The pace of a draw's sales compared with the club's last game. */
import type { DrawPace } from '@/api/wire-club';

/** Returns '27 fewer than last game at this time'. Null without an earlier game. */
export function paceText(pace: DrawPace | undefined, sold: number): string | null {
  if (!pace) return null;
  const more = sold - pace.lastSold;
  if (more === 0) return 'same as last game at this time';
  return `${Math.abs(more)} ${more > 0 ? 'more' : 'fewer'} than last game at this time`;
}
