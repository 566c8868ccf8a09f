/** Converts between instants and the local time of a zone (decision E-11). */

export interface LocalTime {
  /** Format: `2026-11-20`. */
  date: string;
  /** Format: `19:10`. */
  time: string;
}

export const DEFAULT_KICK_OFF_TIME = '15:00';
export const DEFAULT_TIME_ZONE = 'Australia/Brisbane';

/** The time zones that the form offers (specification line B:134). */
export const TIME_ZONES: readonly {
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

export function localTimeInZone(instantMs: number, zone: string): LocalTime {
  const parts = new Intl.DateTimeFormat('en-AU', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  }).formatToParts(instantMs);
  const values = Object.fromEntries(parts.map((part) => [part.type, part.value]));
  return {
    date: `${values.year}-${values.month}-${values.day}`,
    time: `${values.hour}:${values.minute}`,
  };
}

const localTimeReadAsUtcMs = ({ date, time }: LocalTime): number =>
  Date.parse(`${date}T${time}:00Z`);
const DAY_MS = 86_400_000;

/**
 * Converts local time to an instant. A skipped time moves forward over the gap; a repeated time
 * means its first occurrence.
 */
export function utcMsOfLocalTime(local: LocalTime, zone: string): number {
  const face = localTimeReadAsUtcMs(local);
  const offsetAt = (instant: number) =>
    localTimeReadAsUtcMs(localTimeInZone(instant, zone)) - Math.floor(instant / 60_000) * 60_000;
  const before = face - offsetAt(face - DAY_MS);
  const after = face - offsetAt(face + DAY_MS);
  const meant = [before, after].filter(
    (instant) => localTimeReadAsUtcMs(localTimeInZone(instant, zone)) === face,
  );
  return meant.length > 0 ? Math.min(...meant) : before;
}

/**
 * Returns the time the clock will show when the typed time is skipped by a clock change, else
 * null.
 */
export function clockChangeNote(local: LocalTime, zone: string): string | null {
  // While `2026` is typed, the year is 2, then 20, then 202. Those years need no note.
  if (!/^2\d{3}-/.test(local.date) || Number.isNaN(localTimeReadAsUtcMs(local))) return null;
  const real = localTimeInZone(utcMsOfLocalTime(local, zone), zone).time;
  return real === local.time ? null : real;
}
