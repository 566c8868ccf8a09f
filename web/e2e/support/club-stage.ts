/** Types and helpers for the tested states of a club's screens. */
import { expect, type Page, type PlaywrightWorkerArgs } from '@playwright/test';
import { waitUntilLoaded, type DemoClub } from './club';
import { changeResponse } from './stubs';

export interface ClubScreenContext {
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
  show: (stage: ClubScreenContext) => Promise<void>;
}

export type JsonBody = Record<string, unknown>;

export const expectPageTitle = (page: Page, name: string | RegExp) =>
  expect(page.getByRole('heading', { level: 1, name })).toBeVisible();

export async function openClubPage(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await waitUntilLoaded(page);
}

/** Changes fields of the signed-in user in the server's answer to `/api/admin/whoami`. */
export const stubWhoami = (page: Page, more: JsonBody) =>
  changeResponse(page, '/api/admin/whoami', (who: { user: JsonBody }) => ({
    ...who,
    user: { ...who.user, ...more },
  }));

/** Makes the pages treat the club's login as the login of a staff member with this role. */
export const stubMemberRole = (page: Page, role: string) =>
  stubWhoami(page, { role, memberName: 'Kim of the canteen', memberEmail: 'kim@example.com' });
