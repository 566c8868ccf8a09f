/** Changes answers of the running server, to produce states that it is not in. */
import type { Page, Route } from '@playwright/test';

type Json = Record<string, unknown>;

/** Changes the data embedded in the page. */
export async function changeBoot(page: Page, change: (boot: Json) => Json | void): Promise<void> {
  await page.route(
    (url) => !/^\/(api|assets|ws|widgets|sandbox)\b/.test(url.pathname),
    async (route: Route) => {
      if (route.request().resourceType() !== 'document') return route.fallback();
      const answer = await route.fetch();
      const html = await answer.text();
      const body = html.replace(
        /(<script type="application\/json" id="boot">)(.*?)(<\/script>)/s,
        (_whole, open: string, json: string, close: string) => {
          const boot = JSON.parse(json) as Json;
          return open + JSON.stringify(change(boot) ?? boot).replace(/</g, '\\u003c') + close;
        },
      );
      await route.fulfill({ status: 200, headers: answer.headers(), body });
    },
  );
}

/** Answers a call with this body. */
export async function answer(
  page: Page,
  path: string | RegExp,
  json: unknown,
  status = 200,
): Promise<void> {
  await page.route(typeof path === 'string' ? `**${path}` : path, (route) =>
    route.fulfill({ status, json }),
  );
}

/** Changes the answer of a call. */
export async function change(
  page: Page,
  path: string | RegExp,
  by: (said: never) => unknown,
): Promise<void> {
  await page.route(typeof path === 'string' ? `**${path}` : path, async (route) => {
    const said = await route.fetch();
    await route.fulfill({ response: said, json: by((await said.json()) as never) });
  });
}

export const fail = (page: Page, path: string | RegExp, status = 500) =>
  answer(page, path, { message: 'Out of order', code: 'unavailable' }, status);

/** Blocks all sockets, so that data comes only from the page and the calls. */
export const noSockets = (page: Page) =>
  page.routeWebSocket(/\/ws/, (socket) => void socket.close());

const OFF = ['/api/draws/active', '/api/draws/awaiting-results', '/api/draws/completed'];

/** Shows the home page without any draw. */
export async function noDraws(page: Page): Promise<void> {
  await changeBoot(page, (boot) => ({ ...boot, draws: [] }));
  for (const path of OFF) await answer(page, path, []);
}

export async function maintenance(page: Page): Promise<void> {
  await noSockets(page);
  await changeBoot(page, (boot) => ({ ...boot, maintenanceMode: true }));
  await answer(page, '/api/maintenance-mode', { maintenanceMode: true });
}

/** Changes one draw in the page's data and in every answer. */
export async function changeDraw(page: Page, number: number, more: Json): Promise<void> {
  await noSockets(page);
  const changed = (draw: unknown) =>
    (draw as Json | null)?.drawNumber === number ? { ...(draw as Json), ...more } : draw;
  await changeBoot(page, (boot) => ({
    ...boot,
    draw: changed(boot.draw),
    draws: (boot.draws as Json[] | undefined)?.map(changed),
  }));
  await change(page, new RegExp(`/api/draws/${number}$`), (draw: Json) => changed(draw));
  await change(page, /\/api\/draws\/(active|awaiting-results|completed)$/, (draws: Json[]) =>
    draws.map(changed),
  );
}
