/** Stubbed offers for games of a club that are on sale. */
import { expect, type APIRequestContext, type Page } from '@playwright/test';
import { listActiveDraws } from './draws';
import { stubResponse, changeBootData, blockSockets } from './stubs';

export interface StubOffer {
  clubSlug: string;
  slug: string;
  path: string;
  games: { id: number; homeTeam: string; awayTeam: string; gameDate: string }[];
  [more: string]: unknown;
}

export async function makeStubOffer(
  request: APIRequestContext,
  more: Record<string, unknown> = {},
  count = 2,
): Promise<StubOffer> {
  const draws = (await listActiveDraws(request)).filter(
    (draw) => draw.ticketsAvailable > 3 && Date.parse(draw.gameDate) - Date.now() > 3_600_000,
  );
  const club = draws.find(
    (draw) => draws.filter((other) => other.clubSlug === draw.clubSlug).length >= count,
  )?.clubSlug;
  const games = draws
    .filter((draw) => draw.clubSlug === club)
    .slice(0, count)
    .map((draw) => ({ ...draw, id: draw.drawNumber }));
  expect(games.length, 'a club with enough games on sale').toBe(count);
  return {
    id: 77,
    name: 'Double header',
    slug: 'double-header',
    type: count === 1 ? 'SPECIAL' : 'BUNDLE',
    status: 'active',
    displayTag: 'Two games, one tap',
    shareImageUrl: null,
    primaryCopy: 'A ticket in each of our next two games.\nBoth prizes, one payment.',
    clubSlug: club as string,
    clubName: (games[0] as unknown as { clubName: string }).clubName,
    startAt: null,
    endAt: null,
    games,
    path: `/club/${club}/specials/double-header`,
    ...more,
  };
}

/** Answers the requests for a club's offers with this offer, instead of the server's answer. */
export async function serveOffer(page: Page, offer: StubOffer): Promise<void> {
  await blockSockets(page);
  await changeBootData(page, (boot) => ({ ...boot, offer: null, offers: [] }));
  await stubResponse(page, `/api/clubs/${offer.clubSlug}/bundles`, [offer]);
  await stubResponse(page, `/api/clubs/${offer.clubSlug}/bundles/${offer.slug}`, offer);
  await stubResponse(page, `/api/public/widget/bundle/${offer.clubSlug}/${offer.slug}`, {
    type: 'bundle',
    title: offer.name,
    status: offer.status,
    opensAt: offer.startAt,
    earliestOpensAt: offer.startAt,
    closesAt: offer.games[0]?.gameDate,
    earliestClosesAt: offer.games.map((game) => game.gameDate).sort()[0],
    purchaseUrl: offer.path,
    prizePoolCents: 52_750,
    ticketsSold: 261,
    ticketsCap: 338,
    ...(offer.widget as object | undefined),
  });
}
