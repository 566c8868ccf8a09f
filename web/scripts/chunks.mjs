// Finds the files that a page loads beside the entry, including shared chunks, in the entry that
// Parcel has written.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const QUOTED = /"?([\w$]+)"?:"([^"]+\.(?:js|css))"/g;

/**
 * Returns `page chunk name → file names`. A chunk that is loaded alone is found by its own name.
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
