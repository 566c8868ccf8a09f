import { HttpError } from './http';

/** Codes of a 401 that refuses a password or an authenticator code. The session stays valid. */
const REFUSED_PROOF_CODES: readonly string[] = ['wrong-code', 'code-used', 'invalid-credentials'];

/**
 * Whether the server answered that nobody is signed in: the session has ended. A refused password
 * or code is also a 401, but does not end the session.
 */
export const isSessionExpiredError = (error: unknown): error is HttpError =>
  error instanceof HttpError && error.status === 401 && !REFUSED_PROOF_CODES.includes(error.code);
