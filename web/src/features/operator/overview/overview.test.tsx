import { screen, waitFor } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import {
  expectToast,
  startConsoleServer,
  NOW,
  openConsole,
  pressButton,
  refusalResponse,
} from '@/testing/console-harness';
import { makeAdminDraws } from '@/testing/operator-data';
import { ANALYTICS } from '@/testing/platform-data';

afterEach(() => vi.unstubAllGlobals());

const LIST_DRAWS_CALL = 'GET /api/admin/draws';
const HIDE_TEST_DRAWS_CALL = 'GET /api/admin/system-settings/hide_test_draws';
/**
 * Draws with one orphaned ticket in a regular draw and two in the last one, which is a test draw.
 */
const drawsWithOrphans = makeAdminDraws(NOW).map((draw, n) => ({
  ...draw,
  orphanedTickets: [1, 0, 0, 0, 0, 2][n] ?? 0,
}));
const ticketsSoldFigureText = () => screen.getByText('Tickets Sold').parentElement?.textContent;

test.each([
  [
    'those of hidden test draws apart',
    { [LIST_DRAWS_CALL]: { body: drawsWithOrphans } },
    `Tickets Sold${ANALYTICS.ticketsSold - 1}1 orphaned`,
  ],
  [
    'of test draws too, while they are shown',
    {
      [LIST_DRAWS_CALL]: { body: drawsWithOrphans },
      [HIDE_TEST_DRAWS_CALL]: {
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
    `Tickets Sold${ANALYTICS.ticketsSold - 3}3 orphaned`,
  ],
  ['and nothing is said where there are none', {}, `Tickets Sold${ANALYTICS.ticketsSold}`],
  [
    'nor where the draws do not load',
    { [LIST_DRAWS_CALL]: refusalResponse(503, 'Away.') },
    `Tickets Sold${ANALYTICS.ticketsSold}`,
  ],
])('orphaned tickets are not counted as sold: %s', async (_name, answers, text) => {
  startConsoleServer(answers);
  openConsole('overview');
  await waitFor(() => expect(ticketsSoldFigureText()).toBe(text));
});

test('the reminder of a due result is sent by one button, and its refusal is shown', async () => {
  const [draw] = makeAdminDraws(NOW);
  if (!draw) throw new Error('a draw is expected');
  const overdue = {
    ...draw,
    status: 'closed',
    ticketsSold: 94,
    gameDate: new Date(NOW - 4 * 3_600_000).toISOString(),
  };
  const call = `POST /api/admin/draws/${draw.drawNumber}/remind`;
  const text = `${draw.clubName} was reminded by e-mail.`;
  const server = startConsoleServer({
    [LIST_DRAWS_CALL]: { body: [overdue] },
    [call]: [
      { body: { sent: true, message: text } },
      { body: { sent: false, message: `${draw.clubName} was reminded within the last hour.` } },
      refusalResponse(409, 'No result of this draw is due.', 'result-not-due'),
    ],
  });
  openConsole('overview');
  const button = `Remind: Remind ${draw.clubName} of its result`;
  await pressButton(button);
  await expectToast('Reminder sent', text);
  await pressButton(button);
  await expectToast('Already reminded', `${draw.clubName} was reminded within the last hour.`);
  await pressButton(button);
  await expectToast('The club was not reminded', 'No result of this draw is due.');
  expect(server.paths().filter((path) => path === call)).toHaveLength(3);
});
