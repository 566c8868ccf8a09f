/**
 * States of the pages on which a club enters a result, and of the steps after it: winner, bank
 * details and payout.
 */
import { expect, type Page } from '@playwright/test';
import { createClubDraw } from './club';
import {
  openClubPage,
  stubMemberRole,
  type ClubScreenContext,
  type ClubState,
  type JsonBody,
} from './club-stage';
import { stubResponse, changeResponse } from './stubs';

async function openResultEntry({ page, baseURL, club }: ClubScreenContext): Promise<void> {
  const draw = await createClubDraw(page, baseURL, club);
  await openClubPage(page, `/club/${club.slug}/admin/results/${draw}`);
}

/** Presses a key. The first press is for the home team, the second for the away team. */
const chooseJersey = (page: Page, jersey: number) =>
  page
    .locator('.pad button')
    .nth(jersey - 1)
    .click();

async function openSubmitConfirmation(
  stage: ClubScreenContext,
  home: number,
  away: number,
): Promise<void> {
  await openResultEntry(stage);
  await chooseJersey(stage.page, home);
  await chooseJersey(stage.page, away);
  await stage.page.locator('.entry-bar').getByRole('button', { name: 'Submit Results' }).click();
  await expect(
    stage.page.getByRole('alertdialog', { name: 'Are these the first try scorers?' }),
  ).toBeVisible();
}

const BANK_DETAILS = {
  accountName: 'Robin Winner',
  accountNumber: '••••321',
  bsb: '•••-•00',
  receivedAt: '2026-11-20T02:00:00Z',
  from: 'winner',
};

/**
 * Opens the result page of a completed draw, with this winner and these payouts in the server's
 * answers.
 */
async function openWinnerPage(
  { page, club, draws }: ClubScreenContext,
  more: JsonBody,
  payouts: readonly JsonBody[] = [],
): Promise<void> {
  await changeResponse(
    page,
    `/api/draws/${draws.completed}/winners`,
    (original: { winningTickets: JsonBody[] }) => ({
      ...original,
      winningTickets: original.winningTickets.map((ticket) => ({
        ...ticket,
        sold: true,
        buyerName: 'Robin Winner',
        buyerEmail: 'robin.winner@example.com',
        buyerPhone: null,
        ...more,
      })),
    }),
  );
  await stubResponse(page, `/api/draws/${draws.completed}/payouts`, payouts);
  await openClubPage(page, `/club/${club.slug}/admin/results/${draws.completed}`);
  await expect(
    page.getByRole('region', { name: more.sold === false ? 'Nobody won' : 'Payout Management' }),
  ).toBeVisible();
}

const payoutResponse = (more: JsonBody): JsonBody => ({
  id: 9001,
  drawId: 1,
  clubId: 1,
  type: 'winner',
  amount: '422.50',
  status: 'pending',
  recipientName: 'Robin Winner',
  recipientEmail: 'robin.winner@example.com',
  note: null,
  failureReason: null,
  createdAt: '2026-11-20T02:00:00Z',
  completedAt: null,
  ...more,
});

