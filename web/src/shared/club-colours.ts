/** Chooses text colours that are readable on a club's colours. */
import {
  contrastRatio,
  parseHex,
  rgbToHex,
  toGammaChannel,
  toLinearChannel,
  type Rgb,
} from './colour-contrast';

export { contrastRatio } from './colour-contrast';
export { initialsOf } from './initials';

/**
 * Returns the text colour on a club colour: white from a contrast of 4.5, else black, which then
 * always has 4.5.
 */
export function readableTextColourOn(background: string): '#ffffff' | '#000000' {
  return contrastRatio('#ffffff', background) >= 4.5 ? '#ffffff' : '#000000';
}

/** The band of a club whose primary colour is too light for white text. */
const DARK_BAND = '#10201d';
const GOLD = '#ffb81c';

/**
 * Returns the CSS variables of a club's bands and buttons: a background with legible white text,
 * and the colour of the prize on it. The server computes the same colours (`colour.rs`).
 */
export function clubBandVariables(
  primary: string | null | undefined,
  accent: string | null | undefined,
): Record<'--band' | '--band-prize', string> {
  const { primary: background, accent: wanted } = clubThemeOf({
    primaryColor: primary,
    accentColor: accent,
  });
  const band = contrastRatio('#ffffff', background) >= 4.5 ? background : DARK_BAND;
  const prize = [wanted, GOLD].find((colour) => contrastRatio(colour, band) >= 3) ?? '#ffffff';
  return { '--band': band, '--band-prize': prize };
}

export interface ClubTheme {
  primary: string;
  secondary: string;
  accent: string;
}

/** Returns a club's colours, with the specified default for a missing or invalid colour. */
export function clubThemeOf(club: {
  primaryColor?: string | null;
  secondaryColor?: string | null;
  accentColor?: string | null;
}): ClubTheme {
  const or = (colour: string | null | undefined, fallback: string) =>
    colour && parseHex(colour) ? colour : fallback;
  return {
    primary: or(club.primaryColor, '#1f2937'),
    secondary: or(club.secondaryColor, '#374151'),
    accent: or(club.accentColor, '#3b82f6'),
  };
}

const PAGE_BACKGROUND = '#f7f6f1';
const WHITE = '#ffffff';

/**
 * Converts a colour to OKLab. Scaling `a` and `b` by one factor changes the chroma and keeps the
 * hue.
 */
function toOklab(colour: Rgb): { light: number; a: number; b: number } {
  const [red, green, blue] = colour.map(toLinearChannel) as [number, number, number];
  const [long, middle, short] = [
    Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue),
    Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue),
    Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue),
  ];
  return {
    light: 0.2104542553 * long + 0.793617785 * middle - 0.0040720468 * short,
    a: 1.9779984951 * long - 2.428592205 * middle + 0.4505937099 * short,
    b: 0.0259040371 * long + 0.7827717662 * middle - 0.808675766 * short,
  };
}

function oklabToHex({ light, a, b }: { light: number; a: number; b: number }): string {
  const long = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const middle = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (light - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const channels = [
    4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * middle + 1.707614701 * short,
  ];
  return rgbToHex(channels.map(toGammaChannel));
}

/**
 * Returns a club colour for text and links on the page. Darkens it in steps of 0.02, with chroma in
 * proportion, until the contrast is 4.5.
 */
export function readableColourOnPage(colour: string): string {
  const read = parseHex(colour);
  if (!read) return '#1d5fd1';
  const { light, a, b } = toOklab(read);
  for (let darker = light; darker > 0; darker -= 0.02) {
    const next =
      darker === light
        ? colour
        : oklabToHex({ light: darker, a: (a * darker) / light, b: (b * darker) / light });
    if (contrastRatio(next, PAGE_BACKGROUND) >= 4.5) return next;
  }
  return '#000000';
}

/**
 * Returns the CSS variables of a club's page: its colours, readable text colours and links. A
 * button has an edge where its contrast with the background is below 3:1.
 */
export function clubColourVariables(
  club: Parameters<typeof clubThemeOf>[0],
): Record<`--${string}`, string> {
  const { primary, secondary, accent } = clubThemeOf(club);
  const edge = (background: string, ring: string) =>
    contrastRatio(accent, background) < 3 ? ring : 'transparent';
  return {
    ...clubBandVariables(primary, accent),
    '--club-primary': primary,
    '--club-on-primary': readableTextColourOn(primary),
    '--club-secondary': secondary,
    '--club-on-secondary': readableTextColourOn(secondary),
    '--club-accent': accent,
    '--club-on-accent': readableTextColourOn(accent),
    '--club-link': readableColourOnPage(accent),
    '--club-hero-edge': edge(primary, readableTextColourOn(primary)),
    '--club-card-edge': edge(WHITE, '#85806f'),
  };
}
