/** Formats dates such as `Fri 20 Nov 2026, 7:10 pm AEST`, in the draw's zone and with its name. */

export const BRISBANE = 'Australia/Brisbane';

const formatByZoneAndOptions = new Map<string, Intl.DateTimeFormat>();

function dateFormat(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = zone + JSON.stringify(options);
  let known = formatByZoneAndOptions.get(key);
  if (!known) {
    known = new Intl.DateTimeFormat('en-AU', { ...options, timeZone: zone });
    formatByZoneAndOptions.set(key, known);
  }
  return known;
}

function formattedParts(
  at: Date,
  zone: string,
  options: Intl.DateTimeFormatOptions,
): Record<string, string> {
  return Object.fromEntries(
    dateFormat(zone, options)
      .formatToParts(at)
      .map((part) => [part.type, part.value]),
  );
}

function validZone(zone: string | null | undefined): string {
  if (!zone) return BRISBANE;
  try {
    dateFormat(zone, { hour: 'numeric' });
    return zone;
  } catch {
    return BRISBANE;
  }
}

/** Formats a day: `Fri 20 Nov 2026`. */
export function day(instant: string, timezone?: string | null): string {
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return '';
  const values = formattedParts(at, validZone(timezone), {
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
const NO_BREAK_SPACE = '\u00a0';

/** Formats a time: `7:10 pm`, without a line break inside. */
export function timeOfDay(instant: string | number, timezone?: string | null): string {
  const values = formattedParts(new Date(instant), validZone(timezone), {
    hour: 'numeric',
    minute: '2-digit',
    hour12: true,
  });
  return `${values.hour}:${values.minute}${NO_BREAK_SPACE}${(values.dayPeriod ?? '').toLowerCase().replace(/[.\s\u202f]/g, '')}`;
}

/**
 * Formats day and time: `Fri 20 Nov 2026, 7:10 pm AEST`, whatever the device's zone (decision
 * E-10). The server-rendered page has the same text.
 */
export function dayAndTime(instant: string, timezone?: string | null): string {
  const zone = validZone(timezone);
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return '';
  return `${day(instant, zone)}, ${timeOfDay(instant, zone)} ${formattedParts(at, zone, { timeZoneName: 'short' }).timeZoneName}`;
}

/** Whether two instants fall on one calendar day of a zone. */
export function sameDay(one: number, other: number, timezone?: string | null): boolean {
  const zone = validZone(timezone);
  return day(new Date(one).toISOString(), zone) === day(new Date(other).toISOString(), zone);
}