export const RESULT_STATES: readonly ClubState[] = [
  {
    name: 'club-result-missing',
    show: async (stage) => {
      await openResultEntry(stage);
      await chooseJersey(stage.page, 7);
      await stage.page
        .locator('.entry-bar')
        .getByRole('button', { name: 'Submit Results' })
        .click();
      await expect(
        stage.page.getByText('Missing information: Please select first try scorer for both teams'),
      ).toBeVisible();
    },
  },
  { name: 'club-result-confirm', show: (stage) => openSubmitConfirmation(stage, 7, 9) },
  {
    name: 'club-result-failed',
    show: async (stage) => {
      await openSubmitConfirmation(stage, 7, 9);
      await stage.page.route(/\/api\/draws\/\d+\/results$/, (route) => route.abort());
      await stage.page
        .getByRole('alertdialog')
        .getByRole('button', { name: /^Announce/ })
        .click();
      await expect(stage.page.locator('.callout.is-bad')).toContainText('Failed to submit results');
    },
  },
  {
    name: 'club-winner-later',
    show: async (stage) => {
      await openSubmitConfirmation(stage, 7, 9);
      await stage.page
        .getByRole('alertdialog')
        .getByRole('button', { name: /^Announce/ })
        .click();
      await expect(
        stage.page.getByText(/^The winning ticket is shown after kick-off, /),
      ).toBeVisible();
    },
  },
  {
    name: 'club-winner-unsold',
    show: async (stage) => {
      await openWinnerPage(stage, {
        sold: false,
        buyerName: null,
        buyerEmail: null,
        winnerPayoutStatus: null,
        bank: null,
      });
      await expect(
        stage.page.getByText('This ticket was not sold - no winner contact information available'),
      ).toBeVisible();
    },
  },
  {
    name: 'club-winner-to-tell',
    show: async (stage) => {
      await openWinnerPage(stage, { winnerPayoutStatus: 'pending', bank: null });
      await expect(stage.page.getByText('Not provided')).toBeVisible();
      await expect(stage.page.getByText('Not received yet.')).toBeVisible();
    },
  },
  {
    name: 'club-bank-problems',
    show: async (stage) => {
      await openWinnerPage(stage, { winnerPayoutStatus: 'pending', bank: null });
      await stage.page.getByRole('button', { name: 'Enter bank details' }).click();
      await stage.page.getByRole('button', { name: 'Save bank details' }).click();
      await expect(stage.page.locator('.problems')).toBeFocused();
    },
  },
  {
    name: 'club-payouts',
    show: async (stage) => {
      await openWinnerPage(stage, { winnerPayoutStatus: 'details_received', bank: BANK_DETAILS }, [
        payoutResponse({
          id: 1,
          type: 'club_share',
          amount: '811.79',
          status: 'completed',
          completedAt: '2026-11-20T02:00:00Z',
        }),
        payoutResponse({ id: 2, status: 'failed', failureReason: 'The account is closed.' }),
        payoutResponse({}),
      ]);
      await expect(stage.page.getByRole('button', { name: /^I have paid/ })).toBeVisible();
    },
  },
  {
    name: 'club-settle',
    show: async (stage) => {
      await openWinnerPage(stage, { winnerPayoutStatus: 'details_received', bank: BANK_DETAILS }, [
        payoutResponse({}),
      ]);
      await stage.page.getByRole('button', { name: /^I have paid/ }).click();
      await expect(stage.page.getByRole('alertdialog', { name: /^Have you paid/ })).toBeVisible();
    },
  },
  {
    name: 'club-reveal',
    show: async (stage) => {
      await openWinnerPage(stage, { winnerPayoutStatus: 'details_received', bank: BANK_DETAILS }, [
        payoutResponse({}),
      ]);
      await stubResponse(
        stage.page,
        /\/winner-bank\/reveal$/,
        { message: 'Invalid credentials', code: 'wrong-password' },
        400,
      );
      await stage.page.getByRole('button', { name: 'Show full numbers' }).click();
      await stage.page.getByRole('dialog').getByLabel('Password', { exact: true }).fill('wrong');
      await stage.page.keyboard.press('Enter');
      await expect(stage.page.getByRole('dialog').getByText('Invalid credentials')).toBeVisible();
    },
  },
  {
    name: 'club-viewer-winner',
    show: async (stage) => {
      await stubMemberRole(stage.page, 'viewer');
      await openWinnerPage(
        stage,
        {
          winnerPayoutStatus: 'details_received',
          bank: null,
          buyerName: null,
          buyerEmail: null,
          buyerPhone: null,
        },
        [payoutResponse({ recipientName: null })],
      );
      await expect(
        stage.page.getByText('Who won, and how to reach them, is shown to sellers and owners.'),
      ).toBeVisible();
    },
  },
];
