import { beforeEach, expect, test } from 'vitest';
import { deskPathOf, loginPathWithReturn, pathAfterLogin } from './return-path';

const open = (address: string) => window.history.replaceState(null, '', address);
beforeEach(() => open('/'));

test.each([
  '/admin/results/1001',
  '/club/sharks/admin',
  '/club/sharks/admin/edit-draw/1001?from=mail#price',
  '/super-admin?section=payments&status=unresolved',
])('the desk’s page %s is returned to', (path) => {
  expect(deskPathOf(path)).toBe(path);
});

test.each([
  null,
  '',
  'https://evil.example/admin',
  '//evil.example/admin',
  '/\\evil.example/admin',
  '\\\\evil.example/admin',
  '/\t/evil.example/admin',
  '/admin\n/x',
  'javascript:alert(1)',
  '/admin/../../draw/1001',
  '/admin/%2e%2e/draw/1001',
  '/admin/login?next=/admin',
  '/administrator',
  '/club/sharks',
  '/draw/1001',
  ' /admin',
])('%s is no page to return to', (path) => {
  expect(deskPathOf(path)).toBeNull();
});

test('the login’s address names the page, and nothing for a plain login', () => {
  open('/admin/results/1001?a=b#c');
  const login = loginPathWithReturn();
  expect(login).toBe('/admin/login?next=%2Fadmin%2Fresults%2F1001%3Fa%3Db%23c');
  open(login);
  expect(pathAfterLogin({ isAdmin: false })).toBe('/admin/results/1001?a=b#c');
  for (const plain of ['/admin', '/super-admin', '/admin/login', '/draw/1001']) {
    open(plain);
    expect(loginPathWithReturn()).toBe('/admin/login');
  }
});

test('an operator passes the console’s code before a club’s page', () => {
  open('/admin/login?next=/club/sharks/admin');
  expect(pathAfterLogin({ isAdmin: true })).toBe('/super-admin?next=%2Fclub%2Fsharks%2Fadmin');
  open('/admin/login?next=/super-admin?section=draws');
  expect(pathAfterLogin({ isAdmin: true })).toBe('/super-admin?section=draws');
  expect(pathAfterLogin({ isAdmin: false }), 'a club has no console').toBe('/admin');
});

test('another site in the address leads to the own home', () => {
  open('/admin/login?next=//evil.example/admin');
  expect(pathAfterLogin({ isAdmin: false })).toBe('/admin');
  expect(pathAfterLogin({ isAdmin: true })).toBe('/super-admin');
});
