/** The game as a calendar file: one event with a stable name, so that adding it twice changes nothing. */

export interface Game {
  drawNumber: number;
  name: string;
  /** RFC 3339. */
  at: string;
}

const stamp = (at: Date) => at.toISOString().replace(/[-:]|\.\d{3}/g, '');
const escaped = (text: string) => text.replace(/([\\;,])/g, '\\$1').replace(/\n/g, '\\n');

const GAME_MS = 2 * 60 * 60_000;

export function calendarFile(games: readonly Game[], origin: string, now: Date): string {
  const events = games.flatMap((game) => [
    'BEGIN:VEVENT',
    `UID:draw-${game.drawNumber}@football-doubles`,
    `DTSTAMP:${stamp(now)}`,
    `DTSTART:${stamp(new Date(game.at))}`,
    `DTEND:${stamp(new Date(Date.parse(game.at) + GAME_MS))}`,
    `SUMMARY:${escaped(game.name)}`,
    `DESCRIPTION:${escaped(`Football Doubles draw ${game.drawNumber}`)}`,
    `URL:${origin}/draw/${game.drawNumber}`,
    'END:VEVENT',
  ]);
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Football Doubles//EN', 'METHOD:PUBLISH', ...events, 'END:VCALENDAR', ''].join('\r\n');
}
