/**
 * Every state of a club's screens that cannot be opened by its address alone, with the steps that
 * reach it. Used for screenshots and for the accessibility, size and keyboard checks.
 */
import { expect, type Page } from '@playwright/test';
import type { DemoClub } from './club';
import { PEOPLE_STATES } from './club-people-states';
import { RESULT_STATES } from './club-result-states';
import {
  openClubPage,
  expectPageTitle,
  stubWhoami,
  type ClubState,
  type JsonBody,
} from './club-stage';
import { createLockedOffer } from './locked-offer';
import { stubResponse, changeResponse } from './stubs';

async function openWaitlistDialog(page: Page): Promise<void> {
  await stubResponse(page, '/api/settings/club-registration', { enabled: false });
  await openClubPage(page, '/admin/login');
  await page.getByRole('button', { name: 'New Club? Join Waitlist' }).click();
  await expect(page.getByRole('dialog', { name: 'Join the waitlist' })).toBeVisible();
}

async function openStripeConnectReturn(page: Page, connected: boolean): Promise<void> {
  await page.clock.install();
  await stubResponse(page, /\/stripe-connect\/status$/, {
    connected,
    accountId: 'acct_1',
    chargesEnabled: connected,
    payoutsEnabled: connected,
    detailsSubmitted: true,
  });
  await page.goto('/admin/stripe-connect/complete');
}

const claimResponse = (more: JsonBody): JsonBody => ({
  state: 'open',
  drawNumber: 1042,
  serialNumber: 'FD-1042-007',
  league: null,
  homeTeam: 'Redcliffe Sharks',
  awayTeam: 'Wynnum Tigers',
  gameDate: '2026-11-10T09:10:00Z',
  timezone: 'Australia/Brisbane',
  homeNumber: 7,
  awayNumber: 9,
  prize: '290.00',
  winnerName: 'Robin',
  clubName: 'Redcliffe Sharks',
  clubSlug: 'sharks',
  contactName: 'Kim',
  contactPhone: '0400 000 000',
  respondBy: '2026-11-17T09:10:00Z',
  ...more,
});

async function previewSeasonImport(page: Page, club: DemoClub, table: string): Promise<void> {
  await openClubPage(page, `/club/${club.slug}/admin/create-draw`);
  await page.getByRole('tab', { name: 'A season (CSV)' }).click();
  await page.getByLabel('Or paste the table').fill(table);
  await page.getByRole('button', { name: 'Preview' }).click();
}

