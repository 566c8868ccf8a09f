/** Changes answers of the running server, so that pages show states that the server is not in. */
import type { Page, Route } from '@playwright/test';

type JsonObject = Record<string, unknown>;

/** Changes the JSON that the server embeds in each HTML page for React. */
export async function changeBootData(
  page: Page,
  change: (boot: JsonObject) => JsonObject | void,
): Promise<void> {
  await page.route(
    (url) => !/^\/(api|assets|ws|widgets|sandbox)\b/.test(url.pathname),
    async (route: Route) => {
      if (route.request().resourceType() !== 'document') return route.fallback();
      const original = await route.fetch();
      const html = await original.text();
      const body = html.replace(
        /(<script type="application\/json" id="boot">)(.*?)(<\/script>)/s,
        (_whole, open: string, json: string, close: string) => {
          const boot = JSON.parse(json) as JsonObject;
          return open + JSON.stringify(change(boot) ?? boot).replace(/</g, '\\u003c') + close;
        },
      );
      await route.fulfill({ status: 200, headers: original.headers(), body });
    },
  );
}

/** Answers calls to `path` with this JSON body. The calls do not reach the server. */
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

/** Changes the server's JSON answers to calls to `path`. */
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

/** Closes all WebSockets, so that data comes only from the HTML page and API calls. */
export const blockSockets = (page: Page) =>
  page.routeWebSocket(/\/ws/, (socket) => void socket.close());

const DRAW_LIST_PATHS = [
  '/api/draws/active',
  '/api/draws/awaiting-results',
  '/api/draws/completed',
];

/** Makes the home page show no draw. */
export async function stubNoDraws(page: Page): Promise<void> {
  await changeBootData(page, (boot) => ({ ...boot, draws: [] }));
  for (const path of DRAW_LIST_PATHS) await stubResponse(page, path, []);
}

export async function stubMaintenance(page: Page): Promise<void> {
  await blockSockets(page);
  await changeBootData(page, (boot) => ({ ...boot, maintenanceMode: true }));
  await stubResponse(page, '/api/maintenance-mode', { maintenanceMode: true });
}

/** Changes one draw in the HTML page's data and in API answers. Closes all WebSockets. */
export async function changeDrawResponse(
  page: Page,
  number: number,
  more: JsonObject,
): Promise<void> {
  await blockSockets(page);
  const changed = (draw: unknown) =>
    (draw as JsonObject | null)?.drawNumber === number
      ? { ...(draw as JsonObject), ...more }
      : draw;
  await changeBootData(page, (boot) => ({
    ...boot,
    draw: changed(boot.draw),
    draws: (boot.draws as JsonObject[] | undefined)?.map(changed),
  }));
  await changeResponse(page, new RegExp(`/api/draws/${number}$`), (draw: JsonObject) =>
    changed(draw),
  );
  await changeResponse(
    page,
    /\/api\/draws\/(active|awaiting-results|completed)$/,
    (draws: JsonObject[]) => draws.map(changed),
  );
}
