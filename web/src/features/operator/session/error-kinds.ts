/** Interprets the server's refusals for the console. */
import { HttpError } from '@/api/http';

const hasHttpStatus = (error: unknown, status: number): error is HttpError =>
  error instanceof HttpError && error.status === status;

/**
 * Whether an entered code was refused: wrong or used (401), or too many attempts (429). The session
 * stays valid.
 */
export const isWrongCodeError = (error: unknown): error is HttpError =>
  (hasHttpStatus(error, 401) && (error.code === 'wrong-code' || error.code === 'code-used')) ||
  (hasHttpStatus(error, 429) && error.code === 'too-many-requests');

export const isForbiddenError = (error: unknown): boolean =>
  hasHttpStatus(error, 403) && error.code === 'forbidden';

export const needsSecondFactor = (error: unknown): boolean =>
  hasHttpStatus(error, 403) && error.code === 'second-factor-required';

/** Whether the server requires a fresh code before it continues. */
export const needsReauthentication = (error: unknown): boolean =>
  hasHttpStatus(error, 403) && error.code === 'reauthentication-required';

/** The operator cancelled the code prompt. No request was executed, so no failure is reported. */
export class ReauthenticationDeclined extends Error {}

/** Returns the server's own message, if there is one (specification line C:311). */
export const serverMessage = (error: unknown): string =>
  error instanceof HttpError ? (error.body.message ?? '') : '';
