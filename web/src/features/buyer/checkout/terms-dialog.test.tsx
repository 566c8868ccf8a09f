import { screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { FakeServer } from '@/testing/fake-server';
import { show } from '@/testing/show';
import { TermsDialog } from './terms-dialog';

afterEach(() => vi.unstubAllGlobals());

test('the terms dialog shows the server’s document with the accepted version', async () => {
  new FakeServer().on('GET /api/terms/sale', {
    body: {
      title: 'Terms of Sale',
      version: '1.0',
      text: 'Terms of Sale\n\n1. What you buy.\n\n9. That is not a change of mind.',
    },
  });
  show(<TermsDialog open onClose={() => {}} />);
  expect(screen.getByText(/All sales are final/)).toBeDefined();
  expect(await screen.findByText('Version 1.0')).toBeDefined();
  expect([...document.querySelectorAll('.sheet-body p')].map((line) => line.textContent)).toEqual([
    '1. What you buy.',
    '9. That is not a change of mind.',
    'Version 1.0',
  ]);
});

test('the terms dialog shows the summary while the document cannot be loaded', async () => {
  const server = new FakeServer().on('GET /api/terms/sale', { status: 503 });
  show(<TermsDialog open onClose={() => {}} />);
  await vi.waitFor(() => expect(server.paths()).toEqual(['GET /api/terms/sale']));
  expect(screen.getByText(/must respond within 7 days/)).toBeDefined();
});
