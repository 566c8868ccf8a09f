/** A club's own colours made readable: nothing assumes that white can be read on them. */

type Rgb = readonly [number, number, number];

function rgb(hex: string): Rgb | null {
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(hex);
  const long = short ? `#${short.slice(1).map((digit) => digit + digit).join('')}` : hex;
  const match = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(long);
  return match ? [parseInt(match[1] ?? '', 16), parseInt(match[2] ?? '', 16), parseInt(match[3] ?? '', 16)] : null;
}

const linear = (channel: number) => (channel / 255 <= 0.04045 ? channel / 255 / 12.92 : ((channel / 255 + 0.055) / 1.055) ** 2.4);

function luminance([red, green, blue]: Rgb): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** WCAG contrast of two colours; 1 when either cannot be read. */
export function contrast(one: string, other: string): number {
  const [a, b] = [rgb(one), rgb(other)];
  if (!a || !b) return 1;
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** Text on a club colour: white if that reads (4.5), else black, which then always does. */
export function readableOn(background: string): '#ffffff' | '#000000' {
  return contrast('#ffffff', background) >= 4.5 ? '#ffffff' : '#000000';
}

/** Two letters for a club without a logo. */
export function initials(name: string): string {
  const words = name.split(/\s+/).filter(Boolean);
  return ((words[0]?.[0] ?? 'F') + (words[1]?.[0] ?? words[0]?.[1] ?? '')).toUpperCase();
}

export interface Theme {
  primary: string;
  secondary: string;
  accent: string;
}

/** The specified default colours stand in for what is missing or is not a colour. */
export function themeOf(club: { primaryColor?: string | null; secondaryColor?: string | null; accentColor?: string | null }): Theme {
  const or = (colour: string | null | undefined, fallback: string) => (colour && rgb(colour) ? colour : fallback);
  return { primary: or(club.primaryColor, '#1f2937'), secondary: or(club.secondaryColor, '#374151'), accent: or(club.accentColor, '#3b82f6') };
}
