// Writes src/api/generated/schema.ts from the server's OpenAPI document; run it with `npm run
// types`. With a file and --check, writes nothing and fails if the committed file differs.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const target = join(root, 'src/api/generated/schema.ts');
const file = process.argv.slice(2).find((argument) => !argument.startsWith('--'));

function described() {
  if (file) return readFileSync(file, 'utf8');
  const asked = spawnSync('cargo', ['run', '--quiet', '--package', 'server', '--', 'openapi'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (asked.status !== 0) throw new Error('the server could not describe its calls');
  return asked.stdout;
}

// The screens use only the schemas of the document. TypeScript has no integer widths, so they are
// removed.
const document = JSON.parse(described(), (name, value) =>
  name === 'format' && typeof value === 'string' ? undefined : value,
);
document.paths = {};
const types = astToString(
  await openapiTS(document, { alphabetize: true, rootTypes: true, rootTypesNoSchemaPrefix: true }),
);
const text = `/** The shapes on the wire. Written by \`npm run types\` from the server's own description; never by hand. */\n${types}`;

if (!process.argv.includes('--check')) writeFileSync(target, text);
else if (readFileSync(target, 'utf8') !== text) {
  console.error(
    'src/api/generated/schema.ts is not what the server describes: run `npm run types` in web, and commit it',
  );
  process.exit(1);
}
