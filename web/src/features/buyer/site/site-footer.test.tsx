import { act, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { FakeServer } from '@/testing/fake-server';
import { renderScreen } from '@/testing/render-screen';
import { SiteFooter } from './site-footer';

afterEach(() => vi.unstubAllGlobals());

const menu = (heading: string) => ({
  id: 1,
  heading,
  displayOrder: 0,
  isVisible: true,
  items: [],
});

test('an open page shows a changed footer when its reader comes back to the tab', async () => {
  new FakeServer().on(
    'GET /api/footer-menus',
    { body: [menu('For clubs')] },
    { body: [menu('For everybody')] },
  );
  renderScreen(<SiteFooter />, '/');
  expect(await screen.findByRole('heading', { name: 'For clubs' })).toBeDefined();
  act(() => void document.dispatchEvent(new Event('visibilitychange')));
  expect(await screen.findByRole('heading', { name: 'For everybody' })).toBeDefined();
});
