/** Formats dates such as `Fri 20 Nov 2026, 7:10 pm AEST`, in the draw's zone and with its name. */

export const BRISBANE = 'Australia/Brisbane';

const formats = new Map<string, Intl.DateTimeFormat>();

function format(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = zone + JSON.stringify(options);
  let known = formats.get(key);
  if (!known) {
    known = new Intl.DateTimeFormat('en-AU', { ...options, timeZone: zone });
    formats.set(key, known);
  }
  return known;
}

function parts(
  at: Date,
  zone: string,
  options: Intl.DateTimeFormatOptions,
): Record<string, string> {
  return Object.fromEntries(
    format(zone, options)
      .formatToParts(at)
      .map((part) => [part.type, part.value]),
  );
}

function safeZone(zone: string | null | undefined): string {
  if (!zone) return BRISBANE;
  try {
    format(zone, { hour: 'numeric' });
    return zone;
  } catch {
    return BRISBANE;
  }
}

/** Formats a day: `Fri 20 Nov 2026`. */
export function day(instant: string, timezone?: string | null): string {
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return '';
  const values = parts(at, safeZone(timezone), {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  });
  return `${values.weekday} ${values.day} ${values.month} ${values.year}`;
}

/**
 * No-break space before am or pm. `server/src/render/when.rs` writes the same text into the
 * server-rendered page.
 */
const TIE = '\u00a0';

/** Formats a time: `7:10 pm`, without a line break inside. */
export function timeOfDay(instant: string | number, timezone?: string | null): string {
  const values = parts(new Date(instant), safeZone(timezone), {
    hour: 'numeric',
    minute: '2-digit',
    hour12: true,
  });
  return `${values.hour}:${values.minute}${TIE}${(values.dayPeriod ?? '').toLowerCase().replace(/[.\s\u202f]/g, '')}`;
}

/**
 * Formats day and time: `Fri 20 Nov 2026, 7:10 pm AEST`, whatever the device's zone (decision
 * E-10). The server-rendered page has the same text.
 */
export function dayAndTime(instant: string, timezone?: string | null): string {
  const zone = safeZone(timezone);
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return '';
  return `${day(instant, zone)}, ${timeOfDay(instant, zone)} ${parts(at, zone, { timeZoneName: 'short' }).timeZoneName}`;
}

/** Whether two instants fall on one calendar day of a zone. */
export function sameDay(one: number, other: number, timezone?: string | null): boolean {
  const zone = safeZone(timezone);
  return day(new Date(one).toISOString(), zone) === day(new Date(other).toISOString(), zone);
}
