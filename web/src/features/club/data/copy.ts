/** Copies text with the Clipboard API, else with `execCommand` (specification line B:44). */
export async function copyToClipboard(
  text: string,
  clipboard: Pick<Clipboard, 'writeText'> | undefined = navigator.clipboard,
): Promise<void> {
  try {
    if (!clipboard) throw new Error('no clipboard');
    await clipboard.writeText(text);
  } catch {
    const field = document.createElement('textarea');
    field.value = text;
    field.setAttribute('readonly', '');
    document.body.append(field);
    field.select();
    try {
      document.execCommand('copy');
    } finally {
      field.remove();
    }
  }
}
