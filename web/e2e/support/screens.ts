/** Every screen that a guest can open, found on the running server. */
import type { APIRequestContext } from '@playwright/test';
import { activeDraws, completedDraw, type ListedDraw } from './draws';

export interface Screen {
  name: string;
  path: string;
}

export async function screens(request: APIRequestContext): Promise<Screen[]> {
  const draws = await activeDraws(request);
  const open = draws.find((draw) => draw.ticketsAvailable > 0);
  const full = draws.find((draw) => draw.ticketsAvailable === 0);
  const completed = await completedDraw(request);
  const awaiting = ((await (await request.get('/api/draws/awaiting-results')).json()) as ListedDraw[])[0];
  const list: (Screen | null)[] = [
    { name: 'landing', path: '/' },
    open ? { name: 'draw', path: `/draw/${open.drawNumber}?quantity=2` } : null,
    open ? { name: 'board', path: `/draw/${open.drawNumber}/display` } : null,
    open ? { name: 'checkout', path: `/checkout/${open.drawNumber}?tickets=2` } : null,
    open ? { name: 'club', path: `/club/${open.clubSlug}` } : null,
    open ? { name: 'verify-promise', path: `/verify/${open.drawNumber}` } : null,
    full ? { name: 'draw-sold-out', path: `/draw/${full.drawNumber}` } : null,
    awaiting ? { name: 'draw-closed', path: `/draw/${awaiting.drawNumber}` } : null,
    completed ? { name: 'draw-completed', path: `/draw/${completed}` } : null,
    completed ? { name: 'board-result', path: `/draw/${completed}/display` } : null,
    completed ? { name: 'verify', path: `/verify/${completed}` } : null,
    { name: 'thank-you-empty', path: '/thank-you' },
    { name: 'not-found', path: '/no/such/page' },
    { name: 'draw-not-found', path: '/draw/999999' },
  ];
  return list.filter((screen) => screen !== null);
}
