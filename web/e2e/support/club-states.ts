/** Every state of a club's screens that an address alone does not show, and how a browser gets there; for the eye, for axe, for the tape and for the keys. */
import { expect, type Page, type PlaywrightWorkerArgs } from '@playwright/test';
import { newDraw, settled, type DemoClub } from './club';
import { lockedOffer } from './locked-offer';
import { answer, change } from './stubs';

export interface ClubStage {
  page: Page;
  playwright: PlaywrightWorkerArgs['playwright'];
  baseURL: string;
  club: DemoClub;
  draws: { coming: number; awaiting: number; completed: number };
}

export interface ClubState {
  name: string;
  /** Only a desk has it. */
  wide?: boolean;
  /** Before anybody is signed in. */
  door?: boolean;
  show: (stage: ClubStage) => Promise<void>;
}

type Json = Record<string, unknown>;

const title = (page: Page, name: string | RegExp) => expect(page.getByRole('heading', { level: 1, name })).toBeVisible();

async function go(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await settled(page);
}

/** The one who is signed in, as the server might also have described them. */
const whoIs = (page: Page, more: Json) => change(page, '/api/admin/whoami', (who: { user: Json }) => ({ ...who, user: { ...who.user, ...more } }));

async function waitlist(page: Page): Promise<void> {
  await answer(page, '/api/settings/club-registration', { enabled: false });
  await go(page, '/admin/login');
  await page.getByRole('button', { name: 'New Club? Join Waitlist' }).click();
  await expect(page.getByRole('dialog', { name: 'Join the waitlist' })).toBeVisible();
}

async function entry({ page, baseURL, club }: ClubStage): Promise<void> {
  const draw = await newDraw(page, baseURL, club);
  await go(page, `/club/${club.slug}/admin/results/${draw}`);
}

const choose = (page: Page, side: number, jersey: number) => page.locator('.pad').nth(side).locator('button').nth(jersey - 1).click();

async function submitted(stage: ClubStage, home: number, away: number): Promise<void> {
  await entry(stage);
  await choose(stage.page, 0, home);
  await choose(stage.page, 1, away);
  await stage.page.locator('.entry-bar').getByRole('button', { name: 'Submit Results' }).click();
  await expect(stage.page.getByRole('alertdialog', { name: 'Submit these results?' })).toBeVisible();
}

const BANK = { accountName: 'Robin Winner', accountNumber: '••••321', bsb: '•••-•00', receivedAt: '2026-11-20T02:00:00Z', from: 'winner' };

/** A completed draw whose winner is just so far. */
async function winner({ page, club, draws }: ClubStage, more: Json, payouts: readonly Json[] = []): Promise<void> {
  await change(page, `/api/draws/${draws.completed}/winners`, (said: { winningTickets: Json[] }) => ({ ...said, winningTickets: said.winningTickets.map((ticket) => ({ ...ticket, sold: true, buyerName: 'Robin Winner', buyerEmail: 'robin.winner@example.com', buyerPhone: null, ...more })) }));
  await answer(page, `/api/draws/${draws.completed}/payouts`, payouts);
  await go(page, `/club/${club.slug}/admin/results/${draws.completed}`);
  await expect(page.getByRole('region', { name: 'Payout Management' })).toBeVisible();
}

const payout = (more: Json): Json => ({ id: 9001, drawId: 1, clubId: 1, type: 'winner', amount: '422.50', status: 'pending', recipientName: 'Robin Winner', recipientEmail: 'robin.winner@example.com', note: null, failureReason: null, createdAt: '2026-11-20T02:00:00Z', completedAt: null, ...more });

async function connect(page: Page, connected: boolean): Promise<void> {
  await page.clock.install();
  await answer(page, /\/stripe-connect\/status$/, { connected, accountId: 'acct_1', chargesEnabled: connected, payoutsEnabled: connected, detailsSubmitted: true });
  await page.goto('/admin/stripe-connect/complete');
}

const claim = (more: Json): Json => ({
  state: 'open', drawNumber: 1042, serialNumber: 'FD-1042-007', league: null, homeTeam: 'Redcliffe Sharks', awayTeam: 'Wynnum Tigers', gameDate: '2026-11-10T09:10:00Z', timezone: 'Australia/Brisbane', homeNumber: 7, awayNumber: 9,
  prize: '290.00', winnerName: 'Robin', clubName: 'Redcliffe Sharks', clubSlug: 'sharks', contactName: 'Kim', contactPhone: '0400 000 000', respondBy: '2026-11-17T09:10:00Z', ...more,
});

