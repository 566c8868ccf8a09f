/** Sentences of the activity log. */
import type { ClubActivity } from '@/api/wire-club';

/** What was done, by the action's name in the audit log. `%` stands for the game. */
const ACTION_TEXTS: Record<string, string> = {
  'create-draw': 'created the draw %',
  'edit-draw': 'changed the draw %',
  'cancel-draw': 'cancelled the draw %',
  'archive-draw': 'archived or restored the draw %',
  'import-fixtures': 'imported a season',
  'enter-results': 'entered the result of %',
  'remind-result': 'reminded the club of the result of %',
  'undo-results': 'undid the result of %',
  'notify-winners': 'e-mailed the winner of %',
  'answer-claim': 'sent bank details for %',
  'enter-winner-bank': 'entered the winner’s bank details for %',
  'propose-winner-bank': 'proposed other bank details for %',
  'approve-winner-bank': 'approved other bank details for %',
  'decline-winner-bank': 'declined other bank details for %',
  'read-winner-bank': 'looked at the winner’s full bank details for %',
  'record-payout': 'recorded the prize payout of %',
  'settle-payout': 'recorded how the payout of % ended',
  'undo-payout': 'took back that the prize of % was paid',
  'download-tickets': 'downloaded the ticket data of %',
  'download-report': 'downloaded the report of %',
  'refund-order': 'refunded an order',
  'search-buyers': 'searched for a buyer',
  'resend-tickets': 'sent a buyer’s tickets again',
  'save-home-page': 'changed the home page',
  'accept-invitation': 'joined the club',
  reauthenticate: 'confirmed the password',
};

/** Returns the entry as a sentence. An unknown action is shown by its name, without hyphens. */
export function activityText({ by, action, game }: ClubActivity): string {
  const text = ACTION_TEXTS[action] ?? `${action.replaceAll('-', ' ')} %`;
  const who = by.charAt(0).toUpperCase() + by.slice(1);
  return `${who} ${text.replace('%', game ?? '')}`.trim();
}
