import { screen, waitFor } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { aServer, NOW, openConsole, refused } from '@/testing/a-console';
import { draws } from '@/testing/operator-data';
import { analytics } from '@/testing/platform-data';

afterEach(() => vi.unstubAllGlobals());

const DRAWS = 'GET /api/admin/draws';
const HIDE = 'GET /api/admin/system-settings/hide_test_draws';
/**
 * Draws with one orphaned ticket in a regular draw and two in the last one, which is a test draw.
 */
const orphaned = draws(NOW).map((draw, n) => ({
  ...draw,
  orphanedTickets: [1, 0, 0, 0, 0, 2][n] ?? 0,
}));
const sold = () => screen.getByText('Tickets Sold').parentElement?.textContent;

test.each([
  [
    'those of hidden test draws apart',
    { [DRAWS]: { body: orphaned } },
    `Tickets Sold${analytics.ticketsSold - 1}1 orphaned`,
  ],
  [
    'of test draws too, while they are shown',
    {
      [DRAWS]: { body: orphaned },
      [HIDE]: {
        body: {
          id: 3,
          key: 'hide_test_draws',
          value: 'false',
          description: null,
          updatedAt: '2026-11-21T03:00:00Z',
          updatedBy: null,
        },
      },
    },
    `Tickets Sold${analytics.ticketsSold - 3}3 orphaned`,
  ],
  ['and nothing is said where there are none', {}, `Tickets Sold${analytics.ticketsSold}`],
  [
    'nor where the draws do not load',
    { [DRAWS]: refused(503, 'Away.') },
    `Tickets Sold${analytics.ticketsSold}`,
  ],
])('orphaned tickets are not counted as sold: %s', async (_name, answers, words) => {
  aServer(answers);
  openConsole('overview');
  await waitFor(() => expect(sold()).toBe(words));
});