export const CLUB_STATES: readonly ClubState[] = [
  { name: 'club-waitlist', loggedOut: true, show: async ({ page }) => openWaitlistDialog(page) },
  {
    name: 'club-waitlist-problems',
    loggedOut: true,
    show: async ({ page }) => {
      await openWaitlistDialog(page);
      await page.getByRole('button', { name: 'Join waitlist', exact: true }).click();
      await expect(page.locator('.problems')).toBeFocused();
    },
  },
  {
    name: 'club-register-problems',
    loggedOut: true,
    show: async ({ page }) => {
      await stubResponse(page, '/api/settings/club-registration', { enabled: true });
      await openClubPage(page, '/admin/login');
      await page.getByRole('tab', { name: 'Register Club' }).click();
      await page.getByRole('button', { name: 'Register Club' }).click();
      await expect(page.locator('.problems')).toBeFocused();
    },
  },
  {
    name: 'club-reset-sent',
    loggedOut: true,
    show: async ({ page }) => {
      await stubResponse(page, '/api/clubs/reset-password', {
        message: 'If an account exists with this email, a reset link has been sent.',
      });
      await openClubPage(page, '/forgot-password');
      await page.getByLabel('Email').fill('kim@example.com');
      await page.getByRole('button', { name: 'Send reset link' }).click();
      await expectPageTitle(page, 'Check your email');
    },
  },
  {
    name: 'club-reset-complete',
    loggedOut: true,
    show: async ({ page }) => {
      await stubResponse(page, '/api/clubs/reset-password-confirm', {
        message: 'Password reset successful',
      });
      await openClubPage(page, '/reset-password?token=good');
      for (const label of ['New password', 'Confirm password'])
        await page.getByLabel(label, { exact: true }).fill('long-enough-word');
      await page.getByRole('button', { name: 'Reset password' }).click();
      await expectPageTitle(page, 'Password Reset Complete');
    },
  },
  {
    name: 'club-claim-expired',
    loggedOut: true,
    show: async ({ page }) => {
      await stubResponse(page, '/api/claims/look', claimResponse({ state: 'expired' }));
      await openClubPage(page, '/claim#0123');
      await expect(
        page.getByRole('heading', { name: 'The time to respond has passed' }),
      ).toBeVisible();
    },
  },
  {
    name: 'club-login-again',
    show: async ({ page, club }) => {
      await openClubPage(page, `/club/${club.slug}/admin/create-draw`);
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
      await stubWhoami(page, { emailVerified: false });
      await openClubPage(page, `/club/${club.slug}/admin`);
      await expect(page.locator('.reminder')).toContainText('Please confirm your email address');
      await expect(page.getByRole('region', { name: 'Marketing cookies' })).toBeVisible();
    },
  },
  {
    name: 'club-archived',
    show: async ({ page, club }) => {
      await stubWhoami(page, { archived: true });
      await openClubPage(page, `/club/${club.slug}/admin`);
      await expect(
        page.locator('.callout').filter({ hasText: 'This club is archived.' }),
      ).toBeVisible();
    },
  },
  {
    name: 'club-not-connected',
    show: async ({ page, club }) => {
      await stubResponse(page, /\/stripe-connect\/status$/, {
        connected: false,
        accountId: null,
        chargesEnabled: false,
        payoutsEnabled: false,
        detailsSubmitted: false,
      });
      await page.route(/\/stripe-connect$/, () => {});
      await openClubPage(page, `/club/${club.slug}/admin`);
      await page.getByRole('button', { name: 'Connect Stripe account' }).click();
      await expect(page.getByRole('button', { name: 'Setting up...' })).toBeVisible();
    },
  },
  {
    name: 'club-empty',
    show: async ({ page, club }) => {
      await stubResponse(page, `/api/clubs/${club.id}/draws`, []);
      await stubResponse(page, /\/api\/draws\/awaiting-results/, []);
      await openClubPage(page, `/club/${club.slug}/admin`);
      await expect(
        page.getByRole('heading', { name: 'Start selling in four steps' }),
      ).toBeVisible();
    },
  },
  {
    name: 'club-menu-open',
    show: async ({ page, club }) => {
      await openClubPage(page, `/club/${club.slug}/admin`);
      const menu = page.getByRole('button', { name: 'Menu', exact: true });
      if (await menu.isVisible()) await menu.click();
      await expect(page.getByRole('link', { name: 'Bundles' })).toBeVisible();
    },
  },
  {
    name: 'club-table',
    wide: true,
    show: async ({ page, club }) => {
      await openClubPage(page, `/club/${club.slug}/admin`);
      await page.getByRole('button', { name: 'Table view' }).click();
      await expect(page.getByRole('heading', { name: 'All draws' })).toBeVisible();
    },
  },
  {
    name: 'club-winners-panel',
    show: async ({ page, club, draws }) => {
      await openClubPage(page, `/club/${club.slug}/admin`);
      // Finds the card by draw number. Other completed draws may be listed too.
      const card = page
        .getByRole('article')
        .filter({ has: page.locator(`a[href$="/results/${draws.completed}"]`) });
      await card.getByRole('button', { name: /^Actions for/ }).click();
      await page.getByRole('menuitem', { name: 'Show Winners' }).click();
      await expect(card.locator('.winner')).toBeVisible();
    },
  },
  {
    name: 'club-edit-locked',
    show: async ({ page, club, draws }) => {
      await changeResponse(page, `/api/draws/${draws.coming}`, (draw: JsonBody) => ({
        ...draw,
        locked: true,
        ticketsSold: 31,
      }));
      await openClubPage(page, `/club/${club.slug}/admin/edit-draw/${draws.coming}`);
      await expect(
        page.getByText(
          'Cannot change price/prize percentage/prize rounding after tickets are sold (31 tickets sold)',
        ),
      ).toBeVisible();
    },
  },
  {
    name: 'club-leave-question',
    show: async ({ page, club, draws }) => {
      await openClubPage(page, `/club/${club.slug}/admin/edit-draw/${draws.coming}`);
      await page.getByLabel('Contact name').fill('Somebody else');
      await page.getByRole('link', { name: /Return to Dashboard/ }).click();
      await expect(page.getByRole('alertdialog', { name: 'Leave without saving?' })).toBeVisible();
    },
  },
  {
    name: 'club-offer-locked',
    show: async ({ page, playwright, baseURL, club }) => {
      await openClubPage(
        page,
        `/club/${club.slug}/admin/bundles/${await createLockedOffer(playwright, baseURL)}`,
      );
      await expect(page.getByRole('status').filter({ hasText: 'locked' })).toBeVisible();
    },
  },
  {
    name: 'club-home-page-problems',
    show: async ({ page, club }) => {
      await openClubPage(page, `/club/${club.slug}/admin/home-page-setup`);
      await page.getByLabel('Title', { exact: true }).fill('x');
      await page.getByLabel('Tagline').fill('short');
      await page.getByRole('button', { name: 'Save home page' }).click();
      await expect(page.locator('.problems')).toBeFocused();
    },
  },
  {
    name: 'club-connect-checking',
    show: async ({ page }) => {
      await openStripeConnectReturn(page, false);
      await expectPageTitle(page, 'Checking Connection...');
    },
  },
  {
    name: 'club-connect-incomplete',
    show: async ({ page }) => {
      await openStripeConnectReturn(page, false);
      await expectPageTitle(page, 'Checking Connection...');
      // Advances the clock in steps of two seconds, the page's polling interval.
      for (
        let round = 0;
        round < 40 && !(await page.getByText('We have stopped asking after a minute.').isVisible());
        round++
      )
        await page.clock.runFor(2_000);
      await expectPageTitle(page, 'Setup Incomplete');
    },
  },
  {
    name: 'club-connect-complete',
    show: async ({ page }) => {
      await openStripeConnectReturn(page, true);
      await expectPageTitle(page, 'Setup Complete!');
    },
  },
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
      await previewSeasonImport(
        page,
        club,
        'date,kick-off,zone,home,away,league\n2098-02-30,15:00,Australia/Brisbane,Sharks,Tigers,A\n2098-03-06,25:00,Nowhere/Land,Sharks,,A',
      );
      await expect(page.getByText('Line 2', { exact: true })).toBeVisible();
    },
  },
  {
    name: 'club-fixtures-preview',
    show: async ({ page, club }) => {
      await previewSeasonImport(
        page,
        club,
        'date,kick-off,zone,home,away,league\n2098-03-06,15:00,Australia/Brisbane,Sharks with a very long name indeed,Tigers,A Grade\n2098-03-13,15:00,Australia/Perth,Sharks,Tigers,A Grade',
      );
      await expect(page.getByRole('heading', { name: '2 new of 2 games' })).toBeVisible();
    },
  },
  {
    name: 'club-payments-failed',
    show: async ({ page }) => {
      await changeResponse(page, '/api/admin/payment-integrity-audit', () => ({
        failedPayments: [
          {
            paymentIntentId: `pi_${'a1b2'.repeat(12)}`,
            amount: 1047,
            created: 1_795_000_000,
            status: 'requires_payment_method',
            metadata: { drawId: 1042, ticketCount: 2, paymentMethod: 'card' },
          },
        ],
        totalFailedAmount: 1047,
        affectedCustomers: 1,
      }));
      await openClubPage(page, '/admin/payment-monitoring');
      await expect(page.getByText(/^pi_a1b2/)).toBeVisible();
    },
  },
  ...RESULT_STATES,
  ...PEOPLE_STATES,
];
