/** A zone's own clock: what it shows at an instant, and which instant it means by what it shows (decision E-11). */

export interface LocalTime {
  /** `2026-11-20`. */
  date: string;
  /** `19:10`. */
  time: string;
}

export const DEFAULT_TIME = '15:00';
export const DEFAULT_ZONE = 'Australia/Brisbane';

/** The zones a draw may have (B:134). */
export const ZONES: readonly {
  country: string;
  zones: readonly (readonly [zone: string, label: string])[];
}[] = [
  {
    country: 'Australia',
    zones: [
      ['Australia/Brisbane', 'Queensland'],
      ['Australia/Sydney', 'New South Wales'],
      ['Australia/Melbourne', 'Victoria'],
      ['Australia/Adelaide', 'South Australia'],
      ['Australia/Perth', 'Western Australia'],
      ['Australia/Darwin', 'Northern Territory'],
      ['Australia/Hobart', 'Tasmania'],
    ],
  },
  {
    country: 'New Zealand',
    zones: [
      ['Pacific/Auckland', 'Auckland'],
      ['Pacific/Chatham', 'Chatham Islands'],
    ],
  },
  { country: 'United Kingdom', zones: [['Europe/London', 'London']] },
];

export function localTime(instantMs: number, zone: string): LocalTime {
  const parts = new Intl.DateTimeFormat('en-AU', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  }).formatToParts(instantMs);
  const said = Object.fromEntries(parts.map((part) => [part.type, part.value]));
  return { date: `${said.year}-${said.month}-${said.day}`, time: `${said.hour}:${said.minute}` };
}

const asUtc = ({ date, time }: LocalTime): number => Date.parse(`${date}T${time}:00Z`);
const DAY_MS = 86_400_000;

/** A time that does not exist moves forward over the gap; of a time that comes twice, the first is meant. */
export function instantOf(local: LocalTime, zone: string): number {
  const face = asUtc(local);
  const offsetAt = (instant: number) =>
    asUtc(localTime(instant, zone)) - Math.floor(instant / 60_000) * 60_000;
  const before = face - offsetAt(face - DAY_MS);
  const after = face - offsetAt(face + DAY_MS);
  const meant = [before, after].filter((instant) => asUtc(localTime(instant, zone)) === face);
  return meant.length > 0 ? Math.min(...meant) : before;
}

/** What the clock will really show, when it is not what was typed: in the hour that a change of clocks skips. */
export function movedBy(local: LocalTime, zone: string): string | null {
  // While a year is typed digit by digit it is the year 2, 20 and 209 first.
  if (!/^2\d{3}-/.test(local.date) || Number.isNaN(asUtc(local))) return null;
  const real = localTime(instantOf(local, zone), zone).time;
  return real === local.time ? null : real;
}
