/**
 * Validation of the login, registration and waitlist forms, with the specified messages in field
 * order.
 */
import type { Registration, WaitlistEntry } from '@/api/wire-club';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import type { FormProblem } from '@/shared/ui/problem-list';

/**
 * Whether the text looks like an e-mail address. The check is minimal; the server validates the
 * address fully.
 */
export const isEmail = (text: string): boolean => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text.trim());

export const PASSWORD_CHARS_MIN = 8;

type LoginFormRule = readonly [field: string, holds: boolean, text: string];
const problemsOfBrokenRules = (rules: readonly LoginFormRule[]): FormProblem[] =>
  rules.filter(([, holds]) => !holds).map(([field, , text]) => ({ field, text }));

export const loginProblems = (email: string, password: string): FormProblem[] =>
  problemsOfBrokenRules([
    ['login-email', email.trim() !== '', 'Email is required'],
    ['login-password', password !== '', 'Password is required'],
  ]);

export const registrationProblems = ({
  name,
  email,
  phone,
  password,
}: Registration): FormProblem[] =>
  problemsOfBrokenRules([
    ['register-name', name.trim() !== '', C.clubNameRequired],
    ['register-email', isEmail(email), C.validEmailRequired],
    ['register-phone', phone.trim() !== '', 'Phone is required'],
    ['register-password', password.length >= PASSWORD_CHARS_MIN, C.passwordMinimum],
  ]);

export const waitlistProblems = ({
  clubName,
  contactName,
  contactEmail,
  contactPhone,
}: WaitlistEntry): FormProblem[] =>
  problemsOfBrokenRules([
    ['waitlist-clubName', clubName.trim() !== '', C.clubNameRequired],
    ['waitlist-contactName', contactName.trim() !== '', C.contactNameRequired],
    ['waitlist-contactEmail', isEmail(contactEmail), C.validEmailRequired],
    ['waitlist-contactPhone', contactPhone.trim() !== '', C.contactPhoneRequired],
  ]);

/**
 * Returns title and text of the problem with a new password, or null (specification line B:155).
 */
export function newPasswordProblem(
  password: string,
  repeated: string,
): { field: string; title: string; text: string } | null {
  if (password !== repeated)
    return { field: 'reset-again', title: C.passwordsDiffer, text: C.passwordsDifferText };
  if (password.length < PASSWORD_CHARS_MIN)
    return { field: 'reset-password', title: C.passwordTooShort, text: C.passwordTooShortText };
  return null;
}
