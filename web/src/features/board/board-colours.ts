/** Derives the colours of a board from its club's colours. */
import {
  luminance,
  parseHex,
  toGammaChannel,
  toLinearChannel,
  type Rgb,
} from '@/shared/colour-contrast';

/** The specified primary colour of a club without one, and the accent of the boards. */
const PRIMARY: Rgb = [31, 41, 55];
const GOLD: Rgb = [255, 184, 28];
const LIGHT_BLUE = '#7cc0ff';
const ORANGE = '#ff9d4d';
const RAISED_LUMINANCE = 0.042;

/** A lighter shade keeps its hue up to this brightness of its largest channel, then gets white. */
const PURE_CHANNEL_MAX = 0.6;

/** Returns the colour's hue with this luminance from 0 to 1, computed in linear light. */
function shadeOf(rgb: Rgb, wanted: number): string {
  const linear = rgb.map(toLinearChannel);
  const scale = Math.min(wanted / luminance(rgb), PURE_CHANNEL_MAX / Math.max(...linear));
  // Black has no hue to scale.
  const factor = Number.isFinite(scale) ? scale : 1;
  const scaled = luminance(rgb) * factor;
  const white = (wanted - scaled) / (1 - scaled);
  const channels = linear.map((channel) => {
    const hue = channel * factor;
    return Math.round(toGammaChannel(hue + (1 - hue) * white) * 255);
  });
  return `rgb(${channels.join(',')})`;
}

/**
 * Whether a club's accent can be seen: 3:1 on the lightest background, and not too similar to the
 * white cells.
 */
function isVisibleAccent(accent: Rgb): boolean {
  const light = luminance(accent) + 0.05;
  return light / (RAISED_LUMINANCE + 0.05) >= 3 && 1.05 / light >= 1.25;
}

/** Whether a colour is blue. Light blue beside it could not be told apart. */
const isBlue = ([red, green, blue]: Rgb): boolean => blue > 1.2 * green && blue > 1.2 * red;

/**
 * Returns the CSS variables of a board. The backgrounds are dark shades of the club's primary
 * colour. The accent is the club's, or gold where the club's cannot be seen.
 */
export function boardColourVariables(club?: {
  primaryColor: string;
  accentColor: string;
}): Record<`--${string}`, string> {
  const primary = parseHex(club?.primaryColor ?? '') ?? PRIMARY;
  const clubAccent = parseHex(club?.accentColor ?? '');
  const accent = clubAccent && isVisibleAccent(clubAccent) ? clubAccent : GOLD;
  return {
    '--board-deep': shadeOf(primary, 0.005),
    '--board-base': shadeOf(primary, 0.013),
    '--board-raised': shadeOf(primary, RAISED_LUMINANCE),
    '--board-edge': shadeOf(primary, 0.24),
    '--board-revealed': shadeOf(primary, 0.17),
    '--board-text-2': shadeOf(primary, 0.62),
    '--board-accent': `rgb(${accent.join(',')})`,
    '--board-away': isBlue(accent) ? ORANGE : LIGHT_BLUE,
  };
}
