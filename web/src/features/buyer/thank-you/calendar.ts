/**
 * Returns the URL of the server's calendar file for one or more games. Phones do not open a `data:`
 * file in their calendar.
 */
export function calendarUrl([first, ...others]: readonly number[]): string {
  return `/api/draws/${first}/calendar.ics${others.length > 0 ? `?also=${others.join(',')}` : ''}`;
}
