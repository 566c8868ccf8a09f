/** Interprets the server's refusals for the console. */
import { Problem } from '@/api/http';

const is = (error: unknown, status: number): error is Problem =>
  error instanceof Problem && error.status === status;

/** Whether a code was wrong. The response is a 401, but the session stays valid. */
export const isWrongCode = (error: unknown): error is Problem =>
  (is(error, 401) && (error.code === 'wrong-code' || error.code === 'code-used')) ||
  (is(error, 429) && error.code === 'too-many-requests');

export const isOver = (error: unknown): boolean => is(error, 401) && !isWrongCode(error);

export const isForbidden = (error: unknown): boolean =>
  is(error, 403) && error.code === 'forbidden';

export const needsSecondFactor = (error: unknown): boolean =>
  is(error, 403) && error.code === 'second-factor-required';

/** Whether the server requires a fresh code before it continues. */
export const needsProof = (error: unknown): boolean =>
  is(error, 403) && error.code === 'reauthentication-required';

/** The operator cancelled the code prompt. No request was executed, so no failure is reported. */
export class Declined extends Error {}

/** Returns the server's own message, if there is one (specification line C:304). */
export const said = (error: unknown): string =>
  error instanceof Problem ? (error.said.message ?? '') : '';
