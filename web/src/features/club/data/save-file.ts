/** Gives a downloaded file to the browser under its name. */
import type { Download } from '@/api/http';

export function saveFile({ name, content }: Download): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // The browser has taken the file by the next turn; until then the address must live.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
