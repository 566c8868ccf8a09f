/** What the server's refusals mean to the console. */
import { Problem } from '@/api/http';

const is = (error: unknown, status: number): error is Problem =>
  error instanceof Problem && error.status === status;

/** A code that was typed wrong is a 401 too, but the session goes on. */
export const isWrongCode = (error: unknown): error is Problem =>
  (is(error, 401) && (error.code === 'wrong-code' || error.code === 'code-used')) ||
  (is(error, 429) && error.code === 'too-many-requests');

export const isOver = (error: unknown): boolean => is(error, 401) && !isWrongCode(error);

export const isForbidden = (error: unknown): boolean =>
  is(error, 403) && error.code === 'forbidden';

export const needsSecondFactor = (error: unknown): boolean =>
  is(error, 403) && error.code === 'second-factor-required';

/** The operator must show that it is still them before this goes on. */
export const needsProof = (error: unknown): boolean =>
  is(error, 403) && error.code === 'reauthentication-required';

/** The operator was asked for a code and said no; nothing was done, so nothing has failed. */
export class Declined extends Error {}

/** The server's own words, where there are any (C:304). */
export const said = (error: unknown): string =>
  error instanceof Problem ? (error.said.message ?? '') : '';
