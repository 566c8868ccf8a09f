// Finds the files that each page loads in addition to the entry file, including chunks shared by
// several pages. Reads them from the entry file that Parcel has written.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const QUOTED = /"?([\w$]+)"?:"([^"]+\.(?:js|css))"/g;

/**
 * Returns a map from the chunk name of a page to its file names. A chunk that is loaded without
 * others is found by its own file name.
 */
export function chunksByName(dist, names) {
  const entries = [
    ...readFileSync(join(dist, 'index.html'), 'utf8').matchAll(/\/assets\/(web\.[0-9a-f]+\.js)/g),
  ].map(([, name]) => name);
  const code = entries.map((name) => readFileSync(join(dist, name), 'utf8')).join('\n');
  const fileOf = new Map(
    [...code.matchAll(QUOTED)]
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