async function season(page: Page, club: DemoClub, table: string): Promise<void> {
  await go(page, `/club/${club.slug}/admin/create-draw`);
  await page.getByRole('tab', { name: 'A season (CSV)' }).click();
  await page.getByLabel('Or paste the table').fill(table);
  await page.getByRole('button', { name: 'Preview' }).click();
}

const PERSON = { id: 5, email: 'kim@example.com', name: 'Kim of the canteen', role: 'seller', state: 'active', isClubLogin: false, invitedAt: '2026-11-01T00:00:00Z', invitedUntil: null, lastSeenAt: '2026-11-18T09:10:00Z' };

async function people(page: Page, club: DemoClub): Promise<void> {
  await answer(page, `/api/clubs/${club.id}/users`, [
    { ...PERSON, id: 0, email: `${club.slug}@demo.test`, name: club.name, role: 'owner', isClubLogin: true, invitedAt: null },
    PERSON,
    { ...PERSON, id: 6, email: 'a-rather-long-address-for-a-phone@example.com', name: 'Alexandra', role: 'viewer', state: 'invited', invitedUntil: '2099-11-04T00:00:00Z', lastSeenAt: null },
    { ...PERSON, id: 7, email: 'sam@example.com', name: 'Sam', role: 'owner', state: 'expired', lastSeenAt: null },
  ]);
  await go(page, `/club/${club.slug}/admin/people`);
  await expect(page.getByRole('heading', { name: 'Alexandra' })).toBeVisible();
}

async function aboutKim(page: Page, club: DemoClub, item: string): Promise<void> {
  await people(page, club);
  await page.getByRole('button', { name: 'Actions for Kim of the canteen' }).click();
  await page.getByRole('menuitem', { name: item }).click();
  await expect(page.getByRole('alertdialog')).toBeVisible();
}

/** Signed in not as the club itself, but as one of its people. */
const member = (page: Page, role: string) => whoIs(page, { role, memberName: 'Kim of the canteen', memberEmail: 'kim@example.com' });

