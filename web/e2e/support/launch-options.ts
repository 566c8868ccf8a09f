/** How every test starts the system's browser. */
export const LAUNCH_OPTIONS = {
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
};

/**
 * Places letters at fractions of a pixel, as phones, macOS and Windows do. Without it Linux rounds
 * each letter's width, which makes a fallback font a different size.
 */
export const FRACTIONAL_TEXT_OPTIONS = {
  ...LAUNCH_OPTIONS,
  args: [...LAUNCH_OPTIONS.args, '--font-render-hinting=none'],
};
