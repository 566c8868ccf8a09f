// Builds the folder dist/ that the server serves: pages, assets, the widget script, the web
// manifest and the service worker.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { transform } from 'lightningcss';
import { exceededLimits } from './budgets.mjs';
import { chunksByName } from './chunks.mjs';
import { buildManifest } from './manifest.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
const PUBLIC_URL = '/assets/';
/**
 * Options of every Parcel call. Parcel must report a missing package instead of installing it,
 * because a build must change only dist/.
 */
const PARCEL_OPTIONS = ['--no-source-maps', '--no-autoinstall'];

rmSync(dist, { recursive: true, force: true });
const parcelProgram = join(root, 'node_modules', '.bin', 'parcel');
const mainBuild = spawnSync(
  parcelProgram,
  ['build', 'index.html', '--public-url', PUBLIC_URL, '--dist-dir', 'dist', ...PARCEL_OPTIONS],
  { cwd: root, stdio: 'inherit' },
);
if (mainBuild.status !== 0) process.exit(mainBuild.status ?? 1);

const builtFiles = readdirSync(dist);
const findOnlyBuiltFile = (pattern) => {
  const found = builtFiles.filter((name) => pattern.test(name));
  if (found.length !== 1)
    throw new Error(`expected one file like ${pattern} in dist, found ${found.length}`);
  return found[0];
};

// The server inlines critical.css into every page, and one of the sheets critical-*.css after it.
// Their font URLs must name the built files with their hashes.
const builtFontUrl = (written) => {
  const [, font] = /([\w-]+)\.woff2/.exec(written);
  return `url(${PUBLIC_URL}${findOnlyBuiltFile(new RegExp(`^${font}\\..*woff2$`))})`;
};
const UI_DIR = join(root, 'src/shared/ui');
function writeCriticalCss(name, sources) {
  const source = sources.map((file) => readFileSync(join(UI_DIR, file), 'utf8')).join('\n');
  const { code } = transform({ filename: name, code: Buffer.from(source), minify: true });
  const css = code.toString().replace(/url\([^)]*woff2[^)]*\)/g, builtFontUrl);
  writeFileSync(join(dist, name), css);
}
writeCriticalCss('critical.css', ['font-faces.css', 'tokens.css', 'critical.css']);
for (const name of readdirSync(UI_DIR).filter((file) => /^critical-.*\.css$/.test(file)))
  writeCriticalCss(name, [name]);

// Writes routes.json: the files that each page loads in addition to the shared entry file. The
// server preloads these files.
const chunkFilesOf = chunksByName(dist, builtFiles);
const CHUNK_NAME_BY_PAGE = JSON.parse(readFileSync(join(root, 'src/app/chunks.json'), 'utf8'));
const chunksByPage = Object.fromEntries(
  Object.entries(CHUNK_NAME_BY_PAGE).map(([page, chunk]) => [
    page,
    chunkFilesOf(chunk).map((name) => PUBLIC_URL + name),
  ]),
);
for (const [page, chunks] of Object.entries(chunksByPage))
  if (chunks.length === 0) throw new Error(`no chunk was built for ${page}`);
writeFileSync(join(dist, 'routes.json'), `${JSON.stringify(chunksByPage, null, 2)}\n`);

// Builds the small script that other sites embed, with the fixed name `/widgets/live.js`.
const widgetBuild = spawnSync(
  parcelProgram,
  [
    'build',
    'src/widget/live.ts',
    '--dist-dir',
    'dist/widgets',
    ...PARCEL_OPTIONS,
    '--no-content-hash',
  ],
  { cwd: root, stdio: 'inherit' },
);
if (widgetBuild.status !== 0) process.exit(widgetBuild.status ?? 1);

// Writes `/manifest.webmanifest`, with which a phone can install the site as an app.
writeFileSync(
  join(dist, 'manifest.webmanifest'),
  buildManifest(join(root, 'src/offline/manifest.json'), dist, PUBLIC_URL),
);

// Browsers request these two icons at fixed URLs.
for (const name of ['favicon.ico', 'apple-touch-icon.png'])
  copyFileSync(join(root, 'src/offline', name), join(dist, name));

// Builds the service worker `/sw.js`, which shows visited pages offline. The digest of the built
// file builtFiles is part of its cache builtFiles, so that a new build starts with empty caches.
const FD_BUILD = createHash('sha256')
  .update(builtFiles.sort().join('\n'))
  .digest('hex')
  .slice(0, 12);
const workerBuild = spawnSync(
  parcelProgram,
  ['build', 'src/offline/sw.ts', '--dist-dir', 'dist', ...PARCEL_OPTIONS, '--no-content-hash'],
  { cwd: root, stdio: 'inherit', env: { ...process.env, FD_BUILD } },
);
if (workerBuild.status !== 0) process.exit(workerBuild.status ?? 1);

// Compresses scripts, styles and SVG images once, so that the server need not compress them for
// each request.
for (const name of [...readdirSync(dist), 'widgets/live.js'].filter(
  (name) => /\.(js|css|svg)$/.test(name) && !name.startsWith('critical'),
)) {
  const bytes = readFileSync(join(dist, name));
  writeFileSync(
    join(dist, `${name}.br`),
    brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  );
  writeFileSync(join(dist, `${name}.gz`), gzipSync(bytes, { level: 9 }));
}

// An exceeded size limit fails the build, because buyers load pages over mobile networks.
const exceededBudgets = exceededLimits(dist, (line) => console.log(line));
for (const sentence of exceededBudgets) console.error(sentence);
if (exceededBudgets.length > 0) process.exit(1);
