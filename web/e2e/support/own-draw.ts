/**
 * Creates draws by API calls for one test alone, so that no other test changes their ticket counts.
 */
import { expect, type APIRequestContext, type PlaywrightWorkerArgs } from '@playwright/test';
import { buyThroughApi, type ListedDraw } from './draws';

type Playwright = PlaywrightWorkerArgs['playwright'];

interface Club {
  id: number;
  name: string;
  slug: string;
}

export interface DrawOptions {
  /** Number of tickets to leave unsold; other buyers buy the rest. By default none is sold. */
  left?: number;
  /** Seconds until kick-off. By default two days. */
  startsIn?: number;
  [more: string]: unknown;
}

export interface TestDraw extends ListedDraw {
  club: Club;
}

let drawsCreated = 0;

/** Returns a request context that is signed in as one of the demo's clubs. */
export async function signedInClubRequest(
  playwright: Playwright,
  baseURL: string,
  index = 0,
): Promise<{ calls: APIRequestContext; club: Club }> {
  const calls = await playwright.request.newContext({
    baseURL,
    extraHTTPHeaders: { origin: new URL(baseURL).origin },
  });
  const clubs = (await (await calls.get('/api/clubs/public-list')).json()) as Club[];
  const club = [...clubs].sort((one, other) => one.id - other.id)[index] as Club;
  const entered = await calls.post('/api/clubs/login', {
    data: { email: `${club.slug}@demo.test`, password: 'demo-password' },
  });
  expect(entered.ok(), await entered.text()).toBe(true);
  return { calls, club };
}

/** Creates draws on sale for one club, one for each entry of `options`. */
export async function createTestDraws(
  playwright: Playwright,
  baseURL: string,
  options: readonly DrawOptions[],
  index = 0,
): Promise<TestDraw[]> {
  const { calls, club } = await signedInClubRequest(playwright, baseURL, index);
  const draws: TestDraw[] = [];
  for (const { left, startsIn = 2 * 86_400, ...more } of options) {
    const accepted = await calls.post('/api/terms/accept', {
      data: { clubId: club.id, ipAddress: null, userAgent: 'test', termsVersion: '1.0' },
    });
    expect(accepted.ok(), await accepted.text()).toBe(true);
    const body = {
      clubId: club.id,
      homeTeam: club.name,
      awayTeam: `Visitors ${Date.now() % 100_000} ${++drawsCreated}`,
      gameDate: new Date(Date.now() + startsIn * 1000).toISOString(),
      timezone: 'Australia/Brisbane',
      contactName: 'Kim',
      contactPhone: '0400 000 000',
      ticketPrice: '5.00',
      prizePercentage: 50,
      passStripeFees: false,
      roundUpPrize: false,
      ...more,
    };
    const answer = await calls.post('/api/draws', { data: body });
    expect(answer.ok(), await answer.text()).toBe(true);
    const { drawNumber } = (await answer.json()) as { drawNumber: number };
    if (left !== undefined) await sellUntilTicketsLeft(playwright, baseURL, drawNumber, left);
    draws.push({
      ...((await (await calls.get(`/api/draws/${drawNumber}`)).json()) as ListedDraw),
      club,
    });
  }
  await calls.dispose();
  return draws;
}

export async function createTestDraw(
  playwright: Playwright,
  baseURL: string,
  options: DrawOptions = {},
): Promise<TestDraw> {
  const [draw] = await createTestDraws(playwright, baseURL, [options]);
  return draw as TestDraw;
}

/** Moves the kick-off to two seconds from now, and waits until the draw is closed. */
export async function bringKickOffForward(
  playwright: Playwright,
  baseURL: string,
  drawNumber: number,
): Promise<void> {
  const { calls } = await signedInClubRequest(playwright, baseURL);
  const moved = await calls.patch(`/api/draws/${drawNumber}`, {
    data: { gameDate: new Date(Date.now() + 2_000).toISOString() },
  });
  expect(moved.ok(), await moved.text()).toBe(true);
  const status = async () =>
    ((await (await calls.get(`/api/draws/${drawNumber}`)).json()) as { status: string }).status;
  await expect.poll(status, { timeout: 15_000 }).toBe('closed');
  await calls.dispose();
}

/** Buys tickets of a new draw as other buyers, at most fifty each, until `left` are left. */
async function sellUntilTicketsLeft(
  playwright: Playwright,
  baseURL: string,
  drawNumber: number,
  left: number,
): Promise<void> {
  for (let more = 169 - left; more > 0; more -= 50) {
    const other = await playwright.request.newContext({ baseURL });
    await buyThroughApi(other, baseURL, drawNumber, Math.min(50, more));
    await other.dispose();
  }
}
