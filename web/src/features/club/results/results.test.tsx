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
const WINNERS_RESPONSE = {
  winningTickets: [makeWinner()],
  prize: '290.00',
  revealedAt: null,
  notifiedAt: null,
  mailFailed: false,
  entered: { by: 'Jess', enteredAt: '2020-11-20T11:04:00Z' },
};
const NOTIFIED_RESPONSE = {
  ...WINNERS_RESPONSE,
  notified: true,
  notifiedAt: '2020-11-20T11:10:00Z',
  winningTickets: [makeWinner({ respondBy: '2026-11-27T12:30:00Z' })],
};
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
/** Presses a key of the pad; the first press is for the home team, the second for the away team. */
const pressJersey = (jersey: number) =>
  userEvent.click(document.querySelectorAll<HTMLElement>('.pad button')[jersey - 1] as HTMLElement);
const submitButton = () =>
  screen.getAllByRole('button', { name: 'Submit Results' })[0] as HTMLElement;
const announce = () =>
  userEvent.click(
    within(screen.getByRole('alertdialog')).getByRole('button', { name: /^Announce/ }),
  );
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
  await pressJersey(7);
  await pressJersey(9);
  expect(screen.getByText('#7 & #9')).toBeTruthy();
  expect((screen.getByLabelText('Redcliffe Sharks (home)') as HTMLSelectElement).value).toBe('7');
  await userEvent.click(submitButton());
  const dialog = within(screen.getByRole('alertdialog'));
  expect(
    dialog.getAllByRole('listitem').map((item) => item.querySelector('strong')?.textContent),
  ).toEqual(['seven', 'nine']);
  expect(
    dialog.getByText(
      'This sets the winner and e-mails can follow. Only the platform operator can undo it.',
    ),
  ).toBeTruthy();
  await userEvent.click(dialog.getByRole('button', { name: 'Announce seven and nine' }));
  expect(await screen.findByText('Results submitted successfully')).toBeTruthy();
  expect(screen.getByText('Winner determined! 1 winning ticket(s) found.')).toBeTruthy();
  expect(server.requests.find(({ method }) => method === 'POST')?.body).toEqual({
    homeFirstTryScorer: 7,
    awayFirstTryScorer: 9,
  });
  expect(await screen.findByRole('heading', { name: 'Winner Announced!' })).toBeTruthy();
});

test('a missing number is reported in the page and leads to its team', async () => {
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
  expect(screen.getByText('Wynnum Tigers:').parentElement?.textContent).toBe(
    'Wynnum Tigers: first try scorer?',
  );
  expect(document.activeElement?.closest('[role="group"]')?.getAttribute('aria-label')).toBe(
    'First try scorer of Wynnum Tigers',
  );
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
    await announce();
  };
  await pressJersey(3);
  await pressJersey(12);
  await send();
  expect(await screen.findAllByText('Failed to submit results')).toHaveLength(1);
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
  await pressJersey(1);
  await pressJersey(2);
  await userEvent.click(submitButton());
  expect(screen.getByText('The game has not started yet. Ticket sales stop at once.')).toBeTruthy();
});

