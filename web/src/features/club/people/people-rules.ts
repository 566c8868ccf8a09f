/** Labels of club members (name, role, state) and validation of an invitation. */
import type { ClubUser, InvitationWanted } from '@/api/wire-club';
import { dayAndTime, day } from '@/shared/dates';
import { C } from '@/shared/strings-club';
import type { FormProblem } from '@/shared/ui/problem-list';
import { isEmail } from '../getting-in/getting-in-rules';
import { ROLE_WORDS, isRole } from '../session/roles';

export const EMPTY_INVITATION: InvitationWanted = { name: '', email: '', role: 'seller' };

export const invitationProblems = ({ name, email }: InvitationWanted): FormProblem[] => [
  ...(name.trim() === '' ? [{ field: 'invite-name', text: 'Name is required' }] : []),
  ...(isEmail(email) ? [] : [{ field: 'invite-email', text: C.validEmailRequired }]),
];

export const roleName = (role: string): string => (isRole(role) ? ROLE_WORDS[role].name : role);

/** Returns the role with its article: 'an owner', 'a seller'. */
export const asWhat = (role: string): string =>
  `${role === 'owner' ? 'an' : 'a'} ${roleName(role).toLowerCase()}`;

/**
 * Returns the label beside the role: empty for a member, the invitation's state for an invited
 * person.
 */
export function stateOf({
  state,
}: Pick<ClubUser, 'state'>): { words: string; look: string } | null {
  if (state === 'invited') return { words: 'Invited', look: 'is-awaiting' };
  return state === 'expired' ? { words: 'Invitation expired', look: 'is-cancelled' } : null;
}

/** Formats when the invitation expires, or when the member last signed in. */
export function sinceWords({
  state,
  invitedUntil,
  lastSeenAt,
}: Pick<ClubUser, 'state' | 'invitedUntil' | 'lastSeenAt'>): string {
  if (state === 'expired') return 'The link was not used in time.';
  if (state === 'invited')
    return invitedUntil
      ? `The link works until ${dayAndTime(invitedUntil)}`
      : 'The link waits in their mailbox.';
  return lastSeenAt ? `Last here ${day(lastSeenAt)}` : 'Not been here yet';
}
