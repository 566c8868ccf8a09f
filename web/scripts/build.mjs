// Builds the folder dist/ for the server: index.html, hashed assets, critical.css and routes.json.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { transform } from 'lightningcss';
import { overweight } from './budgets.mjs';
import { chunksByName } from './chunks.mjs';
import { manifest } from './manifest.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
const PUBLIC_URL = '/assets/';
/**
 * Options for Parcel. It must report a missing package instead of installing it, because a build
 * must change only dist/.
 */
const PLAIN = ['--no-source-maps', '--no-autoinstall'];

rmSync(dist, { recursive: true, force: true });
const parcel = join(root, 'node_modules', '.bin', 'parcel');
const built = spawnSync(
  parcel,
  ['build', 'index.html', '--public-url', PUBLIC_URL, '--dist-dir', 'dist', ...PLAIN],
  { cwd: root, stdio: 'inherit' },
);
if (built.status !== 0) process.exit(built.status ?? 1);

const names = readdirSync(dist);
const only = (pattern) => {
  const found = names.filter((name) => pattern.test(name));
  if (found.length !== 1)
    throw new Error(`expected one file like ${pattern} in dist, found ${found.length}`);
  return found[0];
};

// The server inlines critical.css into pages, so the font's URL in it must be the hashed one.
const font = only(/^barlow-condensed-600-subset\..*woff2$/);
const source = ['font-faces.css', 'tokens.css', 'critical.css']
  .map((name) => readFileSync(join(root, 'src/shared/ui', name), 'utf8'))
  .join('\n');
const { code } = transform({ filename: 'critical.css', code: Buffer.from(source), minify: true });
const critical = code.toString().replace(/url\([^)]*woff2[^)]*\)/g, `url(${PUBLIC_URL}${font})`);
writeFileSync(join(dist, 'critical.css'), critical);

// The files that each page loads in addition to the shared entry file. The server preloads them,
// which saves a round trip.
const chunksOf = chunksByName(dist, names);
const CHUNK_OF_PAGE = JSON.parse(readFileSync(join(root, 'src/app/chunks.json'), 'utf8'));
const pages = Object.fromEntries(
  Object.entries(CHUNK_OF_PAGE).map(([page, chunk]) => [
    page,
    chunksOf(chunk).map((name) => PUBLIC_URL + name),
  ]),
);
for (const [page, chunks] of Object.entries(pages))
  if (chunks.length === 0) throw new Error(`no chunk was built for ${page}`);
writeFileSync(join(dist, 'routes.json'), `${JSON.stringify(pages, null, 2)}\n`);

// Builds the small script that other sites embed, with the fixed name `/widgets/live.js`.
const embed = spawnSync(
  parcel,
  ['build', 'src/widget/live.ts', '--dist-dir', 'dist/widgets', ...PLAIN, '--no-content-hash'],
  { cwd: root, stdio: 'inherit' },
);
if (embed.status !== 0) process.exit(embed.status ?? 1);

// `/manifest.webmanifest` makes the site installable. Its icons are cached without expiry.
writeFileSync(
  join(dist, 'manifest.webmanifest'),
  manifest(join(root, 'src/offline/manifest.json'), dist, PUBLIC_URL),
);

// Builds the service worker `/sw.js`, which shows pages offline. It caches the files of this build.
// The service worker of the next build deletes them.
const FD_BUILD = createHash('sha256').update(names.sort().join('\n')).digest('hex').slice(0, 12);
const worker = spawnSync(
  parcel,
  ['build', 'src/offline/sw.ts', '--dist-dir', 'dist', ...PLAIN, '--no-content-hash'],
  { cwd: root, stdio: 'inherit', env: { ...process.env, FD_BUILD } },
);
if (worker.status !== 0) process.exit(worker.status ?? 1);

// Compresses each file here once, so that the server need not compress it for every request.
for (const name of [...readdirSync(dist), 'widgets/live.js'].filter(
  (name) => /\.(js|css|svg)$/.test(name) && name !== 'critical.css',
)) {
  const bytes = readFileSync(join(dist, name));
  writeFileSync(
    join(dist, `${name}.br`),
    brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  );
  writeFileSync(join(dist, `${name}.gz`), gzipSync(bytes, { level: 9 }));
}

// A page above its limit fails the build, because buyers load it over mobile networks.
const tooHeavy = overweight(dist, (line) => console.log(line));
for (const sentence of tooHeavy) console.error(sentence);
if (tooHeavy.length > 0) process.exit(1);