test('a result before kick-off says when the winner is shown, and until then nothing can be sent or paid', async () => {
  const early = makeOwnDraw({ gameDate: '2099-01-01T00:00:00Z' });
  const later = {
    ...WINNERS_RESPONSE,
    winningTickets: [],
    revealedAt: '2099-01-01T00:00:00Z',
  };
  const done = { ...early, status: 'completed', revision: 6 };
  server
    .on('POST /api/draws/1042/results', { body: { ...later, draw: done } })
    .on('GET /api/draws/1042', { body: early }, { body: done })
    .on('GET /api/draws/1042/winners', { body: { ...later, notified: false } });
  openResults();
  await screen.findByRole('heading', { name: 'Enter First Try Scorer Numbers' });
  await pressJersey(7);
  await pressJersey(9);
  await userEvent.click(submitButton());
  await announce();
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

test('the loser of a race reads whose numbers stand, also after a reload, until it is dismissed', async () => {
  server
    .on('POST /api/draws/1042/results', {
      status: 409,
      body: { code: 'already-completed', message: 'A result has already been entered.' },
    })
    .on(
      'GET /api/draws/1042',
      { body: DRAW_AWAITING_RESULT },
      { body: { ...COMPLETED_DRAW, homeFirstTryScorer: 5, awayFirstTryScorer: 6 } },
    )
    .on('GET /api/draws/1042/winners', { body: { ...WINNERS_RESPONSE, notified: false } });
  const { unmount } = openResults();
  await screen.findByRole('heading', { name: 'Enter First Try Scorer Numbers' });
  await pressJersey(7);
  await pressJersey(9);
  await userEvent.click(submitButton());
  await announce();
  const text = 'Jess entered 5 and 6 at 9:04\u00a0pm. Your numbers, 7 and 9, were not used.';
  const banner = () => document.querySelector('.race-banner p')?.textContent;
  await waitFor(() => expect(banner()).toBe(text));
  unmount();
  openResults();
  await waitFor(() => expect(banner()).toBe(text));
  await userEvent.click(screen.getByRole('button', { name: 'Understood' }));
  expect(document.querySelector('.race-banner')).toBeNull();
});

test('a second e-mail is asked for as such, and a failure shows an error', async () => {
  server
    .on('GET /api/draws/1042', { body: COMPLETED_DRAW })
    .on('GET /api/draws/1042/winners', { body: NOTIFIED_RESPONSE })
    .on(
      'POST /api/draws/1042/notify-winners',
      { status: 503 },
      { body: { emailsSent: 1, totalWinners: 1 } },
      { body: { emailsSent: 0, totalWinners: 1 } },
    );
  openResults();
  const again = await screen.findByRole('button', { name: 'Remind Robin' });
  expect(screen.queryByRole('button', { name: 'Notify Winner' })).toBeNull();
  await userEvent.click(again);
  expect(await screen.findByText('Failed to send notifications')).toBeTruthy();
  await userEvent.click(again);
  expect(await screen.findByText('1 out of 1 winners notified')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Send again' }));
  expect(await screen.findByText('An e-mail was sent less than a minute ago.')).toBeTruthy();
  expect(server.requests.filter(({ method }) => method === 'POST').map(({ body }) => body)).toEqual(
    [{ again: true }, { again: true }, { again: true }],
  );
  expect(screen.getByText(/can answer until Fri 27 Nov 2026, 10:30\spm/)).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Download Report' }));
  expect(await screen.findByText('Download Failed')).toBeTruthy();
});

test('an unsold winning ticket says that nobody won and what the club keeps', async () => {
  server
    .on('GET /api/draws/1042', { body: COMPLETED_DRAW })
    .on('GET /api/draws/1042/financials', {
      body: {
        soldTickets: 113,
        ticketsWithoutBuyer: 0,
        totalRevenue: '565.00',
        prizePool: '282.50',
        clubProfit: '540.00',
      },
    })
    .on('GET /api/draws/1042/winners', {
      body: {
        ...WINNERS_RESPONSE,
        notified: false,
        winningTickets: [
          makeWinner({
            sold: false,
            buyerName: null,
            buyerEmail: null,
            buyerPhone: null,
            winnerPayoutStatus: null,
          }),
        ],
      },
    });
  openResults();
  expect(await screen.findByRole('heading', { name: 'Nobody won' })).toBeTruthy();
  expect(
    screen.getByText('This ticket was not sold - no winner contact information available'),
  ).toBeTruthy();
  expect(screen.queryByText('Winner Announced!')).toBeNull();
  expect(await screen.findByText('$540.00')).toBeTruthy();
  expect(screen.getByText('$0.00')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Notify Winner' })).toBeNull();
  expect(screen.queryByRole('heading', { name: 'Payout Management' })).toBeNull();
});

test('tickets without a buyer are named and not counted', async () => {
  server.on('GET /api/draws/1042/financials', { body: { ticketsWithoutBuyer: 1 } });
  openResults();
  expect(
    await screen.findByText(
      'Tickets sold 112/169 · Total sales $560.00 · 1 paid without a buyer, not counted',
    ),
  ).toBeTruthy();
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

const BANK_DETAILS = {
  accountName: 'Robin',
  accountNumber: '••••321',
  bsb: '•••-•00',
  receivedAt: '2026-11-21T00:00:00Z',
  from: 'club',
  pendingApproval: null,
};
const PAYOUT = {
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
  undoUntil: null,
};
const PAID = {
  ...PAYOUT,
  status: 'completed',
  completedAt: '2099-11-22T00:00:00Z',
  undoUntil: '2099-11-23T00:00:00Z',
};
const withDetails = (more: object = {}) => ({
  ...NOTIFIED_RESPONSE,
  winningTickets: [
    makeWinner({ winnerPayoutStatus: 'details_received', bank: BANK_DETAILS, ...more }),
  ],
});
const stepTexts = () =>
  screen
    .getAllByRole('heading', { level: 3 })
    .map((heading) => heading.textContent)
    .filter((text) => text?.includes(', '));

test('one button follows the steps of the payout, which is recorded and undone in one step each', async () => {
  server
    .on('GET /api/draws/1042', { body: COMPLETED_DRAW })
    .on(
      'GET /api/draws/1042/winners',
      { body: { ...WINNERS_RESPONSE, notified: false } },
      { body: withDetails() },
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
      { body: BANK_DETAILS },
    )
    .on('POST /api/draws/1042/payouts', { body: PAYOUT })
    .on(
      'GET /api/draws/1042/payouts',
      { body: [] },
      { body: [] },
      { body: [PAID] },
      { body: [PAYOUT] },
    )
    .on('PATCH /api/payouts/5', { body: PAID }, { body: PAYOUT });
  openResults();
  expect(await screen.findByRole('button', { name: 'Notify Winner' })).toBeTruthy();
  expect(stepTexts()).toEqual([
    'Announced, done',
    'Notified, next',
    'Details received, not yet',
    'Pay Robin, not yet',
  ]);
  await userEvent.click(screen.getByRole('button', { name: 'Enter bank details' }));
  await userEvent.click(screen.getByRole('button', { name: 'Save bank details' }));
  expect(screen.getAllByText('Account name is required').length).toBeGreaterThan(1);
  await userEvent.type(screen.getByLabelText('Account name'), 'Robin');
  await userEvent.type(screen.getByLabelText('BSB'), '062000');
  await userEvent.type(screen.getByLabelText('Account number'), '7654321');
  await userEvent.click(screen.getByRole('button', { name: 'Save bank details' }));
  expect((await screen.findAllByText('BSB must be 6 digits')).length).toBeGreaterThan(1);
  await userEvent.click(screen.getByRole('button', { name: 'Save bank details' }));
  await userEvent.click(await screen.findByRole('button', { name: 'I have paid Robin $290.00' }));
  expect(screen.getByText('••••321')).toBeTruthy();
  expect(document.body.textContent).not.toContain('7654321');
  const dialog = within(screen.getByRole('alertdialog', { name: 'Have you paid Robin $290.00?' }));
  await userEvent.type(dialog.getByLabelText('Note (optional)'), 'ref 12');
  await userEvent.click(dialog.getByRole('button', { name: 'I have paid $290.00' }));
  expect(await screen.findByText(/to the account that ends in 321/)).toBeTruthy();
  expect(stepTexts().at(-1)).toBe('Paid, done');
  expect(screen.queryByRole('button', { name: /^I have paid/ })).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: /^Undo: not paid yet/ }));
  expect(await screen.findByText('The prize is no longer marked as paid')).toBeTruthy();
  expect(
    server.requests.filter(({ path }) => path === '/api/payouts/5').map(({ body }) => body),
  ).toEqual([{ status: 'completed', note: 'ref 12' }, { status: 'pending' }]);
});

test('while the buyer’s bank disputes the payment, the prize cannot be marked as paid', async () => {
  server
    .on('GET /api/draws/1042', { body: COMPLETED_DRAW })
    .on('GET /api/draws/1042/winners', { body: withDetails({ disputed: true }) })
    .on('GET /api/draws/1042/payouts', { body: [PAYOUT] });
  openResults();
  expect(
    await screen.findByText(/^The winner’s payment is disputed by the buyer’s bank/),
  ).toBeTruthy();
  expect(screen.queryByRole('button', { name: /^I have paid/ })).toBeNull();
});

test('a prize whose transfer failed can be paid again, and payouts that fail to load say only that', async () => {
  const failed = { ...PAYOUT, status: 'failed', failureReason: 'wrong account' };
  const share = { ...PAYOUT, id: 6, type: 'club_share', amount: '253.00' };
  server
    .on('GET /api/draws/1042', { body: COMPLETED_DRAW })
    .on('GET /api/draws/1042/winners', { body: withDetails() })
    .on('GET /api/draws/1042/payouts', { status: 500 }, { body: [failed, share] });
  openResults();
  await userEvent.click(await screen.findByRole('button', { name: 'Retry' }));
  expect(screen.queryByText('None.')).toBeNull();
  expect(await screen.findByText('An earlier transfer failed: wrong account.')).toBeTruthy();
  expect(screen.getByText(/^Club share \$253\.00: paid by Stripe/)).toBeTruthy();
  expect(screen.getByRole('button', { name: 'I have paid Robin $290.00' })).toBeTruthy();
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
