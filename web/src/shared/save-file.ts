/** How long the file's address lives, in milliseconds: a browser has taken the file by its next turn, or a slow one soon after. */
const ADDRESS_MS = 10_000;

/** Hands a file to the browser, to be saved under its name. */
export function saveFile({ name, content }: { name: string; content: Blob }): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), ADDRESS_MS);
}
