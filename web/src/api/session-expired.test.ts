import { expect, test } from 'vitest';
import { HttpError } from './http';
import { isSessionExpiredError } from './session-expired';

const httpError = (status: number, code?: string) =>
  new HttpError(status, JSON.stringify({ code }), '', null);

test.each(['unauthenticated', undefined])('401 with code %s ends the session', (code) => {
  expect(isSessionExpiredError(httpError(401, code))).toBe(true);
});

test.each(['wrong-code', 'code-used', 'invalid-credentials'])(
  'refused proof %s keeps the session',
  (code) => {
    expect(isSessionExpiredError(httpError(401, code))).toBe(false);
  },
);

test('other failures keep the session', () => {
  expect(isSessionExpiredError(httpError(400, 'wrong-password'))).toBe(false);
  expect(isSessionExpiredError(httpError(403, 'forbidden'))).toBe(false);
  expect(isSessionExpiredError(new TypeError('Failed to fetch'))).toBe(false);
});
