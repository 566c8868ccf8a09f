/** Shared setup for the states of the club's screens: the signed-in user and navigation. */
import { expect, type Page, type PlaywrightWorkerArgs } from '@playwright/test';
import { settled, type DemoClub } from './club';
import { changeResponse } from './stubs';

export interface ClubStage {
  page: Page;
  playwright: PlaywrightWorkerArgs['playwright'];
  baseURL: string;
  club: DemoClub;
  draws: { coming: number; awaiting: number; completed: number };
}

export interface ClubState {
  name: string;
  /** Whether the state exists only on a wide screen. */
  wide?: boolean;
  /** Whether the state is shown to a visitor who is not signed in. */
  loggedOut?: boolean;
  show: (stage: ClubStage) => Promise<void>;
}

export type JsonBody = Record<string, unknown>;

export const title = (page: Page, name: string | RegExp) =>
  expect(page.getByRole('heading', { level: 1, name })).toBeVisible();

export async function openClubPage(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await settled(page);
}

/** Changes fields of the signed-in user in the answer of the `whoami` call. */
export const stubWhoami = (page: Page, more: JsonBody) =>
  changeResponse(page, '/api/admin/whoami', (who: { user: JsonBody }) => ({
    ...who,
    user: { ...who.user, ...more },
  }));

/**
 * Makes the pages show the signed-in user as a staff member with this role, instead of the club's
 * own login.
 */
export const stubMemberRole = (page: Page, role: string) =>
  stubWhoami(page, { role, memberName: 'Kim of the canteen', memberEmail: 'kim@example.com' });
