// Finds the script and style files that each page loads in addition to the shared entry file.
// Parcel has written their names into the entry file.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const CHUNK_FILE_ENTRY = /"?([\w$]+)"?:"([^"]+\.(?:js|css))"/g;

/**
 * Returns a function from a page's chunk name to the files that the page loads. `names` are all
 * files in `dist`.
 */
export function chunksByName(dist, names) {
  const entries = [
    ...readFileSync(join(dist, 'index.html'), 'utf8').matchAll(/\/assets\/(web\.[0-9a-f]+\.js)/g),
  ].map(([, name]) => name);
  const code = entries.map((name) => readFileSync(join(dist, name), 'utf8')).join('\n');
  const fileOf = new Map(
    [...code.matchAll(CHUNK_FILE_ENTRY)]
      .filter(([, , file]) => names.includes(file))
      .map(([, id, file]) => [id, file]),
  );
  const groups = [...code.matchAll(/Promise\.all\(\[([^\]]*)\]\)/g)].map(([, inside]) =>
    [...inside.matchAll(/\("(\w+)"\)/g)].map(([, id]) => fileOf.get(id)).filter(Boolean),
  );
  return (chunk) => {
    const own = new RegExp(`^${chunk}\\.[0-9a-f]+\\.(js|css)$`);
    const group = groups.find((files) =>
      own.test(files.filter((file) => file.endsWith('.js')).at(-1) ?? ''),
    );
    return group ?? names.filter((name) => own.test(name));
  };
}
