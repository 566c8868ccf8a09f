import { dayAndTime } from '@/shared/dates';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';

/**
 * Formats the game date in the draw's own zone; 'TBD' when it is missing (specification line
 * C:62).
 */
export function gameDateText(gameDate: string | null | undefined, timezone?: string): string {
  return (gameDate && dayAndTime(gameDate, timezone)) || O.dateUnknown;
}
