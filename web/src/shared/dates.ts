/**
 * Formats dates such as `Fri 20 Nov 2026, 7:10 pm AEST`, in the draw's time zone and with the
 * zone's name.
 */

export const BRISBANE_ZONE = 'Australia/Brisbane';

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

function zoneOrBrisbane(zone: string | null | undefined): string {
  if (!zone) return BRISBANE_ZONE;
  try {
    dateFormat(zone, { hour: 'numeric' });
    return zone;
  } catch {
    return BRISBANE_ZONE;
  }
}

/** Formats a day: `Fri 20 Nov 2026`. */
export function dayText(instant: string, timezone?: string | null): string {
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return '';
  const values = formattedParts(at, zoneOrBrisbane(timezone), {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  });
  return `${values.weekday} ${values.day} ${values.month} ${values.year}`;
}

/**
 * No-break space before am or pm. `server/src/render/date_time_text.rs` writes the same text into
 * the server-rendered page.
 */
const NO_BREAK_SPACE = '\u00a0';

/** Formats a time: `7:10 pm`, without a line break inside. */
export function timeOfDay(instant: string | number, timezone?: string | null): string {
  const values = formattedParts(new Date(instant), zoneOrBrisbane(timezone), {
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
  const zone = zoneOrBrisbane(timezone);
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return '';
  return `${dayText(instant, zone)}, ${timeOfDay(instant, zone)} ${formattedParts(at, zone, { timeZoneName: 'short' }).timeZoneName}`;
}

/** Whether two instants fall on one calendar day of a zone. */
export function isSameDay(one: number, other: number, timezone?: string | null): boolean {
  const zone = zoneOrBrisbane(timezone);
  return (
    dayText(new Date(one).toISOString(), zone) === dayText(new Date(other).toISOString(), zone)
  );
}
