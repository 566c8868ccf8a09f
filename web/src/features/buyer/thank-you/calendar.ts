/** The server's calendar file of one or more games: a real address, because phones open no `data:` file in their calendar. */
export function calendarAddress([first, ...others]: readonly number[]): string {
  return `/api/draws/${first}/calendar.ics${others.length > 0 ? `?also=${others.join(',')}` : ''}`;
}
