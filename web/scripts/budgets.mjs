// Size limits of pages and other built files, in kilobytes after gzip (goals 14 to 16 of the design
// brief). The build fails if a limit is exceeded.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';

const KB = 1024;

/**
 * Limit of each page's JavaScript in kilobytes, including the shared entry file. Pages that are not
 * listed have the limit `CLUB_ADMIN_KB_MAX` or `OTHER_PAGE_KB_MAX`.
 */
const JS_KB_MAX = {
  '/': 125,
  '/draw/{n}': 150,
  '/club/{slug}': 130,
  '/draw/{n}/display': 110,
  '/club/{slug}/specials/{bundle}/display': 110,
  '/super-admin': 220,
};
const CLUB_ADMIN_KB_MAX = 180;
const OTHER_PAGE_KB_MAX = 150;
const CSS_KB_MAX = 20;
/** Limit of the CSS that the server inlines into one page, without compression. */
const CRITICAL_CSS_KB_MAX = 14;
const WIDGET_KB_MAX = 6;
const SERVICE_WORKER_KB_MAX = 3;

const isClubAdminPage = (page) =>
  page.startsWith('/admin') || page.startsWith('/club/{slug}/admin') || page.endsWith('-password');

function jsLimitOf(page) {
  return JS_KB_MAX[page] ?? (isClubAdminPage(page) ? CLUB_ADMIN_KB_MAX : OTHER_PAGE_KB_MAX);
}

/** Returns a sentence for each exceeded size limit. Calls `report` with one line per page. */
export function exceededLimits(dist, report = () => {}) {
  const zipped = (name) =>
    existsSync(join(dist, `${name}.gz`))
      ? statSync(join(dist, `${name}.gz`)).size
      : gzipSync(readFileSync(join(dist, name)), { level: 9 }).length;
  const entry = [
    ...readFileSync(join(dist, 'index.html'), 'utf8').matchAll(/\/assets\/([\w.-]+\.(?:js|css))/g),
  ].map(([, name]) => name);
  const pages = JSON.parse(readFileSync(join(dist, 'routes.json'), 'utf8'));
  const found = [];
  const weigh = (what, bytes, max) => {
    if (bytes > max * KB)
      found.push(`${what} weighs ${(bytes / KB).toFixed(1)} KB, more than ${max}`);
  };
  for (const [page, chunks] of Object.entries(pages)) {
    const names = [...new Set([...entry, ...chunks.map((chunk) => basename(chunk))])];
    const sum = (ending) =>
      names
        .filter((name) => name.endsWith(ending))
        .reduce((bytes, name) => bytes + zipped(name), 0);
    const [js, css] = [sum('.js'), sum('.css')];
    report(
      `${page.padEnd(44)} js ${(js / KB).toFixed(1).padStart(6)} of ${jsLimitOf(page)} KB   css ${(css / KB).toFixed(1)} KB`,
    );
    weigh(`${page}: its scripts`, js, jsLimitOf(page));
    weigh(`${page}: its styles`, css, CSS_KB_MAX);
  }
  const sharedCss = statSync(join(dist, 'critical.css')).size;
  for (const sheet of readdirSync(dist).filter((name) => /^critical-.*\.css$/.test(name))) {
    const inlined = sharedCss + statSync(join(dist, sheet)).size;
    report(
      `critical.css + ${sheet}`.padEnd(44) +
        ` css ${(inlined / KB).toFixed(1)} of ${CRITICAL_CSS_KB_MAX} KB`,
    );
    weigh(`critical.css and ${sheet}`, inlined, CRITICAL_CSS_KB_MAX);
  }
  if (existsSync(join(dist, 'sw.js'))) weigh('sw.js', zipped('sw.js'), SERVICE_WORKER_KB_MAX);
  const widgets = join(dist, 'widgets');
  for (const name of existsSync(widgets)
    ? readdirSync(widgets).filter((file) => file.endsWith('.js'))
    : [])
    weigh(`widgets/${name}`, zipped(`widgets/${name}`), WIDGET_KB_MAX);
  return found;
}
