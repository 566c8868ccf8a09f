/** Labels of club members (name, role, state) and validation of an invitation. */
import type { ClubUser, InvitationRequest } from '@/api/wire-club';
import { dayAndTime, dayText } from '@/shared/dates';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import type { FormProblem } from '@/shared/ui/problem-list';
import { isEmail } from '../login/login-rules';
import { ROLE_TEXTS, isRole } from '../session/roles';

export const EMPTY_INVITATION: InvitationRequest = { name: '', email: '', role: 'seller' };

export const invitationProblems = ({ name, email }: InvitationRequest): FormProblem[] => [
  ...(name.trim() === '' ? [{ field: 'invite-name', text: 'Name is required' }] : []),
  ...(isEmail(email) ? [] : [{ field: 'invite-email', text: C.validEmailRequired }]),
];

export const roleName = (role: string): string => (isRole(role) ? ROLE_TEXTS[role].name : role);

/** Returns the role with its article: 'an owner', 'a seller'. */
export const roleWithArticle = (role: string): string =>
  `${role === 'owner' ? 'an' : 'a'} ${roleName(role).toLowerCase()}`;

/**
 * Returns the label beside the role: null for a member, the invitation's state for an invited
 * person.
 */
export function memberStateLabel({
  state,
}: Pick<ClubUser, 'state'>): { text: string; tone: string } | null {
  if (state === 'invited') return { text: 'Invited', tone: 'is-awaiting' };
  return state === 'expired' ? { text: 'Invitation expired', tone: 'is-cancelled' } : null;
}

/** Describes an invitation's expiry, or when the member last signed in. */
export function memberActivityText({
  state,
  invitedUntil,
  lastSeenAt,
}: Pick<ClubUser, 'state' | 'invitedUntil' | 'lastSeenAt'>): string {
  if (state === 'expired') return 'The link was not used in time.';
  if (state === 'invited')
    return invitedUntil
      ? `The link works until ${dayAndTime(invitedUntil)}`
      : 'The link waits in their mailbox.';
  return lastSeenAt ? `Last here ${dayText(lastSeenAt)}` : 'Not been here yet';
}
