/** The sales of a draw and of the club's game before it, on one scale: minutes before kick-off. */
import type { DrawSales, SalesCurve } from '@/api/wire-club';

const HOUR = 60;
const DAY = 24 * HOUR;
/** Minutes before kick-off of the table's rows, the earliest first. */
const TABLE_TIMES: readonly { minutes: number; text: string }[] = [
  { minutes: 7 * DAY, text: '7 days before' },
  { minutes: 3 * DAY, text: '3 days before' },
  { minutes: DAY, text: '1 day before' },
  { minutes: 6 * HOUR, text: '6 hours before' },
  { minutes: HOUR, text: '1 hour before' },
  { minutes: 0, text: 'Kick-off' },
];

/** Returns how many tickets were sold this long before kick-off. */
export function soldAt(curve: SalesCurve, minutes: number): number {
  let sold = 0;
  for (const point of curve.points) {
    if (point.minutesBeforeKickOff < minutes) break;
    sold = point.sold;
  }
  return sold;
}

export interface SalesSeries {
  /** Minutes until kick-off as negative numbers, ascending. */
  at: number[];
  /** Null for a time that has not come. */
  sold: (number | null)[];
  lastSold: (number | null)[];
}

/** Returns both curves at the same times. `minutesNow` is negative after kick-off. */
export function salesSeriesOf({ this: own, last }: DrawSales, minutesNow: number): SalesSeries {
  const now = Math.max(0, Math.floor(minutesNow));
  const times = [...own.points, ...(last?.points ?? [])].map(({ minutesBeforeKickOff }) =>
    Math.max(0, minutesBeforeKickOff),
  );
  const first = Math.max(HOUR, ...times, now);
  const at = [...new Set([first, ...times, now, 0])].sort((one, other) => other - one);
  return {
    at: at.map((minutes) => (minutes === 0 ? 0 : -minutes)),
    sold: at.map((minutes) => (minutes < now ? null : soldAt(own, minutes))),
    lastSold: at.map((minutes) => (last ? soldAt(last, minutes) : null)),
  };
}

export interface SalesRow {
  text: string;
  sold: number | null;
  lastSold: number | null;
}

/** Returns the rows of the table, from the first time at which either game had sales. */
export function salesRowsOf(sales: DrawSales, minutesNow: number): SalesRow[] {
  const rows = TABLE_TIMES.map(({ minutes, text }) => ({
    text,
    sold: minutes < minutesNow ? null : soldAt(sales.this, minutes),
    lastSold: sales.last ? soldAt(sales.last, minutes) : null,
  }));
  const first = rows.findIndex(({ sold, lastSold }) => (sold ?? 0) > 0 || (lastSold ?? 0) > 0);
  return first < 0 ? [] : rows.slice(Math.max(0, first - 1));
}

/** Returns a sentence with the count, and the comparison with the last game at the same time. */
export function salesSummaryOf({ this: own, last }: DrawSales, minutesNow: number): string {
  const minutes = Math.max(0, minutesNow);
  const sold = soldAt(own, minutes);
  const count = `${sold} ${sold === 1 ? 'ticket' : 'tickets'} sold`;
  if (!last) return `${count}. This is the first game, so there is nothing to compare.`;
  const then = soldAt(last, minutes);
  const more = sold - then;
  const game = `${last.homeTeam} v ${last.awayTeam}`;
  const time = minutesNow > 0 ? 'at this time' : 'at kick-off';
  return more === 0
    ? `${count}, as many as the last game ${time} (${game}).`
    : `${count}, ${Math.abs(more)} ${more > 0 ? 'more' : 'fewer'} than the last game ${time} (${game}).`;
}

/** Returns the tickets of the last 24 hours before `minutesNow`; null after kick-off. */
export function soldLastDay({ this: own }: DrawSales, minutesNow: number): number | null {
  if (minutesNow <= 0) return null;
  return soldAt(own, minutesNow) - soldAt(own, minutesNow + DAY);
}

/** Returns a time before kick-off as text, such as '2 d' or '6 h'. */
export function timeBeforeText(minutes: number): string {
  if (minutes <= 0) return 'kick-off';
  if (minutes >= DAY) return `${Math.round(minutes / DAY)} d`;
  return minutes >= HOUR ? `${Math.round(minutes / HOUR)} h` : `${Math.round(minutes)} min`;
}
