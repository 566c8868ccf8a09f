// Builds the web manifest. Each icon's file name contains a digest of the icon's content.
import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';

/**
 * Copies the icons that the manifest file `source` names into `dist`. Returns the manifest with
 * the new icon URLs.
 */
export function buildManifest(source, dist, publicUrl) {
  const written = JSON.parse(readFileSync(source, 'utf8'));
  const icons = written.icons.map((icon) => {
    const file = join(dirname(source), icon.src);
    const digest = createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 8);
    const name = `${basename(file, extname(file))}.${digest}${extname(file)}`;
    copyFileSync(file, join(dist, name));
    return { ...icon, src: publicUrl + name };
  });
  return JSON.stringify({ ...written, icons });
}
