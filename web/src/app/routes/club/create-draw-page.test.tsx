import { screen, waitFor } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { FakeServer } from '@/testing/fake-server';
import { renderScreen } from '@/testing/render-screen';
import { Page } from './create-draw-page';

afterEach(() => vi.unstubAllGlobals());

test('guest who wants to create a draw is sent to login with a reason', async () => {
  new FakeServer().on('GET /api/admin/whoami', { status: 401 });
  renderScreen(<Page params={{}} />, '/admin/create-draw');
  await waitFor(() => expect(window.location.pathname).toBe('/admin/login'));
  expect(screen.getByText('Authentication required')).toBeTruthy();
  expect(screen.getByText('Please log in to create a draw.')).toBeTruthy();
});
