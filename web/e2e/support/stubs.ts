/** Changes answers of the running server, so that pages show states that the server is not in. */
import type { Page, Route } from '@playwright/test';

type Json = Record<string, unknown>;

/** Changes the data that the server embeds in the HTML page. */
export async function changeBoot(
  page: Page,
  changeResponse: (boot: Json) => Json | void,
): Promise<void> {
  await page.route(
    (url) => !/^\/(api|assets|ws|widgets|sandbox)\b/.test(url.pathname),
    async (route: Route) => {
      if (route.request().resourceType() !== 'document') return route.fallback();
      const stubResponse = await route.fetch();
      const html = await stubResponse.text();
      const body = html.replace(
        /(<script type="application\/json" id="boot">)(.*?)(<\/script>)/s,
        (_whole, open: string, json: string, close: string) => {
          const boot = JSON.parse(json) as Json;
          return (
            open + JSON.stringify(changeResponse(boot) ?? boot).replace(/</g, '\\u003c') + close
          );
        },
      );
      await route.fulfill({ status: 200, headers: stubResponse.headers(), body });
    },
  );
}

/** Answers an API call with this body, instead of the server's answer. */
export async function stubResponse(
  page: Page,
  path: string | RegExp,
  json: unknown,
  status = 200,
): Promise<void> {
  await page.route(typeof path === 'string' ? `**${path}` : path, (route) =>
    route.fulfill({ status, json }),
  );
}

/** Changes the server's answer to an API call. */
export async function changeResponse(
  page: Page,
  path: string | RegExp,
  by: (original: never) => unknown,
): Promise<void> {
  await page.route(typeof path === 'string' ? `**${path}` : path, async (route) => {
    const original = await route.fetch();
    await route.fulfill({ response: original, json: by((await original.json()) as never) });
  });
}

export const stubFailure = (page: Page, path: string | RegExp, status = 500) =>
  stubResponse(page, path, { message: 'Out of order', code: 'unavailable' }, status);

/** Blocks all WebSockets, so that data comes only from the HTML page and API calls. */
export const noSockets = (page: Page) =>
  page.routeWebSocket(/\/ws/, (socket) => void socket.close());

const OFF = ['/api/draws/active', '/api/draws/awaiting-results', '/api/draws/completed'];

/** Shows the home page without any draw. */
export async function noDraws(page: Page): Promise<void> {
  await changeBoot(page, (boot) => ({ ...boot, draws: [] }));
  for (const path of OFF) await stubResponse(page, path, []);
}

export async function maintenance(page: Page): Promise<void> {
  await noSockets(page);
  await changeBoot(page, (boot) => ({ ...boot, maintenanceMode: true }));
  await stubResponse(page, '/api/maintenance-mode', { maintenanceMode: true });
}

/** Changes one draw in the HTML page's data and in every answer of the server. */
export async function changeDraw(page: Page, number: number, more: Json): Promise<void> {
  await noSockets(page);
  const changed = (draw: unknown) =>
    (draw as Json | null)?.drawNumber === number ? { ...(draw as Json), ...more } : draw;
  await changeBoot(page, (boot) => ({
    ...boot,
    draw: changed(boot.draw),
    draws: (boot.draws as Json[] | undefined)?.map(changed),
  }));
  await changeResponse(page, new RegExp(`/api/draws/${number}$`), (draw: Json) => changed(draw));
  await changeResponse(
    page,
    /\/api\/draws\/(active|awaiting-results|completed)$/,
    (draws: Json[]) => draws.map(changed),
  );
}
