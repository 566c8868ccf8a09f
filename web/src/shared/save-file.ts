/**
 * Lifetime of the file's URL, in milliseconds. A slow browser reads the file some time after the
 * click.
 */
const FILE_URL_LIFETIME_MS = 10_000;

/** Lets the browser save a file under its name. */
export function saveFile({ name, content }: { name: string; content: Blob }): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), FILE_URL_LIFETIME_MS);
}
