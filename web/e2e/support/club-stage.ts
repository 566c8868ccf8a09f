/** Shared setup of the club's screen states: the signed-in user and navigation. */
import { expect, type Page, type PlaywrightWorkerArgs } from '@playwright/test';
import { settled, type DemoClub } from './club';
import { change } from './stubs';

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
  /** Whether nobody is signed in. */
  door?: boolean;
  show: (stage: ClubStage) => Promise<void>;
}

export type JsonBody = Record<string, unknown>;

export const title = (page: Page, name: string | RegExp) =>
  expect(page.getByRole('heading', { level: 1, name })).toBeVisible();

export async function go(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await settled(page);
}

/** Changes the description of the signed-in user in the server's answer. */
export const whoIs = (page: Page, more: JsonBody) =>
  change(page, '/api/admin/whoami', (who: { user: JsonBody }) => ({
    ...who,
    user: { ...who.user, ...more },
  }));

/** Signs in as a member of the club instead of its own login. */
export const member = (page: Page, role: string) =>
  whoIs(page, { role, memberName: 'Kim of the canteen', memberEmail: 'kim@example.com' });
