import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeOwnDraw, makeWinner, makePageContext } from '@/testing/club-data';
import { FakeServer } from '@/testing/fake-server';
import { renderScreen } from '@/testing/render-screen';
import { bankDetailsProblems, formatBsbInput, sanitiseAccountNumberInput } from './bank-rules';
import { sessionExpiredAtom } from '../session/session-atoms';
import { ResultsPage } from './results';

const DRAW_AWAITING_RESULT = makeOwnDraw({ gameDate: '2020-11-20T09:10:00Z' });
const COMPLETED_DRAW = makeOwnDraw({
  status: 'completed',
  gameDate: '2020-11-20T09:10:00Z',
  revision: 6,
});
const WINNERS_RESPONSE = { winningTickets: [makeWinner()], prize: '290.00' };
let server: FakeServer;

beforeEach(() => {
  server = new FakeServer()
    .on('GET /api/draws/1042', { body: DRAW_AWAITING_RESULT })
    .on('GET /api/draws/1042/payouts', { body: [] });
});
afterEach(() => vi.unstubAllGlobals());

const openResults = () =>
  renderScreen(
    <ResultsPage here={makePageContext()} number={1042} />,
    '/club/sharks/admin/results/1042',
  );
const jerseyButton = (side: number, jersey: number) =>
  document.querySelectorAll('.pad')[side]?.querySelectorAll('button')[jersey - 1] as HTMLElement;
const submitButton = () =>
  screen.getAllByRole('button', { name: 'Submit Results' })[0] as HTMLElement;
const alertTexts = () => screen.getAllByRole('alert').map((alert) => alert.textContent);

test('four taps enter a result: two keys, submit, confirm, with teams and numbers repeated', async () => {
  server
    .on('POST /api/draws/1042/results', { body: { ...WINNERS_RESPONSE, draw: COMPLETED_DRAW } })
    .on('GET /api/draws/1042', { body: DRAW_AWAITING_RESULT }, { body: COMPLETED_DRAW })
    .on('GET /api/draws/1042/winners', { body: { ...WINNERS_RESPONSE, notified: false } });
  openResults();
  expect(
    await screen.findByRole('heading', { name: 'Enter First Try Scorer Numbers' }),
  ).toBeTruthy();
  expect(screen.getByText('Tickets sold 113/169 · Total sales $565.00')).toBeTruthy();
  await userEvent.click(jerseyButton(0, 7));
  await userEvent.click(jerseyButton(1, 9));
  expect(screen.getByText('#7 & #9')).toBeTruthy();
  expect((screen.getByLabelText('Redcliffe Sharks (home)') as HTMLSelectElement).value).toBe('7');
  await userEvent.click(submitButton());
  const dialog = within(screen.getByRole('alertdialog'));
  expect(dialog.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
    'Redcliffe Sharks: number 7',
    'Wynnum Tigers: number 9 (No Try/Default)',
  ]);
  expect(
    dialog.getByText(
      'This sets the winner and e-mails can follow. Only the platform operator can undo it.',
    ),
  ).toBeTruthy();
  await userEvent.click(dialog.getByRole('button', { name: 'Submit Results' }));
  expect(await screen.findByText('Results submitted successfully')).toBeTruthy();
  expect(screen.getByText('Winner determined! 1 winning ticket(s) found.')).toBeTruthy();
  expect(server.requests.find(({ method }) => method === 'POST')?.body).toEqual({
    homeFirstTryScorer: 7,
    awayFirstTryScorer: 9,
  });
  expect(await screen.findByRole('heading', { name: 'Winner Announced!' })).toBeTruthy();
});

test('a missing number is reported at its select and as a toast', async () => {
  openResults();
  await screen.findByRole('heading', { name: 'Enter First Try Scorer Numbers' });
  fireEvent.change(screen.getByLabelText('Redcliffe Sharks (home)'), { target: { value: '9' } });
  await userEvent.click(submitButton());
  expect(screen.queryByRole('alertdialog', { hidden: false })).toBeNull();
  expect(
    alertTexts().every(
      (text) =>
        text?.includes('Missing information') &&
        text.includes('Please select first try scorer for both teams'),
    ),
  ).toBe(true);
  expect(screen.getByLabelText('Wynnum Tigers (away)')).toBe(document.activeElement);
});

