/** What the states of a club's screens have in common: who is there, and how one gets to a screen. */
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
  /** Only a desk has it. */
  wide?: boolean;
  /** Before anybody is signed in. */
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

/** The one who is signed in, as the server might also have described them. */
export const stubWhoami = (page: Page, more: JsonBody) =>
  changeResponse(page, '/api/admin/whoami', (who: { user: JsonBody }) => ({
    ...who,
    user: { ...who.user, ...more },
  }));

/** Signed in not as the club itself, but as one of its people. */
export const stubMemberRole = (page: Page, role: string) =>
  stubWhoami(page, { role, memberName: 'Kim of the canteen', memberEmail: 'kim@example.com' });
