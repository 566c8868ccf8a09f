/** Chooses text colours that are readable on a club's colours. */
import { contrastRatio, parseHex } from './colour-contrast';

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

const WHITE = '#ffffff';

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
    '--club-hero-edge': edge(primary, readableTextColourOn(primary)),
    '--club-card-edge': edge(WHITE, '#85806f'),
  };
}