test('a failure keeps the choice on the phone and sends nothing automatically', async () => {
  server.on('POST /api/draws/1042/results', new Error('offline'), {
    status: 409,
    body: { message: 'This draw is completed already.' },
  });
  const { unmount } = openResults();
  await screen.findByRole('heading', { name: 'Enter First Try Scorer Numbers' });
  const send = async () => {
    await userEvent.click(submitButton());
    await userEvent.click(
      within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Submit Results' }),
    );
  };
  await userEvent.click(jerseyButton(0, 3));
  await userEvent.click(jerseyButton(1, 12));
  await send();
  expect((await screen.findAllByText('Failed to submit results')).length).toBe(2);
  expect(screen.getAllByText(/Your choice is kept on this phone/).length).toBeGreaterThan(0);
  unmount();
  openResults();
  expect(await screen.findByText('#3 & #12')).toBeTruthy();
  expect(server.paths().filter((path) => path.startsWith('POST'))).toHaveLength(1);
  await send();
  expect((await screen.findAllByText(/This draw is completed already\./)).length).toBeGreaterThan(
    0,
  );
});

test('entering a result before the game warns that sales stop', async () => {
  server.on('GET /api/draws/1042', { body: makeOwnDraw({ gameDate: '2099-01-01T00:00:00Z' }) });
  openResults();
  await screen.findByRole('heading', { name: 'Enter First Try Scorer Numbers' });
  await userEvent.click(jerseyButton(0, 1));
  await userEvent.click(jerseyButton(1, 2));
  await userEvent.click(submitButton());
  expect(screen.getByText('The game has not started yet. Ticket sales stop at once.')).toBeTruthy();
});

test('a result before kick-off says when the winner is shown, and until then nothing can be sent or paid', async () => {
  const early = makeOwnDraw({ gameDate: '2099-01-01T00:00:00Z' });
  const later = { winningTickets: [], revealedAt: '2099-01-01T00:00:00Z', prize: '290.00' };
  const done = { ...early, status: 'completed', revision: 6 };
  server
    .on('POST /api/draws/1042/results', { body: { ...later, draw: done } })
    .on('GET /api/draws/1042', { body: early }, { body: done })
    .on('GET /api/draws/1042/winners', { body: { ...later, notified: false } });
  openResults();
  await screen.findByRole('heading', { name: 'Enter First Try Scorer Numbers' });
  await userEvent.click(jerseyButton(0, 7));
  await userEvent.click(jerseyButton(1, 9));
  await userEvent.click(submitButton());
  await userEvent.click(
    within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Submit Results' }),
  );
  expect(await screen.findByText('The winning ticket is shown after kick-off.')).toBeTruthy();
  expect(
    await screen.findByText(
      'The winning ticket is shown after kick-off, Thu 1 Jan 2099, 10:00 am AEST.',
    ),
  ).toBeTruthy();
  expect(screen.queryByText(/0 winning ticket/)).toBeNull();
  expect(screen.queryByRole('button', { name: 'Notify Winner' })).toBeNull();
  expect(screen.queryByRole('heading', { name: 'Payout Management' })).toBeNull();
  expect(screen.getByRole('button', { name: 'Download Report' })).toBeTruthy();
});

test('a missing draw and another club’s draw show the same text', async () => {
  server.on('GET /api/draws/1042', { status: 404 }, { body: makeOwnDraw({ clubId: 2 }) });
  const { unmount } = openResults();
  expect(await screen.findByRole('heading', { name: 'Draw Not Found' })).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Return to Dashboard' }).getAttribute('href')).toBe(
    '/club/sharks/admin',
  );
  unmount();
  openResults();
  expect(await screen.findByRole('heading', { name: 'Draw Not Found' })).toBeTruthy();
});