export const CLUB_STATES: readonly ClubState[] = [
  { name: 'club-waitlist', door: true, show: async ({ page }) => waitlist(page) },
  {
    name: 'club-waitlist-problems',
    door: true,
    show: async ({ page }) => {
      await waitlist(page);
      await page.getByRole('button', { name: 'Join waitlist', exact: true }).click();
      await expect(page.locator('.problems')).toBeFocused();
    },
  },
  {
    name: 'club-register-problems',
    door: true,
    show: async ({ page }) => {
      await answer(page, '/api/settings/club-registration', { enabled: true });
      await go(page, '/admin/login');
      await page.getByRole('tab', { name: 'Register Club' }).click();
      await page.getByRole('button', { name: 'Register Club' }).click();
      await expect(page.locator('.problems')).toBeFocused();
    },
  },
  {
    name: 'club-reset-sent',
    door: true,
    show: async ({ page }) => {
      await answer(page, '/api/clubs/reset-password', { message: 'If an account exists with this email, a reset link has been sent.' });
      await go(page, '/forgot-password');
      await page.getByLabel('Email').fill('kim@example.com');
      await page.getByRole('button', { name: 'Send reset link' }).click();
      await title(page, 'Check your email');
    },
  },
  {
    name: 'club-reset-complete',
    door: true,
    show: async ({ page }) => {
      await answer(page, '/api/clubs/reset-password-confirm', { message: 'Password reset successful' });
      await go(page, '/reset-password?token=good');
      for (const label of ['New password', 'Confirm password']) await page.getByLabel(label, { exact: true }).fill('long-enough-word');
      await page.getByRole('button', { name: 'Reset password' }).click();
      await title(page, 'Password Reset Complete');
    },
  },
  {
    name: 'club-claim-expired',
    door: true,
    show: async ({ page }) => {
      await answer(page, '/api/claims/look', claim({ state: 'expired' }));
      await go(page, '/claim#0123');
      await expect(page.getByRole('heading', { name: 'The time to respond has passed' })).toBeVisible();
    },
  },
  {
    name: 'club-login-again',
    show: async ({ page, club }) => {
      await go(page, `/club/${club.slug}/admin/create-draw`);
      await page.getByLabel('Home team').fill('Kept Sharks');
      await page.context().clearCookies({ name: /fd_login/ });
      await page.getByRole('button', { name: 'Duplicate last draw' }).click();
      await expect(page.getByRole('dialog', { name: 'Log in again' })).toBeVisible();
      await page.getByRole('dialog').getByLabel('Password', { exact: true }).fill('wrong');
      await page.getByRole('dialog').getByRole('button', { name: 'Login' }).click();
      await expect(page.getByRole('dialog').getByRole('alert')).toHaveText('Invalid credentials');
    },
  },
  {
    name: 'club-unverified',
    show: async ({ page, club }) => {
      await whoIs(page, { emailVerified: false });
      await go(page, `/club/${club.slug}/admin`);
      await expect(page.locator('.reminder')).toContainText('Please confirm your email address');
      await expect(page.getByRole('region', { name: 'Marketing cookies' })).toBeVisible();
    },
  },
  {
    name: 'club-archived',
    show: async ({ page, club }) => {
      await whoIs(page, { archived: true });
      await go(page, `/club/${club.slug}/admin`);
      await expect(page.locator('.callout').filter({ hasText: 'This club is archived.' })).toBeVisible();
    },
  },
  {
    name: 'club-not-connected',
    show: async ({ page, club }) => {
      await answer(page, /\/stripe-connect\/status$/, { connected: false, accountId: null, chargesEnabled: false, payoutsEnabled: false, detailsSubmitted: false });
      await page.route(/\/stripe-connect$/, () => {});
      await go(page, `/club/${club.slug}/admin`);
      await page.getByRole('button', { name: 'Connect Stripe account' }).click();
      await expect(page.getByRole('button', { name: 'Setting up...' })).toBeVisible();
    },
  },
  {
    name: 'club-empty',
    show: async ({ page, club }) => {
      await answer(page, `/api/clubs/${club.id}/draws`, []);
      await answer(page, /\/api\/draws\/awaiting-results/, []);
      await go(page, `/club/${club.slug}/admin`);
      await expect(page.getByText('No draws yet – create your first')).toBeVisible();
    },
  },
  {
    name: 'club-menu-open',
    show: async ({ page, club }) => {
      await go(page, `/club/${club.slug}/admin`);
      const menu = page.getByRole('button', { name: 'Menu', exact: true });
      if (await menu.isVisible()) await menu.click();
      await expect(page.getByRole('link', { name: 'Bundles' })).toBeVisible();
    },
  },
  {
    name: 'club-table',
    wide: true,
    show: async ({ page, club }) => {
      await go(page, `/club/${club.slug}/admin`);
      await page.getByRole('button', { name: 'Table view' }).click();
      await expect(page.getByRole('heading', { name: 'All draws' })).toBeVisible();
    },
  },
  {
    name: 'club-winners-panel',
    show: async ({ page, club }) => {
      await go(page, `/club/${club.slug}/admin`);
      const card = page.getByRole('article').filter({ has: page.getByText('Completed', { exact: true }) }).first();
      await card.getByRole('button', { name: /^Actions for/ }).click();
      await page.getByRole('menuitem', { name: 'Show Winners' }).click();
      await expect(card.locator('.winner')).toBeVisible();
    },
  },
  {
    name: 'club-edit-locked',
    show: async ({ page, club, draws }) => {
      await change(page, `/api/draws/${draws.coming}`, (draw: Json) => ({ ...draw, locked: true, ticketsSold: 31 }));
      await go(page, `/club/${club.slug}/admin/edit-draw/${draws.coming}`);
      await expect(page.getByText('Cannot change price/prize percentage/prize rounding after tickets are sold (31 tickets sold)')).toBeVisible();
    },
  },
  {
    name: 'club-leave-question',
    show: async ({ page, club, draws }) => {
      await go(page, `/club/${club.slug}/admin/edit-draw/${draws.coming}`);
      await page.getByLabel('Contact name').fill('Somebody else');
      await page.getByRole('link', { name: /Return to Dashboard/ }).click();
      await expect(page.getByRole('alertdialog', { name: 'Leave without saving?' })).toBeVisible();
    },
  },
  {
    name: 'club-result-missing',
    show: async (stage) => {
      await entry(stage);
      await choose(stage.page, 0, 7);
      await stage.page.locator('.entry-bar').getByRole('button', { name: 'Submit Results' }).click();
      await expect(stage.page.getByText('Missing information: Please select first try scorer for both teams')).toBeVisible();
    },
  },
  { name: 'club-result-confirm', show: (stage) => submitted(stage, 7, 9) },
  {
    name: 'club-result-failed',
    show: async (stage) => {
      await submitted(stage, 7, 9);
      await stage.page.route(/\/api\/draws\/\d+\/results$/, (route) => route.abort());
      await stage.page.getByRole('alertdialog').getByRole('button', { name: 'Submit Results' }).click();
      await expect(stage.page.locator('.callout.is-bad')).toContainText('Failed to submit results');
    },
  },
  {
    name: 'club-winner-unsold',
    show: async (stage) => {
      await submitted(stage, 7, 9);
      await stage.page.getByRole('alertdialog').getByRole('button', { name: 'Submit Results' }).click();
      await expect(stage.page.getByText('This ticket was not sold - no winner contact information available')).toBeVisible();
    },
  },
  {
    name: 'club-winner-to-tell',
    show: async (stage) => {
      await winner(stage, { winnerPayoutStatus: 'pending', bank: null });
      await expect(stage.page.getByText('Not provided')).toBeVisible();
      await expect(stage.page.getByText('Not received yet.')).toBeVisible();
    },
  },
  {
    name: 'club-bank-problems',
    show: async (stage) => {
      await winner(stage, { winnerPayoutStatus: 'pending', bank: null });
      await stage.page.getByRole('button', { name: 'Enter bank details' }).click();
      await stage.page.getByRole('button', { name: 'Save bank details' }).click();
      await expect(stage.page.locator('.problems')).toBeFocused();
    },
  },
  {
    name: 'club-payouts',
    show: async (stage) => {
      await winner(stage, { winnerPayoutStatus: 'details_received', bank: BANK }, [payout({ id: 1, type: 'club_share', amount: '811.79', status: 'completed', completedAt: '2026-11-20T02:00:00Z' }), payout({ id: 2, status: 'failed', failureReason: 'The account is closed.' }), payout({})]);
      await expect(stage.page.getByRole('button', { name: 'Mark as paid' })).toBeVisible();
    },
  },
  {
    name: 'club-settle',
    show: async (stage) => {
      await winner(stage, { winnerPayoutStatus: 'details_received', bank: BANK }, [payout({})]);
      await stage.page.getByRole('button', { name: 'Mark as failed' }).click();
      await expect(stage.page.getByRole('alertdialog', { name: 'Mark this payout as failed?' })).toBeVisible();
    },
  },
  {
    name: 'club-reveal',
    show: async (stage) => {
      await winner(stage, { winnerPayoutStatus: 'details_received', bank: BANK }, [payout({})]);
      await answer(stage.page, /\/winner-bank\/reveal$/, { message: 'Invalid credentials', code: 'wrong-password' }, 400);
      await stage.page.getByRole('button', { name: 'Show full numbers' }).click();
      await stage.page.getByRole('dialog').getByLabel('Password', { exact: true }).fill('wrong');
      await stage.page.keyboard.press('Enter');
      await expect(stage.page.getByRole('dialog').getByText('Invalid credentials')).toBeVisible();
    },
  },
  {
    name: 'club-offer-locked',
    show: async ({ page, playwright, baseURL, club }) => {
      await go(page, `/club/${club.slug}/admin/bundles/${await lockedOffer(playwright, baseURL)}`);
      await expect(page.getByRole('status').filter({ hasText: 'locked' })).toBeVisible();
    },
  },
  {
    name: 'club-home-page-problems',
    show: async ({ page, club }) => {
      await go(page, `/club/${club.slug}/admin/home-page-setup`);
      await page.getByLabel('Title', { exact: true }).fill('x');
      await page.getByLabel('Tagline').fill('short');
      await page.getByRole('button', { name: 'Save home page' }).click();
      await expect(page.locator('.problems')).toBeFocused();
    },
  },
  { name: 'club-connect-checking', show: async ({ page }) => { await connect(page, false); await title(page, 'Checking Connection...'); } },
  {
    name: 'club-connect-incomplete',
    show: async ({ page }) => {
      await connect(page, false);
      await title(page, 'Checking Connection...');
      // Each round is set anew by the page after it was drawn.
      for (let round = 0; round < 40 && !(await page.getByText('We have stopped asking after a minute.').isVisible()); round++) await page.clock.runFor(2_000);
      await title(page, 'Setup Incomplete');
    },
  },
  { name: 'club-connect-complete', show: async ({ page }) => { await connect(page, true); await title(page, 'Setup Complete!'); } },
  {
    name: 'club-connect-refresh',
    show: async ({ page }) => {
      await page.route(/\/stripe-connect$/, () => {});
      await page.goto('/admin/stripe-connect/refresh');
      await expect(page.getByRole('status').filter({ hasText: 'Setting up...' })).toBeVisible();
    },
  },
  {
    name: 'club-fixtures-refused',
    show: async ({ page, club }) => {
      await season(page, club, 'date,kick-off,zone,home,away,league\n2098-02-30,15:00,Australia/Brisbane,Sharks,Tigers,A\n2098-03-06,25:00,Nowhere/Land,Sharks,,A');
      await expect(page.getByRole('alert').filter({ hasText: 'Line 2' })).toBeVisible();
    },
  },
  {
    name: 'club-fixtures-preview',
    show: async ({ page, club }) => {
      await season(page, club, 'date,kick-off,zone,home,away,league\n2098-03-06,15:00,Australia/Brisbane,Sharks with a very long name indeed,Tigers,A Grade\n2098-03-13,15:00,Australia/Perth,Sharks,Tigers,A Grade');
      await expect(page.getByRole('heading', { name: '2 new of 2 games' })).toBeVisible();
    },
  },
  {
    name: 'club-payments-failed',
    show: async ({ page }) => {
      await change(page, '/api/admin/payment-integrity-audit', () => ({ failedPayments: [{ paymentIntentId: `pi_${'a1b2'.repeat(12)}`, amount: 1047, created: 1_795_000_000, status: 'requires_payment_method', metadata: { drawId: 1042, ticketCount: 2, paymentMethod: 'card' } }], totalFailedAmount: 1047, affectedCustomers: 1 }));
      await go(page, '/admin/payment-monitoring');
      await expect(page.getByText(/^pi_a1b2/)).toBeVisible();
    },
  },
  { name: 'club-people', show: async ({ page, club }) => people(page, club) },
  {
    name: 'club-people-alone',
    show: async ({ page, club }) => {
      await answer(page, `/api/clubs/${club.id}/users`, [{ ...PERSON, id: 0, name: club.name, role: 'owner', isClubLogin: true, lastSeenAt: null }]);
      await go(page, `/club/${club.slug}/admin/people`);
      await expect(page.getByText(/^Nobody else yet\./)).toBeVisible();
    },
  },
  {
    name: 'club-people-failed',
    show: async ({ page, club }) => {
      await answer(page, `/api/clubs/${club.id}/users`, { message: 'Please wait a moment and try again.', code: 'unavailable' }, 503);
      await go(page, `/club/${club.slug}/admin/people`);
      await expect(page.getByText('Failed to load people')).toBeVisible();
    },
  },
  {
    name: 'club-invite-problems',
    show: async ({ page, club }) => {
      await people(page, club);
      await page.getByRole('button', { name: 'Invite somebody' }).click();
      await page.getByRole('button', { name: 'Send invitation' }).click();
      await expect(page.locator('.problems')).toBeFocused();
    },
  },
  { name: 'club-role', show: async ({ page, club }) => aboutKim(page, club, 'Change role') },
  { name: 'club-remove', show: async ({ page, club }) => aboutKim(page, club, 'Remove') },
  {
    name: 'club-invited',
    door: true,
    show: async ({ page }) => {
      await answer(page, '/api/clubs/reset-password-confirm', { message: 'This password reset link is invalid or has expired.', code: 'invalid-link' }, 400);
      await go(page, '/reset-password?invited=1&token=used');
      await title(page, 'Choose a password');
      for (const label of ['New password', 'Confirm password']) await page.getByLabel(label, { exact: true }).fill('short');
      await page.getByRole('button', { name: 'Set password' }).click();
      await expect(page.getByText('Password too short. Password must be at least 8 characters long.')).toBeVisible();
    },
  },
  {
    name: 'club-viewer',
    show: async ({ page, club }) => {
      await member(page, 'viewer');
      await go(page, `/club/${club.slug}/admin`);
      await expect(page.getByText(/^Signed in as Kim of the canteen\./)).toBeVisible();
    },
  },
  {
    name: 'club-viewer-winner',
    show: async (stage) => {
      await member(stage.page, 'viewer');
      await winner(stage, { winnerPayoutStatus: 'details_received', bank: null, buyerName: null, buyerEmail: null, buyerPhone: null }, [payout({ recipientName: null })]);
      await expect(stage.page.getByText('Who won, and how to reach them, is shown to sellers and owners.')).toBeVisible();
    },
  },
  {
    name: 'club-seller-refused',
    show: async ({ page, club }) => {
      await member(page, 'seller');
      await page.goto(`/club/${club.slug}/admin/people`);
      await expect(page.getByText('Only an owner of the club can do this.')).toBeVisible();
    },
  },
];
