import { expect, test } from 'vitest';
import { contrastRatio } from '@/shared/colour-contrast';
import { boardColourVariables } from './board-colours';

/** Dark, bright and light club colours, the specified defaults, white and black. */
const CLUB_COLOURS = [
  '#1f2937',
  '#3b82f6',
  '#ffeb3b',
  '#ffc72c',
  '#0b2e6b',
  '#7a1230',
  '#ff8a3d',
  '#00a651',
  '#ffffff',
  '#000000',
];

/** Writes `rgb(1,2,3)` as hexadecimal colour. Other colours stay. */
const toHex = (colour: string) =>
  colour.startsWith('rgb')
    ? `#${(colour.match(/\d+/g) ?? []).map((channel) => Number(channel).toString(16).padStart(2, '0')).join('')}`
    : colour;

test('every pair of club colours gives a board whose text and cells can be seen', () => {
  for (const primaryColor of CLUB_COLOURS)
    for (const accentColor of CLUB_COLOURS) {
      const colours = boardColourVariables({ primaryColor, accentColor });
      const ratio = (front: string, back: string) =>
        contrastRatio(
          toHex(colours[`--board-${front}`] ?? front),
          toHex(colours[`--board-${back}`] ?? back),
        );
      const pair = `${primaryColor} and ${accentColor}`;
      expect(ratio('#ffffff', 'raised'), `white text, ${pair}`).toBeGreaterThanOrEqual(4.5);
      expect(ratio('text-2', 'raised'), `labels, ${pair}`).toBeGreaterThanOrEqual(4.5);
      expect(ratio('accent', 'raised'), `prize, ${pair}`).toBeGreaterThanOrEqual(3);
      expect(ratio('away', 'raised'), `away column, ${pair}`).toBeGreaterThanOrEqual(3);
      expect(ratio('edge', 'base'), `empty cell, ${pair}`).toBeGreaterThanOrEqual(3);
      expect(ratio('revealed', 'base'), `revealed cell, ${pair}`).toBeGreaterThanOrEqual(3);
      expect(ratio('accent', '#ffffff'), `just sold, ${pair}`).toBeGreaterThanOrEqual(1.25);
    }
});

test('a board keeps the hue of its club, and a club’s accent that can be seen', () => {
  expect(boardColourVariables({ primaryColor: '#0b2e6b', accentColor: '#ffc72c' })).toMatchObject({
    '--board-accent': 'rgb(255,199,44)',
    '--board-away': '#7cc0ff',
  });
  expect(
    boardColourVariables({ primaryColor: '#0b2e6b', accentColor: '#0c3070' })['--board-accent'],
  ).toBe('rgb(255,184,28)');
  expect(
    boardColourVariables({ primaryColor: '#1f2937', accentColor: '#5b9bff' })['--board-away'],
  ).toBe('#ff9d4d');
});