test('a draw or a winner that cannot be loaded shows an error and can be retried', async () => {
  server
    .on('GET /api/draws/1042', { status: 500 }, { body: COMPLETED_DRAW })
    .on(
      'GET /api/draws/1042/winners',
      { status: 500 },
      { body: { ...WINNERS_RESPONSE, notified: false } },
    );
  openResults();
  expect(await screen.findByRole('heading', { name: 'Failed to fetch draw' })).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  expect(await screen.findByText('Failed to fetch tickets')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  expect(await screen.findByRole('heading', { name: 'Winner Announced!' })).toBeTruthy();
});

test('the winner can be notified again, and a failure shows an error', async () => {
  server
    .on('GET /api/draws/1042', { body: COMPLETED_DRAW })
    .on('GET /api/draws/1042/winners', {
      body: {
        winningTickets: [makeWinner({ buyerName: null, respondBy: '2026-11-27T12:30:00Z' })],
        prize: '290.00',
        notified: true,
      },
    })
    .on(
      'POST /api/draws/1042/notify-winners',
      { status: 503 },
      { body: { emailsSent: 1, totalWinners: 1 } },
    );
  openResults();
  const notify = await screen.findByRole('button', { name: 'Notify Winner' });
  expect(screen.getByText('Not provided')).toBeTruthy();
  expect(screen.getByText('$290.00')).toBeTruthy();
  await userEvent.click(notify);
  expect(await screen.findByText('Failed to send notifications')).toBeTruthy();
  await userEvent.click(notify);
  expect(await screen.findByText('1 out of 1 winners notified')).toBeTruthy();
  expect(screen.getByText(/can answer until Fri 27 Nov 2026, 10:30 pm/)).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Download Report' }));
  expect(await screen.findByText('Download Failed')).toBeTruthy();
});

test('an unsold winning ticket has no contact and no prize to pay', async () => {
  const before = {
    id: 5,
    clubId: 1,
    drawId: 1042,
    type: 'winner',
    amount: '290.00',
    status: 'pending',
    recipientName: 'Robin',
    recipientEmail: null,
    note: null,
    failureReason: null,
    createdAt: '2026-11-21T00:00:00Z',
    completedAt: null,
  };
  server.on('GET /api/draws/1042/payouts', { body: [before] });
  server.on('GET /api/draws/1042', { body: COMPLETED_DRAW }).on('GET /api/draws/1042/winners', {
    body: {
      winningTickets: [
        makeWinner({
          sold: false,
          buyerName: null,
          buyerEmail: null,
          buyerPhone: null,
          winnerPayoutStatus: null,
        }),
      ],
      prize: '290.00',
      notified: false,
    },
  });
  openResults();
  expect(
    await screen.findByText('This ticket was not sold - no winner contact information available'),
  ).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Notify Winner' })).toBeNull();
  expect(screen.queryByRole('button', { name: 'Enter bank details' })).toBeNull();
  // The payout was recorded while the ticket was sold. The ticket was refunded later.
  expect(await screen.findByRole('button', { name: 'Mark as failed' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Mark as paid' })).toBeNull();
});

test('bank details are validated and formatted while typed', () => {
  expect(
    bankDetailsProblems({ accountName: ' ', accountNumber: '12345', bsb: '06200' }).map(
      ({ text }) => text,
    ),
  ).toEqual([
    'Account name is required',
    'BSB must be 6 digits',
    'Account number must be 6 to 10 digits',
  ]);
  expect(
    bankDetailsProblems({ accountName: 'Robin', accountNumber: '123456', bsb: '062-000' }),
  ).toEqual([]);
  expect([formatBsbInput('0620'), formatBsbInput('06-2'), formatBsbInput('062000999')]).toEqual([
    '062-0',
    '062',
    '062-000',
  ]);
  expect(sanitiseAccountNumberInput('12 34-56789012')).toBe('1234567890');
});

test('a payout goes from pending over details received to completed, with masked numbers', async () => {
  const bank = {
    accountName: 'Robin',
    accountNumber: '••••321',
    bsb: '•••-•00',
    receivedAt: '2026-11-21T00:00:00Z',
    from: 'club',
    pendingApproval: null,
  };
  const payout = {
    id: 5,
    drawId: 1042,
    type: 'winner',
    amount: '290.00',
    status: 'pending',
    recipientName: 'Robin',
    recipientEmail: null,
    note: null,
    failureReason: null,
    createdAt: '2026-11-21T00:00:00Z',
    completedAt: null,
  };
  server
    .on('GET /api/draws/1042', { body: COMPLETED_DRAW })
    .on(
      'GET /api/draws/1042/winners',
      { body: { ...WINNERS_RESPONSE, notified: true } },
      {
        body: {
          winningTickets: [makeWinner({ winnerPayoutStatus: 'details_received', bank })],
          prize: '290.00',
          notified: true,
        },
      },
    )
    .on(
      'PUT /api/draws/1042/winner-bank',
      {
        status: 400,
        body: {
          code: 'invalid',
          message: 'x',
          errors: [{ field: 'bsb', message: 'BSB must be 6 digits' }],
        },
      },
      { body: bank },
    )
    .on('POST /api/draws/1042/payouts', { body: payout })
    .on(
      'GET /api/draws/1042/payouts',
      { body: [] },
      { body: [] },
      { body: [payout] },
      { body: [{ ...payout, status: 'completed', completedAt: '2026-11-22T00:00:00Z' }] },
    )
    .on('PATCH /api/payouts/5', { body: { ...payout, status: 'completed' } });
  openResults();
  expect(await screen.findByText('Pending')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Enter bank details' }));
  await userEvent.click(screen.getByRole('button', { name: 'Save bank details' }));
  expect(screen.getAllByText('Account name is required').length).toBeGreaterThan(1);
  await userEvent.type(screen.getByLabelText('Account name'), 'Robin');
  await userEvent.type(screen.getByLabelText('BSB'), '062000');
  await userEvent.type(screen.getByLabelText('Account number'), '7654321');
  await userEvent.click(screen.getByRole('button', { name: 'Save bank details' }));
  expect((await screen.findAllByText('BSB must be 6 digits')).length).toBeGreaterThan(1);
  await userEvent.click(screen.getByRole('button', { name: 'Save bank details' }));
  expect(await screen.findByText('Details received')).toBeTruthy();
  expect(screen.getByText('••••321')).toBeTruthy();
  expect(document.body.textContent).not.toContain('7654321');
  await userEvent.click(screen.getByRole('button', { name: 'Record the prize payout' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Mark as paid' }));
  const dialog = within(screen.getByRole('alertdialog', { name: 'Has the prize been paid?' }));
  await userEvent.type(dialog.getByLabelText('Note (optional)'), 'ref 12');
  await userEvent.click(dialog.getByRole('button', { name: 'Mark as paid' }));
  await waitFor(() => expect(screen.getAllByText('Completed').length).toBeGreaterThan(1));
  expect(server.requests.find(({ path }) => path === '/api/payouts/5')?.body).toEqual({
    status: 'completed',
    note: 'ref 12',
  });
});

test('while the buyer’s bank disputes the payment, the prize cannot be marked as paid', async () => {
  const pending = {
    id: 5,
    clubId: 1,
    drawId: 1042,
    type: 'winner',
    amount: '290.00',
    status: 'pending',
    recipientName: 'Robin',
    recipientEmail: null,
    note: null,
    failureReason: null,
    createdAt: '2026-11-21T00:00:00Z',
    completedAt: null,
  };
  server
    .on('GET /api/draws/1042', { body: COMPLETED_DRAW })
    .on('GET /api/draws/1042/winners', {
      body: { winningTickets: [makeWinner({ disputed: true })], prize: '290.00', notified: true },
    })
    .on('GET /api/draws/1042/payouts', { body: [] }, { body: [pending] });
  const { unmount } = openResults();
  expect(
    await screen.findByText(/^The winner’s payment is disputed by the buyer’s bank/),
  ).toBeTruthy();
  await screen.findByText('None.');
  expect(screen.queryByRole('button', { name: 'Record the prize payout' })).toBeNull();
  unmount();
  openResults();
  expect(await screen.findByRole('button', { name: 'Mark as failed' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Mark as paid' })).toBeNull();
});

test('a prize whose payment failed can be recorded again, and the club’s own share needs no wait', async () => {
  const failed = {
    id: 5,
    clubId: 1,
    drawId: 1042,
    type: 'winner',
    amount: '290.00',
    status: 'failed',
    recipientName: 'Robin',
    recipientEmail: null,
    note: null,
    failureReason: 'wrong account',
    createdAt: '2026-11-21T00:00:00Z',
    completedAt: null,
  };
  const share = { ...failed, id: 6, type: 'club_share', status: 'pending', failureReason: null };
  server
    .on('GET /api/draws/1042', { body: COMPLETED_DRAW })
    .on('GET /api/draws/1042/winners', { body: { ...WINNERS_RESPONSE, notified: true } })
    .on(
      'GET /api/draws/1042/payouts',
      { body: [failed, share] },
      { body: [failed, share, { ...failed, id: 7, status: 'pending' }] },
    )
    .on('POST /api/draws/1042/payouts', { body: { ...failed, id: 7, status: 'pending' } });
  openResults();
  expect(await screen.findByRole('heading', { name: 'Payout Management' })).toBeTruthy();
  expect(await screen.findByText('wrong account')).toBeTruthy();
  expect(
    screen.getByText('Paid by Stripe to your club’s account as tickets are sold.'),
  ).toBeTruthy();
  expect(screen.getAllByText('Pending')).toHaveLength(1);
  await userEvent.click(screen.getByRole('button', { name: 'Record the prize payout' }));
  expect(await screen.findByRole('button', { name: 'Mark as paid' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Record the prize payout' })).toBeNull();
});

test('a session that ends while bank details are saved asks for the login and keeps the input', async () => {
  server
    .on('GET /api/draws/1042', { body: COMPLETED_DRAW })
    .on('GET /api/draws/1042/winners', { body: { ...WINNERS_RESPONSE, notified: true } })
    .on('PUT /api/draws/1042/winner-bank', { status: 401, body: { message: 'Please log in.' } });
  const { store } = openResults();
  await userEvent.click(await screen.findByRole('button', { name: 'Enter bank details' }));
  await userEvent.type(screen.getByLabelText('Account name'), 'Robin');
  await userEvent.type(screen.getByLabelText('BSB'), '062000');
  await userEvent.type(screen.getByLabelText('Account number'), '7654321');
  await userEvent.click(screen.getByRole('button', { name: 'Save bank details' }));
  await waitFor(() => expect(store.get(sessionExpiredAtom)).toBe(true));
  expect((screen.getByLabelText('Account number') as HTMLInputElement).value).toBe('7654321');
  expect(screen.queryByText('Please log in.')).toBeNull();
});
