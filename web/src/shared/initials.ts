/** Returns up to two letters for a club without a logo. */
export function initialsOf(name: string): string {
  const text = name.split(/\s+/).filter(Boolean);
  return ((text[0]?.[0] ?? 'F') + (text[1]?.[0] ?? text[0]?.[1] ?? '')).toUpperCase();
}
