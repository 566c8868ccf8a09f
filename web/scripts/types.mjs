// Writes src/api/generated/schema.ts from the server's OpenAPI document; run it with `npm run
// types`. With a file and --check, writes nothing and fails if the committed file differs.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const schemaFile = join(root, 'src/api/generated/schema.ts');
const openapiFile = process.argv.slice(2).find((argument) => !argument.startsWith('--'));

function readOpenApi() {
  if (openapiFile) return readFileSync(openapiFile, 'utf8');
  const asked = spawnSync('cargo', ['run', '--quiet', '--package', 'server', '--', 'openapi'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (asked.status !== 0) throw new Error('the server could not describe its calls');
  return asked.stdout;
}

// Removes each `format`, such as `int64`, because TypeScript has no integer widths. Below, the
// paths are removed, because the screens use only the schemas.
const openapi = JSON.parse(readOpenApi(), (name, value) =>
  name === 'format' && typeof value === 'string' ? undefined : value,
);
openapi.paths = {};
const generatedTypes = astToString(
  await openapiTS(openapi, { alphabetize: true, rootTypes: true, rootTypesNoSchemaPrefix: true }),
);
const schemaText = `/** The shapes on the wire. Written by \`npm run types\` from the server's own description; never by hand. */\n${generatedTypes}`;

if (!process.argv.includes('--check')) writeFileSync(schemaFile, schemaText);
else if (readFileSync(schemaFile, 'utf8') !== schemaText) {
  console.error(
    'src/api/generated/schema.ts is not what the server describes: run `npm run types` in web, and commit it',
  );
  process.exit(1);
}
