import { dayAndTime } from '@/shared/dates';
import { O } from '@/shared/strings-operator';

/** When the game is, in the draw's own zone; 'TBD' when nobody has said (C:66). */
export function dateOf(gameDate: string | null | undefined, timezone?: string): string {
  return (gameDate && dayAndTime(gameDate, timezone)) || O.dateUnknown;
}
