/**
 * States of a club's People page, of the page that accepts an invitation, and of pages as sellers
 * and viewers see them.
 */
import { expect, type Page } from '@playwright/test';
import type { DemoClub } from './club';
import { openClubPage, stubMemberRole, expectPageTitle, type ClubState } from './club-stage';
import { stubResponse } from './stubs';

const SAMPLE_MEMBER = {
  id: 5,
  email: 'kim@example.com',
  name: 'Kim of the canteen',
  role: 'seller',
  state: 'active',
  isClubLogin: false,
  invitedAt: '2026-11-01T00:00:00Z',
  invitedUntil: null,
  lastSeenAt: '2026-11-18T09:10:00Z',
};

async function openPeoplePage(page: Page, club: DemoClub): Promise<void> {
  await stubResponse(page, `/api/clubs/${club.id}/users`, [
    {
      ...SAMPLE_MEMBER,
      id: 0,
      email: `${club.slug}@demo.test`,
      name: club.name,
      role: 'owner',
      isClubLogin: true,
      invitedAt: null,
    },
    SAMPLE_MEMBER,
    {
      ...SAMPLE_MEMBER,
      id: 6,
      email: 'a-rather-long-address-for-a-phone@example.com',
      name: 'Alexandra',
      role: 'viewer',
      state: 'invited',
      invitedUntil: '2099-11-04T00:00:00Z',
      lastSeenAt: null,
    },
    {
      ...SAMPLE_MEMBER,
      id: 7,
      email: 'sam@example.com',
      name: 'Sam',
      role: 'owner',
      state: 'expired',
      lastSeenAt: null,
    },
  ]);
  await openClubPage(page, `/club/${club.slug}/admin/people`);
  await expect(page.getByRole('heading', { name: 'Alexandra' })).toBeVisible();
}

async function openSampleMemberDialog(page: Page, club: DemoClub, item: string): Promise<void> {
  await openPeoplePage(page, club);
  await page.getByRole('button', { name: 'Actions for Kim of the canteen' }).click();
  await page.getByRole('menuitem', { name: item }).click();
  await expect(page.getByRole('alertdialog')).toBeVisible();
}

export const PEOPLE_STATES: readonly ClubState[] = [
  { name: 'club-people', show: async ({ page, club }) => openPeoplePage(page, club) },
  {
    name: 'club-people-alone',
    show: async ({ page, club }) => {
      await stubResponse(page, `/api/clubs/${club.id}/users`, [
        {
          ...SAMPLE_MEMBER,
          id: 0,
          name: club.name,
          role: 'owner',
          isClubLogin: true,
          lastSeenAt: null,
        },
      ]);
      await openClubPage(page, `/club/${club.slug}/admin/people`);
      await expect(page.getByText(/^Nobody else yet\./)).toBeVisible();
    },
  },
  {
    name: 'club-people-failed',
    show: async ({ page, club }) => {
      await stubResponse(
        page,
        `/api/clubs/${club.id}/users`,
        { message: 'Please wait a moment and try again.', code: 'unavailable' },
        503,
      );
      await openClubPage(page, `/club/${club.slug}/admin/people`);
      await expect(page.getByText('Failed to load people')).toBeVisible();
    },
  },
  {
    name: 'club-invite-problems',
    show: async ({ page, club }) => {
      await openPeoplePage(page, club);
      await page.getByRole('button', { name: 'Invite somebody' }).click();
      await page.getByRole('button', { name: 'Send invitation' }).click();
      await expect(page.locator('.problems')).toBeFocused();
    },
  },
  {
    name: 'club-role',
    show: async ({ page, club }) => openSampleMemberDialog(page, club, 'Change role'),
  },
  {
    name: 'club-remove',
    show: async ({ page, club }) => openSampleMemberDialog(page, club, 'Remove'),
  },
  {
    name: 'club-invited',
    loggedOut: true,
    show: async ({ page }) => {
      await stubResponse(
        page,
        '/api/clubs/reset-password-confirm',
        { message: 'This password reset link is invalid or has expired.', code: 'invalid-link' },
        400,
      );
      await openClubPage(page, '/reset-password?invited=1&token=used');
      await expectPageTitle(page, 'Choose a password');
      for (const label of ['New password', 'Confirm password'])
        await page.getByLabel(label, { exact: true }).fill('short');
      await page.getByRole('button', { name: 'Set password' }).click();
      await expect(
        page.getByText('Password too short. Password must be at least 8 characters long.'),
      ).toBeVisible();
    },
  },
  {
    name: 'club-viewer',
    show: async ({ page, club }) => {
      await stubMemberRole(page, 'viewer');
      await openClubPage(page, `/club/${club.slug}/admin`);
      await expect(page.getByText(/^Signed in as Kim of the canteen\./)).toBeVisible();
    },
  },
  {
    name: 'club-seller-refused',
    show: async ({ page, club }) => {
      await stubMemberRole(page, 'seller');
      await page.goto(`/club/${club.slug}/admin/people`);
      await expect(page.getByText('Only an owner of the club can do this.')).toBeVisible();
    },
  },
];
